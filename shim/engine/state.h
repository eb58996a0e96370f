/* state: what a rank holds of one operation, and the few ways in which all phases change it.
 *
 *     reduce      UP_CORRECTION -> TREE -> DONE
 *     allreduce   [EXCHANGE ->] UP_CORRECTION -> TREE -> DISSEMINATION -> DONE
 *                                    ^------- next attempt -------'
 *                 root with more than f failures:  TREE -> CONFIRMATION -> DONE
 */
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
    FTC_PHASE_CONFIRMATION,  /* root without a usable subtree: has nobody returned with a result? */
    FTC_PHASE_DISSEMINATION, /* waiting for the result */
    FTC_PHASE_DONE,
};

enum { FTC_DIRECT_MOST = 16 }; /* members of a direct reduce, all of which its root hears */

/* The same on all ranks of an operation, but for rank, original and context. */
struct ftc_op_config {
    enum ftc_op_kind kind;
    enum ftc_algorithm algorithm; /* of an allreduce */
    enum ftc_failure_scheme failure_scheme;
    enum ftc_correction correction;
    int ring_distance;
    bool deterministic;
    /* Of a reduce of up to FTC_DIRECT_MOST: everybody sends to its root, as with n <= f + 1, and
     * there is no tree phase. */
    bool direct;
    const struct ftc_topology *topology;
    const struct ftc_exchange_plan *exchange_plan; /* of this rank; if it ftc_op_exchanges() */
    int rank;
    int root;             /* of a reduce; an allreduce goes through its candidates 0, 1, ... */
    size_t value_bytes;   /* room for a value */
    const void *original; /* this rank's contribution; unchanged until the operation is done */

    /* into = into (+) from. Called in the same order on each run without failures if deterministic.
     */
    void (*combine)(void *context, void *into, const void *from);
    void *context;

    /* Bytes of @value that are in use: what is copied, sent and published of it. NULL: all. */
    size_t (*used_bytes)(const void *value);
};

struct ftc_send {
    int to;
    struct ftc_message message; /* what it points to is the engine's until the next step */
};

struct ftc_actions {
    struct ftc_send *send;
    int count, capacity;
};

enum ftc_step_outcome {
    FTC_STEP_OK = 0,
    FTC_STEP_LATER = 1, /* a message of a later attempt: keep it, and offer it again */
    FTC_STEP_BAD = -1,  /* a message that no correct peer sends: dropped */
};

/* A receive that the operation expects. */
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
    bool group_is_everybody; /* likewise (topology.h), and if it is direct */
    /* group: in vrank order, with this rank itself; in classes this rank, and then the others in
     * the order of ftc_classes_walk(). child: smallest tree first; at the root subtrees in turn. */
    struct ftc_slot *group, *child;
    int group_count, child_count;
    struct ftc_failure_info info; /* own and the children's */
    unsigned char *value;         /* combined so far, or the LOCK's value, or the result */
    bool has_value, has_lock;
    struct ftc_failure_info agreed; /* failed ranks of the LOCK or result */
    struct ftc_result result;       /* LOCK while has_lock, final when DONE */
    unsigned char *confirmed;       /* one byte a rank; CONFIRMATION: it has joined this attempt */
    unsigned char *dead;            /* one byte a rank */
    int dead_count, dead_hosts;     /* these: with a dead rank */
    struct ftc_slot *exchange;      /* one a step */
    int exchange_step;
    const unsigned char *exchange_value; /* combined so far */
    unsigned char *exchange_results;     /* one buffer a step */
};

/* Whether it begins with an exchange if nobody is known to be dead. That of two ranks does in any
 * case: up-correction alone gives each the value of the other, and the one that is left when the
 * other dies has nobody to agree with. */
static inline bool ftc_op_exchanges(const struct ftc_op_config *config)
{
    return config->kind == FTC_OP_ALLREDUCE &&
           (config->algorithm == FTC_ALGORITHM_OPTIMISTIC || config->topology->n == 2);
}

/* Bytes and sends that one operation on @t with values of @value_bytes can need, direct or not,
 * whose plan has up to @exchange_steps. */
size_t ftc_op_storage_bytes(const struct ftc_topology *t, int exchange_steps, size_t value_bytes);
int ftc_op_actions_capacity(const struct ftc_topology *t, int ring_distance);

/* Prepares @op; @storage is 16-byte aligned and stays for the operation's lifetime. */
void ftc_op_init(struct ftc_op *op, const struct ftc_op_config *config, void *storage);

/* Appends a send unless @to is known to be dead. */
void ftc_op_send(struct ftc_op *op, struct ftc_actions *out, int to, struct ftc_message message);

/* Bytes of @value in use, never more than there is room for, whatever stands in it. */
static inline size_t ftc_op_used_bytes(const struct ftc_op *op, const void *value)
{
    size_t bytes;

    if (__builtin_expect(!op->config.used_bytes, true))
        return op->config.value_bytes;
    bytes = value ? op->config.used_bytes(value) : 0;
    return bytes < op->config.value_bytes ? bytes : op->config.value_bytes;
}

/* The root of this attempt. */
static inline void ftc_op_set_root(struct ftc_op *op, int root)
{
    const struct ftc_topology *t = op->config.topology;

    op->root = root;
    op->vrank = ftc_topology_vrank(t, root, op->config.rank);
    op->group_is_everybody = op->config.direct || ftc_topology_group_is_everybody(t, root);
}

/* The only way from one phase to another. */
void ftc_op_enter(struct ftc_op *op, enum ftc_phase phase);

/* Takes a result that somebody has returned with, in the place of data (doc/design.md, section 5,
 * rule 3).
 */
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
