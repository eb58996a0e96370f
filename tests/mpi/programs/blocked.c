/* blocked: rank 1 is dead, and the others are in calls that native MPI carries out.
 *
 *     blocked SCENE [MILLISECONDS]
 *
 * In some scenes they wait for rank 1, for ever; in the others for nobody but rank 0, which comes
 * that much later. */
#include "halves.h"
#include "native.h"

#include <ftcoll.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 100000, RANKS_MAX = 64 };

static int rank, size;
static const char *scene = "";
static long late_ms;

static void die(void)
{
    if (rank == 1)
        raise(SIGKILL);
}

static void come_late(void)
{
    struct timespec t = {.tv_sec = late_ms / 1000, .tv_nsec = late_ms % 1000 * 1000000};

    if (rank == 0)
        while (nanosleep(&t, &t) != 0)
            ;
}

/* Not inlined: its name is in the message. Something comes after the call, so that it returns here.
 */
static void __attribute__((noipa)) gather(MPI_Comm comm)
{
    static _Thread_local int all[RANKS_MAX];

    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    if (all[0] < 0)
        abort();
}

static MPI_Comm without_rank_1(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, rank, &comm);
    return comm;
}

static void waits(void)
{
    die();
    gather(MPI_COMM_WORLD);
}

static void large(void)
{
    static double in[MANY], out[MANY];

    die();
    MPI_Allreduce(in, out, MANY, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void root(void)
{
    int value = rank;

    die();
    MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
}

/* Rank 0 sends more to rank 1 than what goes without it; what it receives has come. */
static void exchange(void)
{
    static int out[MANY], in;

    die();
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Sendrecv(out, MANY, MPI_INT, 1, 0, &in, 1, MPI_INT, 2, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

/* It receives nothing. */
static void edge(void)
{
    static int all[MANY];

    die();
    if (rank == 0)
        MPI_Sendrecv_replace(all, MANY, MPI_INT, 1, 0, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
}

/* Also in place of MPI_Bsend, with a request that is kept. */
static jmp_buf refused;
static int refusals;

static void on_refusal(MPI_Comm *comm, int *code, ...)
{
    int class;

    (void)comm;
    MPI_Error_class(*code, &class);
    refusals += class == MPI_ERR_BUFFER;
    longjmp(refused, 1);
}

/* There is no room for it. The error handler leaves the call by a jump, and it may be started
 * again. */
static void start_in_vain(const int *message)
{
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(on_refusal, &handler);
    MPI_Bsend_init(message, MANY + 1, MPI_INT, 0, 0, comm, &request);
    MPI_Comm_set_errhandler(comm, handler);
    for (volatile int tries = 0; tries < 2; tries++)
        if (setjmp(refused) == 0)
            MPI_Start(&request);
    if (refusals != 2)
        printf("blocked: a request was refused %d times instead of twice\n", refusals);
    MPI_Request_free(&request);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

static void send_by_request(const int *message)
{
    MPI_Request request;

    MPI_Bsend_init(message, MANY, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* More than rank 1 has taken when it dies. */
static void buffered(void)
{
    static int message[MANY + 1];
    int bytes;
    char *buffer = malloc(sizeof message + MPI_BSEND_OVERHEAD);

#if MPICH_NUMVERSION >= 40200000
    if (getenv("FTCOLL_P2P")) {
        puts("skipped: this MPI library has other buffers beside the one that is detached");
        return;
    }
#endif
    MPI_Buffer_attach(buffer, MANY * sizeof *message + MPI_BSEND_OVERHEAD);
    if (rank == 0 && getenv("FTCOLL_P2P") && strcmp(scene, "buffered-init") == 0)
        start_in_vain(message);
    if (rank == 0 && strcmp(scene, "buffered") == 0)
        MPI_Bsend(message, MANY, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        send_by_request(message);
    MPI_Barrier(MPI_COMM_WORLD);
    die();
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
}

static void window(void)
{
    MPI_Win win;
    int *memory;

    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, win);
    die();
    MPI_Win_fence(0, win);
}

static int on_free(MPI_Win win, int keyval, void *attribute, void *extra)
{
    (void)win;
    (void)keyval;
    (void)attribute;
    (void)extra;
    gather(MPI_COMM_SELF);
    return MPI_SUCCESS;
}

/* MPI_Win_free calls us, we call MPI, and then it waits. */
static void nested(void)
{
    MPI_Win win;
    int *memory, keyval;

    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_free, &keyval, NULL);
    MPI_Win_set_attr(win, keyval, NULL);
    die();
    MPI_Win_free(&win);
}

/* Each rank in another call that waits for the same nonblocking collective, and for a message of
 * its own that has come. */
static void requests(void)
{
    static int all[RANKS_MAX];
    int done, index[2], value;
    MPI_Request request[2];
    MPI_Status status[2];

    die();
    MPI_Irecv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request[0]);
    if (rank == 0)
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    else if (rank == 2)
        MPI_Waitall(2, request, status);
    else if (rank == 3)
        MPI_Waitany(2, request, index, status);
    else
        MPI_Waitsome(2, request, &done, index, status);
    abort();
}

/* The root needs a dead rank; the others have sent what they had to. */
static void igather(void)
{
    static int all[RANKS_MAX];
    MPI_Request request;

    die();
    MPI_Igather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The same, and rank 1 has given the root large data, which nobody can fetch any more: the wait
 * must not end with whatever is in the root's memory. */
static void igather_large(void)
{
    static int mine[MANY], all[MANY * 8], dead;
    MPI_Request request;

    if (rank == 0)
        MPI_Recv(&dead, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (rank == 0 && ftcoll_failed_ranks(MPI_COMM_WORLD, 1, &dead) == 0)
        usleep(100);
    MPI_Igather(mine, MANY, MPI_INT, all, MANY, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (rank == 1) /* it comes after what the call has sent */
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    die();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* A call that only looks, another one at each rank, for a message of @source. */
static bool look_for(int source, MPI_Request *request, int *value)
{
    int flag = 0, index;
    MPI_Status status;
    MPI_Message message;

    if (*request == MPI_REQUEST_NULL && rank < 6)
        MPI_Irecv(value, 1, MPI_INT, source, 0, MPI_COMM_WORLD, request);
    switch (rank) {
    case 0:
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Testall(1, request, &flag, &status);
        break;
    case 3:
        MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE);
        break;
    case 4:
        MPI_Testsome(1, request, &flag, &index, &status);
        break;
    case 5:
        MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
        break;
    case 6:
        MPI_Iprobe(source, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Improbe(source, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    }
    return flag != 0;
}

/* Each rank looks for a message of rank 1 again and again. */
static void polls(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int value;

    die();
    while (!look_for(1, &request, &value))
        pause_ms(1);
}

/* Rank 1 was to access the memory of the others, and has not ended that. */
static void polls_window(void)
{
    MPI_Group world, one;
    MPI_Win win;
    int *memory, flag;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){1}, &one);
    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    die();
    MPI_Win_post(one, 0, win);
    for (flag = 0; !flag;) {
        MPI_Win_test(win, &flag);
        pause_ms(1);
    }
}

/* Of two partitions rank 1 has sent none. */
static void polls_partition(void)
{
    MPI_Request request;
    int value[2] = {0}, flag;

    if (rank == 1)
        MPI_Psend_init(value, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 0)
        MPI_Precv_init(value, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank < 2)
        MPI_Start(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    die();
    for (flag = 0; rank == 0 && !flag;) {
        MPI_Parrived(request, 1, &flag);
        pause_ms(1);
    }
}

/* Those who are awaited live, and come late. */
static void polls_window_of_living(void)
{
    MPI_Comm living = without_rank_1();
    MPI_Group members, first;
    MPI_Win win;
    int *memory, flag;

    die();
    if (rank == 1)
        return;
    MPI_Comm_group(living, &members);
    MPI_Group_incl(members, 1, (int[]){0}, &first);
    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, living, &memory, &win);
    if (rank == 0) {
        MPI_Group_excl(members, 1, (int[]){0}, &first);
        come_late();
        MPI_Win_start(first, 0, win);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(first, 0, win);
        for (flag = 0; !flag; pause_ms(1))
            MPI_Win_test(win, &flag);
    }
    MPI_Win_free(&win);
}

/* A look now and then, while the rank gets on with something else; the last message that it has to
 * receive comes from a rank that lives. */
static void now_and_then(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int value, sum;

    die();
    for (long ms = 0; ms < late_ms; ms += 10) {
        look_for(1, &request, &value);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        pause_ms(10);
    }
}

/* They look for what a living rank sends late. */
static void polls_living(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int value;

    die();
    come_late();
    for (int i = 2; rank == 0 && i < size; i++)
        MPI_Send(&rank, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    while (rank != 0 && !look_for(0, &request, &value))
        pause_ms(1);
}

/* A master waits for one message of each of the others, or looks for it; rank 1 is dead, and the
 * others have sent theirs. With p2p = error or ignore the death ends one receive, and the master
 * counts on one more. */
static void master(int messages, bool waits)
{
    int value, flag;

    die();
    if (rank != 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < messages; i++) {
        for (flag = waits; !flag;)
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void master_waits(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    master(size, true);
}

static void master_looks(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    master(size, false);
}

static jmp_buf out;

static void leave(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(out, 1);
}

/* By a jump out of the error handler. */
static void leave_by(void (*call)(void))
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    if (setjmp(out) == 0)
        call();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Deeper on the stack than what is called after it, by which the library knows that it was left. */
static void __attribute__((noipa)) send_to_nobody(void)
{
    char deep[1 << 10];

    __asm__ volatile("" : : "r"(deep) : "memory"); /* it is there */
    MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    abort();
}

static void __attribute__((noipa)) receive_too_much(void)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    abort();
}

static void jump(void)
{
    leave_by(send_to_nobody);
    waits();
}

/* In no native call any more. */
static void jump_and_work(void)
{
    int sum;

    for (int i = 0; rank == 1 && i < size; i++)
        if (i != 1)
            MPI_Send((int[]){1, 2}, 2, MPI_INT, i, 0, MPI_COMM_WORLD);
    if (rank != 1)
        leave_by(receive_too_much);
    for (long ms = 0; ms < late_ms; ms += 10) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        die();
        pause_ms(10);
    }
}

static int refuse_copy(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)copy, (void)flag;
    return MPI_ERR_OTHER;
}

static void __attribute__((noipa)) copy_in_vain(void)
{
    MPI_Comm copy;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    abort();
}

/* What was on it is gone. */
static void __attribute__((noipa)) use_the_stack(void)
{
    volatile char used[1 << 16];

    memset((char *)used, 0xff, sizeof used);
}

/* Out of a maker of communicators, which is carried out on a stack of its own; then they wait for
 * rank 0, and make one. */
static void jump_and_copy(void)
{
    MPI_Comm copy;
    int key;

    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
    leave_by(copy_in_vain);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    use_the_stack();
    come_late();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    gather(copy);
    MPI_Comm_free(&copy);
}

static void leave_operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
    longjmp(out, 1);
}

static void __attribute__((noipa)) combine_in_vain(MPI_Op op)
{
    int sum;

    MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
}

/* Out of an operation in a protected call, and into the next, which may be another. */
static void jump_from_operation(void)
{
    static MPI_Comm used;
    MPI_Op op;
    MPI_Comm copy;
    MPI_Request request;
    int sum;

    MPI_Op_create(leave_operation, 1, &op);
    MPI_Comm_dup(MPI_COMM_WORLD, &used);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, used);
    if (setjmp(out) == 0)
        combine_in_vain(op);
    if (strstr(scene, "free"))
        MPI_Comm_free(&used);
    if (strstr(scene, "copy"))
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (strstr(scene, "later"))
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* A message that comes late, from a rank that lives. */
static void message(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int value;

    die();
    come_late();
    if (rank != 0)
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    for (int i = 2; rank == 0 && i < size; i++)
        MPI_Send(&rank, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void file(void)
{
    MPI_File fh;

    if (MPI_File_open(MPI_COMM_WORLD, "blocked.data", MPI_MODE_CREATE | MPI_MODE_RDWR,
                      MPI_INFO_NULL, &fh) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 3);
    die();
    MPI_File_close(&fh);
}

static void living(void)
{
    MPI_Comm comm = without_rank_1();

    gather(comm);
    die();
    come_late();
    gather(comm);
    MPI_Comm_free(&comm);
}

/* Of the members of MPI_COMM_WORLD only those of the group call it. */
static void group_of_the_living(void)
{
    MPI_Comm comm;
    MPI_Group world, group;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, (int[]){1}, &group);
    die();
    come_late();
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm);
}

/* In the middle of the call rank 0 stands still, until there is a file "done". */
static int stand_still(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)copy;
    *flag = 0;
    while (rank == 0 && access("done", F_OK) != 0)
        usleep(1000);
    return MPI_SUCCESS;
}

/* All who are needed are in the call, and it does not end. */
static void complete(void)
{
    MPI_Comm comm = without_rank_1(), copy;
    int key;

    MPI_Comm_create_keyval(stand_still, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &key);
    die();
    MPI_Comm_dup(comm, &copy);
}

/* The library has described the first communicator when it is freed; the next has its handle. */
static void reused(MPI_Comm (*first)(void), MPI_Comm (*second)(void))
{
    MPI_Comm comm = first(), old = comm;

    gather(comm);
    MPI_Comm_free(&comm);
    comm = second();
    if (comm != old)
        MPI_Abort(MPI_COMM_WORLD, 3);
    die();
    come_late();
    gather(comm);
}

static MPI_Comm with_rank_1(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
}

static void reused_for_the_living(void)
{
    reused(with_rank_1, without_rank_1);
}

static void reused_for_all(void)
{
    reused(without_rank_1, with_rank_1);
}

static void *listen_to_the_living(void *comm)
{
    MPI_Barrier(*(MPI_Comm *)comm);
    return NULL;
}

/* A thread waits for rank 0, which is alive and busy; later another one waits for rank 1. If it is
 * not later, the result is the same, only less is tested. */
static void threads(void)
{
    struct timespec later = {.tv_nsec = 200000000};
    MPI_Comm comm = without_rank_1();
    pthread_t listener;

    die();
    while (rank == 0)
        pause();
    pthread_create(&listener, NULL, listen_to_the_living, &comm);
    nanosleep(&later, NULL);
    gather(MPI_COMM_WORLD);
}

/* Each rank's own half of the world, led by its last rank if @last, else by its first. */
static MPI_Comm join_halves(int last)
{
    MPI_Comm half, both;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, last ? -rank : rank, &half);
    if (strcmp(scene, "halves") != 0)
        die();
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, last ? size - 1 - rank % 2 : 1 - rank % 2, 7,
                         &both);
    MPI_Comm_free(&half);
    return both;
}

static void remote_leader(void)
{
    join_halves(0);
}

/* It is not a leader. */
static void remote_member(void)
{
    join_halves(1);
}

/* The same of groups. */
static void between_groups(int last)
{
    MPI_Group own = half_of_world(rank % 2), other = half_of_world(1 - rank % 2);
    MPI_Comm both;
    int own_size, other_size;

    MPI_Group_size(own, &own_size);
    MPI_Group_size(other, &other_size);
    die();
    MPI_Intercomm_create_from_groups(own, last ? own_size - 1 : 0, other, last ? other_size - 1 : 0,
                                     "blocked", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &both);
}

static void groups_leader(void)
{
    between_groups(0);
}

static void groups_member(void)
{
    between_groups(1);
}

static void halves(void)
{
    MPI_Comm both = join_halves(0);

    die();
    gather(both);
}

static const struct scene {
    const char *name;
    void (*run)(void);
} scenes[] = {{"waits", waits},
              {"large", large},
              {"root", root},
              {"exchange", exchange},
              {"edge", edge},
              {"buffered", buffered},
              {"buffered-init", buffered},
              {"window", window},
              {"nested", nested},
              {"file", file},
              {"requests", requests},
              {"jump", jump},
              {"jump-and-work", jump_and_work},
              {"jump-and-copy", jump_and_copy},
              {"jump-from-operation", jump_from_operation},
              {"jump-from-operation-copy", jump_from_operation},
              {"jump-from-operation-later", jump_from_operation},
              {"jump-from-operation-free", jump_from_operation},
              {"threads-jump-from-operation-free", jump_from_operation},
              {"threads-jump-from-operation", jump_from_operation},
              {"threads-jump-from-operation-copy", jump_from_operation},
              {"threads-jump-from-operation-later", jump_from_operation},
              {"igather", igather},
              {"igather-large", igather_large},
              {"message", message},
              {"polls", polls},
              {"polls-window", polls_window},
              {"polls-partition", polls_partition},
              {"polls-window-living", polls_window_of_living},
              {"now-and-then", now_and_then},
              {"polls-living", polls_living},
              {"master-waits", master_waits},
              {"master-looks", master_looks},
              {"living", living},
              {"group-living", group_of_the_living},
              {"complete", complete},
              {"reused-living", reused_for_the_living},
              {"reused-all", reused_for_all},
              {"remote-leader", remote_leader},
              {"remote-member", remote_member},
              {"groups-leader", groups_leader},
              {"groups-member", groups_member},
              {"halves", halves},
              {"threads", threads}};

int main(int argc, char **argv)
{
    int provided;

    scene = argc > 1 ? argv[1] : "";
    /* Who leaves a call keeps the lock that MPICH has for threads. */
    MPI_Init_thread(&argc, &argv,
                    strncmp(scene, "jump", 4) == 0 ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    late_ms = argc > 2 ? atol(argv[2]) : 0;
    if (strcmp(scene, "polls-partition") == 0)
        native_skip(native_has_no_partitions());
    if (rank == 0) {
        puts("go");
        fflush(stdout);
    }
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        if (strcmp(scene, scenes[i].name) == 0)
            scenes[i].run();
    MPI_Finalize();
    return 0;
}
