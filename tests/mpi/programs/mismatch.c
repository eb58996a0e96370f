/* mismatch SCENE: calls that do not match, in situations in which it is hard to tell who called
 * what. Each rank prints what it calls, as the library names it, and the text of the error that it
 * gets; the first to have one ends the job when there is a file "heard".
 *
 * - mismatch leaf: a rank that sends its part of a reduce, and is in others when it is looked at
 * - mismatch told: most call the same, and hear of another's call from each other
 * - mismatch again: the same; an error does not end the job, and all calls after it match
 * - mismatch in-turns: one of four calls, by one rank
 * - mismatch left: by one that does not wait in it
 * - mismatch roots: nonblocking, on two communicators; each rank takes itself for the root
 * - mismatch aside|end|numbers|request|far|flood: some name a third rank as the root, and wait for
 *   nobody
 * - mismatch circle: all of them do
 * - mismatch derived: datatypes of the ranks' own
 * - mismatch unsigned: operations for which the library asks MPI
 * - mismatch large: data that are too large for messages, and one number
 * - mismatch sizes: two such sizes
 */
#include "heard.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LARGE = 300000 };

static int rank, size, is_last;
static int in[8], out[8];

__attribute__((format(printf, 1, 2))) static void call(const char *format, ...)
{
    va_list arguments;
    char text[128];

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("mismatch: rank %d calls %s\n", rank, text);
    fflush(stdout);
}

/* With an error the job ends, once the test has heard it, and that of others. MPICH makes standard
 * output unbuffered: a line is one write(), or another rank's can come into it. puts() needs two,
 * and printf() of a newer glibc one for each 128 bytes. */
static void end_if_wrong(int rv)
{
    char text[MPI_MAX_ERROR_STRING + 1];
    int length;

    if (rv == MPI_SUCCESS)
        return;
    MPI_Error_string(rv, text, &length);
    text[length++] = '\n';
    fwrite(text, 1, (size_t)length, stdout);
    fflush(stdout);
    await_heard();
    MPI_Abort(MPI_COMM_WORLD, 5);
}

static void reduce(int count, MPI_Comm comm)
{
    end_if_wrong(MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, 0, comm));
}

/* With f = 0 who is not the root waits for nobody: rank 1 is far ahead when rank 0 begins. */
static void leaf(void)
{
    MPI_Comm other;
    int token = 0;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    call("MPI_Reduce(count %d, MPI_INT, MPI_SUM, root 0)", 1 + rank);
    if (rank == 0)
        MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    reduce(1 + rank, MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++)
        reduce(5, i % 2 ? other : MPI_COMM_WORLD);
    MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void told(void)
{
    call("MPI_Allreduce(count %d, MPI_INT, MPI_SUM)", 1 + is_last);
    end_if_wrong(MPI_Allreduce(in, out, 1 + is_last, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

/* An error for each rank, however late the last one comes: of calls that match there is none. */
static void again(void)
{
    enum { TIMES = 20 };
    int errors = 0;

    call("MPI_Allreduce(count %d, MPI_INT, MPI_SUM)", 1 + (rank == 0));
    if (is_last)
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    for (int i = 0; i < TIMES; i++) {
        int count = 1 + (i == 0 && rank == 0);

        errors += MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
    }
    printf("mismatch: rank %d had %d errors\n", rank, errors);
    fflush(stdout);
}

/* One of four calls does not match: an error for each rank, and the right value from each other. */
static void in_turns(void)
{
    enum { TIMES = 400 };
    int errors = 0, wrong = 0;

    in[0] = 1;
    for (int i = 0; i < TIMES; i++) {
        int count = 1 + (i % 4 == 1 && rank == i % size);
        int rv = MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

        errors += rv != MPI_SUCCESS;
        wrong += rv == MPI_SUCCESS && out[0] != size;
    }
    printf("mismatch: rank %d had %d errors and %d wrong values\n", rank, errors, wrong);
    fflush(stdout);
}

/* Who makes the wrong call does not wait in it: it has an error in the next. */
static void left(void)
{
    int first;

    call("MPI_%s(count 1, MPI_INT, MPI_SUM%s)", is_last ? "Reduce" : "Allreduce",
         is_last ? ", root 0" : "");
    first = is_last ? MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD)
                    : MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("mismatch: rank %d had %d, %d\n", rank, first != MPI_SUCCESS,
           MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS);
    fflush(stdout);
}

/* Blocks of one size, but of other calls, and of other sizes. */
static void blocks(void)
{
    int all[8];

    if (is_last) {
        call("MPI_Alltoall(count 1, MPI_INT)");
        end_if_wrong(MPI_Alltoall(in, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    } else {
        call("MPI_Allgather(count %d, MPI_INT)", 1 + rank);
        end_if_wrong(MPI_Allgather(in, 1 + rank, MPI_INT, all, 1 + rank, MPI_INT, MPI_COMM_WORLD));
    }
}

static void roots(void)
{
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    call("MPI_Ireduce(count 1, MPI_INT, MPI_SUM, root %d)", rank);
    MPI_Ireduce(in, out, 1, MPI_INT, MPI_SUM, rank, other, &request[0]);
    MPI_Iallreduce(in + 1, out + 1, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request[1]);
    end_if_wrong(MPI_Wait(&request[0], status));
    MPI_Wait(&request[1], status + 1);
}

static void add_all(void *from, void *into, int *length, MPI_Datatype *type)
{
    (void)from;
    (void)into;
    (void)length;
    (void)type;
}

/* Each rank as it likes; not all that name the same root call alike. */
static void gather(int root)
{
    int all[8];

    end_if_wrong(MPI_Gather(in, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD));
}

static void call_gather(int root)
{
    call("MPI_Gather(count 1, MPI_INT, root %d)", root);
    gather(root);
}

static void meet(void)
{
    call("MPI_Allreduce(count 1, MPI_INT, MPI_SUM)");
    end_if_wrong(MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

/* Rank 0 waits for rank 1, which has given its block to another, which waits for nobody. */
static void aside(void)
{
    call_gather(rank == 1 ? 2 : 0);
    meet();
}

/* The same without a call that would show who is missing. */
static void aside_at_the_end(void)
{
    call_gather(rank == 1 ? 2 : 0);
}

static void aside_with_numbers(void)
{
    int root = rank == 1 ? 2 : 0;

    call("MPI_Reduce(count 1, MPI_INT, MPI_SUM, root %d)", root);
    end_if_wrong(MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    meet();
}

static void aside_with_a_request(void)
{
    int root = rank == 1 ? 2 : 0, all[8];
    MPI_Request request;

    call("MPI_Igather(count 1, MPI_INT, root %d)", root);
    MPI_Igather(in, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD, &request);
    end_if_wrong(MPI_Wait(&request, MPI_STATUS_IGNORE));
    meet();
}

/* ... and goes on for so long that what it called then is not known any more. */
static void far(void)
{
    enum { TIMES = 50 };

    call_gather(rank == 0 ? 0 : 3 - rank);
    for (int i = 0; i < TIMES && rank != 0; i++)
        gather(3 - rank);
    meet();
}

/* ... with messages for rank 0, which has no room for all of them: as many as one may be ahead. */
static void flood(void)
{
    enum { TIMES = 400 };

    call_gather(rank == 1 ? 2 : 0);
    call("MPI_Gather(count 1, MPI_INT, root %d)", 0);
    for (int i = 0; i < TIMES; i++)
        gather(0);
    meet();
}

/* Nobody is its own root, so nobody waits: it comes to light when messages are taken in. */
static void circle(void)
{
    call_gather((rank + 1) % size);
    meet();
}

static void derived(void)
{
    MPI_Datatype type;
    MPI_Op op;

    MPI_Type_contiguous(2 + is_last, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add_all, 1, &op);
    call("MPI_Allreduce(count 2, derived datatype of %d bytes, %d in all, user operation)",
         8 + 4 * is_last, 16 + 8 * is_last);
    end_if_wrong(MPI_Allreduce(in, out, 2, type, op, MPI_COMM_WORLD));
}

/* MPICH 4.0.2 compares unsigned numbers as signed ones: the library leaves that to it. */
static void unsigned_numbers(void)
{
    call("MPI_Allreduce(count 1, MPI_UNSIGNED, %s)", is_last ? "MPI_MIN" : "MPI_MAX");
    end_if_wrong(
        MPI_Allreduce(in, out, 1, MPI_UNSIGNED, is_last ? MPI_MIN : MPI_MAX, MPI_COMM_WORLD));
}

static void call_with(int count)
{
    static int from[LARGE + 1], into[LARGE + 1];

    call("MPI_Allreduce(count %d, MPI_INT, MPI_SUM)", count);
    end_if_wrong(MPI_Allreduce(from, into, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

static void large(void)
{
    call_with(is_last ? 1 : LARGE);
}

static void sizes(void)
{
    call_with(is_last ? LARGE + 1 : LARGE);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*play)(void);
    } scene[] = {{"aside", aside},
                 {"end", aside_at_the_end},
                 {"numbers", aside_with_numbers},
                 {"request", aside_with_a_request},
                 {"far", far},
                 {"flood", flood},
                 {"circle", circle},
                 {"leaf", leaf},
                 {"told", told},
                 {"again", again},
                 {"in-turns", in_turns},
                 {"left", left},
                 {"blocks", blocks},
                 {"roots", roots},
                 {"derived", derived},
                 {"unsigned", unsigned_numbers},
                 {"large", large},
                 {"sizes", sizes}};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    is_last = rank == size - 1;
    for (size_t i = 0; i < sizeof scene / sizeof *scene; i++)
        if (argc > 1 && strcmp(argv[1], scene[i].name) == 0)
            scene[i].play();
    MPI_Finalize();
    return 0;
}
