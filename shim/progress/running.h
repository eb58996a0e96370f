/* running: the operation that runs on a communicator, one at a time, and those that wait behind it.
 *
 * A communicator has one of these from its first use to its end (struct ftc_comm_keeper), with room
 * that is made when values grow or the members change, and not before each operation. */
#ifndef FTC_PROGRESS_RUNNING_H
#define FTC_PROGRESS_RUNNING_H

#include "call/call.h"
#include "communicator/communicator.h"
#include "crash.h"
#include "engine/operation.h"
#include "transport/multicast.h"

/* The part of an operation before its first message: a data phase (protocols/pipelined.h), or the
 * writing of a round (protocols/rounds.h). Its maker keeps more data behind this. */
struct ftc_prelude {
    /* Goes on; false: it waits for others. */
    bool (*turn)(struct ftc_prelude *p);
    bool (*is_over)(const struct ftc_prelude *p);
    /* Whether it waits for @member, whose silence tells something. NULL: for none. */
    bool (*expects)(const struct ftc_prelude *p, int member);
};

/* The last items of the operation in the trace (trace.h). */
struct ftc_traced {
    uint32_t phase, attempt;
    bool is_begun; /* its beginning */
};

struct ftc_running {
    bool active;
    struct ftc_prelude *prelude; /* that has not come to its end; NULL: none */
    bool votes;                  /* there was one */
    const struct ftc_call *call; /* of the program */
    struct ftc_note note;        /* of that call */
    int mismatched;              /* user's rank that called something else; -1: none */
    struct ftc_note other;       /* what that called */
    uint32_t mismatched_seq;     /* in this operation: the one that runs, or one before it */
    struct {
        bool is_there;
        int rank;
        uint32_t seq;
        struct ftc_note own, other;
    } late; /* the same of an operation that is over, for the next one to tell */
    struct {
        bool is_there;
        uint32_t seq;
    } told; /* the last operation that a mismatch was told in */
    struct {
        uint32_t root, before; /* its world rank; operations before this one may go out to it */
    } run_ahead;               /* run_ahead.h */
    struct ftc_op op;
    struct ftc_actions actions; /* sends that are still to be carried out */
    struct ftc_multicast multicast;
    uint32_t published_attempt; /* on the board */
    bool was_blocked;           /* some messages have been kept because sends were pending */
    struct ftc_crash_progress crash;
    struct ftc_traced traced;

    size_t value_capacity;                           /* bytes */
    uint32_t numbering;                              /* of the members that the room is for */
    struct ftc_exchange_plan small_plan, large_plan; /* for these, by the size of a value */
    void *op_storage;                                /* the engine's */
    unsigned char *contribution, *published_value;   /* value_capacity bytes each */

    struct ftc_queued *first, *last; /* nonblocking operations, in call order */
    uint32_t idle_turns;             /* in which nothing happened */
    struct {
        uint32_t seq;
        uint64_t since_ns;
    } idle; /* the operation that looks for a mismatch, and since when */

    bool *contributors; /* by the user's rank: whose data the last result has */
    bool has_contributors;
    struct ftc_comm *next, **link; /* of all communicators that have some */
};

/* For struct ftc_comm_keeper. */
int ftc_running_open(struct ftc_comm *c);
void ftc_running_close(struct ftc_comm *c);

/* Whether the operation that runs on @c waits for @member: the silence of others tells nothing. */
bool ftc_running_expects(const struct ftc_comm *c, int member);

/* Keeps whose data the last reduction on @c has, as bits by the user's rank, for the program to ask
 * (include/ftcoll.h). Without memory it is not known. */
void ftc_running_note_contributors(struct ftc_comm *c, const uint64_t *who);

/* How the members exchange values of @value_bytes: all of them alike. */
const struct ftc_exchange_plan *ftc_running_exchange_plan(const struct ftc_comm *c,
                                                          size_t value_bytes);

/* Makes room for operations with values of @value_bytes; 0 or -ENOMEM. None is active. */
int ftc_running_reserve(struct ftc_comm *c, size_t value_bytes);

#endif
