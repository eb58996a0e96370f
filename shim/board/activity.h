/* activity: number of calls that a rank is in and that the library carries out, the communicator of
 * the last one, and the heartbeat of a rank that waits.
 *
 * A rank writes only its own activity, with the library's lock held. Any process may read it. */
#ifndef FTC_BOARD_ACTIVITY_H
#define FTC_BOARD_ACTIVITY_H

#include "board.h"

static inline struct ftc_board_activity *ftc_activity_of(const struct ftc_board *board,
                                                         uint32_t rank)
{
    return &board->shared->rank[rank].activity;
}

/* Adds @change to *@number. The caller holds the library's lock, so no other thread writes it. A
 * reader that sees the new number also sees all that the rank wrote before, and all earlier reads
 * of the rank have been done (release, with ftc_activity_get()). */
static inline void ftc_activity_add(_Atomic uint32_t *number, int change)
{
    uint32_t before = atomic_load_explicit(number, memory_order_relaxed);

    atomic_store_explicit(number, before + (uint32_t)change, memory_order_release);
}

static inline uint32_t ftc_activity_get(const _Atomic uint32_t *number)
{
    return atomic_load_explicit(number, memory_order_acquire);
}

/* ---- the rank itself ---- */

/* Counts a thread that enters a call on the communicator. */
static inline void ftc_activity_enter(struct ftc_board *board, uint32_t self,
                                      uint64_t communicator_id)
{
    struct ftc_board_activity *a = ftc_activity_of(board, self);

    atomic_store_explicit(&a->communicator_id, communicator_id, memory_order_release);
    ftc_activity_add(&a->version, 1);
    ftc_activity_add(&a->inside, 1);
}

static inline void ftc_activity_leave(struct ftc_board *board, uint32_t self)
{
    ftc_activity_add(&ftc_activity_of(board, self)->inside, -1);
}

/* Counts a call during which the program continues, such as a nonblocking one. @change is 1 before
 * ftc_activity_enter() for that call, and -1 after ftc_activity_leave(). */
static inline void ftc_activity_beside(struct ftc_board *board, uint32_t self, int change)
{
    ftc_activity_add(&ftc_activity_of(board, self)->beside, change);
}

/* Counts a thread that enters a function of the program given to MPI_Op_create(), with @change 1,
 * or that has left it, with -1. Does not need the lock. */
static inline void ftc_activity_combine(struct ftc_board *board, uint32_t self, int change)
{
    atomic_fetch_add(&ftc_activity_of(board, self)->combining, (uint32_t)change);
}

/* Counts MPI_Finalize, the last call, which the rank never leaves. */
static inline void ftc_activity_enter_for_good(struct ftc_board *board, uint32_t self)
{
    atomic_store(&ftc_activity_of(board, self)->is_last, 1);
    atomic_fetch_add(&ftc_activity_of(board, self)->inside, 1);
}

/* Advances the heartbeat (monitor = timeout). */
static inline void ftc_activity_beat(struct ftc_board *board, uint32_t self)
{
    atomic_fetch_add(&ftc_activity_of(board, self)->heartbeat, 1);
}

/* ---- all processes ---- */

/* Returns the number of calls of @rank that are under way. */
static inline uint32_t ftc_activity_inside(const struct ftc_board *board, uint32_t rank)
{
    return ftc_activity_get(&ftc_activity_of(board, rank)->inside);
}

/* Returns the number of threads of @rank that wait in a call. */
static inline uint32_t ftc_activity_waiting(const struct ftc_board *board, uint32_t rank)
{
    const struct ftc_board_activity *a = ftc_activity_of(board, rank);
    uint32_t beside = ftc_activity_get(&a->beside);
    uint32_t inside = ftc_activity_inside(board, rank);

    return inside > beside ? inside - beside : 0;
}

/* Returns whether a thread of @rank is in a function of the program given to MPI_Op_create(). */
static inline bool ftc_activity_combines(const struct ftc_board *board, uint32_t rank)
{
    return ftc_activity_get(&ftc_activity_of(board, rank)->combining) > 0;
}

/* Returns the communicator of the call that @rank entered last. */
static inline uint64_t ftc_activity_communicator(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load_explicit(&ftc_activity_of(board, rank)->communicator_id,
                                memory_order_acquire);
}

static inline bool ftc_activity_is_last(const struct ftc_board *board, uint32_t rank)
{
    return ftc_activity_get(&ftc_activity_of(board, rank)->is_last) != 0;
}

/* Returns whether @rank is in a call, and the call that it entered last is on the communicator. */
static inline bool ftc_activity_is_on(const struct ftc_board *board, uint32_t rank,
                                      uint64_t communicator_id)
{
    struct ftc_board_activity *a = ftc_activity_of(board, rank);

    return atomic_load(&a->inside) != 0 && atomic_load(&a->communicator_id) == communicator_id;
}

/* Returns the number of calls of @rank so far, MPI_Finalize not counted. */
static inline uint32_t ftc_activity_version(const struct ftc_board *board, uint32_t rank)
{
    return ftc_activity_get(&ftc_activity_of(board, rank)->version);
}

/* Returns the heartbeat of @rank. */
static inline uint64_t ftc_activity_heartbeat(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load(&ftc_activity_of(board, rank)->heartbeat);
}

#endif
