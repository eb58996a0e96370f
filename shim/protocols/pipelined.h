/* pipelined: protocol of reductions and blocking broadcasts on one host whose data are too large
 * for one operation, or whose MPI operation is not commutative and not admitted by setting
 * intercept. A data phase (engine/data_phase.h) moves the data. Then a vote, a small allreduce,
 * finds out whether all ranks have everything. If not, both are repeated (doc/design.md, section
 * 12). */
#ifndef FTC_PROTOCOLS_PIPELINED_H
#define FTC_PROTOCOLS_PIPELINED_H

#include "collective.h"
#include "engine/data_phase.h"
#include "round_status.h"

/* State of a call from its first try to its last. */
struct ftc_pipelined {
    struct ftc_prelude prelude; /* must be first */
    struct ftc_plan *plan;
    struct ftc_data_phase phase;
    uint32_t vote; /* value of the vote: flags of all ranks together, enum ftc_round_flag */
    bool has_memory, lacks_region;
    int region;             /* region of this rank in board/bulk.h; -1: none yet */
    int16_t *region_of;     /* region of each member, by index in member[]; -1: not known yet */
    unsigned char *scratch; /* memory for intermediate results of a combination */

    /* Copy of data that a second try needs: the program's data if the result overwrites them, or
     * packed data if the program's buffer has another layout. */
    unsigned char *copy;
    size_t copy_bytes;
    uint64_t saved; /* number of blocks whose previous content is in the copy */
};

/* Functions of a kind of call. engine/schedule.h explains blocks, parts and slots. */
struct ftc_pipelined_kind {
    /* Fills @schedule, except for the number of ranks, this rank and the root. Returns false if the
     * data cannot be moved in blocks. */
    bool (*schedule)(const struct ftc_plan *plan, struct ftc_schedule *schedule);
    /* Returns the bytes of a slot that a block of @units takes. */
    size_t (*block_bytes)(const struct ftc_plan *plan, uint64_t units);
    /* Returns the bytes of memory that combine() needs. NULL, as is combine(): nothing is
     * combined. */
    size_t (*scratch_bytes)(const struct ftc_plan *plan);
    /* Returns the bytes that the copy needs; 0: there is no copy. */
    size_t (*copy_bytes)(const struct ftc_pipelined *p);
    /* Prepares a try. Called before each try whose memory is there. NULL: nothing to do. */
    void (*prepare)(struct ftc_pipelined *p);
    void (*put)(struct ftc_pipelined *p, int slot, struct ftc_units block);
    void (*combine)(struct ftc_pipelined *p, int slot, struct ftc_units block,
                    struct ftc_units part);
    void (*get)(struct ftc_pipelined *p, int slot, uint64_t block);
    /* Restores the program's memory after an incomplete try. Without effect if nothing was
     * saved. */
    void (*undo)(struct ftc_pipelined *p);
    /* Finishes the call after the complete try. Returns an MPI error code. */
    int (*take)(const struct ftc_pipelined *p);
};

extern const struct ftc_pipelined_kind ftc_pipelined_reduction, ftc_pipelined_broadcast;

/* Returns whether a block of a reduction or a broadcast fits a slot of bulk memory. */
bool ftc_pipelined_fits(const struct ftc_plan *plan);

extern const struct ftc_protocol_steps ftc_pipelined_steps;

/* ---- for the kinds ---- */

static inline const struct ftc_schedule *ftc_pipelined_schedule(const struct ftc_pipelined *p)
{
    return &p->phase.schedule;
}

/* Returns @slot of @member, which is this rank or has shown its progress (board/bulk.h). */
unsigned char *ftc_pipelined_slot(const struct ftc_pipelined *p, int member, int slot);

#endif
