/* Buffered sends while native MPI does not come back: it may wait there for a lock of its own,
 * which another thread has in a function of the program's, and that thread may send buffered. */
#include "unit.h"

#include "library.h"
#include "mpi/inside.h"
#include "p2p/buffered.h"
#include "p2p/dead_peer.h"
#include "program/error.h"
#include "progress/wait.h"
#include "value/datatype.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum {
    BYTES = 100,
    SHARE = BYTES + MPI_BSEND_OVERHEAD,
    MOST = 64,
    HANDLE = 0x6c000000,
    LIMIT_S = 200 /* no thread waits for a core for so long */
};

struct ftc_library ftc_library;
static struct ftc_peers world = {.comm = MPI_COMM_WORLD, .size = 2};

/* What native MPI has of each message. */
static struct {
    bool is_over, is_free;
} of[MOST];
static int made, given_up;
static void (*in_native)(void); /* before each of its calls */

/* ---- MPI ---- */

static void enter(void)
{
    void (*other)(void) = in_native;

    in_native = NULL;
    if (other)
        other();
    if (!in_native)
        in_native = other;
}

static bool is_over(MPI_Request request)
{
    int i = request - HANDLE;

    ck_assert(i >= 0 && i < made && !of[i].is_free);
    return of[i].is_over;
}

int PMPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int peer, int tag,
                 MPI_Comm comm, MPI_Request *request)
{
    (void)buf, (void)count, (void)datatype, (void)peer, (void)tag, (void)comm;
    enter();
    ck_assert_int_lt(made, MOST);
    *request = HANDLE + made++;
    return MPI_SUCCESS;
}

int PMPI_Request_free(MPI_Request *request)
{
    enter();
    is_over(*request);
    of[*request - HANDLE].is_free = true;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    (void)status;
    enter();
    *flag = is_over(request);
    return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    (void)status;
    enter();
    *flag = is_over(*request);
    return *flag ? PMPI_Request_free(request) : MPI_SUCCESS;
}

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
    static int highest_tag = 1000;

    (void)comm;
    ck_assert_int_eq(keyval, MPI_TAG_UB);
    memcpy(value, &(int *){&highest_tag}, sizeof(int *));
    *flag = 1;
    return MPI_SUCCESS;
}

/* ---- what is below ---- */

unsigned ftc_inside_mpich(void)
{
    return 400;
}

bool ftc_is_comm(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD;
}

struct ftc_peers *ftc_peers_get(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? &world : NULL;
}

void ftc_peers_release(struct ftc_peers *p)
{
    (void)p;
}

void *ftc_packed_copy(const void *buffer, MPI_Count count, MPI_Datatype datatype, MPI_Count *bytes)
{
    (void)datatype;
    *bytes = count;
    return memcpy(malloc((size_t)count), buffer, (size_t)count);
}

bool ftc_dead_fails(struct ftc_p2p_request *r)
{
    return r->handle == HANDLE + given_up;
}

int ftc_error_no_room(const char *call_name, size_t bytes)
{
    (void)call_name, (void)bytes;
    return MPI_ERR_BUFFER;
}

void ftc_error_raise(const struct ftc_call *call)
{
    (void)call;
}

/* The oldest that goes on is over. */
void ftc_wait_native_turn(struct ftc_wait *w)
{
    int i = 0;

    (void)w;
    while (i < made && (of[i].is_over || i == given_up))
        i++;
    ck_assert_int_lt(i, made);
    of[i].is_over = true;
}

/* ---- buffered sends ---- */

static struct ftc_board_shared board;

static void begin(int messages)
{
    made = 0;
    memset(of, 0, sizeof of);
    given_up = -1;
    in_native = NULL;
    ftc_library.threaded = true;
    ftc_library.board.shared = &board;
    ftc_buffered_attach((size_t)messages * SHARE);
}

static bool is_taken(int peer, int tag, int *rv)
{
    static const char message[BYTES];
    struct ftc_p2p_call call = {"MPI_Bsend", MPI_COMM_WORLD, peer, tag, false, FTC_CALL_NONE, NULL};

    return ftc_buffered_send(&call, message, BYTES, MPI_BYTE, rv);
}

static int send_one(void)
{
    int rv = MPI_SUCCESS;

    ck_assert(is_taken(1, 0, &rv));
    return rv;
}

static void expect_all_free(void)
{
    for (int i = 0; i < made; i++)
        ck_assert_msg(of[i].is_free, "request %d of %d is not freed", i, made);
}

static void *send_in_thread(void *rv)
{
    *(int *)rv = send_one();
    return NULL;
}

/* The other thread, which has MPICH's lock. */
static int send_meanwhile(void)
{
    struct timespec limit;
    pthread_t thread;
    int rv = -1;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += LIMIT_S;
    pthread_create(&thread, NULL, send_in_thread, &rv);
    ck_assert_msg(pthread_timedjoin_np(thread, NULL, &limit) == 0,
                  "two threads wait for each other: for native MPI, and for the mutex");
    return rv;
}

static int met, refused_meanwhile;

static void meet(void)
{
    met++;
    refused_meanwhile += send_meanwhile() != MPI_SUCCESS;
}

START_TEST(a_thread_in_native_mpi_keeps_no_other_from_sending)
{
    begin(MOST);
    send_one();
    in_native = meet;
    send_one();
    in_native = NULL;
    ck_assert_int_ge(met, 2); /* looked at one, and sent one */
    ck_assert_int_eq(refused_meanwhile, 0);
    ftc_buffered_detach();
    expect_all_free();
}
END_TEST

static void find_over(void)
{
    if (of[0].is_over)
        return;
    of[0].is_over = true;
    ck_assert_int_eq(send_meanwhile(), MPI_SUCCESS);
}

/* Its room is there at once; the handle only goes when nobody looks at it any more. */
START_TEST(two_threads_find_the_same_message_over)
{
    begin(2);
    send_one();
    in_native = find_over;
    send_one();
    in_native = NULL;
    ck_assert_int_eq(send_one(), MPI_ERR_BUFFER);
    ftc_buffered_detach();
    expect_all_free();
}
END_TEST

START_TEST(messages_have_room_until_they_are_sent)
{
    begin(2);
    ck_assert_int_eq(send_one(), MPI_SUCCESS);
    ck_assert_int_eq(send_one(), MPI_SUCCESS);
    ck_assert_int_eq(send_one(), MPI_ERR_BUFFER);
    of[0].is_over = true;
    ck_assert_int_eq(send_one(), MPI_SUCCESS);
    ck_assert_int_eq(send_one(), MPI_ERR_BUFFER);
    ftc_buffered_detach();
    ck_assert(of[1].is_over && of[2].is_over);
    expect_all_free();
}
END_TEST

START_TEST(what_is_for_a_dead_rank_is_given_up)
{
    begin(2);
    send_one();
    send_one();
    board.deaths = 1;
    given_up = 0;
    ftc_buffered_detach();
    ck_assert(!of[0].is_over && of[1].is_over);
    expect_all_free();
    board.deaths = 0;
}
END_TEST

START_TEST(native_mpi_says_what_is_wrong)
{
    int rv;

    begin(2);
    ck_assert(!is_taken(2, 0, &rv) && !is_taken(MPI_PROC_NULL, 0, &rv));
    ck_assert(!is_taken(1, -1, &rv) && !is_taken(1, 1001, &rv));
    ck_assert_int_eq(made, 0);
    ftc_buffered_detach();
    ck_assert(!is_taken(1, 0, &rv)); /* there is no buffer */
    ck_assert_int_eq(world.users, 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("buffered");
    UNIT_TEST(a_thread_in_native_mpi_keeps_no_other_from_sending);
    UNIT_TEST(two_threads_find_the_same_message_over);
    UNIT_TEST(messages_have_room_until_they_are_sent);
    UNIT_TEST(what_is_for_a_dead_rank_is_given_up);
    UNIT_TEST(native_mpi_says_what_is_wrong);
    UNIT_END();
}
