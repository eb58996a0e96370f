#include "start.h"

#include "communicator/attribute.h"
#include "communicator/communicator.h"
#include "communicator/lineage.h"
#include "communicator/spares.h"
#include "communicator/virtual_topology.h"
#include "ending.h"
#include "hosts.h"
#include "job_end.h"
#include "launcher.h"
#include "meeting.h"
#include "monitor/monitor.h"
#include "monitor/pmi.h"
#include "mpi/inside.h"
#include "mpi/polls.h"
#include "mpiexec/calls.h"
#include "net/fabric.h"
#include "net/lease.h"
#include "net/socket.h"
#include "new_communicators/abandonable.h"
#include "new_communicators/context.h"
#include "new_communicators/create.h"
#include "outside.h"
#include "p2p/p2p.h"
#include "program/coverage.h"
#include "program/fatal.h"
#include "program/native_call.h"
#include "program/native_yield.h"
#include "program/own_crash.h"
#include "progress/crash.h"
#include "progress/hooks.h"
#include "progress/link_thread.h"
#include "progress/queue.h"
#include "progress/recovery.h"
#include "progress/thread.h"
#include "progress/unexpected.h"
#include "progress/wait.h"
#include "reporting/record.h"
#include "reporting/report.h"
#include "system/lines.h"
#include "system/scheduling.h"
#include "value/datatype.h"
#include "windows/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static bool settings_loaded, mpi_has_begun;

static int rank_by_launcher(void)
{
    const char *rank = getenv("PMI_RANK");

    return rank ? atoi(rank) : 0;
}

enum {
    REFUSED = 2,         /* exit status of the job */
    SAME_ELSEWHERE_S = 1 /* time that rank 0 takes at most to refuse the same settings */
};

/* Ends the job before it starts if this is rank 0, whose settings hold for all ranks. On another
 * rank bad settings do not count, and get their defaults. Most often rank 0 has the same ones, so
 * another rank waits first: the launcher then ends it here, where it prints nothing. */
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
    ftc_mpi_open(NULL);
    ftc_pmi_speak(ftc_launcher_wire());
    ftc_pmi_abort(ftc_pmi_fd(), REFUSED, mpi_has_begun);
    _exit(REFUSED);
}

static void load_settings(void)
{
    struct ftc_settings_error error;

    settings_loaded = true;
    if (ftc_settings_load(&ftc_library.settings, &error) != 0)
        refuse_settings(error.text);
    if (!ftc_crash_parse(ftc_library.settings.crash, rank_by_launcher()))
        refuse_settings(FTC_CRASH_REFUSED);
}

__attribute__((constructor)) void ftc_load(void)
{
    static bool has_begun; /* written while the process has one thread */

    if (has_begun)
        return;
    has_begun = true;
    ftc_lines_remember_error();
    ftc_mpiexec_start();
    if (!ftc_monitor_is_rank())
        return;
    ftc_lease_read();
    if (ftc_mpi_linked() != FTC_MPI_NONE)
        ftc_lease_hide();
    if (ftc_mpi_linked() == FTC_MPI_OTHER)
        return;
    ftc_lines_keep_error();
    load_settings();
    ftc_socket_remember_launcher();
    ftc_inside_trust(ftc_library.settings.untested);
    ftc_p2p_prepare();
    ftc_ending_prepare();
    if (ftc_library.settings.enable &&
        (ftc_library.settings.monitor != FTC_MONITOR_TIMEOUT || ftc_launcher_has_other_hosts()))
        ftc_monitor_start();
}

/* Opens what there is beside TCP, if setting link wants it. Returns NULL if messages go by TCP.
 * With link = ucx the first rank of each host prints why. */
static struct ftc_fabric *fabric_of(enum ftc_link link)
{
    struct ftc_fabric *fabric = NULL;
    const char *why = "";

    if (link != FTC_LINK_TCP)
        fabric = ftc_fabric_open(link == FTC_LINK_UCX ? FTC_FABRIC_ANY : FTC_FABRIC_BETTER_THAN_TCP,
                                 &why);
    if (!fabric && link == FTC_LINK_UCX && ftc_hosts_is_first())
        ftc_lines_say("ftcoll: rank %d: link = ucx, but %s: messages go by TCP\n",
                      ftc_library.world_rank, why);
    return fabric;
}

static bool link_hosts(void)
{
    struct ftc_library *l = &ftc_library;

    return !ftc_board_has_other_hosts(&l->board) ||
           ftc_transport_link(&l->transport, ftc_hosts_link_listener(),
                              fabric_of(l->settings.link)) == 0;
}

static bool may_have_requests(const struct ftc_settings *s)
{
    return (s->intercept & FTC_INTERCEPT_NONBLOCKING) != 0;
}

/* Keeps what is set native where it relies on internals that are not known of this MPICH, and notes
 * what is lost without them. */
static void do_without_the_unknown(void)
{
    static const unsigned version_of_pmi[] = {[FTC_PMI_1] = 101, [FTC_PMI_2] = 200};
    struct ftc_settings *s = &ftc_library.settings;

    ftc_inside_trust(s->untested);
    ftc_inside_heard(version_of_pmi[ftc_pmi_spoken()]);
    ftc_inside_want(FTC_INSIDE_FINALIZE);
    if (ftc_pmi_fd() >= 0)
        ftc_inside_want(FTC_INSIDE_LAUNCHER);
    if (ftc_inside_has(FTC_INSIDE_ABANDON) && !ftc_abandonable_is_polled())
        ftc_inside_miss(FTC_INSIDE_ABANDON);
    if (s->communicators != FTC_COMMUNICATORS_NATIVE)
        ftc_inside_want(FTC_INSIDE_ABANDON);
    if (may_have_requests(s) || s->p2p != FTC_P2P_NATIVE)
        ftc_inside_want(FTC_INSIDE_REQUESTS);
    if (s->p2p != FTC_P2P_NATIVE && !ftc_inside_want(FTC_INSIDE_MESSAGES))
        s->p2p = FTC_P2P_NATIVE;
}

static void say_what_is_unknown(void)
{
    char text[2048];

    if (ftc_library.world_rank == 0 && ftc_inside_describe_missing(text, sizeof text))
        ftc_lines_say("ftcoll: %s\n", text);
}

/* Returns whether native calls are marked. The marks are for on_blocked, and show whether a thread
 * waits, for setting yield. */
static bool is_native_call_marked(const struct ftc_library *l)
{
    return (l->settings.on_blocked != FTC_ON_BLOCKED_OFF && !l->suspects) ||
           ftc_native_yield_is_on();
}

static bool prepare(void)
{
    struct ftc_library *l = &ftc_library;

    l->accuses = l->settings.monitor == FTC_MONITOR_TIMEOUT && ftc_board_has_other_hosts(&l->board);
    l->suspects = l->settings.monitor == FTC_MONITOR_TIMEOUT && !l->accuses;
    ftc_fatal_open();
    ftc_own_crash_open();
    ftc_coverage_open();
    ftc_report_open(&l->notice, &l->board, (uint32_t)l->world_rank, &l->settings);
    ftc_record_open(&l->notice);
    if (ftc_transport_open(&l->transport, &l->board, l->world_rank) != 0 || !link_hosts() ||
        ftc_unexpected_open(l->board.geometry.ranks, l->board.geometry.message_stride_bytes) != 0 ||
        ftc_recovery_open() != 0 || ftc_hooks_open() != 0 || ftc_facts_open() != MPI_SUCCESS ||
        ftc_wait_open() != MPI_SUCCESS)
        return false;
    ftc_native_yield_open(ftc_abandonable_follow_locks);
    if (is_native_call_marked(l) && ftc_native_call_open() != 0)
        return false;
    if (l->settings.communicators != FTC_COMMUNICATORS_NATIVE && ftc_context_open() != 0)
        return false;
    if (may_have_requests(&l->settings) && ftc_thread_open() != 0)
        return false;
    if ((l->settings.intercept & FTC_INTERCEPT_WIN_FREE) != 0 && ftc_window_open() != 0)
        return false;
    ftc_lineage_open();
    ftc_virtual_topology_open();
    ftc_spares_open();
    /* The link thread is started last, because the code above does not hold the lock. */
    return ftc_p2p_open() == 0 && ftc_comm_open(&ftc_queue_comm_callbacks) == 0 &&
           ftc_attribute_open() == 0 && ftc_comm_internal() != NULL &&
           (!l->transport.links || ftc_link_thread_open() == 0);
}

_Static_assert((int)FTC_TOLERATE_SIGNAL == 1 << FTC_DEATH_SIGNAL &&
                   (int)FTC_TOLERATE_EXIT == 1 << FTC_DEATH_EXIT &&
                   (int)FTC_TOLERATE_SILENCE == 1 << FTC_DEATH_SUSPECTED &&
                   (int)FTC_TOLERATE_HOST == 1 << FTC_DEATH_HOST,
               "what is not tolerated is forbidden");

static void show_forbidden_deaths(void)
{
    const struct ftc_settings *s = &ftc_library.settings;
    uint32_t forbidden = FTC_TOLERATE_ALL & ~(uint32_t)s->tolerate;

    if (ftc_settings_names_rank(s->critical_ranks, ftc_library.world_rank))
        forbidden |= FTC_FORBID_ANY;
    ftc_board_forbid(&ftc_library.board, ftc_library.world_rank, forbidden);
}

static bool attach_monitor(void)
{
    struct ftc_monitor_options options = {
        .threaded = ftc_library.threaded,
        .ends_silent = ftc_library.accuses,
        .settings = ftc_library.settings,
        .paths = *ftc_library.notice.paths,
    };

    show_forbidden_deaths();
    return ftc_library.suspects || ftc_monitor_attach(&ftc_library.board, ftc_library.world_rank,
                                                      ftc_hosts_query_listener(), &options) == 0;
}

static bool lacks_a_function(void)
{
    const char *missing = ftc_mpi_missing();

    if (missing && ftc_library.world_rank == 0)
        ftc_lines_say("ftcoll: not protected: the program's MPI library, %s, has no %s\n",
                      ftc_loaded_name(ftc_mpi_object()), missing);
    return missing != NULL;
}

void ftc_start_prepare(void)
{
    if (ftc_library.settings.enable)
        ftc_polls_open(ftc_abandonable_poll);
}

void ftc_start(void)
{
    struct ftc_library *l = &ftc_library;
    int provided = MPI_THREAD_MULTIPLE;

    mpi_has_begun = true;
    ftc_lease_hide(); /* also in a program that has loaded MPI itself */
    ftc_pmi_speak(ftc_launcher_wire());
    if (!settings_loaded)
        load_settings();
    PMPI_Comm_rank(MPI_COMM_WORLD, &l->world_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &l->world_size);
    if (l->world_size == 1)
        ftc_outside_look_at_singleton();
    if (!l->settings.enable || l->world_size == 1 || lacks_a_function())
        return;
    PMPI_Query_thread(&provided);
    l->threaded = l->locked = l->interleaved = provided == MPI_THREAD_MULTIPLE;
    if (!ftc_meeting_open())
        return;
    do_without_the_unknown();
    if (l->oversubscribed)
        ftc_scheduling_ask_for_short_slice();
    if (!ftc_meeting_close(prepare() && attach_monitor() && ftc_ending_open()))
        return;
    say_what_is_unknown();
    l->state = FTC_LIBRARY_ACTIVE;
    ftc_p2p_start();
    ftc_new_communicators_start();
}
