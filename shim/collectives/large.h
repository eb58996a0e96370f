/* large: a call whose data are too large for messages, or whose operation is not commutative
 * (setting large; doc/design.md, section 12).
 *
 * The data move through shared memory in a data phase (engine/data_phase.h), before one small
 * allreduce of the engine, the VOTE: has everybody everything? If yes, all return. If not, all do
 * it again, without those of whom the vote has told that they are dead, from inputs that are as
 * they were. So all elements of a result have the same contributors: the members of the try that
 * was complete.
 */
#ifndef FTC_COLLECTIVES_LARGE_H
#define FTC_COLLECTIVES_LARGE_H

#include "collective.h"
#include "engine/data_phase.h"
#include "progress/loop.h"
#include "tally.h"

/* The value of the small allreduce; the same bytes on all ranks. */
struct ftc_large_vote {
    uint32_t flags; /* of anybody: enum ftc_tally_flag */
};

/* A call from its first try to its last. */
struct ftc_large {
    struct ftc_prelude prelude; /* must be first */
    struct ftc_plan *plan;
    struct ftc_data_phase phase;
    struct ftc_large_vote vote;
    bool has_memory, lacks_place;
    int place;              /* of this rank's in board/bulk.h */
    int16_t *place_of;      /* of each member's, by index in member[]; -1: not known yet */
    unsigned char *scratch; /* what is being combined */

    /* The data that a second try would miss: the program's where the result takes their place, or
     * those that are not side by side in the program's memory. */
    unsigned char *copy;
    size_t copy_bytes;
    uint64_t saved; /* blocks of which the copy has what was there before */
};

/* The functions of a kind of call. Blocks, parts and slots: engine/schedule.h. */
struct ftc_large_kind {
    /* The call's schedule, but for the members; false: the data cannot be moved in blocks. */
    bool (*schedule)(const struct ftc_plan *plan, struct ftc_schedule *schedule);
    /* Bytes of a slot that a block takes. */
    size_t (*block_bytes)(const struct ftc_plan *plan, uint64_t units);
    /* Bytes that combine() needs besides. */
    size_t (*scratch_bytes)(const struct ftc_plan *plan);
    /* Bytes that the copy needs; 0: none. */
    size_t (*copy_bytes)(const struct ftc_large *large);
    /* Before each try, with the memory that it needs. */
    void (*prepare)(struct ftc_large *large);
    void (*put)(struct ftc_large *large, int slot, struct ftc_units block);
    void (*combine)(struct ftc_large *large, int slot, struct ftc_units block,
                    struct ftc_units part);
    void (*get)(struct ftc_large *large, int slot, uint64_t block);
    /* After a try that was not complete: the program's memory as it was. */
    void (*undo)(struct ftc_large *large);
    /* After the one that was. Returns an MPI error code. */
    int (*deliver)(const struct ftc_large *large);
};

extern const struct ftc_large_kind ftc_large_reduction, ftc_large_broadcast;

/* Whether a block has room in a slot of bulk memory; false for a kind of call without a data phase.
 */
bool ftc_large_fits(const struct ftc_plan *plan);

/* Begins with the call of @plan, which stays until the end. */
void ftc_large_open(struct ftc_large *large, struct ftc_plan *plan);

/* Fills @request with the operation of a try, its data phase before it, and takes the memory for
 * that. Never fails: the vote says that memory is lacking. */
void ftc_large_request(struct ftc_large *large, struct ftc_loop_request *request);

/* After a vote. Returns an MPI error code; with plan->is_again it is not over. */
int ftc_large_deliver(struct ftc_large *large);

/* It is over, with a result or without. */
void ftc_large_close(struct ftc_large *large);

/* ---- for the kinds ---- */

static inline const struct ftc_schedule *ftc_large_schedule(const struct ftc_large *large)
{
    return &large->phase.schedule;
}

/* The @slot of a member that has shown itself. */
unsigned char *ftc_large_slot(const struct ftc_large *large, int member, int slot);

#endif
