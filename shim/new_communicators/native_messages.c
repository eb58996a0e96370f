#include "native_messages.h"

#include "mpi/inside.h"
#include "mpi/mpi_library.h"
#include "system/imports.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Error codes and field flags of UCX. UNKNOWN_FIELDS are those beyond struct ftc_ucx_options. */
enum { TRUNCATED = -9, CANCELED = -16 };
enum { CALLBACK = 1 << 1, USER_DATA = 1 << 2, DATATYPE = 1 << 3, UNKNOWN_FIELDS = 0xff00 };

/* Parts of MPICH's tags. The 16 highest bits are a context id, whose lowest bit is set for
 * collectives. The tags of blocking collectives are below that of the first nonblocking one. The
 * leaders of two groups use one tag of their own. Calls on a group have the bit above
 * MPI_TAG_UB. */
#define COLLECTIVE ((uint64_t)1 << 48)
enum { FIRST_NONBLOCKING = 287, OF_LEADERS = 31567 };

/* Largest send that is noted, in bytes. If a send ends early, UCX may still read its data after
 * MPICH has freed them. Memory of this size is from the heap, and can be read after free(). */
enum { SEND_MAX = 64 << 10 };

/* Bit of MPICH's error codes with which the job ends, whatever the error handler is, and the first
 * version that sets it. */
enum { FATAL = 0x80, FATAL_SINCE = 402 };

struct received {
    uint64_t sender_tag;
    size_t bytes;
};

typedef void receive_end(void *request, int status, const struct received *what, void *user_data);
typedef void send_end(void *request, int status, void *user_data);
typedef void *receive_function(void *worker, void *buffer, size_t count, uint64_t tag,
                               uint64_t mask, const struct ftc_ucx_options *options);
typedef void cancel_function(void *worker, void *request);
typedef int error_function(void *comm, const char *function, int code);

struct message {
    struct message *next, **link;
    uint64_t number, tag;
    void *request; /* NULL while it is being posted */
    void *worker;  /* worker of a receive; NULL: a send */
    struct ftc_ucx_options of_mpich, own;
    bool is_ended, is_over;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the list; innermost lock */
static struct message *first;
static _Thread_local uint64_t noting; /* number for messages of this thread; 0: none is noted */

static receive_function *native_receive;
static cancel_function *native_cancel;
static error_function *native_error;
static uint64_t group_bit;
static bool can_end;

/* ---- the list ---- */

static bool is_of_blocking_call(uint64_t tag)
{
    uint64_t value = tag & (2 * group_bit - 1);

    return (tag & COLLECTIVE) &&
           (value >= group_bit || value < FIRST_NONBLOCKING || value == OF_LEADERS);
}

/* Adds a message of this thread to the list. Returns NULL if it is not to be noted, or without
 * memory. */
static struct message *note(void *worker, uint64_t tag, const struct ftc_ucx_options *options)
{
    struct message *m;

    if (noting == 0 || !is_of_blocking_call(tag) || !(options->fields & CALLBACK) ||
        (options->fields & UNKNOWN_FIELDS))
        return NULL;
    m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->number = noting;
    m->tag = tag;
    m->worker = worker;
    m->of_mpich = *options;
    pthread_mutex_lock(&lock);
    m->next = first;
    m->link = &first;
    if (first)
        first->link = &m->next;
    first = m;
    pthread_mutex_unlock(&lock);
    return m;
}

static void take_off(struct message *m)
{
    *m->link = m->next;
    if (m->next)
        m->next->link = m->link;
}

static const struct ftc_ucx_options *with_own_end(struct message *m, void (*end)(void))
{
    m->own = m->of_mpich;
    m->own.fields |= USER_DATA;
    m->own.callback = end;
    m->own.user_data = m;
    return &m->own;
}

/* Records @request, which UCX has returned for @m: NULL, an error, or a pending request. Frees @m
 * unless it is pending. Returns @request. */
static void *posted(struct message *m, void *request)
{
    bool is_pending;

    pthread_mutex_lock(&lock);
    is_pending = !m->is_over && (uintptr_t)request - 1 < (uintptr_t)-FTC_UCX_ERRORS - 1;
    m->request = request;
    if (!is_pending && !m->is_over)
        take_off(m);
    pthread_mutex_unlock(&lock);
    if (!is_pending)
        free(m);
    return request;
}

/* Takes @m, which has completed, off the list and returns a copy of it. May be called by any thread
 * that polls, also before posted(), which then frees @m. */
static struct message over(struct message *m)
{
    struct message was;

    pthread_mutex_lock(&lock);
    was = *m;
    m->is_over = true;
    take_off(m);
    pthread_mutex_unlock(&lock);
    if (was.request)
        free(m);
    return was;
}

static void *user_data_of(const struct message *m)
{
    return m->of_mpich.fields & USER_DATA ? m->of_mpich.user_data : NULL;
}

/* ---- replacements of UCX's functions and MPICH's callbacks ---- */

/* Completes a receive. One that was ended is reported as truncated, because MPICH takes a cancelled
 * one for a success. */
static void on_received(void *request, int status, const struct received *what, void *user_data)
{
    struct message m = over(user_data);
    struct received nothing = {.sender_tag = m.tag};
    bool is_cut = m.is_ended && status == CANCELED;

    ((receive_end *)m.of_mpich.callback)(request, is_cut ? TRUNCATED : status,
                                         is_cut ? &nothing : what, user_data_of(&m));
}

static void on_sent(void *request, int status, void *user_data)
{
    struct message m = over(user_data);

    if (!m.is_ended)
        ((send_end *)m.of_mpich.callback)(request, status, user_data_of(&m));
}

static void *receive(void *worker, void *buffer, size_t count, uint64_t tag, uint64_t mask,
                     const struct ftc_ucx_options *options)
{
    struct message *m = note(worker, tag, options);

    if (!m)
        return native_receive(worker, buffer, count, tag, mask, options);
    options = with_own_end(m, (void (*)(void))on_received);
    return posted(m, native_receive(worker, buffer, count, tag, mask, options));
}

void *ftc_native_messages_send(ftc_ucx_send *native, void *ep, const void *buffer, size_t bytes,
                               uint64_t tag, const struct ftc_ucx_options *options)
{
    struct message *m = NULL;

    if (noting != 0 && bytes <= SEND_MAX && !(options->fields & DATATYPE))
        m = note(NULL, tag, options);
    if (!m)
        return native(ep, buffer, bytes, tag, options);
    options = with_own_end(m, (void (*)(void))on_sent);
    return posted(m, native(ep, buffer, bytes, tag, options));
}

/* Replaces MPIR_Err_return_comm, by which MPICH's functions return errors. Clears the fatal bit
 * while this thread's messages are noted. */
static int return_error(void *comm, const char *function, int code)
{
    return native_error(comm, function, noting == 0 ? code : code & ~FATAL);
}

/* ---- preparation by the first call ---- */

static bool find_functions(void)
{
    void *receives = ftc_loaded_next("ucp_tag_recv_nbx"),
         *cancels = ftc_loaded_next("ucp_request_cancel");

    memcpy(&native_receive, &receives, sizeof receives);
    memcpy(&native_cancel, &cancels, sizeof cancels);
    return receives && cancels;
}

/* Interposes on MPIR_Err_return_comm from MPICH 4.2 on, where an error of a receive is fatal if the
 * receive was begun together with a send. Returns false if that is not possible. */
static bool redirect_errors(void)
{
    void *errors = ftc_loaded_next("MPIR_Err_return_comm");

    if (ftc_inside_mpich() < FATAL_SINCE)
        return true;
    memcpy(&native_error, &errors, sizeof errors);
    return errors && ftc_imports_redirect(ftc_mpi_object(), "MPIR_Err_return_comm",
                                          (void *)(uintptr_t)return_error);
}

/* Finds the tag bit of calls on a group. Returns false unless MPI_TAG_UB consists of all bits below
 * it. */
static bool find_group_bit(void)
{
    int *highest, is_there = 0;

    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &is_there);
    if (!is_there)
        return false;
    group_bit = (uint64_t)*highest + 1;
    return (group_bit & (group_bit - 1)) == 0;
}

static void open_once(void)
{
    can_end =
        ftc_inside_has(FTC_INSIDE_ABANDON) && ftc_inside_has(FTC_INSIDE_END) && find_group_bit() &&
        find_functions() && redirect_errors() &&
        ftc_imports_redirect(ftc_mpi_object(), "ucp_tag_recv_nbx", (void *)(uintptr_t)receive);
}

bool ftc_native_messages_can_end(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, open_once);
    return can_end;
}

uint64_t ftc_native_messages_begin(void)
{
    static _Atomic uint64_t numbers;

    noting = atomic_fetch_add(&numbers, 1) + 1;
    return noting;
}

void ftc_native_messages_leave(void)
{
    noting = 0;
}

/* ---- ending ---- */

static struct message *next_to_end(uint64_t number, const void *worker)
{
    struct message *m;

    pthread_mutex_lock(&lock);
    for (m = first; m; m = m->next)
        if (m->number == number && m->worker == worker && m->request && !m->is_ended)
            break;
    if (m)
        m->is_ended = true;
    pthread_mutex_unlock(&lock);
    return m;
}

/* Cancels the receives in UCX. One that already has a message is not cancelled; it completes with
 * that message. */
bool ftc_native_messages_end_receives(uint64_t number, void *worker)
{
    struct message *m;
    bool found = false;

    while (worker && (m = next_to_end(number, worker))) {
        found = true;
        native_cancel(worker, m->request);
    }
    return found;
}

/* Completes the sends for MPICH. Each struct message stays until UCX completes the send as well. */
bool ftc_native_messages_end_sends(uint64_t number)
{
    struct message *m;
    bool found = false;

    while ((m = next_to_end(number, NULL))) {
        found = true;
        ((send_end *)m->of_mpich.callback)(m->request, 0, user_data_of(m));
    }
    return found;
}
