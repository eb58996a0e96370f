/* levels: each way to start MPI, and what MPI says of itself before and after.
 *
 *     levels DIRECTORY init|single|funneled|serialized|multiple */
#include "output.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int level;
} levels[] = {{"single", MPI_THREAD_SINGLE},
              {"funneled", MPI_THREAD_FUNNELED},
              {"serialized", MPI_THREAD_SERIALIZED},
              {"multiple", MPI_THREAD_MULTIPLE}};

static int rank;

static void start(const char *how)
{
    int provided = -1, queried = -1, is_main = -1;

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i].name, how) == 0)
            MPI_Init_thread(NULL, NULL, levels[i].level, &provided);
    if (provided == -1)
        MPI_Init(NULL, NULL);
    MPI_Query_thread(&queried);
    MPI_Is_thread_main(&is_main);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    output_line("%s: provided %d, queried %d, main thread %d", how, provided, queried, is_main);
}

static void reduce(const char *what)
{
    int mine = 1 << rank, all = 0,
        rv = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD);

    output_result(what, rv, &all, sizeof all);
}

static void *work(void *directory)
{
    output_open(directory, "thread", rank);
    reduce("allreduce in another thread");
    output_close();
    return NULL;
}

/* A thread that is not the one that started MPI, while that one waits */
static void reduce_in_thread(char *directory)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, directory);
    pthread_join(thread, NULL);
}

static void state(const char *when)
{
    int initialized = -1, finalized = -1;

    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    output_line("%s: initialized %d, finalized %d", when, initialized, finalized);
}

int main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "init", *number = getenv("PMI_RANK");

    output_open(argc > 1 ? argv[1] : ".", "rank", number ? atoi(number) : 0);
    state("before");
    start(how);
    state("between");
    reduce("allreduce");
    if (strcmp(how, "serialized") == 0 || strcmp(how, "multiple") == 0)
        reduce_in_thread(argv[1]);
    reduce("allreduce");
    output_line("finalize: %s", output_class(MPI_Finalize()));
    state("after");
    output_close();
    return 0;
}
