/* wait: how a rank passes the time while an operation cannot go on.
 *
 * Spin, then yield the core, then sleep in growing steps. Waiting is inside a blocking MPI call, so
 * native MPI gets its turn too: a peer may need this rank's progress on a point-to-point message,
 * or on a window, before it calls the operation. */
#ifndef FTC_PROGRESS_WAIT_H
#define FTC_PROGRESS_WAIT_H

#include "board/activity.h"
#include "communicator/communicator.h"
#include "library.h"

struct ftc_wait {
    uint32_t turns;    /* since something happened */
    uint64_t since_ns; /* time of the first look at the clock in this idle period; 0: none yet */
    /* the last turn in which native MPI had something to do, and when; 0: none yet */
    uint32_t native_turn;
    uint64_t native_ns;
};

/* Turns after which a wait is worth a mark on the board, once a rank is dead. */
enum { FTC_MARK_TURNS = 64 };

/* Makes what ftc_wait_turn() needs for native MPI's turns: of this process alone. 0 or an MPI error
 * code. ftc_wait_close() undoes it, for native MPI to be ended. */
int ftc_wait_open(void);
void ftc_wait_close(void);

/* Begins to wait: also whenever something has happened. */
void ftc_wait_reset(struct ftc_wait *w);

/* Nothing happened: gives up the lock for a moment. With monitor = timeout also looks whether peers
 * that @c awaits have been silent for too long. True once it has been long enough for sleeping: a
 * little more work does not matter. */
bool ftc_wait_turn(struct ftc_wait *w, struct ftc_comm *c);

/* A turn between two looks of a program at an operation: never sleeps. */
void ftc_wait_between_looks(struct ftc_wait *w);

/* A turn of a loop that calls native MPI each time, outside of an operation and without the lock.
 */
void ftc_wait_native_turn(struct ftc_wait *w);

/* Native MPI takes in some of what the others have sent. To be called without the lock. */
void ftc_wait_look_at_native(void);

/* Whether the calling thread is in that. */
extern _Thread_local bool ftc_wait_is_looking;

/* Native MPI takes in what has come, until nothing more is there. */
void ftc_wait_take_in(void);

/* ftc_activity_version() when the calling thread last did that. */
extern _Thread_local uint32_t ftc_wait_taken_in;

/* For a call of the program that looks once, such as MPI_Iprobe: native MPI takes in all that has
 * come while the library carried out operations. Natively these have done that: a program that
 * looks behind a barrier finds what was sent before it. */
static inline void ftc_wait_catch_up(void)
{
    const struct ftc_library *l = &ftc_library;

    if (l->state == FTC_LIBRARY_ACTIVE &&
        ftc_activity_version(&l->board, (uint32_t)l->world_rank) != ftc_wait_taken_in)
        ftc_wait_take_in();
}

#endif
