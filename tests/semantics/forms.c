#include "forms.h"

#include "../../include/ftcoll.h"

#include <stddef.h>

MPI_Request form_request = MPI_REQUEST_NULL;

int form_waited(int rv)
{
    return rv == MPI_SUCCESS ? MPI_Wait(&form_request, MPI_STATUS_IGNORE) : rv;
}

int form_started(int rv, int times)
{
    for (int i = 0; i < times && rv == MPI_SUCCESS; i++)
        rv = form_waited(MPI_Start(&form_request));
    if (form_request != MPI_REQUEST_NULL)
        MPI_Request_free(&form_request);
    return rv;
}

bool form_persistent_is_sane(int n)
{
    struct ftcoll_counters counters;

    return n > 1 && ftcoll_get_counters && ftcoll_get_counters(&counters) == 0;
}
