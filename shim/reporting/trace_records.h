/* trace_records: what of a trace is to be written, in the order of the file.
 *
 * An item begins or ends something; a record is the whole of it, with its duration, or one end of a
 * message. */
#ifndef FTC_REPORTING_TRACE_RECORDS_H
#define FTC_REPORTING_TRACE_RECORDS_H

#include "trace_items.h"

/* Of those that begin at the same time the ones that have others inside come first. */
enum ftc_trace_record_kind {
    FTC_RECORD_OPERATION,
    FTC_RECORD_ATTEMPT,
    FTC_RECORD_PHASE,
    FTC_RECORD_SEND,
    FTC_RECORD_RECEIVE,
    FTC_RECORD_FAR,  /* the one end of a message whose other is on another host */
    FTC_RECORD_LOST, /* a message that nobody took */
    FTC_RECORD_DEATH,
    FTC_RECORD_NOTICED,
    FTC_RECORD_TAKEN,
    FTC_RECORD_RESULT, /* of an operation that met a death, at any rank */
};

struct ftc_trace_record {
    uint64_t ns, duration_ns;
    enum ftc_trace_record_kind kind;
    uint32_t rank;
    int32_t item; /* that it is made of; none of a DEATH */
};

struct ftc_trace_records {
    struct ftc_trace_record *record; /* sorted by time */
    size_t count, capacity;
    uint64_t *communicator; /* in the order of their first operations */
    size_t communicators;
};

/* @is_early_end: as in trace_write.h. False without memory, and then there is nothing to free. */
bool ftc_trace_make_records(const struct ftc_board *board, const struct ftc_trace_items *items,
                            bool is_early_end, struct ftc_trace_records *records);
void ftc_trace_free_records(struct ftc_trace_records *records);

/* Its place in the list; the number of all if it is not in it. */
size_t ftc_trace_communicator(const struct ftc_trace_records *records, uint64_t communicator_id);

#endif
