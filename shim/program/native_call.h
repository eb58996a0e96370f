/* native_call: marks on the board that this rank is in a call that native MPI carries out and that
 * can wait for other ranks. When one of those is dead, the monitor process sees from the mark which
 * rank waits for which (setting on_blocked).
 *
 * Of nested calls the outermost is marked. A rank has FTC_BOARD_CALLS marks, one for each thread
 * that is in such a call. Any further threads have none. */
#ifndef FTC_PROGRAM_NATIVE_CALL_H
#define FTC_PROGRAM_NATIVE_CALL_H

#include "board/mark.h"
#include "call/call.h"

#include <stdatomic.h>
#include <stdint.h>

/* Switches marking on. Returns 0 or a negative errno. */
int ftc_native_call_open(void);

/* Marks of this rank; NULL if marking is off. */
extern struct ftc_board_mark *ftc_native_call_marks;

/* Number of deaths on the board; 0 if marking is off. */
extern const _Atomic uint32_t *ftc_native_call_deaths;

/* Number of calls that this thread is in, one nested in another. */
extern _Thread_local int ftc_native_call_depth;

/* Reason why this thread's last call that the library can carry out went to native MPI (enum
 * ftc_fallback). The mark of that call shows it. */
extern _Thread_local uint32_t ftc_native_call_fallback;

/* Forgets the calls that this thread has left by a jump or exception. A call is left if @frame, an
 * address on the stack, is no deeper than it. */
void ftc_native_call_forget_left(const void *frame);

/* Counts a native call and marks it until ftc_native_call_leave(). @peer is a rank of @comm,
 * FTC_ALL_MEMBERS or FTC_SOME_MEMBER. On an intercommunicator @peer is a rank of the remote group,
 * but a collective call needs the members of both groups. A call with MPI_PROC_NULL needs no rank.
 * A call with an invalid communicator gets no mark. */
void ftc_native_call_enter(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                           const void *return_address);

/* As above, for a call that receives from @source and sends to @dest. */
void ftc_native_call_enter_exchange(enum ftc_call_kind kind, MPI_Comm comm, int source, int dest,
                                    const void *return_address);

/* As above, for a call on a window. It needs rank @peer of the window, or all its ranks. */
void ftc_native_call_enter_window(enum ftc_call_kind kind, MPI_Win win, int peer,
                                  const void *return_address);

/* As above, for a call on a file that needs all ranks of the file. */
void ftc_native_call_enter_file(enum ftc_call_kind kind, MPI_File file, const void *return_address);

/* As above, for a call that needs all members of @group. */
void ftc_native_call_enter_group(enum ftc_call_kind kind, MPI_Group group,
                                 const void *return_address);

/* As above, for MPI_Intercomm_create() with these arguments. */
void ftc_native_call_enter_leaders(MPI_Comm local, int local_leader, MPI_Comm peer,
                                   int remote_leader, const void *return_address);

/* Ends the call that this thread entered last, and with the outermost call its mark. */
void ftc_native_call_leave(void);

/* Counts a call that the library carries out and that may still turn out to wait for native MPI
 * (report = coverage). The first half of ftc_native_call_enter(). */
void ftc_native_call_count(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                           const void *return_address);

/* Marks such a call until ftc_native_call_leave(). The second half of ftc_native_call_enter(). */
void ftc_native_call_mark(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                          const void *return_address);

/* As above, for a call that needs all members of @group. */
void ftc_native_call_mark_group(enum ftc_call_kind kind, MPI_Group group,
                                const void *return_address);

/* Forgets calls that this thread has left by a jump or exception. A function that native MPI calls
 * back (an error handler, an operator of the program) may leave the native call in that way,
 * without ftc_native_call_leave(). The next call that begins no deeper on the stack then forgets
 * it. For use in calls that are not marked themselves. */
static inline void ftc_native_call_look_back(void)
{
    if (ftc_native_call_depth > 0)
        ftc_native_call_forget_left(__builtin_frame_address(0));
}

/* Returns whether a new call of this thread would be nested in another one. */
static inline bool ftc_native_call_is_inside(void)
{
    ftc_native_call_look_back();
    return ftc_native_call_depth > 0;
}

/* Writes the mark of a call that begins now. @place describes the ranks of which it needs @need. */
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

/* Notes that native MPI is about to apply an operator in the protected call @kind. A user-defined
 * operator may also be left by a jump or exception. Then the call stays incomplete, with the lock
 * held and other ranks waiting. It can neither continue nor be undone, so the thread's next call
 * ends the job. */
void ftc_native_call_begin_operation(enum ftc_call_kind kind);

/* Notes that the operator has returned. */
void ftc_native_call_end_operation(void);

/* Returns the rank that a call which receives and sends needs in any case. */
static inline int ftc_native_call_partner(int source, int dest)
{
    return source == MPI_PROC_NULL ? dest : source;
}

/* Calls native MPI with a mark. The value is that of the call. */
#define FTC_NATIVE_CALL(kind, comm, peer, return_address, pmpi_call)                               \
    (ftc_native_call_enter(kind, comm, peer, return_address), ftc_native_call_leave_with(pmpi_call))

/* Ends the mark of a call and returns its value @rv. */
static inline int ftc_native_call_leave_with(int rv)
{
    ftc_native_call_leave();
    return rv;
}

#endif
