/* state: state of a rank in one operation, and the few functions by which all phases change it.
 *
 *     reduce      UP_CORRECTION -> TREE -> DONE
 *     allreduce   [EXCHANGE ->] UP_CORRECTION -> TREE -> DISSEMINATION -> DONE
 *                                    ^------- next attempt -------'
 *                 root with more than f failures:  TREE -> CONFIRMATION -> DONE */
#ifndef FTC_ENGINE_STATE_H
#define FTC_ENGINE_STATE_H

#include "exchange_plan.h"
#include "message.h"
#include "topology.h"

enum ftc_op_kind { FTC_OP_REDUCE, FTC_OP_ALLREDUCE };
enum ftc_correction { FTC_CORRECTION_GROUP, FTC_CORRECTION_RING };
enum ftc_algorithm { FTC_ALGORITHM_CORRECTED, FTC_ALGORITHM_OPTIMISTIC };

enum ftc_phase {
    FTC_PHASE_IDLE,
    FTC_PHASE_EXCHANGE,      /* attempt 0 of an allreduce that exchanges */
    FTC_PHASE_UP_CORRECTION, /* waiting for the group */
    FTC_PHASE_TREE,          /* waiting for children */
    FTC_PHASE_CONFIRMATION,  /* root without a usable subtree: waiting for all to join */
    FTC_PHASE_DISSEMINATION, /* waiting for the result */
    FTC_PHASE_DONE,
};

enum { FTC_DIRECT_MOST = 16 }; /* most members of a direct reduce, whose root receives from all */

/* Configuration of an operation, equal on all ranks except for exchange_plan, rank, original and
 * context. */
struct ftc_op_config {
    enum ftc_op_kind kind;
    enum ftc_algorithm algorithm; /* of an allreduce */
    enum ftc_failure_scheme failure_scheme;
    enum ftc_correction correction;
    int ring_distance;
    bool deterministic;
    /* Whether a reduce is direct: all ranks send to its root, as with n <= f + 1, and there is no
     * tree phase. Allowed with up to FTC_DIRECT_MOST members. */
    bool direct;
    const struct ftc_topology *topology;
    const struct ftc_exchange_plan *exchange_plan; /* of this rank; if ftc_op_exchanges() */
    int rank;
    int root;             /* of a reduce; an allreduce goes through its candidates */
    size_t value_bytes;   /* room for a value */
    const void *original; /* contribution of this rank; unchanged until the operation is done */

    /* Sets into = into (+) from. If deterministic, it is called in the same order in each run
     * without failures. */
    void (*combine)(void *context, void *into, const void *from);
    void *context;

    /* Returns the bytes of @value in use, which alone are copied, sent and published. NULL: all
     * bytes are in use. */
    size_t (*used_bytes)(const void *value);
};

struct ftc_send {
    int to;
    struct ftc_message message; /* its pointers are valid until the next step */
};

struct ftc_actions {
    struct ftc_send *send;
    int count, capacity;
};

enum ftc_step_outcome {
    FTC_STEP_OK = 0,
    FTC_STEP_LATER = 1, /* message of a later attempt: the caller keeps it and offers it again */
    FTC_STEP_BAD = -1,  /* message that no correct peer sends: dropped */
};

/* Receive that the operation expects. */
struct ftc_slot {
    int rank;
    enum { FTC_SLOT_PENDING, FTC_SLOT_ARRIVED, FTC_SLOT_FAILED, FTC_SLOT_TAKEN } state;
    unsigned char *buffer;
};

struct ftc_op {
    struct ftc_op_config config;
    enum ftc_phase phase;
    uint32_t attempt;
    int root, vrank;         /* of this attempt */
    bool group_is_everybody; /* all ranks are one group (topology.h), or reduce is direct */
    /* Receives of up-correction and of the tree phase. group is in vrank order and includes this
     * rank. With classes it has this rank first, then the others in the order of
     * ftc_classes_walk(). child has the smallest tree first, at the root the subtrees in turn. */
    struct ftc_slot *group, *child;
    int group_count, child_count;
    struct ftc_failure_info info; /* own failed receives and those that children reported */
    unsigned char *value;         /* combined so far, or the LOCK's value, or the result */
    bool has_value, has_lock;
    struct ftc_failure_info agreed; /* failed ranks of the LOCK or result */
    struct ftc_result result;       /* LOCK while has_lock, final when DONE */
    unsigned char *confirmed;       /* one byte a rank: it has joined this attempt (CONFIRMATION) */
    unsigned char *dead;            /* one byte a rank */
    int dead_count, dead_hosts;     /* dead ranks; hosts with a dead rank */
    struct ftc_slot *exchange;      /* one slot a step */
    int exchange_step;
    const unsigned char *exchange_value; /* combined so far */
    unsigned char *exchange_results;     /* one buffer a step */
};

/* Returns whether an operation begins with an exchange if no death is known. An allreduce of two
 * ranks always does. The exchange gives each of the two the other's value, as up-correction alone
 * would, and after a death the rank that is left has no rank to agree with. */
static inline bool ftc_op_exchanges(const struct ftc_op_config *config)
{
    return config->kind == FTC_OP_ALLREDUCE &&
           (config->algorithm == FTC_ALGORITHM_OPTIMISTIC || config->topology->n == 2);
}

/* Returns the bytes of storage for one operation on @t, direct or not, with values of @value_bytes
 * and a plan of up to @exchange_steps steps. */
size_t ftc_op_storage_bytes(const struct ftc_topology *t, int exchange_steps, size_t value_bytes);

/* Returns the most sends of one step of an operation on @t, direct or not. */
int ftc_op_actions_capacity(const struct ftc_topology *t, int ring_distance);

/* Prepares @op. @storage must be 16-byte aligned and stay for the operation's lifetime. */
void ftc_op_init(struct ftc_op *op, const struct ftc_op_config *config, void *storage);

/* Appends a send unless @to is known to be dead. */
void ftc_op_send(struct ftc_op *op, struct ftc_actions *out, int to, struct ftc_message message);

/* Returns the bytes of @value in use. They are never more than there is room for, whatever @value
 * contains. */
static inline size_t ftc_op_used_bytes(const struct ftc_op *op, const void *value)
{
    size_t bytes;

    if (__builtin_expect(!op->config.used_bytes, true))
        return op->config.value_bytes;
    bytes = value ? op->config.used_bytes(value) : 0;
    return bytes < op->config.value_bytes ? bytes : op->config.value_bytes;
}

/* Sets the root of this attempt. */
static inline void ftc_op_set_root(struct ftc_op *op, int root)
{
    const struct ftc_topology *t = op->config.topology;

    op->root = root;
    op->vrank = ftc_topology_vrank(t, root, op->config.rank);
    op->group_is_everybody = op->config.direct || ftc_topology_group_is_everybody(t, root);
}

/* Changes the phase. After ftc_op_init() no other function does. */
void ftc_op_enter(struct ftc_op *op, enum ftc_phase phase);

/* Takes a result with which a rank has returned, in place of data (doc/design.md, section 5, rule
 * 3). */
void ftc_op_hold_lock(struct ftc_op *op, const struct ftc_result *lock);

static inline bool ftc_op_is_dead(const struct ftc_op *op, int rank)
{
    return op->dead[rank] != 0;
}

static inline bool ftc_op_is_done(const struct ftc_op *op)
{
    return op->phase == FTC_PHASE_DONE;
}

#endif
