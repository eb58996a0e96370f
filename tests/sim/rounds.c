#include "rounds.h"

#include "check.h"
#include "internal.h"

#include <assert.h>
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

static const struct ftc_rounds_limits limits = {
    .whole_bytes = SIM_PLACE_UNITS,
    .part_bytes = SIM_HALF_UNITS,
};

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

static struct sim_rounds_unit original(int rank, int number, int first_op)
{
    return (struct sim_rounds_unit){
        .rank = (uint8_t)rank, .number = (uint8_t)number, .op = (int8_t)first_op};
}

/* ---- places ---- */

static struct sim_place *find(struct sim_rounds *of, int op)
{
    for (int i = 0; i < SIM_MAX_PLACES; i++)
        if (of->place[i].op == op)
            return &of->place[i];
    return NULL;
}

struct site {
    const struct sim *sim;
    int op;
};

static bool shows(void *context, uint32_t reader, uint32_t *shown)
{
    const struct site *site = context;
    const struct sim_place *its = find(rounds_of(site->sim, (int)reader), site->op);

    *shown = its ? its->shown : 0;
    return its != NULL;
}

static bool is_dead(void *context, uint32_t reader)
{
    return !((const struct site *)context)->sim->process[reader].alive;
}

/* Leaves the place as it is. */
static bool is_free(const struct sim *s, const struct sim_place *place)
{
    static const struct ftc_rounds_world world = {.shows = shows, .is_dead = is_dead};
    struct ftc_rounds_region use = place->use;

    return ftc_rounds_is_free(&use, &world, &(struct site){.sim = s, .op = place->op});
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
    p->place[p->own].shown = 0;
    p->place[p->own].use = (struct ftc_rounds_region){.is_taken = true};
}

static void leave_place(struct sim *s, int rank)
{
    struct sim_place *place = &rounds_of(s, rank)->place[rounds_of(s, rank)->own];
    int readers = 0;

    place->shown = FTC_ROUNDS_HAS_READ;
    for (int reader = 0; reader < s->scenario.n; reader++)
        if (reader != rank && s->process[rank].members & sim_bit(reader))
            place->reader[readers++] = (uint32_t)reader;
    ftc_rounds_leave(&place->use, place->reader, readers);
}

/* ---- writing ---- */

static void write_part(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);
    struct sim_place *place = &p->place[p->own];
    struct ftc_rounds_area area = ftc_rounds_area(&limits, p->progress.round);
    struct ftc_rounds_piece piece = ftc_rounds_write(&p->progress, &limits);

    for (uint64_t i = 0; i < piece.bytes; i++)
        place->unit[area.at + i] = original(rank, (int)(piece.from + i), p->first_op);
    place->head[ftc_rounds_half(p->progress.round)] =
        (struct sim_rounds_head){.units = (uint8_t)piece.bytes, .left = (uint8_t)piece.left};
}

/* ---- taking ---- */

static void keep(struct sim_rounds_from *f, const struct sim_place *place, uint64_t at, int units)
{
    for (int i = 0; i < units; i++)
        if (f->units < SIM_BLOCK_MOST_UNITS)
            f->unit[f->units++] = place->unit[at + (uint64_t)i];
}

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
    head = place->head[ftc_rounds_half(p->progress.round)];
    ftc_rounds_got(&p->progress, &f->source, head.left);
    f->staying = f->source.stays ? head.units : 0;
    if (!f->source.stays)
        keep(f, place, ftc_rounds_area(&limits, p->progress.round).at, head.units);
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
        if (s->process[i].alive && !p->from[i].source.is_whole)
            sim_violation(s, "every_live_block_is_there", "op %d: p%d has none of p%d", p->first_op,
                          rank, i);
}

static void check(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);

    every_live_block_is_there(s, rank);
    p->has_ended[p->first_op] = true;
    for (int i = 0; i < s->scenario.n; i++)
        if (p->from[i].source.is_whole) {
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
        p->place[i].use = (struct ftc_rounds_region){0};
        for (int j = 0; j < SIM_PLACE_UNITS; j++)
            p->place[i].unit[j].is_wrong = true;
    }
}

void sim_rounds_begin(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);
    int seq = s->process[rank].seq;

    if (s->scenario.op[seq].is_further)
        return;
    p->progress = (struct ftc_rounds_progress){.bytes = (uint64_t)block_units(s, rank, seq)};
    p->first_op = (int8_t)seq;
    memset(p->from, 0, (size_t)s->scenario.n * sizeof p->from[0]);
}

bool sim_rounds_can_turn(const struct sim *s, int rank)
{
    return rounds_of(s, rank)->progress.step != FTC_ROUNDS_REGION || free_place(s, rank) >= 0;
}

/* Returns the rank from @at on that the step comes to; n: there is none left. */
static int next_rank(const struct sim *s, const struct sim_rounds *p, int at)
{
    while (at < s->scenario.n &&
           !(p->progress.step == FTC_ROUNDS_TAKE
                 ? ftc_rounds_wants(&p->from[at].source, (p->who & sim_bit(at)) != 0)
                 : p->from[at].staying))
        at++;
    return at;
}

void sim_rounds_hear(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);
    const struct sim_outcome *o = sim_outcome_of(s, s->process[rank].seq, rank);
    struct ftc_round_status status;

    if (o->verdict != FTC_VERDICT_VALUE || !o->has_value) {
        ftc_rounds_end(&p->progress);
        return;
    }
    status = sim_value_status((const struct sim_value *)o->value, s->scenario.n);
    p->who = status.who[0];
    ftc_rounds_hear(&p->progress, status.left);
    p->at = next_rank(s, p, 0);
}

/* Visits the next rank. True: there is none left. */
static bool is_through(struct sim *s, int rank, void (*visit)(struct sim *s, int rank, int from))
{
    struct sim_rounds *p = rounds_of(s, rank);

    if (p->at < s->scenario.n)
        visit(s, rank, p->at);
    p->at = next_rank(s, p, p->at + 1);
    return p->at >= s->scenario.n;
}

/* True: the step is done. */
static bool do_step(struct sim *s, int rank)
{
    switch (rounds_of(s, rank)->progress.step) {
    case FTC_ROUNDS_REGION:
        take_place(s, rank);
        return true;
    case FTC_ROUNDS_WRITE:
        write_part(s, rank);
        return true;
    case FTC_ROUNDS_TAKE:
        return is_through(s, rank, take_from);
    case FTC_ROUNDS_READ:
        return is_through(s, rank, read_from);
    case FTC_ROUNDS_LEAVE:
        leave_place(s, rank);
        return true;
    case FTC_ROUNDS_VOTE:
    case FTC_ROUNDS_OVER:
        break;
    }
    assert(false);
    return false;
}

bool sim_rounds_turn(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);
    enum ftc_rounds_step step = p->progress.step;

    if (!do_step(s, rank))
        return false;
    if (step == FTC_ROUNDS_READ)
        check(s, rank);
    ftc_rounds_next(&p->progress);
    p->at = next_rank(s, p, 0);
    return step == FTC_ROUNDS_WRITE || p->progress.step == FTC_ROUNDS_OVER ||
           (step == FTC_ROUNDS_TAKE && sim_rounds_is_again(p));
}

/* What it was about to write is half written, and its head says that it is all. */
void sim_rounds_die(struct sim *s, int rank)
{
    struct sim_rounds *p = rounds_of(s, rank);
    struct sim_place *place = &p->place[p->own];
    struct ftc_rounds_progress copy = p->progress;
    struct ftc_rounds_area area = ftc_rounds_area(&limits, copy.round);
    struct ftc_rounds_piece piece;

    if (copy.step != FTC_ROUNDS_WRITE)
        return;
    piece = ftc_rounds_write(&copy, &limits);
    for (uint64_t i = 0; i < piece.bytes; i++)
        place->unit[area.at + i].is_wrong = true;
    place->head[ftc_rounds_half(copy.round)] =
        (struct sim_rounds_head){.units = (uint8_t)piece.bytes};
}
