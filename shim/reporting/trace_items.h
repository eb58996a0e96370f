/* trace_items: what all ranks have traced, put together: one clock, each event with its operation,
 * and the two ends of each message with each other. */
#ifndef FTC_REPORTING_TRACE_ITEMS_H
#define FTC_REPORTING_TRACE_ITEMS_H

#include "board/trace.h"

enum { FTC_TRACE_NO_ITEM = -1 };

struct ftc_trace_item {
    struct ftc_trace_event event;
    uint64_t ns; /* CLOCK_MONOTONIC; strictly ascending in a rank */
    uint32_t rank;
    int32_t operation; /* item of its BEGIN; NO_ITEM: that has been overwritten */
    int32_t
        partner; /* of SENT and RECEIVED: the other end; of BEGIN: the END; NO_ITEM: there is none
                  */
};

struct ftc_trace_items {
    struct ftc_trace_item *item; /* rank by rank, in the order in which each has written them */
    int32_t count;
    uint64_t start_ns, end_ns; /* of the first rank's trace, and now */
};

/* Reads the rings of a board that has some. False without memory, and then there is nothing to
 * free; else *@items is to be given to ftc_trace_free_items(). */
bool ftc_trace_read_items(const struct ftc_board *board, struct ftc_trace_items *items);
void ftc_trace_free_items(struct ftc_trace_items *items);

#endif
