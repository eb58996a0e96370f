#include "request.h"

#include "coverage.h"
#include "error.h"
#include "mpi/inside.h"
#include "progress/thread.h"
#include "progress/wait.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>

/* List of the operations that are over. MPI learns that they are complete when the program asks for
 * them. There may be thousands, so a call that asks for one does not check the others. They are
 * settled in the order in which they ended, because the last one is what the program asks for later
 * (ftcoll_contributors()), and the record has them in this order. */
static struct ftc_request *over, **over_end = &over;
static struct ftc_request *unsettled; /* the first in the list that is not settled yet */
static _Atomic bool any_is_freed;     /* one in the list is freed, so no thread will ask for it */
static struct ftc_wait idle;          /* state of tests that find nothing */

static struct ftc_request *known;
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

bool ftc_request_possible(void)
{
    return ftc_inside_has(FTC_INSIDE_REQUESTS) && ftc_mpi_function(FTC_MPIX_Grequest_start) != NULL;
}

static void remember(struct ftc_request *r)
{
    if (!ftc_coverage_is_on)
        return;
    pthread_mutex_lock(&known_lock);
    r->next_known = known;
    known = r;
    pthread_mutex_unlock(&known_lock);
}

static void forget(const struct ftc_request *r)
{
    struct ftc_request **link = &known;

    if (!ftc_coverage_is_on)
        return;
    pthread_mutex_lock(&known_lock);
    while (*link && *link != r)
        link = &(*link)->next_known;
    if (*link)
        *link = r->next_known;
    pthread_mutex_unlock(&known_lock);
}

bool ftc_request_is_ours(MPI_Request handle)
{
    const struct ftc_request *r;

    pthread_mutex_lock(&known_lock);
    for (r = known; r && r->handle != handle; r = r->next_known)
        ;
    pthread_mutex_unlock(&known_lock);
    return r != NULL;
}

static void let_go(struct ftc_request *r)
{
    if (atomic_fetch_sub(&r->holders, 1) > 1)
        return;
    free(r->error_text);
    free(r);
}

static void keep_error(struct ftc_request *r)
{
    if (r->pending.call->result == MPI_SUCCESS || r->error_text)
        return;
    r->error_text = calloc(1, MPI_MAX_ERROR_STRING);
    if (r->error_text)
        ftc_error_take(r->error_text);
}

static void become_over(struct ftc_queued *p)
{
    struct ftc_request *r = (struct ftc_request *)p;

    keep_error(r);
    r->is_over = true;
    r->next = NULL;
    r->link = over_end;
    *over_end = r;
    over_end = &r->next;
    if (!unsettled)
        unsettled = r;
    if (r->is_freed)
        any_is_freed = true;
}

static void settle_all(void)
{
    while (unsettled) {
        struct ftc_request *r = unsettled;

        unsettled = r->next;
        r->settle(r);
        keep_error(r);
    }
}

/* Completes the request in MPI. The caller must not hold the library's lock, because MPI has locks
 * of its own. MPI holds one of them in the free function, so close() is called here and not
 * there. */
static void complete(struct ftc_request *r)
{
    r->close(r);
    PMPI_Grequest_complete(r->handle);
    let_go(r);
}

static void complete_all(struct ftc_request *list)
{
    while (list) {
        struct ftc_request *r = list;

        list = r->next;
        complete(r);
    }
}

/* Returns whether a thread that asks for @handles may complete @r. Another thread may be in the
 * wait function for any other request, and would return to MPI before the request is complete. */
static bool is_free_to_take(const struct ftc_request *r, int count, const MPI_Request handles[])
{
    for (int i = 0; i < count; i++)
        if (r->handle == handles[i])
            return true;
    return r->is_freed;
}

static bool has_over(int count, const MPI_Request handles[])
{
    const struct ftc_request *r = over;

    while (r && !is_free_to_take(r, count, handles))
        r = r->next;
    return r != NULL;
}

static void take(struct ftc_request *r, struct ftc_request **list)
{
    *r->link = r->next;
    if (r->next)
        r->next->link = r->link;
    else
        over_end = r->link;
    r->link = NULL;
    r->is_taken = true;
    r->next = *list;
    *list = r;
}

static void take_free(int count, const MPI_Request handles[], struct ftc_request **list)
{
    for (struct ftc_request *r = over, *next; r; r = next) {
        next = r->next;
        if (is_free_to_take(r, count, handles))
            take(r, list);
    }
}

/* Settles all operations that are over. Returns a list of @r, if it is over, and of the freed
 * requests. */
static struct ftc_request *take_over(struct ftc_request *r)
{
    struct ftc_request *list = NULL;

    settle_all();
    if (r->link)
        take(r, &list);
    if (any_is_freed) {
        any_is_freed = false;
        take_free(0, NULL, &list);
    }
    return list;
}

static struct ftc_request *take_over_handles(int count, const MPI_Request handles[])
{
    struct ftc_request *list = NULL;

    settle_all();
    take_free(count, handles, &list);
    return list;
}

/* Advances the operations and completes @r if it is over, or those of @handles if @r is NULL. Does
 * nothing if the lock is taken, because MPI may hold a lock that the owner needs. */
static void look(struct ftc_request *r, int count, const MPI_Request handles[])
{
    struct ftc_request *list;

    if (!ftc_library_trylock())
        return;
    ftc_thread_see_program();
    if (r && ftc_queue_is_crowd())
        ftc_queue_turn_of(r->pending.comm);
    else if (ftc_queue_turn())
        ftc_wait_reset(&idle);
    else if (r ? !r->link : !has_over(count, handles))
        ftc_wait_between_polls(&idle);
    list = r ? take_over(r) : take_over_handles(count, handles);
    ftc_library_unlock();
    complete_all(list);
}

static int on_poll(void *state, MPI_Status *status)
{
    (void)status;
    look(state, 0, NULL);
    return MPI_SUCCESS;
}

static struct ftc_request *wait_for(struct ftc_request *r)
{
    struct ftc_wait wait;
    struct ftc_request *list;

    ftc_wait_reset(&wait);
    while (!ftc_library_trylock())
        sched_yield();
    while (!r->is_over) {
        ftc_thread_see_program();
        if (ftc_queue_turn())
            ftc_wait_reset(&wait);
        else
            ftc_wait_turn(&wait, r->pending.comm);
    }
    list = take_over(r);
    ftc_library_unlock();
    return list;
}

static int on_wait(int count, void **states, double timeout, MPI_Status *status)
{
    (void)timeout;
    (void)status;
    for (int i = 0; i < count; i++)
        complete_all(wait_for(states[i]));
    return MPI_SUCCESS;
}

/* Returns whether the program still has the communicator. */
static bool is_comm_there(const struct ftc_request *r)
{
    bool is_there;

    ftc_library_lock();
    is_there = ftc_comm_find(r->communicator_id) != NULL;
    ftc_library_unlock();
    return is_there;
}

static void raise_error(struct ftc_request *r)
{
    const struct ftc_call *call = r->pending.call;

    if (r->has_raised)
        return;
    r->has_raised = true;
    ftc_error_raise_in_request(is_comm_there(r) ? call->comm : MPI_COMM_WORLD, call->result,
                               r->error_text ? r->error_text : "ftcoll: no memory for a message");
}

static int on_query(void *state, MPI_Status *status)
{
    struct ftc_request *r = state;
    int error = r->pending.call->result;

    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    status->MPI_ERROR = error;
    if (r->floating)
        ftc_floating_raise(r->floating);
    if (error != MPI_SUCCESS)
        raise_error(r);
    return error;
}

static int on_free(void *state)
{
    struct ftc_request *r = state;

    forget(r);
    r->is_freed = true;
    if (!r->is_taken)
        any_is_freed = true;
    let_go(r);
    return MPI_SUCCESS;
}

/* Returns an error unless the operation is complete, because MPI does not allow a program to cancel
 * collective operations. */
static int on_cancel(void *state, int is_complete)
{
    (void)state;
    return is_complete ? MPI_SUCCESS : MPI_ERR_REQUEST;
}

int ftc_request_start(struct ftc_request *r, MPI_Request *handle)
{
    struct ftc_request *list;
    int rv = MPIX_Grequest_start(on_query, on_free, on_cancel, on_poll, on_wait, r, &r->handle);

    if (rv != MPI_SUCCESS) {
        r->close(r);
        free(r);
        return rv;
    }
    assert(r->settle);
    *handle = r->handle;
    remember(r);
    r->holders = 2;
    r->pending.over = become_over;
    ftc_library_lock();
    ftc_queue_on_complete(settle_all);
    ftc_queue_add(&r->pending);
    list = take_over(r);
    ftc_thread_wake();
    ftc_library_unlock();
    complete_all(list);
    return MPI_SUCCESS;
}

void ftc_request_poll(int count, const MPI_Request handles[])
{
    if (ftc_library.state == FTC_LIBRARY_ACTIVE && (ftc_queue_is_used() || over))
        look(NULL, handles ? count : 0, handles);
}
