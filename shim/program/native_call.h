/* native_call: marks on the board that this rank is in a call that native MPI carries out and that
 * can wait for other ranks. When one of those is dead, the monitor process sees from the mark who
 * waits for whom (setting on_blocked).
 *
 * Of calls inside of calls the outermost is marked. A rank has FTC_BOARD_CALLS marks, for as many
 * threads that are in such calls at the same time; further threads have none. */
#ifndef FTC_PROGRAM_NATIVE_CALL_H
#define FTC_PROGRAM_NATIVE_CALL_H

#include "board/mark.h"
#include "call/call.h"

#include <stdatomic.h>
#include <stdint.h>

/* Switches marking on; 0 or a negative errno. */
int ftc_native_call_open(void);

/* The marks of this rank; NULL: marking is off. And how many are dead; 0 if it is off. */
extern struct ftc_board_mark *ftc_native_call_marks;
extern const _Atomic uint32_t *ftc_native_call_deaths;

/* Calls of this thread inside of calls. */
extern _Thread_local int ftc_native_call_depth;

/* Why this thread's last call of those that the library can carry out went to native MPI: an enum
 * ftc_fallback. The mark of that call shows it. */
extern _Thread_local uint32_t ftc_native_call_fallback;

/* Forgets those that the thread has left, seen from @frame of its stack. */
void ftc_native_call_forget_left(const void *frame);

/* @peer is a rank of @comm or FTC_ALL_MEMBERS; of an intercommunicator, of its remote group, but a
 * collective call needs the members of both.
 * MPI_PROC_NULL needs nobody. An invalid communicator leaves no mark. */
void ftc_native_call_enter(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                           const void *return_address);

/* As above, for a call that receives from @source and sends to @dest. */
void ftc_native_call_enter_exchange(enum ftc_call_kind kind, MPI_Comm comm, int source, int dest,
                                    const void *return_address);

/* As above, with a window, of which a call may need one rank, or a file, or the members of a group,
 * all of which a call needs. */
void ftc_native_call_enter_window(enum ftc_call_kind kind, MPI_Win win, int peer,
                                  const void *return_address);
void ftc_native_call_enter_file(enum ftc_call_kind kind, MPI_File file, const void *return_address);
void ftc_native_call_enter_group(enum ftc_call_kind kind, MPI_Group group,
                                 const void *return_address);

/* MPI_Intercomm_create() with these arguments. */
void ftc_native_call_enter_leaders(MPI_Comm local, int local_leader, MPI_Comm peer,
                                   int remote_leader, const void *return_address);

void ftc_native_call_leave(void);

/* The two halves of ftc_native_call_enter(), for calls that the library carries out and that may
 * still turn out to wait for native MPI. The first only counts the call (report = coverage); the
 * second only marks it, and ftc_native_call_leave() ends the mark. */
void ftc_native_call_count(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                           const void *return_address);
void ftc_native_call_mark(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                          const void *return_address);
void ftc_native_call_mark_group(enum ftc_call_kind kind, MPI_Group group,
                                const void *return_address);

/* A function that native MPI calls back (an error handler, an operation of the program) may leave
 * the call by a jump or an exception, past ftc_native_call_leave(): then the next call that begins
 * no deeper on the thread's stack forgets it. This is for calls that are not marked themselves. */
static inline void ftc_native_call_look_back(void)
{
    if (ftc_native_call_depth > 0)
        ftc_native_call_forget_left(__builtin_frame_address(0));
}

/* Whether a call of this thread begins inside of another one. */
static inline bool ftc_native_call_is_inside(void)
{
    ftc_native_call_look_back();
    return ftc_native_call_depth > 0;
}

static inline void ftc_native_call_write_mark(struct ftc_board_mark *m, enum ftc_call_kind kind,
                                              unsigned place, int32_t need,
                                              const void *return_address)
{
    ftc_mark_begin(m, (struct ftc_mark_start){.kind = kind,
                                              .set = place,
                                              .fallback = ftc_native_call_fallback,
                                              .peer = need,
                                              .return_address = return_address,
                                              .stack = __builtin_frame_address(0)});
}

/* Around an operation that native MPI is to apply in the protected call @kind. The program's own
 * may be left in the same way, and the call in its middle, with the lock held and others waiting;
 * it can neither be gone on with nor taken back. Whoever looks back then ends the job. */
void ftc_native_call_begin_operation(enum ftc_call_kind kind);
void ftc_native_call_end_operation(void);

/* Returns the rank that a call which receives and sends cannot do without. */
static inline int ftc_native_call_partner(int source, int dest)
{
    return source == MPI_PROC_NULL ? dest : source;
}

/* A call of native MPI, marked while it lasts; its value is the call's. */
#define FTC_NATIVE_CALL(kind, comm, peer, return_address, pmpi_call)                               \
    (ftc_native_call_enter(kind, comm, peer, return_address), ftc_native_call_leave_with(pmpi_call))

static inline int ftc_native_call_leave_with(int rv)
{
    ftc_native_call_leave();
    return rv;
}

#endif
