/* names: a program that needs each kind of name that the library stands before, and none of the
 * library's. Those of the C library are linked with versions. It does nothing with them: bound at
 * its start (LD_BIND_NOW), the dynamic linker says from where (LD_DEBUG=bindings). */
#include <assert.h>
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/uio.h>

static void *return_it(void *argument)
{
    return argument;
}

static int use_all(int argc)
{
    struct iovec piece = {&argc, sizeof argc};
    pthread_t thread;
    int sum = argc;

    assert(argc > 1);
    MPI_Allreduce(&argc, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(&argc, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (process_vm_readv(1, &piece, 1, &piece, 1, 0) < 0 ||
        process_vm_writev(1, &piece, 1, &piece, 1, 0) < 0)
        abort();
    if (!dlsym(RTLD_DEFAULT, "main"))
        exit(sum);
    pthread_create(&thread, NULL, return_it, NULL);
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? use_all(argc) : 0;
}
