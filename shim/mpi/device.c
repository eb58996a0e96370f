#include "device.h"

#include "mpi_library.h"

#include <dlfcn.h>
#include <stddef.h>

typedef int (*query_any)(int kind, int *is_supported);
typedef int (*query_one)(void);

/* Finds the function @name. A library that precedes the MPI library may answer for it. */
static void *find(const char *name)
{
    void *found = ftc_loaded_dlsym(RTLD_DEFAULT, name);

    return found ? found : ftc_loaded_function(ftc_mpi_object(), name);
}

/* Returns whether any of MPIX_GPU_SUPPORT_CUDA, _ZE and _HIP of <mpi.h> (0 to 2) is supported. */
static bool any_kind(query_any ask)
{
    for (int kind = 0; kind < 3; kind++) {
        int is_supported = 0;

        if (ask(kind, &is_supported) == MPI_SUCCESS && is_supported)
            return true;
    }
    return false;
}

bool ftc_device_buffers_are_taken(void)
{
    static const char *const one[] = {"MPIX_Query_cuda_support", "MPIX_Query_hip_support",
                                      "MPIX_Query_ze_support"};
    query_any any = (query_any)find("MPIX_GPU_query_support");

    if (any && any_kind(any))
        return true;
    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++) {
        query_one ask = (query_one)find(one[i]);

        if (ask && ask())
            return true;
    }
    return false;
}
