/* Wrappers of calls on windows that wait for other ranks. */
#include "entries.h"
#include "program/native_call.h"
#include "program/native_poll.h"
#include "progress/wait.h"
#include "windows/window.h"

#define WRAPPER(enter, name, parameters, arguments)                                                \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        enter;                                                                                     \
        return ftc_native_call_leave_with(PMPI_##name arguments);                                  \
    }

/* Defines a call that makes a window and needs all members of @comm. */
#define MAKE(kind, name, parameters, arguments)                                                    \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        ftc_window_expect(win);                                                                    \
        return ftc_window_made(comm, win,                                                          \
                               FTC_NATIVE_CALL(FTC_CALL_##kind, comm, FTC_ALL_MEMBERS,             \
                                               __builtin_return_address(0),                        \
                                               PMPI_##name arguments));                            \
    }

/* Defines a call that needs @peer of @window. */
#define USE(kind, name, parameters, arguments, window, peer)                                       \
    WRAPPER(                                                                                       \
        ftc_native_call_enter_window(FTC_CALL_##kind, window, peer, __builtin_return_address(0)),  \
        name, parameters, arguments)

MAKE(WIN_CREATE, Win_create,
     (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
     (base, size, disp_unit, info, comm, win))
MAKE(WIN_CREATE, Win_create_c,
     (void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
     (base, size, disp_unit, info, comm, win))
MAKE(WIN_ALLOCATE, Win_allocate,
     (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
     (size, disp_unit, info, comm, baseptr, win))
MAKE(WIN_ALLOCATE, Win_allocate_c,
     (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
     (size, disp_unit, info, comm, baseptr, win))
MAKE(WIN_ALLOCATE_SHARED, Win_allocate_shared,
     (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
     (size, disp_unit, info, comm, baseptr, win))
MAKE(WIN_ALLOCATE_SHARED, Win_allocate_shared_c,
     (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
     (size, disp_unit, info, comm, baseptr, win))
MAKE(WIN_CREATE_DYNAMIC, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win),
     (info, comm, win))

int MPI_Win_free(MPI_Win *win)
{
    const void *return_address = __builtin_return_address(0);
    int rv = MPI_SUCCESS;

    if (ftc_window_free(win, return_address, &rv))
        return rv;
    ftc_native_call_enter_window(FTC_CALL_WIN_FREE, win ? *win : MPI_WIN_NULL, FTC_ALL_MEMBERS,
                                 return_address);
    return ftc_native_call_leave_with(PMPI_Win_free(win));
}

USE(WIN_FENCE, Win_fence, (int assert, MPI_Win win), (assert, win), win, FTC_ALL_MEMBERS)
/* Needs the members of @group. */
WRAPPER(ftc_native_call_enter_group(FTC_CALL_WIN_START, group, __builtin_return_address(0)),
        Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
USE(WIN_COMPLETE, Win_complete, (MPI_Win win), (win), win, FTC_ALL_MEMBERS)
USE(WIN_WAIT, Win_wait, (MPI_Win win), (win), win, FTC_ALL_MEMBERS)

/* Notes for the mark of polls what native MPI has found. @flag is valid with MPI_SUCCESS only. */
int MPI_Win_test(MPI_Win win, int *flag)
{
    int rv;

    ftc_wait_catch_up();
    ftc_native_call_count(FTC_CALL_WIN_TEST, MPI_COMM_NULL, FTC_ALL_MEMBERS,
                          __builtin_return_address(0));
    rv = PMPI_Win_test(win, flag);
    if (!ftc_native_call_polls())
        return rv;
    if (rv == MPI_SUCCESS && flag && !*flag)
        ftc_native_call_found_nothing_in_window(FTC_CALL_WIN_TEST, win,
                                                __builtin_return_address(0));
    else
        ftc_native_call_found();
    return rv;
}

/* Needs @rank and the rank that holds the lock, which may be any. */
USE(WIN_LOCK, Win_lock, (int lock_type, int rank, int assert, MPI_Win win),
    (lock_type, rank, assert, win), win, FTC_ALL_MEMBERS)
USE(WIN_LOCK_ALL, Win_lock_all, (int assert, MPI_Win win), (assert, win), win, FTC_ALL_MEMBERS)
USE(WIN_UNLOCK, Win_unlock, (int rank, MPI_Win win), (rank, win), win, rank)
USE(WIN_UNLOCK_ALL, Win_unlock_all, (MPI_Win win), (win), win, FTC_ALL_MEMBERS)
USE(WIN_FLUSH, Win_flush, (int rank, MPI_Win win), (rank, win), win, rank)
USE(WIN_FLUSH_ALL, Win_flush_all, (MPI_Win win), (win), win, FTC_ALL_MEMBERS)
USE(WIN_FLUSH_LOCAL, Win_flush_local, (int rank, MPI_Win win), (rank, win), win, rank)
USE(WIN_FLUSH_LOCAL_ALL, Win_flush_local_all, (MPI_Win win), (win), win, FTC_ALL_MEMBERS)
