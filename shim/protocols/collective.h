/* collective: interface between the kinds of collective calls and the protocols that carry their
 * data. Neither side knows the other. A struct ftc_collective describes a kind of call
 * (shim/collectives): which data a rank gives, and what it does with the data that it takes. A
 * struct ftc_protocol_steps is a protocol of this directory.
 *
 * A new kind of call needs a line in call/calls.def, which names its struct ftc_collective, and a
 * file that defines that struct. */
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

/* Plan of a call: its arguments, the protocol that carries it out, and its state. */
struct ftc_plan {
    const struct ftc_call *call;
    const struct ftc_collective *collective;
    struct ftc_comm *comm;
    struct ftc_arguments arguments;
    /* The call is on an intercommunicator and no barrier. No rank knows how much the other group
     * gives, or which of its ranks is the root. */
    bool is_inter;
    enum ftc_protocol protocol;
    bool has_heads; /* blocks consist of segments with heads (segments.h) */
    bool packs;     /* the caller packs the data, as other threads do not call MPI (packed.h) */
    const struct ftc_protocol_steps *steps; /* NULL: the protocol has not begun */
    void *state;                            /* data of the protocol */
    int root;                  /* root of the next operation: index in member[]; below 0: dead */
    bool is_again;             /* after an operation: another one follows */
    int error;                 /* MPI error code of the last combination that failed */
    struct ftc_packed *packed; /* data of a call with a request (packed.h); NULL: not packed */
    uint32_t next_seq;         /* number of the communicator's next operation, comm->seq */
    uint64_t program_comm_id;  /* identity of the communicator that the program named; 0: comm */
    /* Neighbors in the communicator, owned by the plan's owner (collectives/retained.h). NULL: MPI
     * is asked when they are needed. */
    const struct ftc_neighbors *neighbors;
    bool is_retained;              /* arrays and handles of the program are kept (retained.h) */
    struct ftc_floating *floating; /* modes of the call; NULL: those of the combining thread */
    enum ftc_fallback turned_out;  /* reason for native MPI, on which all ranks agree */

    /* Data that this rank gives. ftc_give() calls room(). */
    void *(*room)(struct ftc_plan *plan, size_t bytes);
    bool takes_in_place; /* value may point to the program's memory */
    uint32_t note;       /* note beside this rank's block: enum ftc_block_note */

    /* Data that the ranks have given: blocks, which ftc_find() finds, or elements that were
     * combined on their way. */
    bool comes_in_blocks;
    bool is_large; /* the call is in rounds: blocks may have any size */
    struct ftc_piece (*find)(const struct ftc_plan *plan, int rank, size_t *at);

    /* Value of an operation that carries all data (single.h). */
    const void *value;             /* contribution of this rank */
    size_t header_bytes;           /* bytes before the elements that are combined */
    size_t travelling_bytes;       /* bytes of the value, at most */
    struct ftc_blocks_limit limit; /* limit of a value of blocks */
};

/* Notes of a rank beside its block, in 8 bits. */
enum ftc_block_note { FTC_BLOCK_REQUIRES_ALL = 1, FTC_BLOCK_REFUSES = 2 };

struct ftc_collective {
    const struct ftc_pipelined_kind *pipelined; /* NULL: the data phase does not serve the call */
    bool is_uniform;                            /* all ranks name the same count and datatype */
    bool combines;                              /* elements may be combined on their way */
    bool gives_alone; /* only the root gives data, of a size that all ranks know */

    /* Adds the numbers of this rank's neighbors to @comm, with which the arguments of a
     * neighborhood collective are checked. Returns false if native MPI rejects the communicator.
     * Called without the library's lock. NULL: the call has no neighbors. */
    bool (*count_neighbors)(const struct ftc_call *call, struct ftc_arguments_comm *comm);

    /* Returns whether reading or writing this rank's data needs calls into MPI, which only threads
     * of the program make. The plan's arguments must be valid. NULL: it does not. */
    bool (*needs_mpi)(const struct ftc_plan *plan);

    /* Writes this rank's data where ftc_give() says, or points plan->value at them if
     * plan->takes_in_place. Returns an MPI error code. NULL: no rank gives any data. */
    int (*give)(struct ftc_plan *plan);

    /* Copies the result to the program's buffers: the blocks that ftc_find() finds, or combined
     * elements. Returns an MPI error code. NULL: there is nothing to copy. */
    int (*take)(const struct ftc_plan *plan);
};

/* Kinds of calls (shim/collectives). */
extern const struct ftc_collective ftc_collective_reduction, ftc_collective_scan,
    ftc_collective_broadcast, ftc_collective_blocks;

/* Returns memory for the @bytes of data that this rank gives. Called at most once in a give(), and
 * not by a rank that gives no data. Returns NULL if there is no room. The caller then gives nothing
 * and returns MPI_SUCCESS, because the protocol handles the failure. */
static inline void *ftc_give(struct ftc_plan *plan, size_t bytes)
{
    return plan->room(plan, bytes);
}

/* Returns the block of @rank, or a piece without data if that rank has given none. The search
 * begins at *@at, which the caller sets to 0 before the first call. It is fast if the ranks are
 * searched in the order of their blocks. */
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

/* Steps of a protocol. A protocol keeps its data of a call in plan->state. */
struct ftc_protocol_steps {
    /* Begins the call of @plan, which must stay valid until free(). NULL: nothing to do. */
    void (*open)(struct ftc_plan *plan);
    /* Describes the next operation in @request, which is an allreduce with context @plan on entry.
     * If memory for the data is short, this rank's contribution says so. If memory for the
     * operation itself is short, request->contribution stays NULL. */
    void (*request)(struct ftc_plan *plan, struct ftc_loop_request *request);
    /* Takes the result of that operation. Returns an MPI error code. Sets plan->is_again if another
     * operation follows, and plan->turned_out if this protocol does not carry out the call. */
    int (*after)(struct ftc_plan *plan);
    /* Ends the call, which has completed or failed. Data that were taken stay valid until free().
     * NULL: nothing to do. */
    void (*close)(const struct ftc_plan *plan);
    /* Frees the data that were taken. NULL: nothing to do. */
    void (*free)(const struct ftc_plan *plan);
};

#endif
