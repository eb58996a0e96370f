#include "rounds.h"

#include "check.h"
#include "internal.h"

#include <string.h>

static struct sim_rounds *rounds_of(const struct sim *s, int rank)
{
    return s->process[rank].rounds;
}

/* ---- blocks ---- */

/* Operations that the scenario has for the rounds of a call. */
static int rounds_for(const struct scenario *c, int first_op)
{
    int rounds = 1;

    while (first_op + rounds < c->op_count && c->op[first_op + rounds].is_further)
        rounds++;
    return rounds;
}

/* Of another length in each call, and with no more rounds than there are operations for. */
static int block_units(const struct sim *s, int rank, int first_op)
{
    static const int units[] = {3, 4, 1, 2, 0};
    int most = rounds_for(&s->scenario, first_op) * SIM_HALF_UNITS;
    int wanted = units[(rank + first_op) % (int)(sizeof units / sizeof units[0])];

    if (most < SIM_PLACE_UNITS)
        most = SIM_PLACE_UNITS;
    return wanted < most ? wanted : most;
}

static bool is_written_at_once(int units)
{
    return units <= SIM_PLACE_UNITS;
}

static struct sim_rounds_unit original(int rank, int number, int first_op)
{
    return (struct sim_rounds_unit){
        .rank = (uint8_t)rank, .number = (uint8_t)number, .op = (int8_t)first_op};
}

/* ---- places (shim/board/bulk.c) ---- */

static struct sim_place *find(struct sim_rounds *of, int op)
{
    for (int i = 0; i < SIM_MAX_PLACES; i++)
        if (of->place[i].op == op)
            return &of->place[i];
    return NULL;
}

/* Whoever has voted in the call showed itself before: it is found until it has read. */
static bool reads(const struct sim *s, const struct sim_place *place, int reader)
{
    const struct sim_place *its = find(rounds_of(s, reader), place->op);

    return its && !its->has_read && s->process[reader].alive;
}

static bool is_read(const struct sim *s, const struct sim_place *place)
{
    for (int rank = 0; rank < s->scenario.n; rank++)
        if (place->readers & sim_bit(rank) && reads(s, place, rank))
            return true;
    return false;
}

static bool is_free(const struct sim *s, const struct sim_place *place)
{
    return place->op < 0 || (place->is_left && !is_read(s, place));
}

/* -1: others still read what was in the last one that could be free. */
static int free_place(const struct sim *s, int rank)
{
    for (int i = 0; i < s->scenario.places; i++)
        if (is_free(s, &rounds_of(s, rank)->place[i]))
            return i;
    return -1;
}

static void take_place(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);

    p->own = free_place(s, rank); /* what is in it stays: nobody clears memory */
    p->place[p->own].op = p->first_op;
    p->place[p->own].has_read = p->place[p->own].is_left = false;
}

static void leave_place(struct sim *s, int rank)
{
    struct sim_place *place = &rounds_of(s, rank)->place[rounds_of(s, rank)->own];

    place->has_read = place->is_left = true;
    place->readers = s->process[rank].members & ~sim_bit(rank);
}

/* ---- writing (shim/protocols/rounds_memory.c) ---- */

/* The first round's is all of the place, for whom that is enough. */
static int area_of(int round)
{
    return round % 2 * SIM_HALF_UNITS;
}

static int units_to_post(const struct sim *s, int rank)
{
    const struct sim_rounds *p = rounds_of(s, rank);
    int units = block_units(s, rank, p->first_op), left = units - p->written;

    return is_written_at_once(units) || left < SIM_HALF_UNITS ? left : SIM_HALF_UNITS;
}

static void post(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);
    struct sim_place *place = &p->place[p->own];
    int units = units_to_post(s, rank);

    for (int i = 0; i < units; i++)
        place->unit[area_of(p->round) + i] = original(rank, p->written + i, p->first_op);
    p->written = (uint8_t)(p->written + units);
    place->head[p->round % 2] = (struct sim_rounds_head){.units = (uint8_t)units,
                                                         .left = (uint8_t)sim_rounds_left(s, rank)};
}

uint64_t sim_rounds_left(const struct sim *s, int rank)
{
    const struct sim_rounds *p = rounds_of(s, rank);

    return (uint64_t)(block_units(s, rank, p->first_op) - p->written);
}

/* ---- taking (shim/protocols/rounds.c) ---- */

static void keep(struct sim_rounds_from *f, const struct sim_place *place, int area, int units)
{
    for (int i = 0; i < units; i++)
        if (f->units < SIM_BLOCK_MOST_UNITS)
            f->unit[f->units++] = place->unit[area + i];
}

/* Its memory is as it is until all have shown that they have read: what is there at once, and is
 * not for later, stays there. */
static void take_from(struct sim *s, int rank, int from)
{
    struct sim_rounds *p = rounds_of(s, rank);
    const struct sim_place *place = find(rounds_of(s, from), p->first_op);
    struct sim_rounds_from *f = &p->from[from];
    struct sim_rounds_head head;

    if (!place) {
        sim_violation(s, "every_block_of_rounds_is_whole", "op %d: p%d finds no place of p%d",
                      p->first_op, rank, from);
        return;
    }
    head = place->head[p->round % 2];
    f->is_whole = head.left == 0;
    if (p->round == 0 && f->is_whole)
        f->staying = head.units;
    else
        keep(f, place, area_of(p->round), head.units);
}

/* Has written in this round what is not known to be whole. */
static bool brings(const struct sim_rounds *p, int rank)
{
    return p->who & sim_bit(rank) && !p->from[rank].is_whole;
}

static void read_from(struct sim *s, int rank, int from)
{
    struct sim_rounds *p = rounds_of(s, rank);
    struct sim_rounds_from *f = &p->from[from];
    const struct sim_place *place = find(rounds_of(s, from), p->first_op);

    if (!place)
        sim_violation(s, "every_block_of_rounds_is_whole",
                      "op %d: the place of p%d is gone from p%d", p->first_op, from, rank);
    else
        keep(f, place, 0, f->staying);
    f->staying = 0;
}

/* ---- rules ---- */

static bool is_right(struct sim_rounds_unit a, struct sim_rounds_unit b)
{
    return !a.is_wrong && a.rank == b.rank && a.number == b.number && a.op == b.op;
}

/* doc/design.md, section 12: as its owner made it, in this call. */
static void every_block_of_rounds_is_whole(struct sim *s, int rank, int from)
{
    const struct sim_rounds *p = rounds_of(s, rank);
    const struct sim_rounds_from *f = &p->from[from];
    int units = block_units(s, from, p->first_op);

    if (f->units != units)
        sim_violation(s, "every_block_of_rounds_is_whole", "op %d: p%d has %d of %d units of p%d",
                      p->first_op, rank, f->units, units, from);
    for (int i = 0; i < f->units; i++)
        if (!is_right(f->unit[i], original(from, i, p->first_op)))
            sim_violation(s, "every_block_of_rounds_is_whole",
                          "op %d: unit %d of p%d at p%d is unit %d of p%d, of op %d%s", p->first_op,
                          i, from, rank, f->unit[i].number, f->unit[i].rank, f->unit[i].op,
                          f->unit[i].is_wrong ? ", half written" : "");
}

static void every_live_block_is_there(struct sim *s, int rank)
{
    const struct sim_rounds *p = rounds_of(s, rank);

    for (int i = 0; i < s->scenario.n; i++)
        if (s->process[i].alive && !p->from[i].is_whole)
            sim_violation(s, "every_live_block_is_there", "op %d: p%d has none of p%d", p->first_op,
                          rank, i);
}

static void check(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);

    every_live_block_is_there(s, rank);
    p->has_ended[p->first_op] = true;
    for (int i = 0; i < s->scenario.n; i++)
        if (p->from[i].is_whole) {
            p->whole[p->first_op] |= sim_bit(i);
            every_block_of_rounds_is_whole(s, rank, i);
        }
}

/* Of who died between two rounds all survivors have the block, or none. */
static void survivors_have_the_same_blocks(struct sim *s, int first_op, int a, int b)
{
    const struct sim_rounds *p = rounds_of(s, a), *q = rounds_of(s, b);

    if (p->has_ended[first_op] != q->has_ended[first_op] ||
        p->whole[first_op] != q->whole[first_op])
        sim_violation(s, "survivors_have_the_same_blocks",
                      "op %d: p%d those of %#llx, p%d of %#llx", first_op, a,
                      (unsigned long long)p->whole[first_op], b,
                      (unsigned long long)q->whole[first_op]);
}

void sim_rounds_check_end(struct sim *s)
{
    int first = -1;

    for (int rank = 0; rank < s->scenario.n; rank++) {
        if (!s->process[rank].alive)
            continue;
        if (first < 0)
            first = rank;
        for (int op = 0; op < s->scenario.op_count; op++)
            survivors_have_the_same_blocks(s, op, first, rank);
    }
}

/* ---- a process in it ---- */

void sim_rounds_reset(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);

    memset(p, 0, offsetof(struct sim_rounds, from) + (size_t)s->scenario.n * sizeof p->from[0]);
    for (int i = 0; i < SIM_MAX_PLACES; i++) {
        p->place[i].op = -1;
        for (int j = 0; j < SIM_PLACE_UNITS; j++)
            p->place[i].unit[j].is_wrong = true;
    }
}

void sim_rounds_begin(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);
    int seq = s->process[rank].seq;

    if (s->scenario.op[seq].is_further) {
        p->step = SIM_ROUNDS_WRITE;
        return;
    }
    p->step = SIM_ROUNDS_PLACE;
    p->first_op = (int8_t)seq;
    p->round = p->written = 0;
    memset(p->from, 0, (size_t)s->scenario.n * sizeof p->from[0]);
}

bool sim_rounds_can_turn(const struct sim *s, int rank)
{
    return rounds_of(s, rank)->step != SIM_ROUNDS_PLACE || free_place(s, rank) >= 0;
}

/* The rank from @at on that TAKE or READ comes to; n: there is none left. */
static int next_rank(const struct sim *s, const struct sim_rounds *p, int at)
{
    while (at < s->scenario.n &&
           !(p->step == SIM_ROUNDS_TAKE ? brings(p, at) : p->from[at].staying))
        at++;
    return at;
}

static void begin_with(struct sim *s, struct sim_rounds *p, enum sim_rounds_step step)
{
    p->step = step;
    p->at = next_rank(s, p, 0);
}

void sim_rounds_hear(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);
    const struct sim_outcome *o = sim_outcome_of(s, s->process[rank].seq, rank);
    struct ftc_round_status status;

    p->is_again = false;
    p->step = SIM_ROUNDS_LEAVE; /* with an error */
    if (o->verdict != FTC_VERDICT_VALUE || !o->has_value)
        return;
    status = sim_value_status((const struct sim_value *)o->value, s->scenario.n);
    p->who = status.who[0];
    p->is_again = status.left > 0;
    begin_with(s, p, SIM_ROUNDS_TAKE);
}

/* Takes or reads from the next rank. True: there is none left. */
static bool is_through(struct sim *s, int rank, void (*visit)(struct sim *s, int rank, int from))
{
    struct sim_rounds *p = rounds_of(s, rank);

    if (p->at < s->scenario.n)
        visit(s, rank, p->at);
    p->at = next_rank(s, p, p->at + 1);
    return p->at >= s->scenario.n;
}

/* True: the round is over, and another one follows. */
static bool take(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);

    if (!is_through(s, rank, take_from))
        return false;
    p->round++;
    if (!p->is_again)
        begin_with(s, p, SIM_ROUNDS_READ);
    return p->is_again;
}

static void read_next(struct sim *s, int rank)
{
    if (!is_through(s, rank, read_from))
        return;
    check(s, rank);
    rounds_of(s, rank)->step = SIM_ROUNDS_LEAVE;
}

bool sim_rounds_turn(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);

    switch (p->step) {
    case SIM_ROUNDS_PLACE:
        take_place(s, rank);
        p->step = SIM_ROUNDS_WRITE;
        return false;
    case SIM_ROUNDS_WRITE:
        post(s, rank);
        return true;
    case SIM_ROUNDS_TAKE:
        return take(s, rank);
    case SIM_ROUNDS_READ:
        read_next(s, rank);
        return false;
    case SIM_ROUNDS_LEAVE:
        leave_place(s, rank);
        return true;
    }
    return false;
}

/* What it was about to write is half written, and its head says that it is all. */
void sim_rounds_die(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);
    struct sim_place *place = &p->place[p->own];
    int units;

    if (p->step != SIM_ROUNDS_WRITE)
        return;
    units = units_to_post(s, rank);
    for (int i = 0; i < units; i++)
        place->unit[area_of(p->round) + i].is_wrong = true;
    place->head[p->round % 2] = (struct sim_rounds_head){.units = (uint8_t)units};
}
