/* other: a program of another MPI (other_mpi.c). With -DOPENS it opens the library that it is told.
 */
#include "other_mpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef OPENS
static void *library;

static void *find(const char *name)
{
    void *found = dlsym(library, name);

    if (!found)
        fprintf(stderr, "other: no %s\n", name);
    return found;
}

static void find_function(const char *name, void *function)
{
    void *found = find(name);

    memcpy(function, &found, sizeof found);
}

#define FUNCTION(name)                                                                             \
    __typeof__(name) *call_##name;                                                                 \
    find_function(#name, &call_##name)
#define HANDLE(name) (struct handle *)find(#name)
#else
#define FUNCTION(name) __typeof__(name) *call_##name = name
#define HANDLE(name)   &name
#endif

int main(int argc, char **argv)
{
    int one = 41, sum = 0;

#ifdef OPENS
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 2;
#endif
    FUNCTION(MPI_Init);
    FUNCTION(MPI_Allreduce);
    FUNCTION(MPI_Finalize);
    call_MPI_Init(&argc, &argv);
    call_MPI_Allreduce(&one, &sum, 1, HANDLE(ompi_mpi_int), HANDLE(ompi_mpi_op_sum),
                       HANDLE(ompi_mpi_comm_world));
    printf("other: %d\n", sum);
    return call_MPI_Finalize();
}
