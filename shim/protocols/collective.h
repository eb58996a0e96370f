/* collective: the two sides of a protected collective call, which know nothing of each other. A
 * struct ftc_collective is what a kind of call does in its own way (shim/collectives); the
 * protocols of this room carry the data that it gives and takes. One that takes several operations
 * (setting large: pipelined.h, segmented.h, rounds.h) has a struct ftc_protocol_steps.
 *
 * A new kind is a line of call/calls.def, which names its struct ftc_collective, and the file that
 * defines it. */
#ifndef FTC_PROTOCOLS_COLLECTIVE_H
#define FTC_PROTOCOLS_COLLECTIVE_H

#include "call/call.h"
#include "call/policy.h"
#include "communicator/communicator.h"
#include "progress/loop.h"
#include "select.h"
#include "value/arguments.h"
#include "value/blocks.h"

struct ftc_floating;
struct ftc_pipelined_kind;
struct ftc_neighbors;
struct ftc_packed;
struct ftc_rounds;

/* A call that has been looked at. */
struct ftc_plan {
    const struct ftc_call *call;
    const struct ftc_collective *collective;
    struct ftc_comm *comm;
    struct ftc_arguments arguments;
    size_t header_bytes;     /* that travel before the data */
    size_t travelling_bytes; /* in all */
    enum ftc_protocol protocol;
    enum ftc_packing packing;
    void *state;               /* from the first of several operations on; NULL: none so far */
    struct ftc_rounds *rounds; /* the same, if the protocol is rounds */
    bool is_again;             /* behind an operation: another one follows */
    int error;                 /* MPI error code of the last combination that went wrong */
    struct ftc_packed *packed; /* what it gives and takes; NULL: that is in comm->running */
    uint32_t next_seq;         /* of the communicator, after its operation */
    uint64_t program_comm_id;  /* of what the program has named; 0: that is comm */
    const struct ftc_neighbors *neighbors; /* of its communicator, kept by who keeps the plan; NULL:
                                            * to be asked for */
    bool is_kept;                          /* what it needs of the program (kept.h) */
    struct ftc_floating *floating; /* modes of the call; NULL: those of the thread that combines */

    /* A value of blocks (composite.h) */
    bool is_composite;
    struct ftc_blocks_limit limit;
    enum ftc_fallback turned_out; /* why native MPI has to do it, which all ranks have agreed on */
};

/* Notes of a rank beside its block: 8 bits. */
enum ftc_block_note { FTC_NOTE_REQUIRES_ALL = 1, FTC_NOTE_REFUSES = 2 };

struct ftc_collective {
    const struct ftc_pipelined_kind *pipelined; /* NULL: the protocol does not serve the call */
    bool is_described_alike;                    /* all ranks give the same count and datatype */
    bool is_between;                            /* two groups */

    /* Adds to @comm what the arguments are judged by beside the ranks. False without memory, or if
     * native MPI rejects the communicator. The library's lock is free. NULL: nothing. */
    bool (*prepare)(const struct ftc_plan *plan, struct ftc_arguments_comm *comm);

    /* Returns whether the data that a rank gives or takes need calls into MPI. Only threads of the
     * program make these. To be called for a plan whose arguments are valid. */
    bool (*needs_mpi)(const struct ftc_plan *plan);

    /* Sets what travels. This rank's value: the program's own memory, or room of ftc_packed_room();
     * NULL without memory for it. */
    const void *(*contribute)(struct ftc_plan *plan);

    /* @into = @into and @from, in the order of the ranks; @plan is a struct ftc_plan. NULL: nothing
     * to combine, or blocks. */
    void (*combine)(void *plan, void *into, const void *from);

    /* Bytes of a value in use, of those that vary in length; NULL: all of them. */
    size_t (*used_bytes)(const void *value);

    /* Copies ftc_packed_result() to the program's buffers. Returns an MPI error code. */
    int (*deliver)(const struct ftc_plan *plan);

    /* The root is dead, and everybody knows. Returns an MPI error code. NULL: there is none. */
    int (*without_root)(const struct ftc_plan *plan);
};

/* Whether the call is on two groups, neither of which knows how much the other gives, or which of
 * its ranks is the root. */
static inline bool ftc_plan_is_between(const struct ftc_plan *plan)
{
    return plan->collective->is_between;
}

static inline bool ftc_plan_is_uneven(const struct ftc_plan *plan)
{
    return ftc_plan_is_between(plan) || ftc_call_is_uneven(plan->call->kind);
}

static inline bool ftc_plan_is_of_unknown_size(const struct ftc_plan *plan)
{
    return ftc_plan_is_between(plan) || ftc_call_is_of_unknown_size(plan->call->kind);
}

/* The steps of a call in such a protocol. @state is what the protocol keeps of the call. */
struct ftc_protocol_steps {
    /* Begins with the call of @plan, which stays until the end. */
    void (*open)(void *state, struct ftc_plan *plan);
    /* Fills @request with the next operation. Lack of memory for the data is in what this rank
     * gives. Without memory for the operation itself there is no contribution. */
    void (*request)(void *state, struct ftc_loop_request *request);
    /* Takes the result of that operation. Returns an MPI error code; plan->is_again tells whether
     * another operation follows. */
    int (*after)(void *state);
    /* Ends the call, with a result or without. The data that it has taken stay until free(). NULL:
     * nothing to do. */
    void (*close)(void *state);
    void (*free)(void *state);
};

#endif
