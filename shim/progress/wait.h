/* wait: how a rank waits while an operation cannot advance.
 *
 * It spins, then yields the core, then sleeps in growing steps. It waits inside a blocking MPI
 * call, so native MPI must make progress too: before a peer calls the operation, it may need this
 * rank's progress on a point-to-point message or on a window. */
#ifndef FTC_PROGRESS_WAIT_H
#define FTC_PROGRESS_WAIT_H

#include "board/activity.h"
#include "communicator/communicator.h"
#include "library.h"

struct ftc_wait {
    uint32_t turns;    /* turns since something happened */
    uint64_t since_ns; /* first clock reading of this idle period; 0: none yet */
    /* Last turn in which native MPI had work, and its time; 0: none yet. */
    uint32_t native_turn;
    uint64_t native_ns;
};

/* Turns after which a wait gets a mark on the board if a rank is dead. */
enum { FTC_MARK_TURNS = 64 };

/* Makes the request by which ftc_wait_turn() lets native MPI make progress. It belongs to this
 * process alone. Returns 0 or an MPI error code. */
int ftc_wait_open(void);

/* Completes that request, before native MPI is ended. */
void ftc_wait_close(void);

/* Begins a wait, or begins it anew after something has happened. */
void ftc_wait_reset(struct ftc_wait *w);

/* Takes a turn of the wait after one in which nothing happened. Releases the library's lock for a
 * moment. With monitor = timeout it also checks whether peers that @c waits for have been silent
 * for too long. Returns true if the wait is long enough for sleeping, so that the caller can do a
 * little more work. */
bool ftc_wait_turn(struct ftc_wait *w, struct ftc_comm *c);

/* Takes a turn between two tests of an operation by the program. Never sleeps. */
void ftc_wait_between_polls(struct ftc_wait *w);

/* Takes a turn of a loop that calls native MPI each time, outside of an operation. The caller must
 * not hold the library's lock. */
void ftc_wait_native_turn(struct ftc_wait *w);

/* Lets native MPI make progress once. The caller must not hold the library's lock. */
void ftc_wait_look_at_native(void);

/* True while the calling thread is in ftc_wait_look_at_native(). */
extern _Thread_local bool ftc_wait_is_looking;

/* Lets native MPI receive what has arrived, until there is nothing more or after 10,000 turns. The
 * caller must not hold the library's lock. */
void ftc_wait_take_in(void);

/* Value of ftc_activity_version() at the last ftc_wait_take_in() of the calling thread. */
extern _Thread_local uint32_t ftc_wait_taken_in;

/* Lets native MPI receive all messages that have come while the library carried out operations. For
 * calls of the program that check once, such as MPI_Iprobe. Natively the operations have received
 * these messages: a program that probes after a barrier finds what was sent before it. */
static inline void ftc_wait_catch_up(void)
{
    const struct ftc_library *l = &ftc_library;

    if (l->state == FTC_LIBRARY_ACTIVE &&
        ftc_activity_version(&l->board, (uint32_t)l->world_rank) != ftc_wait_taken_in)
        ftc_wait_take_in();
}

#endif
