/* opened: a program that is not linked with MPI and opens it itself.
 *
 *     opened LIBRARY FLAGS        asks for MPI's functions in LIBRARY; FLAGS of local, global,
 * deep, now opened MODULE FLAGS module  calls run() of MODULE, which is linked with MPI, as the
 * extension modules of interpreters are (-DMODULE) opened absent               asks whether it has
 * MPI: it has not
 *
 * Rank 1 kills itself halfway. */
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 20 };

struct mpi {
    __typeof__(MPI_Init) *Init;
    __typeof__(MPI_Comm_rank) *Comm_rank;
    __typeof__(MPI_Allreduce) *Allreduce;
    __typeof__(MPI_Finalize) *Finalize;
};

static int run_with(const struct mpi *mpi)
{
    int rank, one = 1, sum = 0;

    mpi->Init(NULL, NULL);
    mpi->Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < TURNS; i++) {
        if (rank == 1 && i == TURNS / 2)
            raise(SIGKILL);
        mpi->Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("opened: rank %d: %d in the last sum\n", rank, sum);
    fflush(stdout);
    return mpi->Finalize();
}

#ifdef MODULE

int run(void);

int run(void)
{
    struct mpi mpi = {MPI_Init, MPI_Comm_rank, MPI_Allreduce, MPI_Finalize};

    return run_with(&mpi);
}

#else

static void need(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    if (!found) {
        fprintf(stderr, "opened: no %s: %s\n", name, dlerror());
        exit(3);
    }
    memcpy(function, &found, sizeof found);
}

static int flags_of(const char *text)
{
    return (strstr(text, "global") ? RTLD_GLOBAL : RTLD_LOCAL) |
           (strstr(text, "deep") ? RTLD_DEEPBIND : 0) |
           (strstr(text, "now") ? RTLD_NOW : RTLD_LAZY);
}

static int run_module(void *library)
{
    int (*run)(void);

    need(library, "run", &run);
    return run();
}

int main(int argc, char **argv)
{
    struct mpi mpi;
    void *library;

    if (argc < 3) {
        printf("opened: MPI is %s\n", dlsym(RTLD_DEFAULT, "MPI_Init") ? "there" : "absent");
        return 0;
    }
    library = dlopen(argv[1], flags_of(argv[2]));
    if (!library) {
        fprintf(stderr, "opened: %s\n", dlerror());
        return 2;
    }
    if (argc > 3)
        return run_module(library);
    need(library, "MPI_Init", &mpi.Init);
    need(library, "MPI_Comm_rank", &mpi.Comm_rank);
    need(library, "MPI_Allreduce", &mpi.Allreduce);
    need(library, "MPI_Finalize", &mpi.Finalize);
    return run_with(&mpi);
}

#endif
