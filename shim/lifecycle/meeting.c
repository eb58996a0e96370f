#include "meeting.h"

#include "board/bulk.h"
#include "board/lease.h"
#include "board/presence.h"
#include "board/rank_state.h"
#include "board_listener.h"
#include "geometry.h"
#include "hosts.h"
#include "job_end.h"
#include "launcher.h"
#include "library.h"
#include "monitor/monitor.h"
#include "monitor/pmi.h"
#include "mpi/device.h"
#include "net/lease.h"
#include "progress/crash.h"
#include "protocols/rounds.h"
#include "protocols/segmented.h"
#include "system/address_space.h"
#include "system/lines.h"
#include "system/stopwatch.h"
#include "value/contributors.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Message that rank 0 broadcasts. */
struct announcement {
    struct ftc_settings settings;
    struct ftc_board_address board; /* the board of a job on one host */
    int hosts;                      /* 0: unknown */
    bool has_key;
    uint64_t key[2];        /* of connections between hosts */
    enum ftc_pmi_wire wire; /* form in which the launcher has answered */
};

#define NOT_PREPARED "no memory, or no answer from a monitor process"

static void say(const char *text)
{
    if (ftc_library.world_rank == 0)
        ftc_lines_say("ftcoll: not protected: %s\n", text);
}

/* ---- waiting ---- */

enum { NAP_MIN_NS = 20000, NAP_MAX_NS = 1000000, NAP_SHARE = 8 /* of the time waited so far */ };

struct patience {
    struct ftc_stopwatch stopwatch;
    bool is_over; /* blocked_ms have passed, and that was reported */
};

static uint64_t waited_ns(struct patience *p)
{
    return ftc_stopwatch_elapsed_ns(&p->stopwatch, NAP_MAX_NS);
}

static bool has_waited_for(struct patience *patience, int ms)
{
    return waited_ns(patience) >= (uint64_t)ms * 1000000u;
}

/* Returns the first rank of this host that has not come as far as this one; -1 if that is not
 * known. The broadcast reaches some ranks through such a rank, but these have higher numbers. */
static int missing_rank(void)
{
    const struct ftc_board *b = &ftc_library.board;

    for (uint32_t i = 0; ftc_board_is_open(b) && i < b->geometry.ranks; i++)
        if (ftc_board_is_here(b, i) &&
            ftc_presence_of(b, i) < ftc_presence_of(b, ftc_library.world_rank))
            return (int)i;
    return -1;
}

/* Reports that this rank waits for others, or ends the job, as setting on_blocked says. A rank that
 * was started without the library, or with enable = 0, never arrives. */
static void say_who_waits(void)
{
    const struct ftc_settings *s = &ftc_library.settings;
    bool ends = s->on_blocked == FTC_ON_BLOCKED_ABORT;
    char who[32] = "other ranks have", text[256];
    int missing = missing_rank();

    if (s->on_blocked == FTC_ON_BLOCKED_OFF)
        return;
    if (missing >= 0)
        snprintf(who, sizeof who, "rank %d has", missing);
    snprintf(text, sizeof text,
             "ftcoll: rank %d has been waiting in MPI_Init for %.1f s, because %s not arrived; all "
             "ranks must be started with the library and the same setting enable%s",
             ftc_library.world_rank, s->blocked_ms / 1e3, who,
             ends ? "; on_blocked = abort ends the job" : "");
    if (ends)
        ftc_job_end(MPI_COMM_WORLD, 1, text);
    else
        ftc_lines_say("%s\n", text);
}

/* Sleeps between two tests, because this leaves the core to a rank that others wait for. Also
 * serves the board's listener, and once reports a wait of blocked_ms. */
static void nap(struct patience *p)
{
    uint64_t waited = waited_ns(p), ns = waited / NAP_SHARE;

    if (!p->is_over && waited / 1000000 >= (uint64_t)ftc_library.settings.blocked_ms) {
        p->is_over = true;
        say_who_waits();
    }
    ns = ns < NAP_MIN_NS ? NAP_MIN_NS : ns > NAP_MAX_NS ? NAP_MAX_NS : ns;
    ftc_board_listener_serve();
    nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

static void await(MPI_Request *request)
{
    struct patience patience = {0};
    int done = 0;

    for (PMPI_Test(request, &done, MPI_STATUS_IGNORE); !done;
         PMPI_Test(request, &done, MPI_STATUS_IGNORE))
        nap(&patience);
}

/* ---- the board ---- */

enum { FETCH_MS = 5000 };

/* Returns the most bytes that one operation carries if ranks are on several hosts and a value is
 * too large for one operation. */
static size_t max_part_bytes(int ranks)
{
    size_t blocks = ftc_rounds_room(ranks), slice = ftc_segmented_room(ranks);

    return blocks > slice ? blocks : slice;
}

static void end_without_room(void)
{
    ftc_job_end_no_memory("more shared memory (ulimit -v, or its descriptor is closed)");
}

/* Creates the board, with fewer communicators if the file would be too large (ulimit -f). */
static int create_largest(struct ftc_board_geometry *g)
{
    int rv = ftc_board_create(&ftc_library.board, g);

    while (rv == -EFBIG && g->entries > FTC_BOARD_GROUP) {
        g->entries /= 2;
        rv = ftc_board_create(&ftc_library.board, g);
    }
    return rv;
}

/* Returns whether the board leaves the program half of the address space that it has left. Prints a
 * line if not. */
static bool leaves_room(const struct ftc_board_geometry *g)
{
    size_t bytes = ftc_board_usual_bytes(g), left = ftc_address_space_left();

    if (bytes <= left / 2)
        return true;
    ftc_lines_say("ftcoll: not protected: the limit of address space (ulimit -v) leaves rank %d "
                  "%zu MiB, and the library takes %zu\n",
                  ftc_library.world_rank, left >> 20, (bytes + (1 << 20) - 1) >> 20);
    return false;
}

static void create_board(struct ftc_board_address *address, int hosts)
{
    int ranks = ftc_library.world_size;
    struct ftc_board_geometry g =
        ftc_geometry_make(&ftc_library.settings, ranks, hosts, max_part_bytes(ranks));
    int rv;

    if (!leaves_room(&g))
        return;
    g.host = hosts > 1 ? ftc_hosts_own() : 0;
    rv = create_largest(&g);
    if (rv != 0) {
        ftc_lines_say("ftcoll: not protected: cannot map %zu MiB of shared memory: %s%s\n",
                      (ftc_board_bytes(&g) >> 20) + 1, strerror(-rv),
                      rv == -ENOMEM  ? " (ulimit -v?)"
                      : rv == -EFBIG ? " (ulimit -f?)"
                                     : "");
        return;
    }
    address->pid = (int)getpid();
    address->fd = ftc_library.board.fd;
    ftc_board_key(&ftc_library.board, address->key);
}

/* Returns @rv, the outcome of opening the board, or -EACCES if it is the board of another job. */
static int check_board(int rv)
{
    if (rv != 0 || ftc_library.board.geometry.ranks == (uint32_t)ftc_library.world_size)
        return rv;
    ftc_board_close(&ftc_library.board);
    return -EACCES;
}

static bool join_board(const struct ftc_board_address *a)
{
    return check_board(ftc_board_open(&ftc_library.board, a->pid, a->fd, a->key)) == 0;
}

/* Gets the board from the rank that has made it, as soon as that rank hands it out. */
static bool fetch_board(const struct ftc_board_address *a)
{
    struct patience patience = {0};
    int rv = ftc_board_listener_fetch(a->pid, a->key);

    while ((rv == -ENOENT || rv == -ECONNREFUSED || rv == -EAGAIN) &&
           !has_waited_for(&patience, FETCH_MS)) {
        nap(&patience);
        rv = ftc_board_listener_fetch(a->pid, a->key);
    }
    rv = check_board(rv < 0 ? rv : ftc_board_take(&ftc_library.board, rv, a->key));
    if (rv != 0)
        ftc_lines_say("ftcoll: rank %d cannot map the shared memory of process %d: %s%s\n",
                      ftc_library.world_rank, a->pid, strerror(-rv),
                      rv == -ENOMEM ? " (ulimit -v?)" : "");
    return rv == 0;
}

static void describe_self(void)
{
    struct ftc_board *b = &ftc_library.board;

    ftc_board_introduce(b, ftc_library.world_rank, (int)getpid());
    ftc_presence_add_own_cores(b);
    ftc_presence_show(b, ftc_library.world_rank, FTC_PRESENCE_HERE);
}

/* ---- rank 0 announces ---- */

static bool needs_contributors(void)
{
    const struct ftc_settings *s = &ftc_library.settings;

    return s->record_file[0] != '\0' || s->require_all != 0 || s->require_all_at[0] != '\0';
}

static void say_if_there_is_no_rank(const char *setting, int highest)
{
    if (ftc_library.world_rank == 0 && highest >= ftc_library.world_size)
        ftc_lines_say("ftcoll: %s names rank %d, but the job has only ranks 0 to %d\n", setting,
                      highest, ftc_library.world_size - 1);
}

static void adopt_settings(void)
{
    const struct ftc_settings *s = &ftc_library.settings;

    ftc_contributors_open(needs_contributors());
    if (s->crash[0] != '\0' && ftc_library.world_rank == 0)
        ftc_lines_say("ftcoll: fault injection: crash = %s\n", s->crash);
    ftc_crash_parse(s->crash, ftc_library.world_rank);
    say_if_there_is_no_rank("crash", ftc_crash_highest_rank(s->crash));
    say_if_there_is_no_rank("critical_ranks", ftc_settings_highest_rank(s->critical_ranks));
}

/* Broadcasts rank 0's announcement. The job's processes may have started with different
 * environments, so rank 0's settings hold for all ranks. */
static void hear_announcement(struct announcement *a)
{
    struct ftc_library *l = &ftc_library;
    MPI_Request request;

    if (l->world_rank == 0) {
        adopt_settings();
        a->settings = l->settings;
        a->hosts = ftc_hosts_by_launcher();
        a->wire = ftc_pmi_spoken();
        if (a->hosts <= 1)
            create_board(&a->board, 1);
        a->has_key = getrandom(a->key, sizeof a->key, 0) == (ssize_t)sizeof a->key;
    }
    PMPI_Ibcast(a, (int)sizeof *a, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    await(&request);
    if (l->world_rank != 0) {
        l->settings = a->settings;
        ftc_pmi_speak(a->wire);
        adopt_settings();
    }
}

/* ---- all agree ---- */

/* Obstacles that a rank may have, as indices of an array with the first rank that has each. */
enum { DEVICE, MONITOR, BOARD, THINGS /* the second agreement has as many */ };

static void agree(int first[THINGS])
{
    int mine[THINGS];
    MPI_Request request;

    memcpy(mine, first, sizeof mine);
    PMPI_Iallreduce(mine, first, THINGS, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    await(&request);
}

/* Returns whether the death of this rank will be noticed: by its monitor process, or on one host
 * with monitor = timeout by the other ranks. */
static bool has_what_watches_it(bool on_one_host)
{
    return ftc_monitor_present() ||
           (on_one_host && ftc_library.settings.monitor == FTC_MONITOR_TIMEOUT);
}

static void say_launcher_is_unknown(void)
{
    char launcher[512];

    ftc_launcher_describe_unknown(launcher, sizeof launcher);
    ftc_lines_say("ftcoll: not protected: the launcher is not known: %s\n", launcher);
}

/* Prints why rank @first has no monitor process, if it is this rank. */
static void say_who_has_no_monitor(int first, bool on_one_host)
{
    if (first != ftc_library.world_rank)
        return;
    if (ftc_pmi_fd() < 0) {
        say_launcher_is_unknown();
        return;
    }
    ftc_lines_say("ftcoll: not protected: rank %d has no monitor process: %s%s\n", first,
                  ftc_monitor_absence(),
                  on_one_host ? "; FTCOLL_MONITOR=timeout works without monitor processes" : "");
}

static bool may_get_device_buffers(void)
{
    return ftc_library.settings.device_buffers == FTC_DEVICE_BUFFERS_AUTO &&
           ftc_device_buffers_are_taken();
}

/* Hands the board to the ranks that cannot open it through /proc, by the rank that has made it.
 * Returns the first rank that has none; INT_MAX: all have it. Called by all ranks. */
static int hand_out_board(const struct ftc_board_address *a, bool has_board, bool has_made_it)
{
    int first[THINGS] = {INT_MAX, INT_MAX, INT_MAX};

    if (has_board && has_made_it)
        ftc_board_listener_open(a->key, ftc_library.board.fd);
    if (!has_board && a->pid != 0 && (has_board = fetch_board(a)))
        describe_self();
    first[BOARD] = has_board ? INT_MAX : ftc_library.world_rank;
    agree(first);
    ftc_board_listener_close();
    return first[BOARD];
}

static bool all_have_board(const struct ftc_board_address *board, bool has_made_it,
                           bool on_one_host)
{
    const bool has_board = board->pid != 0 && (has_made_it || join_board(board));
    const int self = ftc_library.world_rank;
    int first[THINGS] = {
        [DEVICE] = may_get_device_buffers() ? self : INT_MAX,
        [MONITOR] = has_what_watches_it(on_one_host) ? INT_MAX : self,
        [BOARD] = has_board ? INT_MAX : self,
    };

    if (has_board)
        describe_self();
    agree(first);
    if (first[BOARD] != INT_MAX && first[DEVICE] == INT_MAX && first[MONITOR] == INT_MAX)
        first[BOARD] = hand_out_board(board, has_board, has_made_it);
    if (first[DEVICE] != INT_MAX)
        say("this MPICH accepts buffers in device memory; FTCOLL_DEVICE_BUFFERS=none protects a "
            "program that has none");
    else if (first[MONITOR] != INT_MAX)
        say_who_has_no_monitor(first[MONITOR], on_one_host);
    else if (first[BOARD] != INT_MAX)
        say("a rank has no shared memory with the others");
    if (first[DEVICE] != INT_MAX || first[MONITOR] != INT_MAX || first[BOARD] != INT_MAX)
        return false;
    ftc_library.oversubscribed =
        ftc_presence_is_crowded(&ftc_library.board) || ftc_hosts_share_cores();
    ftc_library.is_one_machine = ftc_hosts_are_one_machine();
    if (!ftc_library.oversubscribed)
        ftc_bulk_go_past_caches();
    return true;
}

/* Returns why a job on several hosts cannot be protected; NULL: it can. All ranks get the same
 * answer. */
static const char *obstacle(const struct announcement *a)
{
    if (a->hosts > FTC_BOARD_HOSTS_MAX)
        return FTC_MEETING_TOO_MANY_HOSTS;
    if (!a->has_key)
        return "no random numbers for a key of the connections between hosts";
    return NULL;
}

static bool open_one_board(const struct ftc_board_address *address)
{
    if (address->pid == 0)
        return false; /* rank 0 has printed why */
    return all_have_board(address, ftc_library.world_rank == 0, true);
}

/* Opens a board on each host, which the first rank there makes. */
static bool open_boards(const struct announcement *a)
{
    struct ftc_board_address own = {0}, here;
    bool is_first;

    ftc_board_close(&ftc_library.board); /* rank 0 made it before the hosts were known */
    ftc_hosts_hear(await);
    is_first = ftc_hosts_is_first();
    if (is_first)
        create_board(&own, a->hosts);
    here = ftc_hosts_meet(&own, await);
    if (ftc_hosts_link_listener() < 0 || ftc_hosts_query_listener() < 0)
        here.pid = 0;
    if (here.pid != 0 && is_first)
        ftc_hosts_enter(&ftc_library.board, a->key);
    return all_have_board(&here, is_first, false);
}

static bool open_on_several_hosts(const struct announcement *a)
{
    const char *what = obstacle(a);

    if (what)
        say(what);
    return !what && open_boards(a);
}

bool ftc_meeting_open(void)
{
    struct announcement a = {0};

    ftc_board_on_no_room(end_without_room);
    hear_announcement(&a);
    if (a.hosts == 0)
        a.hosts = ftc_hosts_by_mpich();
    if (a.hosts > 1 ? open_on_several_hosts(&a) : open_one_board(&a.board))
        return true;
    ftc_board_close(&ftc_library.board);
    return false;
}

/* ---- all are prepared ---- */

static void await_other_hosts(void)
{
    struct patience patience = {0};
    const struct ftc_settings *s = &ftc_library.settings;
    int limit_ms = s->unreachable_ms > s->blocked_ms ? s->unreachable_ms : s->blocked_ms;

    while (!ftc_directory_hears_all(&ftc_library.board) && !has_waited_for(&patience, limit_ms))
        nap(&patience);
}

static bool is_lease(enum ftc_lease_terms terms)
{
    const struct ftc_board *b = &ftc_library.board;

    return ftc_lease_is_held(b) && ftc_lease_terms(b) >= terms;
}

/* Waits, for at most unreachable_ms, until the lease is held with @terms. Returns at once if
 * mpiexec does not have the library, or the ranks have agreed on no lease. */
static void await_lease(enum ftc_lease_terms terms)
{
    struct patience patience = {0};

    while (ftc_lease_is_offered() && ftc_lease_terms(&ftc_library.board) != FTC_LEASE_NONE &&
           !is_lease(terms) && !has_waited_for(&patience, ftc_library.settings.unreachable_ms))
        nap(&patience);
}

static void say_who_is_not_heard(void)
{
    const struct ftc_board *b = &ftc_library.board;
    char here[FTC_BOARD_HOST_NAME], there[FTC_BOARD_HOST_NAME] = "another";
    uint32_t host = ftc_directory_first_unheard(b);

    ftc_directory_host_name(b, ftc_library.world_rank, here);
    for (uint32_t i = b->geometry.ranks; i-- > 0;)
        if (ftc_board_host(b, i) == host && host != b->geometry.host)
            ftc_directory_host_name(b, i, there);
    ftc_lines_say("ftcoll: not protected: host %s receives nothing from host %s: TCP between them "
                  "is needed\n",
                  here, there);
}

/* Returns whether all hosts are one machine, by their names. MPICH may take one machine for several
 * hosts, none of which is lost without the others. */
static bool are_one_machine(const struct ftc_board *b)
{
    char first[FTC_BOARD_HOST_NAME], name[FTC_BOARD_HOST_NAME];

    ftc_directory_host_name(b, 0, first);
    for (uint32_t i = 1; i < b->geometry.ranks; i++) {
        ftc_directory_host_name(b, i, name);
        if (strcmp(name, first) != 0)
            return false;
    }
    return true;
}

/* Agrees that lost hosts are tolerated if every host has a lease. Otherwise rank @first_without,
 * the first one without a lease, prints that a lost host ends the job, and why, unless all hosts
 * are one machine. */
static void agree_on_lease(int first_without, bool is_protected)
{
    char host[FTC_BOARD_HOST_NAME];

    ftc_lease_agree(&ftc_library.board, first_without == INT_MAX && is_protected);
    if (first_without != ftc_library.world_rank || !is_protected ||
        are_one_machine(&ftc_library.board))
        return;
    ftc_directory_host_name(&ftc_library.board, ftc_library.world_rank, host);
    if (!ftc_lease_is_offered())
        ftc_lines_say("ftcoll: the loss of a host will end this job: the ranks were not started by "
                      "MPICH's mpiexec with this library in it; set LD_PRELOAD before mpiexec, as "
                      "ftcoll run does\n");
    else
        ftc_lines_say(
            "ftcoll: the loss of a host will end this job: host %s gets no answer from the "
            "library in mpiexec; allow TCP connections from each host to that of mpiexec\n",
            host);
}

/* Waits until each host's agent hears the other hosts and has a lease, before any rank relies on
 * that. Returns false if a rank is not @prepared, or if a host does not hear another one. */
static bool hosts_hear_each_other(bool prepared)
{
    enum { PREPARED, HEARS, LEASE };
    const int self = ftc_library.world_rank;
    int first[THINGS] = {[PREPARED] = prepared ? INT_MAX : self};
    bool is_protected;

    if (prepared) {
        await_other_hosts();
        await_lease(FTC_LEASE_OPEN);
    }
    first[HEARS] = ftc_directory_hears_all(&ftc_library.board) ? INT_MAX : self;
    first[LEASE] = ftc_lease_is_held(&ftc_library.board) ? INT_MAX : self;
    agree(first);
    is_protected = first[PREPARED] == INT_MAX && first[HEARS] == INT_MAX;
    agree_on_lease(first[LEASE], is_protected);
    await_lease(FTC_LEASE_IN_FORCE);
    if (first[PREPARED] != INT_MAX)
        say(NOT_PREPARED);
    else if (first[HEARS] == self)
        say_who_is_not_heard();
    return is_protected;
}

bool ftc_meeting_close(bool prepared)
{
    struct ftc_board *b = &ftc_library.board;
    struct patience patience = {0};
    uint32_t refused;

    if (ftc_board_has_other_hosts(b) && !hosts_hear_each_other(prepared))
        return false;
    ftc_presence_show(b, ftc_library.world_rank, FTC_PRESENCE_PREPARED);
    if (prepared)
        ftc_board_advance(b, ftc_library.world_rank, FTC_RANK_RUNNING);
    ftc_presence_count(b, ftc_library.world_rank, prepared);
    while (!ftc_presence_have_all(b, &refused))
        nap(&patience);
    if (refused > 0)
        say(NOT_PREPARED);
    return refused == 0;
}
