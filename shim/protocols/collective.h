/* collective: the two sides of a protected collective call, which know nothing of each other. A
 * struct ftc_collective is what a kind of call does in its own way (shim/collectives); the
 * protocols of this room carry the data that it gives and takes, by their struct
 * ftc_protocol_steps.
 *
 * A new kind is a line of call/calls.def, which names its struct ftc_collective, and the file that
 * defines it. */
#ifndef FTC_PROTOCOLS_COLLECTIVE_H
#define FTC_PROTOCOLS_COLLECTIVE_H

#include "call/call.h"
#include "call/policy.h"
#include "communicator/communicator.h"
#include "progress/loop.h"
#include "segments.h"
#include "select.h"
#include "value/arguments.h"
#include "value/blocks.h"

struct ftc_floating;
struct ftc_pipelined_kind;
struct ftc_neighbors;
struct ftc_packed;

/* A call that has been looked at. */
struct ftc_plan {
    const struct ftc_call *call;
    const struct ftc_collective *collective;
    struct ftc_comm *comm;
    struct ftc_arguments arguments;
    bool is_inter; /* two groups, neither of which knows how much the other gives, or which of its
                    * ranks is the root */
    enum ftc_protocol protocol;
    bool has_heads; /* blocks are segments with heads (segments.h) */
    bool packs;     /* what it gives and takes, as other threads do not call MPI */
    const struct ftc_protocol_steps *steps; /* of the protocol; NULL: it has not begun */
    void *state;                            /* room for what they keep */
    int root;                  /* of the next operation: index in member[]; below 0: it is dead */
    bool is_again;             /* behind an operation: another one follows */
    int error;                 /* MPI error code of the last combination that went wrong */
    struct ftc_packed *packed; /* what it gives and takes; NULL: that is in comm->running */
    uint32_t next_seq;         /* of the communicator, after its operation */
    uint64_t program_comm_id;  /* of what the program has named; 0: that is comm */
    const struct ftc_neighbors *neighbors; /* of its communicator, kept by who keeps the plan; NULL:
                                            * to be asked for */
    bool is_kept;                          /* what it needs of the program (kept.h) */
    struct ftc_floating *floating; /* modes of the call; NULL: those of the thread that combines */
    enum ftc_fallback turned_out;  /* why native MPI has to do it, which all ranks have agreed on */

    /* Data that this rank gives, for ftc_give(): */
    void *(*room)(struct ftc_plan *plan, size_t bytes);
    bool takes_in_place; /* the value may be the program's memory */
    uint32_t note;       /* beside its block: enum ftc_block_note */

    /* Data that the others have given: blocks for ftc_find(), or elements combined on their way: */
    bool comes_in_blocks;
    bool is_large; /* blocks may have any size */
    struct ftc_piece (*find)(const struct ftc_plan *plan, int rank, size_t *at);

    /* A value that has all data (single.h): */
    const void *value;             /* what this rank gives */
    size_t header_bytes;           /* before the elements that are combined */
    size_t travelling_bytes;       /* in all */
    struct ftc_blocks_limit limit; /* of a value of blocks */
};

/* Notes of a rank beside its block: 8 bits. */
enum ftc_block_note { FTC_BLOCK_REQUIRES_ALL = 1, FTC_BLOCK_REFUSES = 2 };

struct ftc_collective {
    const struct ftc_pipelined_kind *pipelined; /* NULL: the protocol does not serve the call */
    bool is_described_alike;                    /* all ranks give the same count and datatype */
    bool combines;                              /* elements, which may be combined on their way */
    bool gives_alone; /* the root alone gives data, of a size that all ranks know */

    /* Adds the neighbors to @comm, by which the arguments of a call of neighbors are judged. False
     * without memory, or if native MPI rejects the communicator. The library's lock is free. */
    bool (*count_neighbors)(const struct ftc_call *call, struct ftc_arguments_comm *comm);

    /* Returns whether the data that a rank gives or takes need calls into MPI. Only threads of the
     * program make these. To be called for a plan whose arguments are valid. NULL: they do not. */
    bool (*needs_mpi)(const struct ftc_plan *plan);

    /* Writes the data of this rank where ftc_give() says, or names them in plan->value if it takes
     * them in place. Returns an MPI error code. NULL: no rank gives any. */
    int (*give)(struct ftc_plan *plan);

    /* Takes what ftc_find() finds to the program's buffers. Returns an MPI error code. NULL:
     * nothing. */
    int (*take)(const struct ftc_plan *plan);
};

/* The kinds of calls (shim/collectives). */
extern const struct ftc_collective ftc_collective_reduction, ftc_collective_scan,
    ftc_collective_broadcast, ftc_collective_blocks;

/* Returns where @bytes of data of this rank belong: once a call, and not if it gives none. NULL:
 * there is no room, which is known to the others, or will be. */
static inline void *ftc_give(struct ftc_plan *plan, size_t bytes)
{
    return plan->room(plan, bytes);
}

/* Returns the block of @rank; without data if it has given none. The search begins at *@at, zero at
 * first, which is fast when ranks are asked for in the order of the blocks. */
static inline struct ftc_piece ftc_find(const struct ftc_plan *plan, int rank, size_t *at)
{
    return plan->find(plan, rank, at);
}

static inline bool ftc_plan_is_root(const struct ftc_plan *plan)
{
    return plan->call->root == plan->comm->rank;
}

static inline bool ftc_plan_is_uneven(const struct ftc_plan *plan)
{
    return plan->is_inter || ftc_call_is_uneven(plan->call->kind);
}

/* The steps of a protocol. A protocol keeps its data of a call in plan->state. */
struct ftc_protocol_steps {
    /* Begins with the call of @plan, which stays until the end. NULL: nothing to do. */
    void (*open)(struct ftc_plan *plan);
    /* Fills @request, which is an allreduce with @plan as its context, with the next operation.
     * Lack of memory for the data is in what this rank gives. Without memory for the operation
     * itself there is no contribution. */
    void (*request)(struct ftc_plan *plan, struct ftc_loop_request *request);
    /* Takes the result of that operation. Returns an MPI error code; plan->is_again tells whether
     * another operation follows, plan->turned_out why this protocol does not carry out the call. */
    int (*after)(struct ftc_plan *plan);
    /* Ends the call, with a result or without. The data that it has taken stay until free(). NULL:
     * nothing to do. */
    void (*close)(const struct ftc_plan *plan);
    void (*free)(const struct ftc_plan *plan);
};

#endif
