/* running: state of the operation that runs on a communicator, one at a time, and queue of those
 * that wait.
 *
 * Each communicator has one struct ftc_running from its first use to its end (struct
 * ftc_comm_callbacks). Its memory is allocated when values grow or the members change, not before
 * each operation. */
#ifndef FTC_PROGRESS_RUNNING_H
#define FTC_PROGRESS_RUNNING_H

#include "call/call.h"
#include "communicator/communicator.h"
#include "crash.h"
#include "engine/operation.h"
#include "transport/multicast.h"

/* Part of an operation before its first message: a data phase (protocols/pipelined.h), or the
 * writing of a round (protocols/rounds.h). The maker of the struct keeps more data after it. */
struct ftc_prelude {
    /* Takes a turn. Returns false if it waits for others. */
    bool (*turn)(struct ftc_prelude *p);
    bool (*is_over)(const struct ftc_prelude *p);
    /* Returns whether it waits for @member. Only then does the silence of @member mean anything.
     * NULL: it waits for none. */
    bool (*expects)(const struct ftc_prelude *p, int member);
};

/* Last events of the operation in the trace (trace.h). */
struct ftc_traced {
    uint32_t phase, attempt;
    bool is_begun; /* the begin event is written */
};

struct ftc_running {
    bool active;
    struct ftc_prelude *prelude; /* the prelude, until it is over; NULL: none */
    bool votes;                  /* the operation has or had a prelude */
    const struct ftc_call *call; /* call of the program */
    struct ftc_note note;        /* note of @call */
    int mismatched;              /* user's rank that called something else; -1: none */
    struct ftc_note other;       /* note of its call */
    uint32_t mismatched_seq;     /* operation of the mismatch: the current one or an earlier one */
    struct {
        bool is_there;
        int rank;
        uint32_t seq;
        struct ftc_note own, other;
    } late; /* late mismatch of an operation that is over, reported in the next one */
    struct {
        bool is_there;
        uint32_t seq;
    } reported; /* last operation in which a mismatch was reported */
    struct {
        uint32_t root, before; /* root's world rank; first operation that may not be sent to it */
    } run_ahead;               /* state of run_ahead.h */
    struct ftc_op op;
    struct ftc_actions actions; /* sends still to be carried out */
    struct ftc_multicast multicast;
    uint32_t published_attempt; /* attempt that the board shows */
    bool was_blocked;           /* messages may have been kept because sends were pending */
    struct ftc_crash_progress crash;
    struct ftc_traced traced;

    size_t value_capacity; /* bytes */
    uint32_t numbering;    /* numbering of the members that the memory is for */
    struct ftc_exchange_plan small_plan, large_plan; /* plans for @numbering, by value size */
    void *op_storage;                                /* memory of the engine */
    unsigned char *contribution, *published_value;   /* value_capacity bytes each */

    struct ftc_queued *first, *last; /* nonblocking operations, in call order */
    uint32_t idle_turns;             /* turns in which nothing happened */
    struct {
        uint32_t seq;
        uint64_t since_ns;
    } idle; /* operation that waits for a rank of another host, and since when */

    /* Whether the last result has the data of a rank, by the user's rank. */
    bool *contributors;
    bool has_contributors;
    struct ftc_comm *next, **link; /* list of the communicators with nonblocking operations */
};

/* Allocates c->running and prepares its messages to all, for struct ftc_comm_callbacks. Returns 0
 * or -ENOMEM. */
int ftc_running_open(struct ftc_comm *c);

/* Frees c->running, for struct ftc_comm_callbacks. */
void ftc_running_close(struct ftc_comm *c);

/* Returns whether the operation that runs on @c waits for @member. Only then does the silence of
 * @member mean anything. */
bool ftc_running_expects(const struct ftc_comm *c, int member);

/* Stores which ranks' data the last reduction on @c has, for queries of the program
 * (include/ftcoll.h). @who has a bit for each of the user's ranks. Without memory nothing is
 * stored. */
void ftc_running_note_contributors(struct ftc_comm *c, const uint64_t *who);

/* Returns the plan by which the members exchange values of @value_bytes. All members have the
 * same. */
const struct ftc_exchange_plan *ftc_running_exchange_plan(const struct ftc_comm *c,
                                                          size_t value_bytes);

/* Allocates memory for operations with values of @value_bytes, unless it is there. No operation may
 * be active. Returns 0 or -ENOMEM. */
int ftc_running_reserve(struct ftc_comm *c, size_t value_bytes);

#endif
