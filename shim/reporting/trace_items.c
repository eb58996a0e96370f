#include "trace_items.h"

#include "board/directory.h"

#include <stdlib.h>

enum { MOMENTS_OF_RANK = 2 * FTC_TRACE_PARTS + 1, NO_ITEM = FTC_TRACE_NO_ITEM };

/* ---- one clock ---- */

/* Readings of both clocks: this moment, the start of each rank's trace, and those in its ring.
 * Readings for which there is no room are not needed. */
struct clock {
    struct ftc_moment *moment;
    size_t count, capacity;
};

static void add_moment(struct clock *clock, struct ftc_moment moment)
{
    if (clock->count < clock->capacity)
        clock->moment[clock->count++] = moment;
}

static void add_rank(struct ftc_trace_items *items, struct clock *clock, uint32_t rank,
                     const struct ftc_trace_event *event, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (event[i].kind == FTC_TRACE_MOMENT) {
            add_moment(clock, (struct ftc_moment){event[i].ticks, event[i].communicator_id});
            continue;
        }
        items->item[items->count++] = (struct ftc_trace_item){
            .event = event[i], .rank = rank, .operation = NO_ITEM, .partner = NO_ITEM};
    }
}

static void read_rank(struct ftc_trace_items *items, struct clock *clock,
                      const struct ftc_board *board, uint32_t rank, struct ftc_trace_event *event)
{
    struct ftc_moment start;
    bool are_cycles;

    if (!ftc_trace_start(board, rank, &start, &are_cycles))
        return;
    if (clock->count == 0)
        add_moment(clock, ftc_ticks_now(are_cycles));
    add_moment(clock, start);
    if (start.ns < items->start_ns)
        items->start_ns = start.ns;
    add_rank(items, clock, rank, event, ftc_trace_read(board, rank, event));
}

static void set_times(struct ftc_trace_items *items, struct clock *clock)
{
    clock->count = ftc_ticks_sort(clock->moment, clock->count);
    for (int32_t i = 0; i < items->count; i++) {
        struct ftc_trace_item *item = &items->item[i];
        uint64_t ns = ftc_ticks_to_ns(clock->moment, clock->count, item->event.ticks);

        if (i > 0 && item[-1].rank == item->rank && ns <= item[-1].ns)
            ns = item[-1].ns + 1;
        item->ns = ns;
    }
}

static bool read_all(struct ftc_trace_items *items, const struct ftc_board *board)
{
    uint32_t ranks = board->geometry.ranks;
    size_t room = ftc_trace_capacity(board);
    struct ftc_trace_event *event = calloc(room, sizeof *event);
    struct clock clock = {.capacity = 1 + (size_t)ranks * MOMENTS_OF_RANK};

    clock.moment = calloc(clock.capacity, sizeof *clock.moment);
    items->item = calloc(room * ranks, sizeof *items->item);
    if (event && clock.moment && items->item) {
        for (uint32_t rank = 0; rank < ranks; rank++)
            if (ftc_board_is_here(board, rank))
                read_rank(items, &clock, board, rank, event);
        if (items->count > 0)
            set_times(items, &clock);
    } else {
        free(items->item);
        items->item = NULL;
    }
    free(event);
    free(clock.moment);
    return items->item != NULL;
}

/* ---- operations ---- */

/* Operations of a rank that are not over. There is at most one a communicator, so mostly one. */
struct open_operations {
    int32_t *begin;
    size_t count, capacity;
};

static int32_t *find_open(const struct open_operations *open, const struct ftc_trace_items *items,
                          uint64_t communicator_id)
{
    for (size_t i = 0; i < open->count; i++)
        if (items->item[open->begin[i]].event.communicator_id == communicator_id)
            return &open->begin[i];
    return NULL;
}

static void open_operation(struct open_operations *open, struct ftc_trace_items *items, int32_t i)
{
    int32_t *place = find_open(open, items, items->item[i].event.communicator_id);

    if (!place && open->count == open->capacity) {
        size_t capacity = 2 * open->capacity + 16;
        int32_t *more = realloc(open->begin, capacity * sizeof *more);

        if (!more)
            return; /* the operation is not shown */
        open->begin = more;
        open->capacity = capacity;
    }
    if (!place)
        place = &open->begin[open->count++];
    *place = i;
    items->item[i].operation = i;
}

static void place_item(struct open_operations *open, struct ftc_trace_items *items, int32_t i)
{
    const struct ftc_trace_event *e = &items->item[i].event;
    int32_t *place = find_open(open, items, e->communicator_id);

    if (!place || items->item[*place].event.seq != e->seq)
        return;
    items->item[i].operation = *place;
    if (e->kind != FTC_TRACE_END)
        return;
    items->item[*place].partner = i;
    *place = open->begin[--open->count];
}

static void place_items(struct ftc_trace_items *items)
{
    struct open_operations open = {0};

    for (int32_t i = 0; i < items->count; i++) {
        if (i > 0 && items->item[i].rank != items->item[i - 1].rank)
            open.count = 0;
        if (items->item[i].event.kind == FTC_TRACE_BEGIN)
            open_operation(&open, items, i);
        else
            place_item(&open, items, i);
    }
    free(open.begin);
}

/* ---- messages ---- */

/* Message as one of its ends has traced it. Both ends agree in all members but the last two. Among
 * messages that agree, the first one sent was received first. */
struct message {
    uint64_t communicator_id;
    uint32_t seq, step, from, to;
    uint16_t attempt;
    uint8_t kind;
    bool is_received;
    int32_t item;
};

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_messages(const struct message *a, const struct message *b)
{
    int order = ORDER(a->communicator_id, b->communicator_id);

    order = order ? order : ORDER(a->seq, b->seq);
    order = order ? order : ORDER(a->from, b->from);
    order = order ? order : ORDER(a->to, b->to);
    order = order ? order : ORDER(a->attempt, b->attempt);
    order = order ? order : ORDER(a->kind, b->kind);
    return order ? order : ORDER(a->step, b->step);
}

static int by_message(const void *a, const void *b)
{
    const struct message *left = a, *right = b;
    int order = compare_messages(left, right);

    order = order ? order : ORDER(left->is_received, right->is_received);
    return order ? order : ORDER(left->item, right->item);
}

static struct message message_of(const struct ftc_trace_items *items, int32_t i)
{
    const struct ftc_trace_item *item = &items->item[i];
    const struct ftc_trace_event *e = &item->event;
    bool is_received = e->kind == FTC_TRACE_RECEIVED;

    return (struct message){.communicator_id = e->communicator_id,
                            .seq = e->seq,
                            .step = e->number,
                            .from = is_received ? e->peer : item->rank,
                            .to = is_received ? item->rank : e->peer,
                            .attempt = e->attempt,
                            .kind = e->what,
                            .is_received = is_received,
                            .item = i};
}

static size_t list_messages(const struct ftc_trace_items *items, struct message *message)
{
    size_t count = 0;

    for (int32_t i = 0; i < items->count; i++) {
        uint8_t kind = items->item[i].event.kind;

        if (items->item[i].operation != NO_ITEM &&
            (kind == FTC_TRACE_SENT || kind == FTC_TRACE_RECEIVED))
            message[count++] = message_of(items, i);
    }
    qsort(message, count, sizeof *message, by_message);
    return count;
}

/* Sets the time of item @sent, and of earlier ones of its rank, back to before @received_ns. The
 * sender reads the clock after it has sent, and may lose its core in between. The message was sent
 * before it was received, and so was all that its rank had done before. */
static void set_back(struct ftc_trace_items *items, int32_t sent, uint64_t received_ns)
{
    struct ftc_trace_item *item = &items->item[sent];

    if (item->ns < received_ns || received_ns == 0)
        return;
    item->ns = received_ns - 1;
    for (; sent > 0 && item[-1].rank == item->rank && item[-1].ns >= item->ns && item->ns > 0;
         item--, sent--)
        item[-1].ns = item->ns - 1;
}

static void match(struct ftc_trace_items *items, const struct message *sent,
                  const struct message *received)
{
    items->item[sent->item].partner = received->item;
    items->item[received->item].partner = sent->item;
    set_back(items, sent->item, items->item[received->item].ns);
}

/* Matches those of the @left messages from @first on that agree with @first. Sent messages come
 * before received ones. Returns how many agree. */
static size_t match_alike(struct ftc_trace_items *items, const struct message *first, size_t left)
{
    size_t alike = 1, sent = first->is_received ? 0 : 1;

    for (; alike < left && compare_messages(first, &first[alike]) == 0; alike++)
        sent += !first[alike].is_received;
    for (size_t i = 0; i < sent && sent + i < alike; i++)
        match(items, &first[i], &first[sent + i]);
    return alike;
}

static bool match_messages(struct ftc_trace_items *items)
{
    struct message *message = calloc((size_t)items->count + 1, sizeof *message);
    size_t count;

    if (!message)
        return false;
    count = list_messages(items, message);
    for (size_t i = 0; i < count;)
        i += match_alike(items, &message[i], count - i);
    free(message);
    return true;
}

bool ftc_trace_read_items(const struct ftc_board *board, struct ftc_trace_items *items)
{
    *items = (struct ftc_trace_items){.start_ns = UINT64_MAX};
    if (!read_all(items, board))
        return false;
    items->end_ns = ftc_clock_ns();
    if (items->start_ns > items->end_ns)
        items->start_ns = items->end_ns;
    place_items(items);
    if (match_messages(items))
        return true;
    ftc_trace_free_items(items);
    return false;
}

void ftc_trace_free_items(struct ftc_trace_items *items)
{
    free(items->item);
    *items = (struct ftc_trace_items){0};
}
