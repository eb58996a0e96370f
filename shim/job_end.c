#include "job_end.h"

#include "board/end_of_job.h"
#include "board/rank_state.h"
#include "library.h"
#include "monitor/monitor.h"
#include "reporting/report.h"
#include "system/lines.h"

#include <time.h>
#include <unistd.h>

enum { AWAITED_MS = 5000, NS_OF_MS = 1000000 };

/* Prints by one write(), because all ranks may print at once and fprintf() of glibc 2.41 writes a
 * line in parts of 128 bytes. */
void ftc_job_end_say_last_words(const char *text)
{
    ftc_lines_say("%s\n", text);
    ftc_lines_await_reader(ftc_lines_error());
}

MPI_Comm ftc_job_end_comm(MPI_Comm comm)
{
    const struct ftc_board *board = &ftc_library.board;

    return ftc_board_is_open(board) && ftc_board_deaths(board) > 0 ? MPI_COMM_WORLD : comm;
}

/* Writes the report itself only without a monitor process; otherwise that process writes it. */
void ftc_job_end_prepare(void)
{
    if (ftc_library.suspects && ftc_library.state == FTC_LIBRARY_ACTIVE)
        ftc_report_write_early(&ftc_library.notice);
    ftc_monitor_stand_down();
}

/* Exits after the abort, which on MPI_COMM_WORLD returns in MPICH 4.2 and 5.0, but not in
 * 4.0. The program would then continue until the launcher kills it. */
void ftc_job_end(MPI_Comm comm, int status, const char *text)
{
    ftc_job_end_say_last_words(text);
    ftc_job_end_prepare();
    PMPI_Abort(ftc_job_end_comm(comm), status);
    ftc_job_end_await(true);
    _exit(status);
}

void ftc_job_end_no_memory(const char *what)
{
    char text[128];

    snprintf(text, sizeof text, "ftcoll: rank %d: no memory for %s", ftc_library.world_rank, what);
    ftc_job_end(MPI_COMM_WORLD, MPI_ERR_NO_MEM, text);
}

void ftc_job_end_await(bool is_due)
{
    const struct ftc_board *board = &ftc_library.board;

    for (int i = 0; i < AWAITED_MS && (is_due || ftc_end_of_job_is_said(board)); i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS}, NULL);
}
