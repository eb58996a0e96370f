#include "report_json.h"

#include "board/directory.h"
#include "include/ftcoll.h"
#include "system/clock.h"

#include <limits.h>
#include <unistd.h>

/* A monitor process was forked from the program, and has its file. */
static void add_program(struct ftc_json *j)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    path[length > 0 ? length : 0] = '\0';
    ftc_json_add_text(j, "program", length > 0 ? path : NULL);
}

static void add_writer(struct ftc_json *j, const struct ftc_report_head *head)
{
    char host[FTC_BOARD_HOST_NAME];

    ftc_directory_host_name(head->board, head->writer.rank, host);
    ftc_json_open_object(j, "writer");
    ftc_json_add_number(j, "rank", head->writer.rank);
    ftc_json_add_bool(j, "is_monitor_process", !head->writer.is_rank);
    ftc_json_add_text(j, "host", host);
    ftc_json_close(j);
}

void ftc_report_json_begin(struct ftc_json *j, FILE *f, const struct ftc_report_head *head)
{
    ftc_json_begin(j, f);
    ftc_json_open_object(j, NULL);
    ftc_json_add_text(j, "ftcoll", "report");
    ftc_json_add_number(j, "schema", FTC_REPORT_SCHEMA);
    ftc_json_add_text(j, "version", FTCOLL_VERSION);
    ftc_json_add_time(j, "time", ftc_clock_utc());
    add_program(j);
    add_writer(j, head);
    ftc_json_add_bool(j, "ended_early", head->is_early);
    ftc_json_add_number(j, "ranks", head->board->geometry.ranks);
    ftc_json_add_number(j, "failed", head->failed);
    ftc_json_add_number(j, "f", head->f);
    ftc_json_add_text(j, "failure_domain", head->hosts_fail ? "host" : "rank");
}
