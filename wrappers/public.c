/* Functions of include/ftcoll.h. */
#include "../include/ftcoll.h"

#include "board/rank_state.h"
#include "communicator/attribute.h"
#include "communicator/communicator.h"
#include "communicator/group.h"
#include "library.h"
#include "program/coverage.h"
#include "progress/running.h"

#include <stdlib.h>

const char *ftcoll_version(void)
{
    return FTCOLL_VERSION;
}

/* Returns how many of the @size ranks are dead, and writes the first @max of them to @ranks. Only
 * ranks of MPI_COMM_WORLD count. */
static int count_failed(const int *world_rank, int size, int max, int ranks[])
{
    const struct ftc_library *l = &ftc_library;
    int count = 0;

    for (int i = 0; i < size; i++) {
        if (world_rank[i] < 0 || world_rank[i] >= l->world_size ||
            !ftc_board_is_dead(&l->board, world_rank[i]))
            continue;
        if (count < max)
            ranks[count] = i;
        count++;
    }
    return count;
}

/* Makes no record of @comm: a query by one rank must not count as its first use
 * (communicator.h). */
int ftcoll_failed_ranks(MPI_Comm comm, int max, int ranks[])
{
    int size = 0, count = 0, *world_rank;

    if (comm == MPI_COMM_NULL || max < 0 || (max > 0 && !ranks))
        return -1;
    if (ftc_library.state != FTC_LIBRARY_ACTIVE)
        return 0;
    world_rank = ftc_group_world_ranks_of(comm, &size);
    if (world_rank)
        count = count_failed(world_rank, size, max, ranks);
    free(world_rank);
    return count;
}

/* Makes no record of @comm either. A communicator that has not been used has no result. */
int ftcoll_contributors(MPI_Comm comm, int max, int ranks[])
{
    struct ftc_comm *c;
    int count = 0;

    if (comm == MPI_COMM_NULL || max < 0 || (max > 0 && !ranks))
        return -1;
    if (ftc_library.state != FTC_LIBRARY_ACTIVE)
        return 0;
    c = ftc_attribute_get(comm, FTC_SECTION_COMM);
    if (!c || !c->running || !c->running->has_contributors)
        return 0;
    for (int rank = 0; rank < c->size; rank++) {
        if (!c->running->contributors[rank])
            continue;
        if (count < max)
            ranks[count] = rank;
        count++;
    }
    return count;
}

int ftcoll_get_counters(struct ftcoll_counters *counters)
{
    if (ftc_library.state != FTC_LIBRARY_ACTIVE || !counters)
        return -1;
    ftc_coverage_sums(&counters->protected_calls, &counters->native_calls);
    counters->messages = ftc_library.messages_sent;
    counters->failures = ftc_board_deaths(&ftc_library.board);
    return 0;
}
