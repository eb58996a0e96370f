#include "trace_records.h"

#include "board/death.h"
#include "board/directory.h"
#include "board/rank_state.h"
#include "notice.h"

#include <stdlib.h>

enum { NO_ITEM = FTC_TRACE_NO_ITEM };

/* Identity of an operation, the same at all its ranks. */
struct operation {
    uint64_t communicator_id;
    uint32_t seq;
};

struct making {
    const struct ftc_board *board;
    const struct ftc_trace_items *items;
    bool is_early_end;
    struct ftc_trace_records *records;
    struct operation *met; /* operations that met a death, sorted */
    size_t met_count;
};

static int compare_operations(const void *a, const void *b)
{
    const struct operation *left = a, *right = b;

    if (left->communicator_id != right->communicator_id)
        return left->communicator_id < right->communicator_id ? -1 : 1;
    return (left->seq > right->seq) - (left->seq < right->seq);
}

static struct operation operation_of(const struct ftc_trace_item *item)
{
    return (struct operation){.communicator_id = item->event.communicator_id,
                              .seq = item->event.seq};
}

/* Returns whether @rank has failed. At an early end other dead ranks were ended with the job. */
static bool has_failed(const struct making *t, uint32_t rank)
{
    return t->is_early_end ? ftc_notice_has_failed(t->board, rank)
                           : ftc_board_is_dead(t->board, rank);
}

static bool is_notice(const struct making *t, const struct ftc_trace_item *item)
{
    return item->event.kind == FTC_TRACE_NOTICED && item->event.peer < t->board->geometry.ranks &&
           has_failed(t, item->event.peer);
}

static void list_met(struct making *t)
{
    for (int32_t i = 0; i < t->items->count; i++)
        if (is_notice(t, &t->items->item[i]))
            t->met[t->met_count++] = operation_of(&t->items->item[i]);
    qsort(t->met, t->met_count, sizeof *t->met, compare_operations);
}

static bool has_met_death(const struct making *t, const struct ftc_trace_item *item)
{
    struct operation key = operation_of(item);

    return bsearch(&key, t->met, t->met_count, sizeof *t->met, compare_operations) != NULL;
}

static void add(struct making *t, struct ftc_trace_record r)
{
    if (t->records->count < t->records->capacity)
        t->records->record[t->records->count++] = r;
}

/* Returns when the operation that began with item @begin was over for its rank: at its result, at
 * the rank's death, or now if it is not over yet. */
static uint64_t end_of(const struct making *t, int32_t begin)
{
    const struct ftc_trace_item *item = &t->items->item[begin];
    uint64_t ns = t->items->end_ns;

    if (item->partner != NO_ITEM)
        return t->items->item[item->partner].ns;
    if (ftc_board_is_dead(t->board, item->rank))
        ns = ftc_death_time_ns(t->board, item->rank);
    return ns > item->ns ? ns : item->ns + 1;
}

/* Returns when the phase of item @i, or its attempt if @of_attempt, was over: at the next item of
 * the operation that begins another one, or at the operation's end. */
static uint64_t end_of_phase(const struct making *t, int32_t i, bool of_attempt)
{
    const struct ftc_trace_item *item = &t->items->item[i];

    for (int32_t k = i + 1; k < t->items->count && t->items->item[k].rank == item->rank; k++) {
        const struct ftc_trace_item *next = &t->items->item[k];

        if (next->operation == item->operation && next->event.kind == FTC_TRACE_PHASE &&
            (!of_attempt || next->event.attempt != item->event.attempt))
            return next->ns;
        if (k == t->items->item[item->operation].partner)
            return next->ns;
    }
    return end_of(t, item->operation);
}

static void add_span(struct making *t, enum ftc_trace_record_kind kind, int32_t i, uint64_t end_ns)
{
    const struct ftc_trace_item *item = &t->items->item[i];

    add(t, (struct ftc_trace_record){.ns = item->ns,
                                     .duration_ns = end_ns > item->ns ? end_ns - item->ns : 0,
                                     .kind = kind,
                                     .rank = item->rank,
                                     .item = i});
}

/* Returns whether item @i, a phase, is the first one of its attempt. */
static bool begins_attempt(const struct making *t, int32_t i)
{
    const struct ftc_trace_item *item = &t->items->item[i];

    for (int32_t k = i - 1; k > item->operation; k--)
        if (t->items->item[k].operation == item->operation &&
            t->items->item[k].event.kind == FTC_TRACE_PHASE)
            return t->items->item[k].event.attempt != item->event.attempt;
    return true;
}

static void add_phase(struct making *t, int32_t i)
{
    if (begins_attempt(t, i))
        add_span(t, FTC_RECORD_ATTEMPT, i, end_of_phase(t, i, true));
    add_span(t, FTC_RECORD_PHASE, i, end_of_phase(t, i, false));
}

enum { APART_NS = 1000 }; /* largest difference of the two clocks; mostly much less */

/* Adds the notice of a death. It is not earlier than the death, whose time is of another clock. */
static void add_notice(struct making *t, int32_t i)
{
    const struct ftc_trace_item *item = &t->items->item[i];
    uint64_t death_ns = ftc_death_time_ns(t->board, item->event.peer);
    bool is_close = item->ns < death_ns && death_ns - item->ns < APART_NS;

    add(t, (struct ftc_trace_record){.ns = is_close ? death_ns : item->ns,
                                     .kind = FTC_RECORD_NOTICED,
                                     .rank = item->rank,
                                     .item = i});
}

static void add_message(struct making *t, int32_t i)
{
    const struct ftc_trace_item *item = &t->items->item[i];
    bool is_sent = item->event.kind == FTC_TRACE_SENT;

    if (item->event.peer >= t->board->geometry.ranks)
        return;
    if (!ftc_board_is_here(t->board, item->event.peer))
        add_span(t, FTC_RECORD_FAR, i, 0);
    else if (item->partner != NO_ITEM)
        add_span(t, is_sent ? FTC_RECORD_SEND : FTC_RECORD_RECEIVE, i, 0);
    else if (is_sent)
        add_span(t, FTC_RECORD_LOST, i, 0);
}

static void add_item(struct making *t, int32_t i)
{
    const struct ftc_trace_item *item = &t->items->item[i];

    if (item->operation == NO_ITEM)
        return;
    switch ((enum ftc_trace_kind)item->event.kind) {
    case FTC_TRACE_BEGIN:
        add_span(t, FTC_RECORD_OPERATION, i, end_of(t, i));
        break;
    case FTC_TRACE_PHASE:
        add_phase(t, i);
        break;
    case FTC_TRACE_SENT:
    case FTC_TRACE_RECEIVED:
        add_message(t, i);
        break;
    case FTC_TRACE_NOTICED:
        if (is_notice(t, item))
            add_notice(t, i);
        break;
    case FTC_TRACE_TAKEN:
        add_span(t, FTC_RECORD_TAKEN, i, 0);
        break;
    case FTC_TRACE_END:
        if (has_met_death(t, item))
            add_span(t, FTC_RECORD_RESULT, i, 0);
        break;
    default:
        break;
    }
}

static void add_deaths(struct making *t)
{
    for (uint32_t rank = 0; rank < t->board->geometry.ranks; rank++)
        if (has_failed(t, rank))
            add(t, (struct ftc_trace_record){.ns = ftc_death_time_ns(t->board, rank),
                                             .kind = FTC_RECORD_DEATH,
                                             .rank = rank,
                                             .item = NO_ITEM});
}

/* Orders records by time. Among records with equal start times, the enclosing one comes first. */
static int by_time(const void *a, const void *b)
{
    const struct ftc_trace_record *left = a, *right = b;

    if (left->ns != right->ns)
        return left->ns < right->ns ? -1 : 1;
    if (left->duration_ns != right->duration_ns)
        return left->duration_ns > right->duration_ns ? -1 : 1;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

size_t ftc_trace_communicator(const struct ftc_trace_records *records, uint64_t communicator_id)
{
    size_t i = 0;

    while (i < records->communicators && records->communicator[i] != communicator_id)
        i++;
    return i;
}

static void list_communicators(struct making *t)
{
    struct ftc_trace_records *records = t->records;

    for (size_t i = 0; i < records->count; i++) {
        const struct ftc_trace_record *r = &records->record[i];
        uint64_t id;

        if (r->kind != FTC_RECORD_OPERATION)
            continue;
        id = t->items->item[r->item].event.communicator_id;
        if (ftc_trace_communicator(records, id) == records->communicators)
            records->communicator[records->communicators++] = id;
    }
}

static void make(struct making *t)
{
    list_met(t);
    for (int32_t i = 0; i < t->items->count; i++)
        add_item(t, i);
    add_deaths(t);
    qsort(t->records->record, t->records->count, sizeof *t->records->record, by_time);
    list_communicators(t);
}

/* Makes room for two records an item, which is the most that an item yields. */
bool ftc_trace_make_records(const struct ftc_board *board, const struct ftc_trace_items *items,
                            bool is_early_end, struct ftc_trace_records *records)
{
    struct making t = {
        .board = board, .items = items, .is_early_end = is_early_end, .records = records};
    size_t count = (size_t)items->count;
    bool has_memory;

    *records = (struct ftc_trace_records){.capacity = 2 * count + board->geometry.ranks};
    records->record = calloc(records->capacity, sizeof *records->record);
    records->communicator = calloc(count + 1, sizeof *records->communicator);
    t.met = calloc(count + 1, sizeof *t.met);
    has_memory = records->record && records->communicator && t.met;
    if (has_memory)
        make(&t);
    else
        ftc_trace_free_records(records);
    free(t.met);
    return has_memory;
}

void ftc_trace_free_records(struct ftc_trace_records *records)
{
    free(records->record);
    free(records->communicator);
    *records = (struct ftc_trace_records){0};
}
