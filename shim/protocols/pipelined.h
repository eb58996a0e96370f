/* pipelined: the protocol of reductions and blocking broadcasts on one host whose data are too
 * large for messages, or whose operation is not commutative: a data phase (engine/data_phase.h) and
 * a VOTE, repeated until all ranks have everything (doc/design.md, section 12). */
#ifndef FTC_PROTOCOLS_PIPELINED_H
#define FTC_PROTOCOLS_PIPELINED_H

#include "collective.h"
#include "engine/data_phase.h"
#include "round_status.h"

/* A call from its first try to its last. */
struct ftc_pipelined {
    struct ftc_prelude prelude; /* must be first */
    struct ftc_plan *plan;
    struct ftc_data_phase phase;
    uint32_t vote; /* the value of the small allreduce: flags of anybody, enum ftc_round_flag */
    bool has_memory, lacks_region;
    int region;             /* of this rank's in board/bulk.h */
    int16_t *region_of;     /* of each member's, by index in member[]; -1: not known yet */
    unsigned char *scratch; /* what is being combined */

    /* The data that a second try would miss: the program's where the result takes their place, or
     * those that are not side by side in the program's memory. */
    unsigned char *copy;
    size_t copy_bytes;
    uint64_t saved; /* blocks of which the copy has what was there before */
};

/* The functions of a kind of call. Blocks, parts and slots: engine/schedule.h. */
struct ftc_pipelined_kind {
    /* The call's schedule, but for the members; false: the data cannot be moved in blocks. */
    bool (*schedule)(const struct ftc_plan *plan, struct ftc_schedule *schedule);
    /* Bytes of a slot that a block takes. */
    size_t (*block_bytes)(const struct ftc_plan *plan, uint64_t units);
    /* Bytes that combine() needs besides; NULL, as combine(): nothing is combined. */
    size_t (*scratch_bytes)(const struct ftc_plan *plan);
    /* Bytes that the copy needs; 0: none. */
    size_t (*copy_bytes)(const struct ftc_pipelined *p);
    /* Before each try, with the memory that it needs. NULL: nothing to do. */
    void (*prepare)(struct ftc_pipelined *p);
    void (*put)(struct ftc_pipelined *p, int slot, struct ftc_units block);
    void (*combine)(struct ftc_pipelined *p, int slot, struct ftc_units block,
                    struct ftc_units part);
    void (*get)(struct ftc_pipelined *p, int slot, uint64_t block);
    /* After a try that was not complete, or none: the program's memory as it was. */
    void (*undo)(struct ftc_pipelined *p);
    /* After the one that was. Returns an MPI error code. */
    int (*take)(const struct ftc_pipelined *p);
};

extern const struct ftc_pipelined_kind ftc_pipelined_reduction, ftc_pipelined_broadcast;

/* Whether a block of a reduction or a broadcast has room in a slot of bulk memory. */
bool ftc_pipelined_fits(const struct ftc_plan *plan);

extern const struct ftc_protocol_steps ftc_pipelined_steps;

/* ---- for the kinds ---- */

static inline const struct ftc_schedule *ftc_pipelined_schedule(const struct ftc_pipelined *p)
{
    return &p->phase.schedule;
}

/* The @slot of a member that has shown itself. */
unsigned char *ftc_pipelined_slot(const struct ftc_pipelined *p, int member, int slot);

#endif
