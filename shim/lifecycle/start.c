#include "start.h"

#include "board/publication.h"
#include "communicator/communicator.h"
#include "communicator/lineage.h"
#include "detector/silence.h"
#include "ending.h"
#include "job_end.h"
#include "monitor/monitor.h"
#include "monitor/pmi.h"
#include "p2p/p2p.h"
#include "program/error.h"
#include "program/fatal.h"
#include "program/native.h"
#include "progress/crash.h"
#include "progress/drive.h"
#include "progress/queue.h"
#include "progress/recovery.h"
#include "progress/thread.h"
#include "progress/unexpected.h"
#include "progress/wait.h"
#include "report/coverage.h"
#include "report/record.h"
#include "report/report.h"
#include "system/clock.h"
#include "system/scheduling.h"
#include "value/broadcast.h"
#include "value/contributors.h"
#include "value/datatype.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    ENTRIES =
        4096, /* communicators of a rank, more than MPICH allows; untouched ones take no memory */
    RING_DEPTH = 16, /* one operation needs at most four from one rank to another, each attempt */
    NONBLOCKING = FTC_INTERCEPT_IREDUCE | FTC_INTERCEPT_IALLREDUCE,
};

static bool settings_loaded;
static struct ftc_settings_error passed_over; /* files that are not trusted; empty: none */

static int rank_by_launcher(void)
{
    const char *rank = getenv("PMI_RANK");

    return rank ? atoi(rank) : 0;
}

enum {
    REFUSED = 2,         /* the job's exit status */
    SAME_ELSEWHERE_S = 1 /* what rank 0 takes at most to refuse the same settings */
};

/* Bad settings of rank 0 end the job before it starts. Those of another rank do not count, bad or
 * not; but most often they are rank 0's as well, and then the launcher ends this rank here, where
 * it cannot complain about that. */
static void refuse_settings(const char *why)
{
    struct ftc_settings_error none;
    char text[sizeof none.text + 16];

    if (rank_by_launcher() != 0) {
        nanosleep(&(struct timespec){.tv_sec = SAME_ELSEWHERE_S}, NULL);
        ftc_settings_parse_buffer("", 0, &ftc_library.settings, &none);
        return;
    }
    snprintf(text, sizeof text, "ftcoll: %s", why);
    ftc_job_end_say_last_words(text);
    ftc_pmi_abort(ftc_pmi_fd(), REFUSED);
    _exit(REFUSED);
}

static void load_settings(void)
{
    settings_loaded = true;
    if (ftc_settings_load(&ftc_library.settings, &passed_over) != 0)
        refuse_settings(passed_over.text);
    if (!ftc_crash_parse(ftc_library.settings.crash, rank_by_launcher()))
        refuse_settings(
            "crash is not understood; allowed: RANK:OPERATION:POINT with commas between "
            "them, POINT being bN (before the Nth send), aN (after it) or end");
}

/* Runs in everything that is started with the library preloaded: whatever is no MPI rank is left
 * alone. */
__attribute__((constructor)) static void load(void)
{
    if (!ftc_monitor_is_rank())
        return;
    load_settings();
    ftc_p2p_prepare();
    if (ftc_library.settings.enable && ftc_library.settings.monitor != FTC_MONITOR_TIMEOUT)
        ftc_monitor_start();
}

static void say(const char *text)
{
    if (ftc_library.world_rank == 0)
        fprintf(stderr, "ftcoll: not protected: %s\n", text);
}

/* The first rank of those tells why. */
static void say_who_has_no_monitor(void)
{
    int mine = ftc_monitor_present() ? INT_MAX : ftc_library.world_rank, first;

    PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == ftc_library.world_rank)
        fprintf(
            stderr,
            "ftcoll: not protected: rank %d has no monitor process: %s; monitor = timeout works "
            "without\n",
            first, ftc_monitor_absence());
}

/* True if @here is true on all ranks. */
static bool everywhere(bool here)
{
    int mine = here, all = 0;

    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

/* A rank that was started without the library, or with enable = 0, does not come. */
static void say_who_waits(void)
{
    const struct ftc_settings *s = &ftc_library.settings;
    bool ends = s->on_blocked == FTC_ON_BLOCKED_ABORT;

    char text[256];

    if (s->on_blocked == FTC_ON_BLOCKED_OFF)
        return;
    snprintf(
        text, sizeof text,
        "ftcoll: rank %d has been waiting in MPI_Init for %.1f s, because other ranks have not "
        "come; all ranks must be started with the library and the same setting enable%s",
        ftc_library.world_rank, s->blocked_ms / 1e3,
        ends ? "; on_blocked = abort ends the job" : "");
    if (ends)
        ftc_job_end(MPI_COMM_WORLD, 1, text);
    else
        fprintf(stderr, "%s\n", text);
}

static void say_which_critical_rank_is_none(void)
{
    int highest = ftc_settings_highest_rank(ftc_library.settings.critical_ranks);

    if (ftc_library.world_rank == 0 && highest >= ftc_library.world_size)
        fprintf(stderr, "ftcoll: critical_ranks names rank %d, and there are ranks 0 to %d only\n",
                highest, ftc_library.world_size - 1);
}

static void wait_for_all_to_come(void)
{
    const long deadline_ms = ftc_clock_ms() + ftc_library.settings.blocked_ms;
    bool told = false;
    MPI_Request request;
    int done = 0;

    PMPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (PMPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
         PMPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
        sched_yield();
        if (told || ftc_clock_ms() < deadline_ms)
            continue;
        told = true;
        say_who_waits();
    }
}

/* The job's processes can have started with different environments: rank 0's settings are
 * everybody's. */
static void share_settings(void)
{
    PMPI_Bcast(&ftc_library.settings, (int)sizeof ftc_library.settings, MPI_BYTE, 0,
               MPI_COMM_WORLD);
}

/* Cores that the ranks of this host have together: a launcher may have bound each to its own. */
static int cores(void)
{
    cpu_set_t own, all;

    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own) != 0)
        CPU_ZERO(&own);
    PMPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    return CPU_COUNT(&all);
}

struct board_address {
    int pid, fd;
    uint64_t key[2];
};

static bool needs_contributors(void)
{
    const struct ftc_settings *s = &ftc_library.settings;

    return s->record_file[0] != '\0' || s->require_all != 0 || s->require_all_at[0] != '\0';
}

static size_t max_value_bytes(int ranks)
{
    size_t data = (size_t)ftc_library.settings.max_bytes;
    size_t broadcast = ftc_broadcast_value_bytes(data);
    size_t reduction = ftc_contributors_bytes(ranks) + data;

    return broadcast > reduction ? broadcast : reduction;
}

static struct ftc_board_geometry geometry(int ranks)
{
    size_t max_bytes = max_value_bytes(ranks);

    return (struct ftc_board_geometry){
        .slots = (uint32_t)ranks,
        .entries = ENTRIES,
        .entry_stride_bytes = ftc_publication_stride(max_bytes),
        .ring_depth = RING_DEPTH,
        .message_stride_bytes = ftc_transport_message_stride(max_bytes),
        .sites = ftc_library.settings.report >= FTC_REPORT_COVERAGE ? FTC_COVERAGE_SITES : 0,
    };
}

static bool create_board(struct board_address *address)
{
    struct ftc_board_geometry g = geometry(ftc_library.world_size);
    int rv = ftc_board_create(&ftc_library.board, &g);

    if (rv != 0) {
        fprintf(stderr, "ftcoll: cannot create the board: %s\n", strerror(-rv));
        return false;
    }
    address->pid = (int)getpid();
    address->fd = ftc_library.board.fd;
    memcpy(address->key, ftc_library.board.shared->key, sizeof address->key);
    return true;
}

static bool join_board(const struct board_address *address)
{
    int rv = ftc_board_open(&ftc_library.board, address->pid, address->fd, address->key);

    if (rv != 0)
        fprintf(stderr, "ftcoll: rank %d cannot open the board of process %d: %s\n",
                ftc_library.world_rank, address->pid, strerror(-rv));
    return rv == 0;
}

/* Slots are numbered by world rank: all ranks are on one host. */
static bool open_board(void)
{
    struct board_address address = {0};
    bool here = true;

    if (ftc_library.world_rank == 0)
        here = create_board(&address);
    if (!everywhere(here))
        return false;
    PMPI_Bcast(&address, (int)sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (ftc_library.world_rank != 0)
        here = join_board(&address);
    return everywhere(here);
}

static bool prepare(void)
{
    struct ftc_library *l = &ftc_library;

    if (PMPI_Comm_dup(MPI_COMM_WORLD, &l->silent_comm) != MPI_SUCCESS ||
        PMPI_Comm_set_errhandler(l->silent_comm, MPI_ERRORS_RETURN) != MPI_SUCCESS)
        return false;
    l->slot_of_world = malloc((size_t)l->world_size * sizeof *l->slot_of_world);
    if (!l->slot_of_world)
        return false;
    for (int i = 0; i < l->world_size; i++)
        l->slot_of_world[i] = (uint32_t)i;
    l->suspects = l->settings.monitor == FTC_MONITOR_TIMEOUT;
    ftc_fatal_open();
    ftc_coverage_open();
    ftc_record_open();
    ftc_report_open();
    if (ftc_transport_open(&l->transport, &l->board, l->self) != 0 ||
        ftc_early_open(l->board.geometry.slots, l->board.geometry.message_stride_bytes) != 0 ||
        ftc_recovery_open() != 0 || ftc_facts_open() != MPI_SUCCESS)
        return false;
    if (l->settings.on_blocked != FTC_ON_BLOCKED_OFF && !l->suspects && ftc_native_open() != 0)
        return false;
    if ((l->settings.intercept & NONBLOCKING) != 0 && ftc_helper_open() != 0)
        return false;
    return ftc_p2p_open() == 0 && ftc_birth_open() && ftc_comm_open(&ftc_queue_keeper) == 0 &&
           ftc_comm_internal() != NULL;
}

static bool attach_monitor(void)
{
    const struct ftc_settings *s = &ftc_library.settings;
    struct ftc_monitor_options options = {
        .failure_exit_status = s->failure_exit_status,
        .max_failed = s->max_failed,
        .critical = ftc_settings_names_rank(s->critical_ranks, ftc_library.world_rank),
        .on_blocked = (int32_t)s->on_blocked,
        .blocked_ms = s->blocked_ms,
    };

    return ftc_library.suspects ||
           ftc_monitor_attach(&ftc_library.board, ftc_library.self, &options) == 0;
}

static void describe_self(void)
{
    struct ftc_board_slot *own = &ftc_library.board.shared->slot[ftc_library.self];

    atomic_store(&own->pid, (int)getpid());
    atomic_store(&own->world_rank, ftc_library.world_rank);
}

/* From here on a death is tolerated; until everybody is here it ends the job, as it does natively.
 */
static void wait_until_all_are_ready(void)
{
    struct ftc_board_shared *shared = ftc_library.board.shared;

    ftc_board_advance(&ftc_library.board, ftc_library.self, FTC_RANK_RUNNING);
    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->ready) < ftc_library.board.geometry.slots)
        sched_yield();
    ftc_library.state = FTC_LIBRARY_ACTIVE;
    ftc_p2p_start();
}

static bool is_one_host(void)
{
    MPI_Comm host;
    int size = 0;

    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    PMPI_Comm_size(host, &size);
    PMPI_Comm_free(&host);
    return size == ftc_library.world_size;
}

void ftc_runtime_start(int provided)
{
    struct ftc_library *l = &ftc_library;

    if (!settings_loaded)
        load_settings();
    PMPI_Comm_rank(MPI_COMM_WORLD, &l->world_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &l->world_size);
    if (!l->settings.enable || l->world_size == 1)
        return;
    if (l->world_rank == 0 && passed_over.text[0] != '\0')
        fprintf(stderr, "ftcoll: %s\n", passed_over.text);
    l->self = (uint32_t)l->world_rank;
    if (ftc_ending_has_sessions()) /* the first of all has decided for MPI_Init too */
        PMPI_Query_thread(&provided);
    l->threaded = l->locked = provided == MPI_THREAD_MULTIPLE;
    wait_for_all_to_come();
    share_settings();
    ftc_contributors_open(needs_contributors());
    if (l->settings.crash[0] != '\0' && l->world_rank == 0)
        fprintf(stderr, "ftcoll: fault injection: crash = %s\n", l->settings.crash);
    ftc_crash_parse(l->settings.crash, l->world_rank);
    say_which_critical_rank_is_none();
    l->oversubscribed = l->world_size > cores();
    if (l->oversubscribed)
        ftc_ask_for_short_slice();
    if (!is_one_host()) {
        say("the ranks are on more than one host");
    } else if (!everywhere(ftc_monitor_present() || l->settings.monitor == FTC_MONITOR_TIMEOUT)) {
        say_who_has_no_monitor();
    } else if (!open_board()) {
        say("no board");
    } else {
        describe_self();
        if (everywhere(prepare() && attach_monitor() && ftc_ending_open()))
            wait_until_all_are_ready();
        else
            say("no memory, or no answer from a monitor process");
    }
}
