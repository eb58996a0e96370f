/* include/ftcoll.h */
#include "../include/ftcoll.h"

#include "../shim/comm.h"
#include "../shim/report.h"

const char *ftcoll_version(void)
{
    return FTCOLL_VERSION;
}

static int count_failed(const struct ftc_comm *c, int max, int ranks[])
{
    int count = 0;

    for (int i = 0; i < c->size; i++) {
        if (ftc_board_state(&ftc_library.board, c->slot[i]) != FTC_RANK_FAILED)
            continue;
        if (count < max)
            ranks[count] = i;
        count++;
    }
    return count;
}

int ftcoll_failed_ranks(MPI_Comm comm, int max, int ranks[])
{
    const struct ftc_comm *c;
    int count = 0;

    if (comm == MPI_COMM_NULL || max < 0 || (max > 0 && !ranks))
        return -1;
    if (ftc_library.state != FTC_LIBRARY_ACTIVE)
        return 0;
    ftc_library_lock();
    c = ftc_comm_get(comm);
    if (c && c->pass == FTC_PASS_NONE)
        count = count_failed(c, max, ranks);
    ftc_library_unlock();
    return count;
}

int ftcoll_get_counters(struct ftcoll_counters *counters)
{
    if (ftc_library.state != FTC_LIBRARY_ACTIVE || !counters)
        return -1;
    ftc_report_count(&counters->protected_calls, &counters->native_calls);
    counters->messages = ftc_library.messages_sent;
    counters->failures = atomic_load(&ftc_library.board.shared->deaths);
    return 0;
}
