#include "segmented.h"

#include "check.h"
#include "internal.h"

void sim_segmented_begin(struct sim *s, int rank)
{
    struct sim_segmented *p = &s->process[rank].segmented;

    p->slices = (struct ftc_slices){.count = SIM_SLICES};
    p->first_op = (int8_t)s->process[rank].seq;
    p->operations = 0;
    p->who = 0;
    for (int i = 0; i < SIM_SLICES; i++)
        p->result[i] = 0;
}

void sim_segmented_say(const struct sim *s, int rank, struct sim_value *v)
{
    sim_value_say(v, rank, 0);
    v->slices = 1u << s->process[rank].segmented.slices.next;
}

/* ---- rules ---- */

static void slices_do_not_mix(struct sim *s, int rank, const struct sim_value *v)
{
    const struct sim_segmented *p = &s->process[rank].segmented;

    if (v->slices != 1u << p->slices.next)
        sim_violation(s, "slices_do_not_mix", "op %d: p%d has %#x in slice %d",
                      s->process[rank].seq, rank, v->slices, (int)p->slices.next);
}

/* doc/design.md, section 12: a death costs at most a round. */
static void slices_are_bounded(struct sim *s, int rank)
{
    const struct sim_segmented *p = &s->process[rank].segmented;
    int failures = __builtin_popcountll(s->dead | s->lost);

    if (p->operations > SIM_SLICES + failures * (SIM_SLICES - 1))
        sim_violation(s, "slices_are_bounded", "op %d: p%d has reduced %d", p->first_op, rank,
                      p->operations);
}

/* doc/design.md, section 12: all elements of a result have the same contributors. */
static void all_slices_have_the_same_contributors(struct sim *s, int rank)
{
    const struct sim_segmented *p = &s->process[rank].segmented;

    for (int i = 0; i < SIM_SLICES; i++)
        if (p->result[i] != p->who)
            sim_violation(s, "all_slices_have_the_same_contributors",
                          "op %d: slice %d of p%d is of %#llx, not %#llx", p->first_op, i, rank,
                          (unsigned long long)p->result[i], (unsigned long long)p->who);
}

void sim_segmented_check_end(struct sim *s)
{
    int first = -1;

    for (int rank = 0; rank < s->scenario.n; rank++) {
        if (!s->process[rank].alive || s->lost & sim_bit(rank))
            continue;
        if (first < 0)
            first = rank;
        for (int op = 0; op < s->scenario.op_count; op++)
            if (s->process[rank].segmented.ended[op] != s->process[first].segmented.ended[op])
                sim_violation(s, "survivors_have_the_same_slices", "op %d: p%d and p%d differ", op,
                              first, rank);
    }
}

/* ---- after an operation ---- */

static uint64_t contributors(const struct sim *s, const struct sim_value *v)
{
    uint64_t ranks = 0;

    for (int rank = 0; rank < s->scenario.n; rank++)
        if (v->count[rank] > 0)
            ranks |= sim_bit(rank);
    return ranks;
}

void sim_segmented_hear(struct sim *s, int rank)
{
    struct sim_segmented *p = &s->process[rank].segmented;
    const struct sim_outcome *o = sim_outcome_of(s, s->process[rank].seq, rank);
    const struct sim_value *v = (const struct sim_value *)o->value;
    uint64_t who;

    p->is_again = false;
    if (o->verdict != FTC_VERDICT_VALUE || !o->has_value)
        return;
    slices_do_not_mix(s, rank, v);
    who = sim_value_status(v, s->scenario.n).who[0];
    p->result[p->slices.next] = contributors(s, v);
    ftc_slices_hear(&p->slices, who == p->who);
    p->who = who;
    p->operations++;
    slices_are_bounded(s, rank);
    p->is_again = ftc_slices_are_missing(&p->slices);
    if (p->is_again)
        return;
    all_slices_have_the_same_contributors(s, rank);
    p->ended[p->first_op] = who;
}
