/* trace_records: the parts of a trace that are written, in the order of the file.
 *
 * An item begins or ends something. A record is the whole of it, with its duration, or one end of a
 * message. */
#ifndef FTC_REPORTING_TRACE_RECORDS_H
#define FTC_REPORTING_TRACE_RECORDS_H

#include "trace_items.h"

/* Kinds of records. Among records with equal start times and durations the lower kind comes first.
 */
enum ftc_trace_record_kind {
    FTC_RECORD_OPERATION,
    FTC_RECORD_ATTEMPT,
    FTC_RECORD_PHASE,
    FTC_RECORD_SEND,
    FTC_RECORD_RECEIVE,
    FTC_RECORD_FAR,  /* one end of a message whose other end is on another host */
    FTC_RECORD_LOST, /* a message that no rank took */
    FTC_RECORD_DEATH,
    FTC_RECORD_NOTICED,
    FTC_RECORD_TAKEN,
    FTC_RECORD_RESULT, /* of an operation that met a death, at any rank */
};

struct ftc_trace_record {
    uint64_t ns, duration_ns;
    enum ftc_trace_record_kind kind;
    uint32_t rank;
    int32_t item; /* index of the item that the record is made of; NO_ITEM: a DEATH */
};

struct ftc_trace_records {
    struct ftc_trace_record *record; /* sorted by time */
    size_t count, capacity;
    uint64_t *communicator; /* identities, in the order of the first operations */
    size_t communicators;
};

/* Makes the records of @items, to be freed by ftc_trace_free_records(). @is_early_end: as in
 * trace_write.h. Returns false without memory; nothing is then to be freed. */
bool ftc_trace_make_records(const struct ftc_board *board, const struct ftc_trace_items *items,
                            bool is_early_end, struct ftc_trace_records *records);
void ftc_trace_free_records(struct ftc_trace_records *records);

/* Returns the index of @communicator_id in records->communicator; records->communicators if it is
 * not there. */
size_t ftc_trace_communicator(const struct ftc_trace_records *records, uint64_t communicator_id);

#endif
