/* data_phase: the first half of a large operation, in which the data move through memory that all
 * members share. The second half is a small allreduce, in which the members agree whether all have
 * everything (doc/design.md, section 12).
 *
 * A state machine without I/O, like the operation. The caller gives it turns, and it accesses
 * memory through struct ftc_data_world. A member that waits for a member that is dead or has left
 * leaves as well. No member returns to the program from the data phase. */
#ifndef FTC_ENGINE_DATA_PHASE_H
#define FTC_ENGINE_DATA_PHASE_H

#include "schedule.h"

enum ftc_data_outcome {
    FTC_DATA_GOES_ON,
    FTC_DATA_COMPLETE, /* this member has received and given everything */
    FTC_DATA_LEFT,     /* it never will: a member is lost, or this member cannot go on */
};

/* Bit in the word that a member shows: it finishes no more steps. */
enum { FTC_DATA_HAS_LEFT = 1 << 30 };

struct ftc_data_world {
    /* Returns the steps that @member has finished, as @member itself shows them, with
     * FTC_DATA_HAS_LEFT if it has left. Data that @member wrote before it showed them can then be
     * read. */
    uint32_t (*steps)(void *context, int member);
    void (*show)(void *context, uint32_t steps);

    bool (*is_dead)(void *context, int member);

    /* Copies this member's data of the units of @block into its own @slot. */
    void (*put)(void *context, int slot, struct ftc_units block);
    /* Combines @part of @block of all members, in the order of their numbers, into this member's
     * @slot. */
    void (*combine)(void *context, int slot, struct ftc_units block, struct ftc_units part);
    /* Copies the parts of @block, each from the @slot of its member, to where the result
     * belongs. */
    void (*get)(void *context, int slot, uint64_t block);
};

struct ftc_data_phase {
    struct ftc_schedule schedule;
    const struct ftc_data_world *world;
    void *context;
    enum ftc_data_outcome outcome;
    uint32_t step;
    enum ftc_stage stage; /* next stage of the step; before PUT the phase waits for others */
    int awaited;          /* all members below have finished the step before */
};

/* Begins a phase and shows that this member has finished no step. */
void ftc_data_begin(struct ftc_data_phase *p, const struct ftc_schedule *schedule,
                    const struct ftc_data_world *world, void *context);

/* Carries out at most one stage of a step. Returns false if it waits for a member or is over. */
bool ftc_data_turn(struct ftc_data_phase *p);

/* Leaves the phase, because this member cannot go on for whatever reason. */
void ftc_data_leave(struct ftc_data_phase *p);

/* Returns whether @p waits for @member. */
bool ftc_data_expects(const struct ftc_data_phase *p, int member);

#endif
