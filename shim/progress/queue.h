/* queue: nonblocking operations from their call to their end.
 *
 * The operations of one communicator form a queue in the order of their calls, which is the same on
 * all ranks. The engine runs the first one. They advance whenever the program tests or waits for
 * one of them, in any call that the library carries out, and in the library's thread (thread.h).
 *
 * The caller of each function holds the library's lock. Only ftc_queue_complete() and
 * ftc_queue_complete_all() make MPI calls, besides those that end the job. */
#ifndef FTC_PROGRESS_QUEUE_H
#define FTC_PROGRESS_QUEUE_H

#include "call/call.h"
#include "communicator/communicator.h"

struct ftc_queued {
    struct ftc_comm *comm; /* NULL after its end: the communicator may be gone */
    const struct ftc_call *call;

    /* Begins the operation with ftc_loop_begin(). Returns false if there is nothing to wait for. */
    bool (*begin)(struct ftc_queued *p);
    /* Ends the operation after ftc_loop_is_over(). Returns false if it must begin again. */
    bool (*end)(struct ftc_queued *p);
    /* Called last, whether or not it has begun. The operation has left the queue and has its
     * result. */
    void (*over)(struct ftc_queued *p);

    struct ftc_queued *next;
    bool has_begun;
};

/* Callbacks for ftc_comm_open(). */
extern const struct ftc_comm_callbacks ftc_queue_comm_callbacks;

/* Appends @p to the queue of its communicator. The caller owns @p, which must stay valid until
 * over() is called. */
void ftc_queue_add(struct ftc_queued *p);

/* Processes the messages that have arrived and advances all operations. Returns whether anything
 * has happened. */
bool ftc_queue_turn(void);

/* As above, but without messages. */
bool ftc_queue_go_on(void);

/* List of the communicators that have such operations; NULL: there are none. */
extern struct ftc_comm *ftc_queue_busy;

/* Returns whether so many communicators have operations that a caller which asks for one operation
 * should advance only its communicator, by ftc_queue_turn_of(). Returns false once in as many calls
 * as there are such communicators, so that all of them advance. */
bool ftc_queue_is_crowd(void);

/* Processes the messages that have arrived and advances the operations of @c. @c is NULL if the
 * operation is over. */
void ftc_queue_turn_of(struct ftc_comm *c);

/* Completes the operations of @c, as is needed before a blocking call on it. Releases the library's
 * lock while it waits. The other ranks call the same operations before that call too, so this
 * cannot deadlock. */
void ftc_queue_complete(struct ftc_comm *c);

/* Sets a function that ftc_queue_complete() calls at its end, in a thread of the program. It does
 * the work that remains for operations that are over, before their communicator can go. */
void ftc_queue_on_complete(void (*settle)(void));

/* Completes the operations of all communicators. */
void ftc_queue_complete_all(void);

/* Returns whether there are any operations. */
bool ftc_queue_is_used(void);

#endif
