#include "persistent.h"

#include "carry_out.h"
#include "communicator/lineage.h"
#include "program/error.h"
#include "program/native_call.h"
#include "progress/empty_request.h"
#include "retained.h"

#include <pthread.h>
#include <stdlib.h>

enum { BUCKETS = 4096 };

struct ftc_persistent {
    MPI_Request handle;  /* handle that the program has */
    MPI_Request started; /* request of its operation; MPI_REQUEST_NULL: inactive */
    struct ftc_call call;
    struct ftc_layouts layouts;   /* layouts of that call */
    struct ftc_plan plan;         /* plan, with a communicator identity of its own */
    struct ftc_retained retained; /* data kept for the plan */
    uint64_t communicator_id;     /* identity of the program's communicator */
    struct ftc_persistent *next;
};

atomic_int ftc_persistent_count;
static struct ftc_persistent *bucket[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- all persistent requests ---- */

static struct ftc_persistent **bucket_of(MPI_Request handle)
{
    return &bucket[(unsigned)handle % BUCKETS];
}

static void add(struct ftc_persistent *p)
{
    struct ftc_persistent **head = bucket_of(p->handle);

    pthread_mutex_lock(&lock);
    p->next = *head;
    *head = p;
    ftc_persistent_count++;
    pthread_mutex_unlock(&lock);
}

static void take_out(struct ftc_persistent *p)
{
    struct ftc_persistent **link = bucket_of(p->handle);

    pthread_mutex_lock(&lock);
    while (*link != p)
        link = &(*link)->next;
    *link = p->next;
    ftc_persistent_count--;
    pthread_mutex_unlock(&lock);
}

struct ftc_persistent *ftc_persistent_find(MPI_Request handle)
{
    struct ftc_persistent *p;

    if (!ftc_persistent_are_used())
        return NULL;
    pthread_mutex_lock(&lock);
    for (p = *bucket_of(handle); p && p->handle != handle; p = p->next)
        ;
    pthread_mutex_unlock(&lock);
    return p;
}

MPI_Request ftc_persistent_started(const struct ftc_persistent *p)
{
    return p->started;
}

/* ---- making, starting and freeing ---- */

static void release(struct ftc_persistent *p)
{
    if (p->plan.comm) {
        ftc_library_lock();
        ftc_comm_release(p->plan.comm);
        ftc_library_unlock();
    }
    ftc_release_retained(&p->retained);
    free(p);
}

static struct ftc_persistent *retain(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    struct ftc_persistent *p = malloc(sizeof *p);

    if (!p)
        return NULL;
    *p = (struct ftc_persistent){
        .started = MPI_REQUEST_NULL,
        .call = *call,
        .plan = *plan,
        .communicator_id = plan->comm->id,
    };
    p->plan.call = &p->call;
    if (call->layouts) {
        p->layouts = *call->layouts;
        p->call.layouts = &p->layouts;
    }
    return p;
}

/* Gives @p, which is request @number on its communicator, a communicator identity of its own.
 * Returns false if there is no place for the identity. */
static bool identify(struct ftc_persistent *p, uint64_t number)
{
    const struct ftc_comm *of = p->plan.comm;

    ftc_library_lock();
    p->plan.comm = ftc_comm_for_request(number, of);
    ftc_library_unlock();
    return p->plan.comm != NULL;
}

static int make(const struct ftc_plan *plan, MPI_Request *request)
{
    /* Counted even if this rank then cannot make the request, so that all ranks count alike. */
    uint64_t number = ftc_lineage_of_object(plan->call->comm, FTC_LINEAGE_REQUEST);
    struct ftc_persistent *p = retain(plan);
    int rv;

    if (!p)
        return ftc_error_no_memory();
    rv = !identify(p, number)                              ? ftc_error_no_place()
         : ftc_retain(&p->retained, &p->plan, &p->layouts) ? MPI_SUCCESS
                                                           : ftc_error_no_memory();
    if (rv == MPI_SUCCESS)
        rv = ftc_inactive_request(&p->handle);
    if (rv != MPI_SUCCESS) {
        release(p);
        return rv;
    }
    add(p);
    *request = p->handle;
    return MPI_SUCCESS;
}

bool ftc_carry_out_persistent(struct ftc_call *call, MPI_Request *request)
{
    struct ftc_plan plan;

    if (!ftc_nonblocking_plan(&plan, call, request))
        return false;
    call->result = make(&plan, request);
    ftc_error_raise(call);
    return true;
}

int ftc_persistent_start(struct ftc_persistent *p, MPI_Request *started)
{
    int rv;

    ftc_native_call_look_back();
    if (p->started != MPI_REQUEST_NULL)
        rv = ftc_error_active(&p->call);
    else
        rv = ftc_nonblocking_start(&p->plan, p->communicator_id, &p->started);
    ftc_error_raise(&(struct ftc_call){.comm = MPI_COMM_WORLD});
    *started = p->started;
    return rv;
}

/* Leaves @p allocated if its operation is still in progress and needs it. MPI forbids the program
 * to free such a request. */
int ftc_persistent_free(struct ftc_persistent *p, MPI_Request *handle)
{
    int rv = MPI_SUCCESS;

    take_out(p);
    if (p->started != MPI_REQUEST_NULL)
        rv = PMPI_Request_free(&p->started);
    else
        release(p);
    return rv == MPI_SUCCESS ? PMPI_Request_free(handle) : rv;
}

/* ---- in calls that complete requests ---- */

static bool any_is_persistent(int count, const MPI_Request requests[])
{
    for (int i = 0; requests && i < count; i++)
        if (ftc_persistent_find(requests[i]))
            return true;
    return false;
}

static bool make_room(struct ftc_persistent_swap *s, int count)
{
    s->room = NULL;
    s->shown = s->few;
    s->behind = s->few_behind;
    if (count <= FTC_PERSISTENT_FEW)
        return true;
    s->room = malloc((size_t)count * (sizeof(void *) + sizeof *s->shown));
    if (!s->room)
        return false;
    s->behind = s->room;
    s->shown = (void *)(s->behind + count);
    return true;
}

bool ftc_persistent_swap_in(struct ftc_persistent_swap *s, int count, MPI_Request requests[],
                            int *rv)
{
    s->shown = s->requests = requests;
    s->count = 0;
    if (!ftc_persistent_are_used() || !any_is_persistent(count, requests))
        return true;
    if (!make_room(s, count)) {
        *rv = ftc_error_no_memory();
        ftc_error_raise(&(struct ftc_call){.comm = MPI_COMM_WORLD});
        return false;
    }
    s->count = count;
    for (int i = 0; i < count; i++) {
        struct ftc_persistent *p = ftc_persistent_find(requests[i]);

        s->behind[i] = p;
        s->shown[i] = p ? p->started : requests[i];
    }
    return true;
}

void ftc_persistent_swap_out(struct ftc_persistent_swap *s)
{
    for (int i = 0; i < s->count; i++) {
        if (s->behind[i])
            s->behind[i]->started = s->shown[i];
        else if (s->requests[i] != s->shown[i]) /* may be const in calls that complete none */
            s->requests[i] = s->shown[i];
    }
    if (s->count > 0)
        free(s->room);
}
