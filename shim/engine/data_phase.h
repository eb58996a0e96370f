/* data_phase: the first half of a large operation, in which the data move through memory that all
 * members share; the second is a small allreduce, by which they agree whether all have everything
 * (doc/design.md, section 12).
 *
 * A state machine without I/O, as the operation: the caller gives it turns, and does with memory
 * what it is told. Whoever awaits a member that is dead, or has left, leaves as well, and nobody
 * returns to the program from here.
 */
#ifndef FTC_ENGINE_DATA_PHASE_H
#define FTC_ENGINE_DATA_PHASE_H

#include "schedule.h"

enum ftc_data_outcome {
    FTC_DATA_GOES_ON,
    FTC_DATA_COMPLETE, /* this member has got and given everything */
    FTC_DATA_LEFT,     /* it will not: the phase has to be done again without somebody */
};

/* In the word that a member shows: it ends no more steps. */
enum { FTC_DATA_HAS_LEFT = 1 << 30 };

struct ftc_data_world {
    /* Steps that @member has ended, as it shows them itself, and whether it has left. What was
     * written before that can be read after it. */
    uint32_t (*steps)(void *context, int member);
    void (*show)(void *context, uint32_t steps);

    bool (*is_dead)(void *context, int member);

    /* Own data of @units into the own @slot. */
    void (*put)(void *context, int slot, struct ftc_units block);
    /* @part of the @block of all members, in the order of their numbers, into the own @slot. */
    void (*combine)(void *context, int slot, struct ftc_units block, struct ftc_units part);
    /* The parts of @block, each of its member's @slot, to where the result belongs. */
    void (*get)(void *context, int slot, uint64_t block);
};

struct ftc_data_phase {
    struct ftc_schedule schedule;
    const struct ftc_data_world *world;
    void *context;
    enum ftc_data_outcome outcome;
    uint32_t step;
    enum ftc_stage stage; /* of the step, that comes next; PUT: the others are awaited before it */
    int awaited;          /* all members below have ended the step before */
};

/* Begins; shows that no step is ended. */
void ftc_data_begin(struct ftc_data_phase *p, const struct ftc_schedule *schedule,
                    const struct ftc_data_world *world, void *context);

/* Does no more than one stage of a step; false: it waits for somebody, or is over. */
bool ftc_data_turn(struct ftc_data_phase *p);

/* This member cannot go on, for whatever reason. */
void ftc_data_leave(struct ftc_data_phase *p);

/* Whether @p waits for @member. */
bool ftc_data_expects(const struct ftc_data_phase *p, int member);

#endif
