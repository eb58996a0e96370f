#include "unreachable.h"

#include "board/lease.h"
#include "job_end.h"
#include "library.h"

#include <stdio.h>

void ftc_unreachable_look(void)
{
    const struct ftc_library *l = &ftc_library;
    int ms = ftc_lease_patience_ms(&l->board, l->settings.unreachable_ms);
    int rank = ftc_transport_lost(&l->transport, ms);
    char there[FTC_BOARD_HOST_NAME], text[384];

    if (rank < 0)
        return;
    ftc_directory_host_name(&l->board, (uint32_t)rank, there);
    snprintf(
        text, sizeof text,
        "ftcoll: rank %d has had no connection to rank %d on host %s for %d ms (unreachable_ms = "
        "%d), although this host is not lost: the job ends; check the network between the two "
        "hosts",
        l->world_rank, rank, there, ms, l->settings.unreachable_ms);
    ftc_job_end(MPI_COMM_WORLD, 1, text);
}
