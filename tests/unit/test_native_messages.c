/* Messages of a native call with a UCX of this test: which are noted, and how they end. */
#include "mpi/inside.h"
#include "mpi/mpi_library.h"
#include "new_communicators/native_messages.h"
#include "system/imports.h"
#include "unit.h"

#include <pthread.h>
#include <string.h>

enum { TAG_UB = (1 << 28) - 1, PENDING = 8, TRUNCATED = -9, CANCELED = -16, NONE = 7 };

#define COLLECTIVE ((uint64_t)1 << 48)
#define GROUP      ((uint64_t)1 << 28)

struct received {
    uint64_t sender_tag;
    size_t bytes;
};

typedef void *receive_function(void *worker, void *buffer, size_t count, uint64_t tag,
                               uint64_t mask, const struct ftc_ucx_options *options);
typedef void receive_end(void *request, int status, const struct received *what, void *user_data);
typedef void send_end(void *request, int status, void *user_data);
typedef int error_function(void *comm, const char *function, int code);

/* UCX's requests, by number. */
static struct {
    struct ftc_ucx_options options;
    bool is_pending;
} of[PENDING];
static int used;
static char worker, other_worker;
static receive_function *redirected;
static error_function *redirected_errors;

/* What MPICH's callback has got. */
static int ended, status_seen = NONE;
static uint64_t tag_seen;
static void *user_data_seen;

static void *request_of(int i)
{
    return &of[i];
}

static int number_of(const void *request)
{
    return (int)((const char *)request - (const char *)of) / (int)sizeof of[0];
}

static void *begin(const struct ftc_ucx_options *options)
{
    of[used].options = *options;
    of[used].is_pending = true;
    return request_of(used++);
}

static void complete_receive(int i, int status)
{
    struct received what = {.sender_tag = 5, .bytes = 1};

    of[i].is_pending = false;
    ((receive_end *)of[i].options.callback)(request_of(i), status, &what, of[i].options.user_data);
}

static void *ucx_receive(void *of_worker, void *buffer, size_t count, uint64_t tag, uint64_t mask,
                         const struct ftc_ucx_options *options)
{
    (void)of_worker;
    (void)buffer;
    (void)count;
    (void)tag;
    (void)mask;
    return begin(options);
}

static void ucx_cancel(void *of_worker, void *request)
{
    ck_assert_ptr_eq(of_worker, &worker);
    if (of[number_of(request)].is_pending)
        complete_receive(number_of(request), CANCELED);
}

static void *ucx_send(void *ep, const void *buffer, size_t bytes, uint64_t tag,
                      const struct ftc_ucx_options *options)
{
    (void)ep;
    (void)buffer;
    (void)bytes;
    (void)tag;
    return begin(options);
}

static int mpich_return_error(void *comm, const char *function, int code)
{
    (void)comm;
    (void)function;
    return code;
}

void *ftc_loaded_next(const char *name)
{
    union {
        receive_function *receive;
        error_function *error;
        void (*cancel)(void *, void *);
        void *found;
    } f = {0};

    if (strcmp(name, "ucp_tag_recv_nbx") == 0)
        f.receive = ucx_receive;
    else if (strcmp(name, "MPIR_Err_return_comm") == 0)
        f.error = mpich_return_error;
    else
        f.cancel = ucx_cancel;
    return f.found;
}

bool ftc_imports_redirect(const struct ftc_loaded *object, const char *name, void *to)
{
    (void)object;
    if (strcmp(name, "MPIR_Err_return_comm") == 0) {
        memcpy(&redirected_errors, &to, sizeof to);
        return true;
    }
    ck_assert_str_eq(name, "ucp_tag_recv_nbx");
    memcpy(&redirected, &to, sizeof to);
    return true;
}

unsigned ftc_inside_mpich(void)
{
    return 402;
}

bool ftc_inside_has(enum ftc_inside part)
{
    (void)part;
    return true;
}

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
    static int highest = TAG_UB;

    (void)comm;
    ck_assert_int_eq(keyval, MPI_TAG_UB);
    *(int **)value = &highest;
    *flag = 1;
    return MPI_SUCCESS;
}

static void on_received(void *request, int status, const struct received *what, void *user_data)
{
    (void)request;
    ended++;
    status_seen = status;
    tag_seen = what->sender_tag;
    user_data_seen = user_data;
}

static void on_sent(void *request, int status, void *user_data)
{
    (void)request;
    ended++;
    status_seen = status;
    user_data_seen = user_data;
}

static struct ftc_ucx_options options_with(void (*callback)(void), void *user_data)
{
    return (struct ftc_ucx_options){
        .fields = 1 << 1 | (user_data ? 1 << 2 : 0), .callback = callback, .user_data = user_data};
}

static int post(uint64_t tag, void *of_worker)
{
    struct ftc_ucx_options options = options_with((void (*)(void))on_received, &tag_seen);

    redirected(of_worker, NULL, 0, tag, UINT64_MAX, &options);
    return used - 1;
}

static uint64_t set_up(void)
{
    used = ended = 0;
    status_seen = NONE;
    ck_assert(ftc_native_messages_can_end());
    return ftc_native_messages_begin();
}

START_TEST(a_receive_ends_with_an_error)
{
    uint64_t number = set_up(), tag = COLLECTIVE | (uint64_t)3 << 32 | 14;
    int i = post(tag, &worker);

    ck_assert(ftc_native_messages_end_receives(number, &worker));
    ck_assert(!of[i].is_pending);
    ck_assert_int_eq(status_seen, TRUNCATED);
    ck_assert_uint_eq(tag_seen, tag);
    ck_assert_ptr_eq(user_data_seen, &tag_seen);
    ck_assert(!ftc_native_messages_end_receives(number, &worker));
    ck_assert_int_eq(ended, 1);
}
END_TEST

/* Also of a call on a group, and of the leaders of two. */
START_TEST(only_what_the_call_has_posted_is_ended)
{
    uint64_t number = set_up();
    int nonblocking = post(COLLECTIVE | 287, &worker), p2p = post(14, &worker);
    int group = post(COLLECTIVE | GROUP | 300, &worker);
    int leader = post(COLLECTIVE | 31567, &worker);
    int elsewhere = post(COLLECTIVE | 14, &other_worker), later;

    ftc_native_messages_leave();
    later = post(COLLECTIVE | 14, &worker);
    ck_assert(ftc_native_messages_end_receives(number, &worker));
    ck_assert(!of[group].is_pending && !of[leader].is_pending);
    ck_assert(of[nonblocking].is_pending && of[p2p].is_pending);
    ck_assert(of[elsewhere].is_pending && of[later].is_pending);
    complete_receive(elsewhere, 0);
    ck_assert_int_eq(status_seen, 0);
}
END_TEST

static void *complete_first(void *unused)
{
    (void)unused;
    complete_receive(0, 0);
    return NULL;
}

/* Nothing is left of it in the list of the one that has posted it. */
START_TEST(another_thread_completes_a_receive)
{
    uint64_t number = set_up();
    pthread_t thread;

    post(COLLECTIVE | 14, &worker);
    pthread_create(&thread, NULL, complete_first, NULL);
    pthread_join(thread, NULL);
    ck_assert_int_eq(status_seen, 0);
    ck_assert_uint_eq(tag_seen, 5);
    ck_assert(!ftc_native_messages_end_receives(number, &worker));
    ck_assert_int_eq(ended, 1);
}
END_TEST

/* MPICH goes on, and UCX's own end comes later, or never. */
START_TEST(a_send_is_taken_for_complete)
{
    uint64_t number = set_up();
    struct ftc_ucx_options options = options_with((void (*)(void))on_sent, NULL);

    ftc_native_messages_send(ucx_send, NULL, NULL, 260, COLLECTIVE | 14, &options);
    ck_assert(!ftc_native_messages_end_receives(number, &worker));
    ck_assert(ftc_native_messages_end_sends(number));
    ck_assert_int_eq(status_seen, 0);
    ck_assert_ptr_null(user_data_seen);
    ck_assert(!ftc_native_messages_end_sends(number));
    ((send_end *)of[0].options.callback)(request_of(0), -1, of[0].options.user_data);
    ck_assert_int_eq(ended, 1);
}
END_TEST

/* Its memory may go before UCX has read it. */
START_TEST(a_large_send_is_waited_for)
{
    uint64_t number = set_up();
    struct ftc_ucx_options options = options_with((void (*)(void))on_sent, NULL);

    ftc_native_messages_send(ucx_send, NULL, NULL, 1 << 20, COLLECTIVE | 14, &options);
    ck_assert(!ftc_native_messages_end_sends(number));
}
END_TEST

/* MPICH 4.2 ends the job for an error that is marked as fatal, whatever the error handler. */
START_TEST(an_error_of_the_call_is_not_fatal)
{
    enum { FATAL = 0x80, TRUNCATE = 14 };

    set_up();
    ck_assert_int_eq(redirected_errors(NULL, "MPI_Comm_dup", FATAL | TRUNCATE), TRUNCATE);
    ftc_native_messages_leave();
    ck_assert_int_eq(redirected_errors(NULL, "MPI_Recv", FATAL | TRUNCATE), FATAL | TRUNCATE);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("native_messages");
    UNIT_TEST(a_receive_ends_with_an_error);
    UNIT_TEST(only_what_the_call_has_posted_is_ended);
    UNIT_TEST(another_thread_completes_a_receive);
    UNIT_TEST(a_send_is_taken_for_complete);
    UNIT_TEST(a_large_send_is_waited_for);
    UNIT_TEST(an_error_of_the_call_is_not_fatal);
    UNIT_END();
}
