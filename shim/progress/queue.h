/* queue: nonblocking operations between their call and their end.
 *
 * Those of one communicator are a queue in the order of their calls, which is the same on all
 * ranks; the engine runs the first. They go on whenever the program tests or waits for one of them
 * or is in any call that is carried out here, and in the library's thread (thread.h).
 *
 * All of this is called with the library's lock held, and makes no MPI call but the end of a job.
 */
#ifndef FTC_PROGRESS_QUEUE_H
#define FTC_PROGRESS_QUEUE_H

#include "call/call.h"
#include "communicator/communicator.h"

struct ftc_queued {
    struct ftc_comm *comm; /* NULL once it is over: the communicator may be gone */
    const struct ftc_call *call;

    /* Begins it with ftc_loop_begin(); false: there is nothing to wait for. */
    bool (*begin)(struct ftc_queued *p);
    /* After ftc_loop_is_over(). False: it is to be begun again. */
    bool (*end)(struct ftc_queued *p);
    /* Called last, begun or not: it has left the queue and has its result. */
    void (*over)(struct ftc_queued *p);

    struct ftc_queued *next;
    bool has_begun;
};

/* For ftc_comm_open(). */
extern const struct ftc_comm_keeper ftc_queue_keeper;

/* Behind all that its communicator has; @p stays the caller's. */
void ftc_queue_add(struct ftc_queued *p);

/* Takes in what has arrived and goes on with all of them; false if nothing has happened. */
bool ftc_queue_turn(void);

/* Only goes on with all of them. */
bool ftc_queue_go_on(void);

/* The communicators that have some; NULL: there are none. */
extern struct ftc_comm *ftc_queue_busy;

/* Whether there are so many that a caller who asks for one of them is to have a turn of that one's
 * communicator alone (NULL: it is over). False once for as many questions as there are. */
bool ftc_queue_is_crowd(void);
void ftc_queue_turn_of(struct ftc_comm *c);

/* Gives up the lock while it waits until @c has none left: so before a blocking call on @c. It
 * cannot deadlock: the other ranks call the same operations before that call too. */
void ftc_queue_complete(struct ftc_comm *c);

/* Has ftc_queue_complete() call @settle at its end, in a thread of the program's: for what is left
 * to do of operations that are over before their communicator goes. */
void ftc_queue_on_complete(void (*settle)(void));

/* Completes the operations of all communicators. */
void ftc_queue_complete_all(void);

/* Whether there are any. */
bool ftc_queue_is_used(void);

#endif
