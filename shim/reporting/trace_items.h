/* trace_items: the events that all ranks of a host have traced, on one clock. Each has its
 * operation, and the two ends of a message refer to each other. */
#ifndef FTC_REPORTING_TRACE_ITEMS_H
#define FTC_REPORTING_TRACE_ITEMS_H

#include "board/trace.h"

enum { FTC_TRACE_NO_ITEM = -1 };

struct ftc_trace_item {
    struct ftc_trace_event event;
    uint64_t ns; /* CLOCK_MONOTONIC; strictly ascending in a rank */
    uint32_t rank;
    int32_t operation; /* index of its BEGIN; NO_ITEM: overwritten */
    int32_t partner;   /* index of a message's other end, or of a BEGIN's END; NO_ITEM: none */
};

struct ftc_trace_items {
    struct ftc_trace_item *item; /* rank by rank, each in the order in which it has written */
    int32_t count;
    uint64_t start_ns, end_ns; /* start of the earliest trace; time of reading */
};

/* Reads the rings of all ranks of this host, on a board that has rings. Returns false without
 * memory. Otherwise the caller passes @items to ftc_trace_free_items(). */
bool ftc_trace_read_items(const struct ftc_board *board, struct ftc_trace_items *items);
void ftc_trace_free_items(struct ftc_trace_items *items);

#endif
