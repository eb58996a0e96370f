#include "window.h"

#include "communicator/communicator.h"
#include "communicator/lineage.h"
#include "job_end.h"
#include "new_communicators/abandonable.h"
#include "p2p/dead_peer.h"
#include "program/coverage.h"
#include "program/error.h"
#include "program/living_members.h"
#include "program/native_call.h"
#include "system/hash.h"
#include "value/datatype.h"

#include <errno.h>
#include <stdlib.h>

/* Key of the attribute that has a window's number (communicator/lineage.h). */
static int keyval = MPI_KEYVAL_INVALID;

/* Key of an attribute that cannot be deleted. */
static int keeping_keyval = MPI_KEYVAL_INVALID;

/* A window that is being freed. */
struct freeing {
    MPI_Win *win;
    struct ftc_comm *comm; /* the members of the window */
    struct ftc_death_watch watch;
    int result; /* error code of native MPI */
};

static int on_free(MPI_Win win, int key, void *number, void *extra)
{
    (void)win;
    (void)key;
    (void)extra;
    free(number);
    return MPI_SUCCESS;
}

static int refuse(MPI_Win win, int key, void *value, void *extra)
{
    (void)win;
    (void)key;
    (void)value;
    (void)extra;
    return MPI_ERR_OTHER;
}

static bool make_keyval(MPI_Win_delete_attr_function *on_delete, int *made)
{
    return PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, made, NULL) == MPI_SUCCESS;
}

int ftc_window_open(void)
{
    return make_keyval(on_free, &keyval) && make_keyval(refuse, &keeping_keyval) ? 0 : -EINVAL;
}

int ftc_window_made(MPI_Comm comm, const MPI_Win *win, int rv)
{
    uint64_t *number;

    if (keyval == MPI_KEYVAL_INVALID || ftc_library.state != FTC_LIBRARY_ACTIVE ||
        rv != MPI_SUCCESS || !win || *win == MPI_WIN_NULL)
        return rv;
    number = malloc(sizeof *number);
    if (!number) {
        ftc_job_end_no_memory("another window"); /* the other ranks have a number for it */
        return rv;
    }
    *number = ftc_lineage_of_object(comm, FTC_LINEAGE_WINDOW);
    if (PMPI_Win_set_attr(*win, keyval, number) != MPI_SUCCESS)
        ftc_job_end_no_memory("another window");
    return rv;
}

/* ---- step 2: all members live ---- */

static void run_native_part(void *argument)
{
    struct freeing *x = argument;

    x->result = PMPI_Win_free(x->win);
}

static int free_natively(struct freeing *x)
{
    if (ftc_abandonable_run(run_native_part, x, ftc_death_watch_any_dead, &x->watch))
        return x->result;
    *x->win = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

/* ---- step 3: a member is dead ---- */

/* Lets native MPI begin to free the window. Before that, native MPI receives all data that dead
 * ranks had sent, because it might write them to the program's memory after this call. The error
 * that native MPI raises is expected, so the program's error handler is not called. */
static int keep(struct freeing *x)
{
    ftc_dead_take_in();
    PMPI_Win_set_errhandler(*x->win, MPI_ERRORS_RETURN);
    PMPI_Win_set_attr(*x->win, keeping_keyval, NULL);
    ftc_abandonable_run(run_native_part, x, ftc_death_watch_any_dead, &x->watch);
    *x->win = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

/* ---- all steps ---- */

static int carry_out(const struct ftc_call *call, struct freeing *x, MPI_Group group)
{
    uint32_t count = 0;
    int rv;

    rv = ftc_living_members_count(call, x->comm, true, &count);
    if (rv != MPI_SUCCESS)
        return rv;
    ftc_native_call_mark_group(call->kind, group, call->return_address);
    rv = count == (uint32_t)x->comm->size ? free_natively(x) : keep(x);
    ftc_native_call_leave();
    return rv;
}

/* Returns the members of the window, to be released by the caller, or NULL if native MPI is to free
 * the window. */
static struct ftc_comm *open_members(uint64_t number, MPI_Group group)
{
    struct ftc_comm *c;
    int size = 0;

    PMPI_Group_size(group, &size);
    if (size == 1)
        return NULL;
    ftc_library_lock();
    c = ftc_comm_for_window(number, group);
    if (c && c->fallback != FTC_FALLBACK_NONE) {
        ftc_comm_release(c);
        c = NULL;
    }
    ftc_library_unlock();
    return c;
}

static uint64_t *number_of(MPI_Win win)
{
    void *number = NULL;
    int is_there = 0;

    if (PMPI_Win_get_attr(win, keyval, &number, &is_there) != MPI_SUCCESS || !is_there)
        return NULL;
    return number;
}

/* Returns the number that identifies this call of MPI_Win_free(), and changes *@number for the next
 * call: if the call fails and is repeated, messages of the first call must not count for the
 * second. */
static uint64_t take(uint64_t *number)
{
    uint64_t taken = *number;

    if (taken != 0)
        *number = ftc_hash_mix(taken, FTC_CALL_WIN_FREE);
    return taken;
}

static bool is_on(const MPI_Win *win)
{
    return ftc_library.state == FTC_LIBRARY_ACTIVE && !ftc_library.paused &&
           keyval != MPI_KEYVAL_INVALID && win && ftc_is_win(*win);
}

bool ftc_window_free(MPI_Win *win, const void *return_address, int *rv)
{
    struct ftc_call call = {.kind = FTC_CALL_WIN_FREE,
                            .comm = MPI_COMM_WORLD,
                            .datatype = MPI_DATATYPE_NULL,
                            .op = MPI_OP_NULL,
                            .return_address = return_address};
    struct freeing x = {.win = win};
    uint64_t *number;
    MPI_Group group;

    ftc_native_call_look_back();
    if (!is_on(win) || !(number = number_of(*win)))
        return false;
    PMPI_Win_get_group(*win, &group);
    x.comm = open_members(take(number), group);
    if (x.comm) {
        x.watch.comm = x.comm;
        ftc_coverage_call(&call, FTC_FALLBACK_NONE);
        *rv = carry_out(&call, &x, group);
        ftc_library_lock();
        ftc_comm_release(x.comm);
        ftc_library_unlock();
        ftc_error_raise(&call);
    }
    PMPI_Group_free(&group);
    return x.comm != NULL;
}
