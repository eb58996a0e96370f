/* workers: a master hands out tasks by messages; they count primes together. When a worker dies,
 * the master gives its task to another: that is all that it has to know of failures. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MASTER = 0, TASKS = 400, NUMBERS = 5000, NO_TASK = -1, REPORT_EVERY = 20 };

static int is_prime(int number)
{
    for (int i = 2; i * i <= number; i++)
        if (number % i == 0)
            return 0;
    return number > 1;
}

static int primes_of(int task)
{
    int count = 0;

    for (int number = task * NUMBERS; number < (task + 1) * NUMBERS; number++)
        count += is_prime(number);
    return count;
}

/* ---- worker ---- */

static void work(void)
{
    int task, count;

    for (;;) {
        if (MPI_Recv(&task, 1, MPI_INT, MASTER, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) !=
                MPI_SUCCESS ||
            task == NO_TASK)
            return;
        count = primes_of(task);
        MPI_Send(&count, 1, MPI_INT, MASTER, 0, MPI_COMM_WORLD);
    }
}

/* ---- master ---- */

static int waiting[TASKS], waiting_count; /* tasks that nobody has */
static int *task_of;                      /* by worker */

/* The next task to @worker, which may have died. */
static void hand_out(int worker)
{
    task_of[worker] = waiting_count > 0 ? waiting[--waiting_count] : NO_TASK;
    if (MPI_Send(&task_of[worker], 1, MPI_INT, worker, 0, MPI_COMM_WORLD) != MPI_SUCCESS &&
        task_of[worker] != NO_TASK) {
        waiting[waiting_count++] = task_of[worker];
        task_of[worker] = NO_TASK;
    }
}

/* A worker without a task, when there are tasks again. */
static void wake_another(int workers)
{
    for (int w = 1; w <= workers && waiting_count > 0; w++)
        if (task_of[w] == NO_TASK)
            hand_out(w);
}

static int lead(int workers)
{
    int done = 0, primes = 0, count;
    MPI_Status status;

    task_of = calloc((size_t)workers + 1, sizeof *task_of);
    while (waiting_count < TASKS) {
        waiting[waiting_count] = waiting_count;
        waiting_count++;
    }
    for (int w = 1; w <= workers; w++)
        hand_out(w);
    while (done < TASKS) {
        if (MPI_Recv(&count, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status) ==
            MPI_SUCCESS) {
            primes += count;
            if (++done % REPORT_EVERY == 0) {
                printf("%d tasks done\n", done);
                fflush(stdout);
            }
            task_of[status.MPI_SOURCE] = NO_TASK;
            if (waiting_count > 0)
                hand_out(status.MPI_SOURCE);
        } else if (task_of[status.MPI_SOURCE] != NO_TASK) {
            printf("worker %d is dead, task %d goes to another\n", status.MPI_SOURCE,
                   task_of[status.MPI_SOURCE]);
            waiting[waiting_count++] = task_of[status.MPI_SOURCE];
            task_of[status.MPI_SOURCE] = NO_TASK - 1; /* it gets none */
            wake_another(workers);
        }
    }
    for (int w = 1; w <= workers; w++)
        hand_out(w);
    free(task_of);
    return primes;
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == MASTER)
        printf("%d primes below %d\n", lead(size - 1), TASKS * NUMBERS);
    else
        work();
    MPI_Finalize();
    return 0;
}
