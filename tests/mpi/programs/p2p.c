/* Point-to-point calls with dead ranks, one after the other:
 *
 *     p2p before|while|after|many|large|any|served|once|threads|fatal [FIRST COUNT]
 *     p2p copies|copies-from-any|truncated|too-long|partitions
 *
 * Rank 0 makes the calls; the others are the peers, one for each call or one for all, and die when
 * it tells them to. What must come of it is what setting FTCOLL_P2P says. */
#include "native.h"
#include "p2p_calls.h"
#include "process_state.h"

#include <ftcoll.h>

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GO_TAG = 1,
    DIE,
    SEND_AND_DIE,
    WAIT_AND_DIE,
    SEND_MUCH,
    SEND_MANY,
    SEND_MANY_AND_TWO,
    SEND_HUGE,
    SEND_PIECES,
    SEND_TWO,
    SEND_LATE,
    SEND_HALF,
    SEND_BOTH_HALVES,
    EXCHANGE_HALVES,
    WHILE_US = 5000,
    LATE_US = 300000,
    BUFFER = 1 << 16,
    MANY = 24,
    OFTEN = 64,
    HUGE = 64 << 20,
    HALF = 50000,          /* of a message, in integers */
    UNTOUCHED = 0x77777777 /* what statuses hold before a call */
};

static int rank, n, wrong;
static bool ignores;
static char much[LARGE];
static int process[64][2]; /* of each rank, and its parent: with the library its monitor process */
static _Thread_local MPI_Comm handler_of; /* whose error handler was called last */
static _Thread_local int handler_calls;

static void complain(const char *name, const char *what, long is, long expected)
{
    printf("wrong: %s: %s is %ld, not %ld\n", name, what, is, expected);
    wrong++;
}

static void expect(const char *name, const char *what, long is, long expected)
{
    if (is != expected)
        complain(name, what, is, expected);
}

/* ---- the peers ---- */

static void die(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* Of a message so large that its sender has to live until it is received. */
static void send_and_listen(MPI_Comm comm, int boss, int bytes, int *order)
{
    char *buffer = malloc((size_t)bytes);
    MPI_Request request;

    memset(buffer, rank, (size_t)bytes);
    MPI_Isend(buffer, bytes, MPI_CHAR, boss, TAG, comm, &request);
    MPI_Recv(order, 1, MPI_INT, boss, GO_TAG, comm, MPI_STATUS_IGNORE);
    if (*order == GO_TAG)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Of piecewise data, which the sender itself has to move. */
static void send_pieces(MPI_Comm comm, int boss)
{
    char *buffer = malloc(2 * LARGE);
    MPI_Datatype pieces;

    memset(buffer, rank, 2 * LARGE);
    MPI_Type_vector(LARGE, 1, 2, MPI_CHAR, &pieces);
    MPI_Type_commit(&pieces);
    MPI_Send(buffer, 1, pieces, boss, TAG, comm);
    MPI_Type_free(&pieces);
    free(buffer);
}

/* More than there is room for at once, or what fits, but later. */
static void send_two_or_late(MPI_Comm comm, int boss, int order)
{
    bool is_late = order == SEND_LATE;

    usleep(is_late ? LATE_US : 0);
    MPI_Send((int[]){VALUE, VALUE}, is_late ? 1 : 2, MPI_INT, boss, TAG, comm);
}

static void fill_halves(int *value)
{
    for (int i = 0; i < 2 * HALF; i++)
        value[i] = VALUE + i;
}

static bool is_half(const int *value, int half)
{
    for (int i = half * HALF; i < (half + 1) * HALF; i++)
        if (value[i] != VALUE + i)
            return false;
    return true;
}

/* Messages in partitions, the first of which is ready much earlier. */
static void send_halves(MPI_Comm comm, int boss, int order)
{
    int *sent = malloc(2 * HALF * sizeof *sent), *received = calloc(2 * HALF, sizeof *received);
    MPI_Request request[2];

    fill_halves(sent);
    MPI_Psend_init(sent, 2, HALF, MPI_INT, boss, TAG, comm, MPI_INFO_NULL, &request[0]);
    MPI_Precv_init(received, 2, HALF, MPI_INT, boss, TAG, comm, MPI_INFO_NULL, &request[1]);
    for (int round = 0; round < (order == EXCHANGE_HALVES ? 2 : 1); round++) {
        MPI_Startall(order == EXCHANGE_HALVES ? 2 : 1, request);
        MPI_Pready(0, request[0]);
        usleep(WHILE_US);
        if (order == SEND_HALF)
            return;
        MPI_Pready_list(1, (int[]){1}, request[0]);
        for (int i = 0; i < 2; i++)
            MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        if (order == EXCHANGE_HALVES && !(is_half(received, 0) && is_half(received, 1)))
            MPI_Abort(comm, 3);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    free(sent);
    free(received);
}

static void be_peer(MPI_Comm comm, int boss)
{
    int order, value[2] = {VALUE, VALUE};

    MPI_Recv(&order, 1, MPI_INT, boss, GO_TAG, comm, MPI_STATUS_IGNORE);
    if (order == SEND_AND_DIE)
        MPI_Send(value, 1, MPI_INT, boss, TAG, comm);
    if (order == SEND_MANY || order == SEND_MANY_AND_TWO) {
        for (int i = 0; i < MANY; i++)
            MPI_Send(&i, 1, MPI_INT, boss, TAG + 1, comm);
        MPI_Send(value, order == SEND_MANY ? 1 : 2, MPI_INT, boss, TAG, comm);
    }
    if (order == WAIT_AND_DIE)
        usleep(WHILE_US); /* so that the other is in its call, most likely: it need not be */
    if (order == SEND_MUCH)
        send_and_listen(comm, boss, LARGE, &order);
    if (order == SEND_HUGE)
        send_and_listen(comm, boss, HUGE, &order);
    if (order == SEND_HALF || order == SEND_BOTH_HALVES || order == EXCHANGE_HALVES)
        send_halves(comm, boss, order);
    if (order == SEND_TWO || order == SEND_LATE)
        send_two_or_late(comm, boss, order);
    else if (order == SEND_PIECES)
        send_pieces(comm, boss);
    else if (order != GO_TAG && order != EXCHANGE_HALVES)
        die();
}

static void order(MPI_Comm comm, int peer, int what)
{
    MPI_Send(&what, 1, MPI_INT, peer, GO_TAG, comm);
}

/* Until everybody here knows that @world_rank is dead. */
static void await_death(int world_rank)
{
    int ranks[64], count;

    for (;;) {
        count = ftcoll_failed_ranks(MPI_COMM_WORLD, 64, ranks);
        for (int i = 0; i < count; i++)
            if (ranks[i] == world_rank)
                return;
        usleep(100);
    }
}

static void await_state(int peer, char state)
{
    while (process_state(process[peer][0], 'Z') != state)
        usleep(100);
}

/* ---- what must come of a call ---- */

static void expect_status(const char *name, const MPI_Status *status, int source, int tag,
                          int count)
{
    int is, cancelled;

    MPI_Get_count(status, MPI_INT, &is);
    MPI_Test_cancelled(status, &cancelled);
    expect(name, "MPI_SOURCE", status->MPI_SOURCE, source);
    expect(name, "MPI_TAG", status->MPI_TAG, tag);
    expect(name, "the count", is, count);
    expect(name, "cancelled", cancelled, 0);
}

static void expect_text(const char *name)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(MPIX_ERR_PROC_FAILED, text, &length);
    if (!strstr(text, "is dead: rank ") || !strstr(text, "killed by signal 9")) {
        printf("wrong: %s: the text is '%s'\n", name, text);
        wrong++;
    }
}

static bool has_status(const struct p2p_call *call)
{
    return call->receives || strstr(call->name, "_init") || strncmp(call->name, "MPI_Wait", 8) == 0;
}

static bool is_many(const char *name)
{
    return !strstr(name, "get_status") && (strstr(name, "all") || strstr(name, "some"));
}

static void expect_dead(const struct p2p_call *call, const struct outcome *o, int peer)
{
    int class;

    MPI_Error_class(o->code, &class);
    expect(call->name, "the error", class, ignores ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED);
    expect(call->name, "the request gone", o->request_gone, true);
    expect(call->name, "the error in a status", o->in_status, !ignores && is_many(call->name));
    if (!ignores)
        expect_text(call->name);
    if (!has_status(call))
        return;
    if (ignores)
        expect_status(call->name, &o->status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    else
        expect_status(call->name, &o->status, peer, TAG, 0);
    if (ignores && is_many(call->name) && o->status.MPI_ERROR == MPI_SUCCESS)
        return; /* as MPICH has it for living peers too */
    expect(call->name, "MPI_ERROR", o->status.MPI_ERROR,
           o->in_status ? MPIX_ERR_PROC_FAILED : UNTOUCHED);
}

static void expect_message(const struct p2p_call *call, const struct outcome *o, int peer)
{
    expect(call->name, "the error", o->code, MPI_SUCCESS);
    expect(call->name, "the value", o->value, VALUE);
    expect(call->name, "the request gone", o->request_gone, true);
    expect_status(call->name, &o->status, peer, TAG, 1);
}

/* Errors on a communicator that has none go to that of MPI_COMM_WORLD. */
static bool has_error_handler(MPI_Comm comm)
{
    MPI_Errhandler handler;
    bool is_own;

    MPI_Comm_get_errhandler(comm, &handler);
    is_own = handler != MPI_ERRORS_ARE_FATAL;
    if (is_own)
        MPI_Errhandler_free(&handler);
    return is_own;
}

static struct outcome make(const struct p2p_call *call, MPI_Comm comm, int peer)
{
    MPI_Comm handled = has_error_handler(comm) ? comm : MPI_COMM_WORLD;
    struct outcome o = {.request_gone = true};

    memset(&o.status, 0x77, sizeof o.status);
    handler_of = MPI_COMM_NULL;
    call->make(comm, peer, &o);
    expect(call->name, "the handler's communicator", handler_of,
           o.code == MPI_SUCCESS ? MPI_COMM_NULL : handled);
    return o;
}

static bool is_there(const struct p2p_call *call)
{
    return call && !(p2p_call_is_in_partitions(call) && native_has_no_partitions());
}

/* A persistent collective of native MPI, which has the memory of the last request that was freed.
 */
static void expect_native_collective(const char *after)
{
    int in = 7, out = 0;
    MPI_Request request;

    MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    expect(after, "a sum after it", out, 7);
}

/* ---- the scenarios, as rank 0 sees them ---- */

static const struct p2p_call *find(int number)
{
    for (int i = 0; i <= number; i++)
        if (!p2p_calls[i].name)
            return NULL;
    return &p2p_calls[number];
}

/* The last of them are younger than MPICH 4.0. */
static void expect_call(int number)
{
    if (!find(number))
        puts("skipped: this MPI library does not have the calls");
}

static size_t bytes_allocated(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* What is sent is copied; of that nothing stays. */
static void exchange_often(int peer)
{
    size_t before = bytes_allocated();

    for (int i = 0; i < OFTEN; i++)
        MPI_Sendrecv_replace(much, LARGE, MPI_CHAR, peer, TAG, peer, TAG, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    expect("MPI_Sendrecv_replace", "a growth by half of what was sent",
           bytes_allocated() > before + OFTEN / 2 * LARGE, false);
}

/* Rank 1 is dead, and every call knows; also twice, and on other communicators. */
static void before(MPI_Comm comms[], int count)
{
    const struct p2p_call *call;
    struct outcome o;

    order(MPI_COMM_WORLD, n - 1, DIE);
    await_death(n - 1);
    for (int c = 0; c < count; c++)
        for (int i = 0; (call = find(i)); i++) {
            int size, inter;

            if (!is_there(call))
                continue;
            MPI_Comm_test_inter(comms[c], &inter);
            MPI_Comm_size(comms[c], &size);
            if (inter)
                MPI_Comm_remote_size(comms[c], &size);
            o = make(call, comms[c], size - 1);
            expect_dead(call, &o, size - 1);
            expect_native_collective(call->name);
        }
    exchange_often(n - 1);
}

/* A peer for each of the calls FIRST and those after it, which dies while rank 0 waits for it. */
static void during(int first)
{
    const struct p2p_call *call;
    struct outcome o;
    bool is_awaited;

    expect_call(first);
    for (int peer = 1; peer < n; peer++) {
        call = find(first + peer - 1);
        is_awaited = is_there(call) && !call->ends_eagerly;
        order(MPI_COMM_WORLD, peer, is_awaited ? WAIT_AND_DIE : GO_TAG);
        if (!is_awaited)
            continue;
        o = make(call, MPI_COMM_WORLD, peer);
        expect_dead(call, &o, peer);
    }
}

/* What it had sent is received, and then there is nothing more. */
static void after(int first)
{
    const struct p2p_call *call;
    struct outcome o;

    expect_call(first);
    for (int peer = 1; peer < n; peer++) {
        call = find(first + peer - 1);
        order(MPI_COMM_WORLD, peer, call && call->receives ? SEND_AND_DIE : GO_TAG);
        if (!call || !call->receives)
            continue;
        await_death(peer);
        o = make(call, MPI_COMM_WORLD, peer);
        if (strcasestr(call->name, "sendrecv") && !ignores) /* its other half has failed */
            expect(call->name, "the error", o.code, MPIX_ERR_PROC_FAILED), o.code = MPI_SUCCESS;
        expect_message(call, &o, peer);
        o = make(call, MPI_COMM_WORLD, peer);
        expect_dead(call, &o, peer);
    }
}

/* More messages than native MPI takes in at once, which have to be taken in before it is clear that
 * there are no more: the last one is received first. */
static void many(void)
{
    const struct p2p_call *recv = find(0);
    struct outcome o;
    int value;

    order(MPI_COMM_WORLD, 1, SEND_MANY);
    await_death(1);
    o = make(recv, MPI_COMM_WORLD, 1);
    expect_message(recv, &o, 1);
    for (int i = 0; i < MANY; i++) {
        expect("many", "the error",
               MPI_Recv(&value, 1, MPI_INT, 1, TAG + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
               MPI_SUCCESS);
        expect("many", "the value", value, i);
    }
    o = make(recv, MPI_COMM_WORLD, 1);
    expect_dead(recv, &o, 1);
}

/* Ends once the message of @peer is here, and it is dead. */
static void let_send_and_die(int peer)
{
    MPI_Status status;

    order(MPI_COMM_WORLD, peer, SEND_MUCH);
    MPI_Probe(peer, TAG, MPI_COMM_WORLD, &status);
    order(MPI_COMM_WORLD, peer, DIE);
    await_death(peer);
}

/* A message so large that its sender has to live until it is received. */
static void large(void)
{
    const struct p2p_call *mrecv = &(struct p2p_call){"MPI_Mrecv", true, false, NULL};
    struct outcome o = {.request_gone = true};
    MPI_Message message;
    MPI_Request request;

    let_send_and_die(1);
    memset(&o.status, 0x77, sizeof o.status);
    o.code = MPI_Recv(much, LARGE, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &o.status);
    expect_dead(mrecv, &o, 1);
    for (int peer = 2; peer < n; peer++) {
        order(MPI_COMM_WORLD, peer, SEND_MUCH);
        MPI_Mprobe(peer, TAG, MPI_COMM_WORLD, &message, &o.status);
        memset(&o.status, 0x77, sizeof o.status);
        order(MPI_COMM_WORLD, peer, DIE);
        await_death(peer);
        if (peer % 2 == 0) {
            o.code = MPI_Mrecv(much, LARGE, MPI_CHAR, &message, &o.status);
        } else {
            MPI_Imrecv(much, LARGE, MPI_CHAR, &message, &request);
            o.code = MPI_Wait(&request, &o.status);
        }
        expect_dead(mrecv, &o, peer);
    }
}

/* It has no source of its own. */
static void copy_from_any(int peer)
{
    const struct p2p_call *call = &(struct p2p_call){"MPI_Recv of any", true, false, NULL};
    struct outcome o = {.request_gone = true};

    let_send_and_die(peer);
    memset(&o.status, 0x77, sizeof o.status);
    o.code = MPI_Recv(much, LARGE, MPI_CHAR, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &o.status);
    expect_dead(call, &o, peer);
}

/* Beside one whose sender lives. */
static void copy_in_waitall(int peer, int living)
{
    static char other[LARGE];
    MPI_Request request[2];
    MPI_Status status[2];
    int code;

    order(MPI_COMM_WORLD, living, SEND_MUCH);
    let_send_and_die(peer);
    MPI_Irecv(much, LARGE, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(other, LARGE, MPI_CHAR, living, TAG, MPI_COMM_WORLD, &request[1]);
    code = MPI_Waitall(2, request, status);
    expect("copies", "the error of both", code, ignores ? MPI_SUCCESS : MPI_ERR_IN_STATUS);
    expect("copies", "the source", status[0].MPI_SOURCE, ignores ? MPI_PROC_NULL : peer);
    expect("copies", "the other's source", status[1].MPI_SOURCE, living);
    expect("copies", "the other's first byte", other[0], living);
    expect("copies", "the other's last byte", other[LARGE - 1], living);
    order(MPI_COMM_WORLD, living, GO_TAG);
}

/* Twice: what is native in it stays unfinished. */
static void copy_persistently(int peer, int source)
{
    MPI_Request request;
    MPI_Status status;

    let_send_and_die(peer);
    MPI_Recv_init(much, LARGE, MPI_CHAR, source, TAG, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        expect("copies", "the error of the persistent", MPI_Wait(&request, &status),
               ignores ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED);
        expect("copies", "the source of the persistent", status.MPI_SOURCE,
               ignores ? MPI_PROC_NULL : peer);
    }
    MPI_Request_free(&request);
}

/* The sender dies when the first bytes are here, and the last are not. */
static void copy_half(int peer)
{
    char *buffer = calloc(1, HUGE);
    MPI_Request request;
    MPI_Status status;
    int flag = 0;

    order(MPI_COMM_WORLD, peer, SEND_HUGE);
    MPI_Irecv(buffer, HUGE, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, &request);
    while (!flag && buffer[0] != peer)
        MPI_Test(&request, &flag, &status);
    expect("copies", "the end of half a message", flag, 0);
    order(MPI_COMM_WORLD, peer, DIE);
    await_death(peer);
    expect("copies", "the error of half a message", MPI_Wait(&request, &status),
           ignores ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED);
    expect("copies", "the source of half a message", status.MPI_SOURCE,
           ignores ? MPI_PROC_NULL : peer);
}

/* Its memory is gone, and its monitor process has not said yet that it is dead. */
static void copy_before_the_news(int peer)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0, code = MPI_SUCCESS;

    order(MPI_COMM_WORLD, peer, SEND_MUCH);
    MPI_Probe(peer, TAG, MPI_COMM_WORLD, &status);
    kill(process[peer][1], SIGSTOP);
    kill(process[peer][0], SIGKILL);
    await_state(peer, 'Z');
    MPI_Irecv(much, LARGE, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 100 && !flag; i++)
        code = MPI_Test(&request, &flag, &status);
    kill(process[peer][1], SIGCONT);
    if (!flag)
        code = MPI_Wait(&request, &status);
    expect("copies", "the error before the news", code,
           ignores ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED);
    expect("copies", "the source before the news", status.MPI_SOURCE,
           ignores ? MPI_PROC_NULL : peer);
}

/* Of what can only be read while its sender lives. */
static void copies(void)
{
    copy_in_waitall(1, 2);
    copy_persistently(3, 3);
    if (native_device_is("ch3:nemesis"))
        order(MPI_COMM_WORLD, 4, GO_TAG); /* one look may take in all of a message */
    else
        copy_half(4);
    copy_before_the_news(5);
}

/* The same, of nobody by name: that such a message is lost only UCX's own copies tell. That
 * messages are moved so is left to UCX. */
static void copies_from_any(void)
{
    const char *transports = getenv("UCX_TLS");

    expect("copies", "a choice of transports", transports && strcmp(transports, "^posix") != 0,
           false);
    copy_from_any(1);
    copy_persistently(2, MPI_ANY_SOURCE);
}

/* A master that counts on one message of each of the others, two of which die: the first without
 * a word, the last after its message. */
static void any(void)
{
    int messages = 0, ends = 0, value, flag;
    MPI_Status status;
    MPI_Request request;

    for (int peer = 1; peer < n; peer++)
        order(MPI_COMM_WORLD, peer, peer == 1 ? WAIT_AND_DIE : SEND_AND_DIE);
    for (int i = 1; i < n; i++) {
        int code = MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);

        messages += code == MPI_SUCCESS && status.MPI_SOURCE > 0;
        ends += ignores ? status.MPI_SOURCE == MPI_PROC_NULL : code == MPIX_ERR_PROC_FAILED;
    }
    expect("any source", "the messages and ends", messages + ends, n - 1);
    for (int peer = 1; peer < n; peer++)
        await_death(peer);
    while (messages < n - 2) { /* a message is first, whatever has been told */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
        messages += status.MPI_SOURCE > 0;
    }
    for (int i = 0; i < 2 * n; i++) { /* nobody is left: each one ends */
        struct outcome o = make(&p2p_calls[i % 2 ? 11 : 13], MPI_COMM_WORLD, MPI_ANY_SOURCE);

        expect("nobody left", "the error", o.code, ignores ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED);
        expect("nobody left", "the request gone", o.request_gone, true);
    }
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_SELF, &request);
    MPI_Test(&request, &flag, &status);
    expect("own messages", "the end", flag, 0);
    MPI_Send(&rank, 1, MPI_INT, 0, TAG, MPI_COMM_SELF);
    expect("own messages", "the error", MPI_Wait(&request, &status), MPI_SUCCESS);
    expect_status("own messages", &status, 0, TAG, 1);
}

/* A receive that a living rank serves when another one dies is the living one's; the death ends the
 * next one. */
static void served(void)
{
    const struct p2p_call *recv = find(0);
    MPI_Request request;
    MPI_Status status;
    struct outcome o;
    int flag = 0, code = MPI_SUCCESS;

    order(MPI_COMM_WORLD, 1, SEND_PIECES);
    MPI_Probe(1, TAG, MPI_COMM_WORLD, &status);
    kill(process[1][0], SIGSTOP);
    await_state(1, 'T');
    MPI_Irecv(much, LARGE, MPI_CHAR, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request);
    order(MPI_COMM_WORLD, 2, DIE);
    await_death(2);
    for (int i = 0; i < 100 && !flag; i++)
        code = MPI_Test(&request, &flag, &status);
    expect("served", "the end before the sender has gone on", flag, 0);
    kill(process[1][0], SIGCONT);
    if (!flag)
        code = MPI_Wait(&request, &status);
    expect("served", "the error", code, MPI_SUCCESS);
    expect("served", "the source", status.MPI_SOURCE, 1);
    expect("served", "the first byte", much[0], 1);
    expect("served", "the last byte", much[LARGE - 1], 1);
    if (wrong > 0)
        return; /* what follows might not end */
    o = make(recv, MPI_COMM_WORLD, MPI_ANY_SOURCE);
    expect_dead(recv, &o, 2);
}

/* As many receives as there are workers; one death ends exactly one of them. */
static void once(void)
{
    int value[64], ended = 0, flag;
    MPI_Request request[64];
    MPI_Status status[64];

    for (int i = 0; i < n - 1; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request[i]);
    order(MPI_COMM_WORLD, 1, DIE);
    await_death(1);
    for (int turn = 0; turn < 3 * n; turn++) {
        MPI_Testall(n - 1, request, &flag, status);
        expect("once", "all", flag, n == 2);
    }
    for (int peer = 2; peer < n; peer++)
        order(MPI_COMM_WORLD, peer, SEND_AND_DIE);
    for (int peer = 2; peer < n; peer++)
        await_death(peer);
    expect("once", "the error", MPI_Waitall(n - 1, request, status),
           ignores ? MPI_SUCCESS : MPI_ERR_IN_STATUS);
    for (int i = 0; i < n - 1; i++)
        ended += ignores ? status[i].MPI_SOURCE == MPI_PROC_NULL
                         : status[i].MPI_ERROR == MPIX_ERR_PROC_FAILED;
    expect("once", "the receives that ended", ended, 1);
}

static void expect_each(const MPI_Status status[], int dead)
{
    int class;

    MPI_Error_class(status[1].MPI_ERROR, &class);
    expect("truncated", "MPI_ERROR", class, MPI_ERR_TRUNCATE);
    for (int i = 0; i < 4; i += 2)
        expect("truncated", "another's MPI_ERROR", status[i].MPI_ERROR, MPI_SUCCESS);
    expect("truncated", "MPI_ERROR of the dead one's", status[3].MPI_ERROR,
           ignores ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED);
    expect("truncated", "the source", status[3].MPI_SOURCE, ignores ? MPI_PROC_NULL : dead);
}

/* One of four messages, from ranks @first and those after it, is an error of native MPI; of the
 * others one comes later, one is there, and one never comes. */
static void truncated(int first, MPI_Status *status)
{
    static const int orders[] = {SEND_LATE, SEND_TWO, SEND_AND_DIE, WAIT_AND_DIE};
    int value[4];
    MPI_Request request[4];

    for (int i = 0; i < 4; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, first + i, TAG, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < 4; i++)
        order(MPI_COMM_WORLD, first + i, orders[i]);
    handler_calls = 0;
    expect("truncated", "the error of all", MPI_Waitall(4, request, status), MPI_ERR_IN_STATUS);
    expect("truncated", "calls of the handler", handler_calls, 1);
    MPI_Startall(-2, request); /* nothing to start, and an error nevertheless */
    expect("truncated", "calls of the handler by MPI_Startall", handler_calls, 2);
    for (int i = 0; i < 4; i++)
        expect("truncated", "the request gone", request[i] == MPI_REQUEST_NULL, true);
    expect("truncated", "the late value", value[0], VALUE);
    expect("truncated", "the early value", value[2], VALUE);
    if (status != MPI_STATUSES_IGNORE)
        expect_each(status, first + 3);
}

/* A message of the dead that is too long, behind so many others that it is not taken in at once: an
 * error of native MPI's, raised once. */
static void too_long(void)
{
    int value, class;
    MPI_Request request;

    for (int peer = 1; peer <= 2; peer++) {
        order(MPI_COMM_WORLD, peer, SEND_MANY_AND_TWO);
        await_death(peer);
        handler_calls = 0;
        if (peer == 1) {
            class = MPI_Recv(&value, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Irecv(&value, 1, MPI_INT, peer, TAG, MPI_COMM_WORLD, &request);
            class = MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Error_class(class, &class);
        expect("too long", "the error", class, MPI_ERR_TRUNCATE);
        expect("too long", "calls of the handler", handler_calls, 1);
    }
}

/* Of a pair, before and after deaths: of two requests in all, each time. */
static void too_long_in_pair(void)
{
    int out[2] = {1, 2}, in[2], class;
    MPI_Request request[2];
    MPI_Status status[2];

    handler_calls = 0;
    MPI_Isendrecv(out, 2, MPI_INT, 0, TAG, in, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request[0]);
    class = MPI_Wait(&request[0], status);
    MPI_Error_class(class, &class);
    expect("too long in a pair", "the error", class, MPI_ERR_TRUNCATE);
    expect("too long in a pair", "the request gone", request[0] == MPI_REQUEST_NULL, true);
    expect("too long in a pair", "calls of the handler", handler_calls, 1);
    MPI_Isendrecv(out, 2, MPI_INT, 0, TAG, in, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request[0]);
    MPI_Isendrecv(out, 1, MPI_INT, 0, TAG + 1, &in[1], 1, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD,
                  &request[1]);
    expect("too long in one of two pairs", "the error", MPI_Waitall(2, request, status),
           MPI_ERR_IN_STATUS);
    MPI_Error_class(status[0].MPI_ERROR, &class);
    expect("too long in one of two pairs", "its error", class, MPI_ERR_TRUNCATE);
    expect("too long in one of two pairs", "the other's", status[1].MPI_ERROR, MPI_SUCCESS);
    expect("too long in one of two pairs", "calls of the handler", handler_calls, 2);
    expect("too long in one of two pairs", "the other's value", in[1], 1);
}

/* ---- in partitions ---- */

/* A wait for @request, of a dead @peer. */
static void expect_end(const char *name, MPI_Request *request, int peer)
{
    MPI_Request handle = *request;
    MPI_Status status;
    int class;

    memset(&status, 0x77, sizeof status);
    MPI_Error_class(MPI_Wait(request, &status), &class);
    expect(name, "the error", class, ignores ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED);
    expect(name, "the source", status.MPI_SOURCE, ignores ? MPI_PROC_NULL : peer);
    expect(name, "the request kept", *request == handle, true);
}

static void receive_halves(int peer, int what)
{
    bool is_whole = what == SEND_BOTH_HALVES;
    int *value = calloc(2 * HALF, sizeof *value);
    MPI_Request request;

    MPI_Precv_init(value, 2, HALF, MPI_INT, peer, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    order(MPI_COMM_WORLD, peer, what);
    for (int half = 0, flag = 0; half < 2; half++, flag = 0)
        while (!flag)
            MPI_Parrived(request, half, &flag);
    if (is_whole) {
        expect("the message", "the error", MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        expect("the message", "right", is_half(value, 0) && is_half(value, 1), true);
        await_death(peer);
        MPI_Start(&request);
    }
    expect_end("what is left of a message", &request, peer);
    MPI_Start(&request);
    expect_end("what is left of a message, again", &request, peer);
    MPI_Request_free(&request);
    expect("what is left of a message", "the request gone", request == MPI_REQUEST_NULL, true);
    free(value);
}

/* With @dead, and with @living, in one wait. */
static void exchange_halves(int dead, int living)
{
    int *sent = malloc(2 * HALF * sizeof *sent), *received = calloc(2 * HALF, sizeof *received);
    int lost[2], class;
    MPI_Request request[3];
    MPI_Status status[3];

    fill_halves(sent);
    MPI_Psend_init(sent, 2, HALF, MPI_INT, living, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Precv_init(received, 2, HALF, MPI_INT, living, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request[1]);
    MPI_Precv_init(lost, 2, 1, MPI_INT, dead, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request[2]);
    order(MPI_COMM_WORLD, living, EXCHANGE_HALVES);
    order(MPI_COMM_WORLD, dead, WAIT_AND_DIE);
    for (int round = 0; round < 2; round++) {
        MPI_Startall(3, request);
        MPI_Pready_range(0, 1, request[0]);
        expect("halves", "the error", MPI_Waitall(3, request, status),
               ignores ? MPI_SUCCESS : MPI_ERR_IN_STATUS);
        MPI_Error_class(ignores ? MPI_SUCCESS : status[2].MPI_ERROR, &class);
        expect("halves", "of the dead", class, ignores ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED);
        expect("halves", "right", is_half(received, 0) && is_half(received, 1), true);
        memset(received, 0, 2 * HALF * sizeof *received);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&request[i]);
    free(sent);
    free(received);
}

static void partitions(void)
{
    receive_halves(1, SEND_HALF);
    receive_halves(2, SEND_BOTH_HALVES);
    exchange_halves(3, 4);
}

/* ---- threads ---- */

struct thread {
    pthread_t id;
    int peer;
    struct outcome outcome;
};

static void *receive_in_thread(void *argument)
{
    struct thread *t = argument;

    t->outcome = make(&p2p_calls[t->peer % 2 ? 0 : 9], MPI_COMM_WORLD, t->peer);
    return NULL;
}

/* A thread for each peer waits for it; some of them die, the others send. */
static void threads(void)
{
    struct thread thread[64];

    for (int peer = 1; peer < n; peer++) {
        thread[peer] = (struct thread){.peer = peer};
        pthread_create(&thread[peer].id, NULL, receive_in_thread, &thread[peer]);
    }
    for (int peer = 1; peer < n; peer++)
        order(MPI_COMM_WORLD, peer, peer % 3 == 0 ? SEND_AND_DIE : WAIT_AND_DIE);
    for (int peer = 1; peer < n; peer++) {
        const struct p2p_call *call = &p2p_calls[peer % 2 ? 0 : 9];

        pthread_join(thread[peer].id, NULL);
        if (peer % 3 == 0)
            expect_message(call, &thread[peer].outcome, peer);
        else
            expect_dead(call, &thread[peer].outcome, peer);
    }
}

/* Only the last handler counts. */
static void fatal(void)
{
    int value;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    order(MPI_COMM_WORLD, 1, WAIT_AND_DIE);
    MPI_Recv(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("it went on\n");
}

/* ---- */

static void note_error(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    handler_of = *comm;
    handler_calls++;
}

/* The world four times, the dead in the same place, twice without an error handler; two groups of
 * one rank and of the rest; made by everybody before anybody dies. */
static int make_comms(MPI_Comm comms[5])
{
    MPI_Errhandler handler;
    MPI_Group world;
    MPI_Comm half;

    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 3, &comms[2]);
    MPI_Comm_free(&half);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[3]);
    MPI_Comm_create_errhandler(note_error, &handler);
    for (int i = 0; i < 3; i++)
        MPI_Comm_set_errhandler(comms[i], handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_create(MPI_COMM_WORLD, world, &comms[4]);
    MPI_Group_free(&world);
    return 5;
}

static bool is_of_native_errors(const char *scenario)
{
    return strcmp(scenario, "truncated") == 0 || strcmp(scenario, "too-long") == 0;
}

static void be_boss(const char *scenario, int first, MPI_Comm comms[], int count)
{
    MPI_Status status[4];

    if (strcmp(scenario, "before") == 0)
        before(comms, count);
    else if (strcmp(scenario, "while") == 0)
        during(first);
    else if (strcmp(scenario, "after") == 0)
        after(first);
    else if (strcmp(scenario, "many") == 0)
        many();
    else if (strcmp(scenario, "truncated") == 0)
        truncated(1, status), truncated(5, MPI_STATUSES_IGNORE);
    else if (strcmp(scenario, "too-long") == 0)
        too_long_in_pair(), too_long(), too_long_in_pair();
    else if (strcmp(scenario, "partitions") == 0)
        partitions();
    else if (strcmp(scenario, "large") == 0)
        large();
    else if (strcmp(scenario, "copies") == 0)
        copies();
    else if (strcmp(scenario, "copies-from-any") == 0)
        copies_from_any();
    else if (strcmp(scenario, "any") == 0)
        any();
    else if (strcmp(scenario, "served") == 0)
        served();
    else if (strcmp(scenario, "once") == 0)
        once();
    else if (strcmp(scenario, "threads") == 0)
        threads();
    else if (strcmp(scenario, "fatal") == 0)
        fatal();
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Why native MPI does not do here what @scenario looks at, or NULL. */
static const char *what_is_lacking(const char *scenario)
{
    if (is_of_native_errors(scenario) && !native_returns_errors())
        return "this MPI returns no error once a handler was called";
    if (strcmp(scenario, "copies-from-any") == 0 && !native_device_is("ch4:ucx"))
        return "only of UCX it can be heard that such a message is lost";
    if (strcmp(scenario, "partitions") == 0)
        return native_has_no_partitions();
    return NULL;
}

int main(int argc, char **argv)
{
    static char buffer[BUFFER];
    const char *mode = getenv("FTCOLL_P2P");
    MPI_Comm comms[5];
    int provided, count;

    MPI_Init_thread(&argc, &argv,
                    strcmp(argv[1], "threads") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Buffer_attach(buffer, BUFFER);
    MPI_Allgather((int[]){getpid(), getppid()}, 2, MPI_INT, process, 2, MPI_INT, MPI_COMM_WORLD);
    ignores = mode && strcmp(mode, "ignore") == 0;
    count = make_comms(comms);
    native_skip(what_is_lacking(argv[1]));
    if (rank == 0)
        be_boss(argv[1], argc > 2 ? atoi(argv[2]) : 0, comms, count);
    else if (rank == n - 1 || strcmp(argv[1], "before") != 0)
        be_peer(MPI_COMM_WORLD, 0);
    if (rank == 0)
        printf("%d wrong\n", wrong);
    MPI_Finalize();
    return wrong > 0;
}
