#include "past.h"

#include "../../shim/system/loaded.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library does not stand before MPI_Get_version. */
void past_library(const char *name, void *function)
{
    struct ftc_loaded mpi;
    void *version = dlsym(RTLD_DEFAULT, "MPI_Get_version"), *found = NULL;

    if (version && ftc_loaded_around(version, &mpi))
        found = ftc_loaded_function(&mpi, name);
    if (!found) {
        fprintf(stderr, "the MPI library has no %s\n", name);
        exit(1);
    }
    memcpy(function, &found, sizeof found);
}
