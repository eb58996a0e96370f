/* Calls of mpi_f08 that wait for other ranks and do not go through the C symbols: the binding
 * itself carries them out, marked on the board. Its calls with buffers need nothing here. */
#include "communicator/lineage.h"
#include "program/native.h"

#include <dlfcn.h>
#include <string.h>

/* Fortran passes addresses, also of handles, and null for an absent ierror; the length of a string
 * comes last, in a register or a word like an address. */
#define PARAMETERS_2 (void *a, void *b)
#define PARAMETERS_3 (void *a, void *b, void *c)
#define PARAMETERS_4 (void *a, void *b, void *c, void *d)
#define PARAMETERS_5 (void *a, void *b, void *c, void *d, void *e)
#define PARAMETERS_7 (void *a, void *b, void *c, void *d, void *e, void *f, void *g)
#define PARAMETERS_8 (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h)
#define PARAMETERS_10                                                                              \
    (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j)
#define PARAMETERS_11                                                                              \
    (void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j,     \
     void *k)
#define ARGUMENTS_2  (a, b)
#define ARGUMENTS_3  (a, b, c)
#define ARGUMENTS_4  (a, b, c, d)
#define ARGUMENTS_5  (a, b, c, d, e)
#define ARGUMENTS_7  (a, b, c, d, e, f, g)
#define ARGUMENTS_8  (a, b, c, d, e, f, g, h)
#define ARGUMENTS_10 (a, b, c, d, e, f, g, h, i, j)
#define ARGUMENTS_11 (a, b, c, d, e, f, g, h, i, j, k)

#define BINDING(name, count, enter, leave)                                                         \
    void mpi_##name##_f08_ PARAMETERS_##count;                                                     \
    void mpi_##name##_f08_ PARAMETERS_##count                                                      \
    {                                                                                              \
        static void(*_Atomic binding) PARAMETERS_##count;                                          \
        void(*next) PARAMETERS_##count = binding;                                                  \
                                                                                                   \
        if (!next) {                                                                               \
            find("mpi_" #name "_f08_", &next);                                                     \
            binding = next;                                                                        \
        }                                                                                          \
        enter;                                                                                     \
        next ARGUMENTS_##count;                                                                    \
        leave;                                                                                     \
    }

#define NATIVE(name, count, enter) BINDING(name, count, enter, ftc_native_leave())

/* Of the communicator whose address comes first, one is made at the address @made. */
#define CREATION(name, count, kind, made, ierror)                                                  \
    BINDING(name, count, ON_COMM(kind, a), leave_with_made(a, made, ierror))

#define INTEGER(address) (*(const MPI_Fint *)(address))
#define CALLER           __builtin_return_address(0)

#define ON_COMM(kind, comm)                                                                        \
    ftc_native_enter(FTC_CALL_##kind, PMPI_Comm_f2c(INTEGER(comm)), FTC_ALL_MEMBERS, CALLER)
#define ON_WINDOW(kind, win, peer)                                                                 \
    ftc_native_enter_window(FTC_CALL_##kind, PMPI_Win_f2c(INTEGER(win)), peer, CALLER)
#define ON_GROUP(kind, group)                                                                      \
    ftc_native_enter_group(FTC_CALL_##kind, PMPI_Group_f2c(INTEGER(group)), CALLER)
#define ON_FILE(kind, file)                                                                        \
    ftc_native_enter_file(FTC_CALL_##kind, PMPI_File_f2c(INTEGER(file)), CALLER)

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(function, &found, sizeof found);
}

static void leave_with_made(const void *parent, const void *made, const void *ierror)
{
    MPI_Comm comm = PMPI_Comm_f2c(INTEGER(made));

    ftc_native_leave();
    ftc_birth_from(PMPI_Comm_f2c(INTEGER(parent)), &comm, ierror ? INTEGER(ierror) : MPI_SUCCESS);
}

CREATION(cart_create, 7, CART_CREATE, f, g)
CREATION(cart_sub, 4, CART_SUB, c, d)
CREATION(graph_create, 7, GRAPH_CREATE, f, g)
CREATION(dist_graph_create, 10, DIST_GRAPH_CREATE, i, j)
CREATION(dist_graph_create_adjacent, 11, DIST_GRAPH_CREATE_ADJACENT, j, k)
NATIVE(intercomm_create, 7, ON_COMM(INTERCOMM_CREATE, a))
NATIVE(intercomm_merge, 4, ON_COMM(INTERCOMM_MERGE, a))
NATIVE(comm_disconnect, 2, ON_COMM(COMM_DISCONNECT, a))

NATIVE(win_allocate, 7, ON_COMM(WIN_ALLOCATE, d))
NATIVE(win_allocate_shared, 7, ON_COMM(WIN_ALLOCATE_SHARED, d))
NATIVE(win_create_dynamic, 4, ON_COMM(WIN_CREATE_DYNAMIC, b))
NATIVE(win_free, 2, ON_WINDOW(WIN_FREE, a, FTC_ALL_MEMBERS))
NATIVE(win_fence, 3, ON_WINDOW(WIN_FENCE, b, FTC_ALL_MEMBERS))
NATIVE(win_start, 4, ON_GROUP(WIN_START, a))
NATIVE(win_complete, 2, ON_WINDOW(WIN_COMPLETE, a, FTC_ALL_MEMBERS))
NATIVE(win_wait, 2, ON_WINDOW(WIN_WAIT, a, FTC_ALL_MEMBERS))
NATIVE(win_lock, 5, ON_WINDOW(WIN_LOCK, d, INTEGER(b)))
NATIVE(win_lock_all, 3, ON_WINDOW(WIN_LOCK_ALL, b, FTC_ALL_MEMBERS))
NATIVE(win_unlock, 3, ON_WINDOW(WIN_UNLOCK, b, INTEGER(a)))
NATIVE(win_unlock_all, 2, ON_WINDOW(WIN_UNLOCK_ALL, a, FTC_ALL_MEMBERS))
NATIVE(win_flush, 3, ON_WINDOW(WIN_FLUSH, b, INTEGER(a)))
NATIVE(win_flush_all, 2, ON_WINDOW(WIN_FLUSH_ALL, a, FTC_ALL_MEMBERS))
NATIVE(win_flush_local, 3, ON_WINDOW(WIN_FLUSH_LOCAL, b, INTEGER(a)))
NATIVE(win_flush_local_all, 2, ON_WINDOW(WIN_FLUSH_LOCAL_ALL, a, FTC_ALL_MEMBERS))

NATIVE(file_open, 7, ON_COMM(FILE_OPEN, a))
NATIVE(file_close, 2, ON_FILE(FILE_CLOSE, a))
NATIVE(file_set_view, 8, ON_FILE(FILE_SET_VIEW, a))
NATIVE(file_set_size, 3, ON_FILE(FILE_SET_SIZE, a))
NATIVE(file_preallocate, 3, ON_FILE(FILE_PREALLOCATE, a))
NATIVE(file_sync, 2, ON_FILE(FILE_SYNC, a))
NATIVE(file_set_info, 3, ON_FILE(FILE_SET_INFO, a))
NATIVE(file_set_atomicity, 3, ON_FILE(FILE_SET_ATOMICITY, a))
NATIVE(file_seek_shared, 4, ON_FILE(FILE_SEEK_SHARED, a))
