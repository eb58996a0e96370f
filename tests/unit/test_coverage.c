/* The table of call sites: what ranks write into it, and what a reader makes of anything there. */
#include "board/rank_state.h"
#include "communicator/error_handler.h"
#include "communicator/group.h"
#include "communicator/lineage.h"
#include "communicator/neighbors.h"
#include "library.h"
#include "mpi/inside.h"
#include "mpi/mpi_library.h"
#include "program/coverage.h"
#include "program/native_call.h"
#include "reporting/coverage_report.h"
#include "reporting/coverage_sites.h"
#include "reporting/required_sites.h"
#include "unit.h"
#include "value/datatype.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 3, SITES = 4 };
#define NO_WAIT                                                                                    \
    "no MPI call waits for the dead rank (at the call sites and message sizes of this run)"
#define ANY_SOURCE                                                                                 \
    "MPI calls wait only in receives and probes from any source (at the call sites and message "   \
    "sizes of this run)"

struct ftc_library ftc_library;
static const struct ftc_notice notice = {.board = &ftc_library.board,
                                         .settings = &ftc_library.settings};

/* ---- what MPI would say of the calls ---- */

static bool returns, commutes, is_inter, is_seen;
static size_t bytes;
static const MPI_Comm comm_of_one = MPI_COMM_WORLD + 100;

bool ftc_comm_returns_errors(MPI_Comm comm)
{
    (void)comm;
    return returns;
}

static void do_nothing(void *into, const void *from, size_t count)
{
    (void)into;
    (void)from;
    (void)count;
}

bool ftc_facts_of_type(MPI_Datatype datatype, struct ftc_facts *facts)
{
    *facts = (struct ftc_facts){.commutative = commutes, .contiguous = true, .kernel = do_nothing};
    return datatype != MPI_DATATYPE_NULL;
}

const struct ftc_facts *ftc_facts_at(MPI_Datatype datatype, struct ftc_facts *room)
{
    return ftc_facts_of_type(datatype, room) ? room : NULL;
}

bool ftc_facts(MPI_Datatype datatype, MPI_Op op, struct ftc_facts *facts)
{
    return ftc_facts_of_type(datatype, facts) && op != MPI_OP_NULL;
}

size_t ftc_span_bytes(const struct ftc_facts *facts, MPI_Count count)
{
    (void)facts;
    return count > 0 ? bytes : 0;
}

size_t ftc_packed_bytes(const struct ftc_facts *facts, MPI_Count count)
{
    return ftc_span_bytes(facts, count);
}

enum ftc_operator ftc_operator_of(MPI_Op op)
{
    return op == MPI_SUM ? FTC_OPERATOR_SUM : FTC_OPERATOR_OTHER;
}

uint64_t ftc_required_sites_names(const char *list, const char *site)
{
    return strcmp(list, site) == 0;
}

bool ftc_required_sites_have(const struct ftc_notice *n, const void *return_address)
{
    (void)n;
    (void)return_address;
    return false;
}

bool ftc_inside_has(enum ftc_inside part)
{
    (void)part;
    return true;
}

void *ftc_mpi_function(enum ftc_mpi_function function)
{
    (void)function;
    return &is_seen;
}

struct ftc_lineage *ftc_lineage_of(MPI_Comm comm)
{
    (void)comm;
    return is_seen ? (struct ftc_lineage *)&is_seen : NULL;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    (void)comm;
    *flag = is_inter;
    return MPI_SUCCESS;
}

bool ftc_group_is_in_world(MPI_Comm intercomm)
{
    return ftc_is_comm(intercomm);
}

MPI_Group ftc_group_of_peers(MPI_Comm comm)
{
    (void)comm;
    return MPI_GROUP_NULL;
}

int PMPI_Group_size(MPI_Group group, int *size)
{
    (void)group;
    *size = RANKS;
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *group)
{
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

bool ftc_is_comm(MPI_Comm comm)
{
    return comm != MPI_COMM_NULL;
}

bool ftc_is_packed(MPI_Datatype datatype)
{
    return datatype != MPI_DATATYPE_NULL;
}

bool ftc_facts_need_mpi(const struct ftc_facts *facts)
{
    return !facts->kernel;
}

size_t ftc_predefined_bytes(MPI_Datatype datatype)
{
    (void)datatype;
    return 0;
}

int ftc_pack(void *packed, const void *buffer, MPI_Count count, const struct ftc_facts *facts)
{
    (void)packed;
    (void)buffer;
    (void)count;
    (void)facts;
    return MPI_ERR_OTHER;
}

int ftc_unpack_some(void *buffer, const void *packed, size_t size, MPI_Count count,
                    const struct ftc_facts *facts)
{
    (void)size;
    return ftc_pack(buffer, packed, count, facts);
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    *size = comm == comm_of_one ? 1 : RANKS;
    return MPI_SUCCESS;
}

bool ftc_neighbors_count(MPI_Comm comm, struct ftc_neighbors *neighbors)
{
    *neighbors = (struct ftc_neighbors){.sources = 2, .destinations = 2};
    return ftc_is_comm(comm);
}

static struct ftc_board *opened(void)
{
    const struct ftc_board_geometry geometry = {.ranks = RANKS,
                                                .entries = 1,
                                                .entry_stride_bytes = FTC_BOARD_ENTRY_BYTES,
                                                .multicast_bytes = FTC_BOARD_MULTICAST_BYTES,
                                                .ring_depth = 1,
                                                .message_stride_bytes = 64,
                                                .sites_bytes = ftc_coverage_sites_bytes(SITES)};
    struct ftc_board *board = &ftc_library.board;

    if (board->shared)
        ftc_board_close(board);
    ck_assert_int_eq(ftc_board_create(board, &geometry), 0);
    ftc_library.settings =
        (struct ftc_settings){.f = 1, .max_bytes = 4096, .on_blocked = FTC_ON_BLOCKED_WARN};
    returns = commutes = is_seen = true;
    is_inter = false;
    bytes = 8;
    return board;
}

static void act_as(uint32_t rank)
{
    ftc_library.world_rank = rank;
    ftc_coverage_open();
    ck_assert(ftc_coverage_is_on);
}

static struct ftc_call call_of(const void *site, enum ftc_call_kind kind)
{
    static char from[1], to[1];

    return (struct ftc_call){.kind = kind,
                             .sendbuf = from,
                             .recvbuf = to,
                             .count = 1,
                             .datatype = MPI_INT,
                             .op = MPI_SUM,
                             .comm = MPI_COMM_WORLD,
                             .return_address = site};
}

static void call_at(const void *site, enum ftc_call_kind kind, enum ftc_fallback fallback)
{
    struct ftc_call call = call_of(site, kind);

    ftc_coverage_call(&call, fallback);
}

/* Until the next one. */
static const char *report(void)
{
    static char text[1 << 16];
    FILE *f = fmemopen(text, sizeof text, "w");

    ftc_coverage_report_write(f, &notice);
    fclose(f);
    return text;
}

static void expect(const char *part)
{
    const char *text = report();

    ck_assert_msg(strstr(text, part), "'%s' is not in:\n%s", part, text);
}

static int count_lines(const char *text)
{
    int lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Return addresses outside of this program, which is the library itself here. */
static const char *site(int number)
{
    return (const char *)(uintptr_t)&getpid + 2 + number;
}

/* What any process may have written into a record of rank @rank. */
static struct ftc_coverage_site *record(uint32_t rank, uint32_t number)
{
    return &ftc_coverage_sites_of(&ftc_library.board, rank)->site[number];
}

START_TEST(calls_of_all_ranks_at_one_site_are_one_line)
{
    opened();
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        act_as(rank);
        for (uint32_t i = 0; i <= rank; i++)
            call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    }
    expect("           6 on    3  MPI_Allreduce      protected      libc.so.6(");
    expect("all 6 calls that need other ranks are protected");
}
END_TEST

START_TEST(a_rank_at_which_different_things_help_is_one)
{
    opened();
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        act_as(rank);
        bytes = 8;
        call_at(site(0), FTC_CALL_BCAST, FTC_FALLBACK_NOT_INTERCEPTED);
        bytes = 1 << 20;
        call_at(site(0), FTC_CALL_BCAST, FTC_FALLBACK_NOT_INTERCEPTED);
    }
    ck_assert_uint_ne(record(0, 1)->calls, 0); /* of its own, for other remedies */
    expect("           6 on    3  MPI_Bcast");
}
END_TEST

START_TEST(the_exposed_come_first_and_are_summed_up)
{
    const char *text;

    opened();
    act_as(1);
    for (int i = 0; i < 3000; i++)
        call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    call_at(site(1), FTC_CALL_BARRIER, FTC_FALLBACK_NOT_INTERCEPTED);
    call_at(site(2), FTC_CALL_ALLREDUCE, FTC_FALLBACK_COMM_SELF);
    text = report();
    ck_assert_ptr_nonnull(strstr(text, "not protected"));
    ck_assert(strstr(text, "not protected") < strstr(text, "3,000 on    1"));
    ck_assert(strstr(text, "3,000 on    1") < strstr(text, "needs nobody"));
    /* Never "100.0 %" while there is one */
    expect("99.9 % of 3,001 calls that need other ranks are protected; a dead rank would leave the "
           "others waiting at 1 of 3 call sites");
}
END_TEST

START_TEST(one_site_may_have_several_fates)
{
    opened();
    act_as(0);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_TOO_LARGE);
    expect("message larger than max_bytes");
    expect("50.0 % of 2 calls that need other ranks are protected; a dead rank would leave the "
           "others waiting at 1 of 1 call sites");
}
END_TEST

START_TEST(more_sites_than_there_is_room_for_are_counted)
{
    opened();
    act_as(2);
    for (int i = 0; i < SITES + 3; i++)
        call_at(site(i), FTC_CALL_BARRIER,
                i % 2 ? FTC_FALLBACK_NONE : FTC_FALLBACK_NOT_INTERCEPTED);
    expect("and 3 calls at other call sites, 2 of them not protected");
    expect("42.8 % of 7 calls");
}
END_TEST

START_TEST(native_calls_are_counted_by_what_protects_them)
{
    opened();
    act_as(0);
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, MPI_PROC_NULL, site(0));
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, 1, site(0));
    ftc_coverage_native(FTC_CALL_WIN_FENCE, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(1));
    ftc_coverage_native(FTC_CALL_COMM_SPLIT, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(2));
    expect(": MPI_PROC_NULL, MPI_COMM_SELF, or requests of protected calls");
    expect(": setting p2p is native");
    expect(": no protection for this call");
    expect(": setting communicators is native");
    /* The others have been counted when it was decided who carries them out. */
    ftc_coverage_native(FTC_CALL_BARRIER, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(3));
    expect("0.0 % of 3 calls");
}
END_TEST

START_TEST(settings_protect_native_calls)
{
    opened();
    ftc_library.settings.p2p = FTC_P2P_IGNORE;
    ftc_library.settings.communicators = FTC_COMMUNICATORS_SURVIVORS;
    act_as(0);
    ftc_coverage_native(FTC_CALL_SENDRECV, MPI_COMM_WORLD, 1, site(0));
    call_at(site(2), FTC_CALL_COMM_DUP, FTC_FALLBACK_NONE);
    expect("all 2 calls that need other ranks are protected");
}
END_TEST

/* ---- the verdict ---- */

static void expect_verdict(const char *now, const char *settings, const char *best)
{
    char line[512];

    snprintf(line, sizeof line, "ftcoll: verdict: when a rank of this program dies, %s", now);
    expect(line);
    if (settings)
        snprintf(line, sizeof line, "ftcoll: verdict with %s: %s", settings, best);
    else
        snprintf(line, sizeof line, "ftcoll: verdict with");
    ck_assert_msg((strstr(report(), line) != NULL) == (settings != NULL), "'%s' and:\n%s", line,
                  report());
}

START_TEST(protected_programs_survive)
{
    opened();
    act_as(0);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    call_at(site(0), FTC_CALL_REDUCE, FTC_FALLBACK_NONE);
    expect_verdict(NO_WAIT "; ftcoll rehearse ", NULL, NULL);
    returns = false; /* they raise no error */
    call_at(site(1), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    expect_verdict(NO_WAIT "; ftcoll rehearse ", NULL, NULL);
}
END_TEST

START_TEST(settings_that_help_are_named)
{
    opened();
    act_as(0);
    call_at(site(0), FTC_CALL_BARRIER, FTC_FALLBACK_NOT_INTERCEPTED);
    expect_verdict("the program waits for ever, for example in MPI_Barrier at libc.so.6(",
                   "FTCOLL_INTERCEPT=all", NO_WAIT);
    bytes = 65536;
    call_at(site(1), FTC_CALL_IALLREDUCE, FTC_FALLBACK_NOT_INTERCEPTED);
    ftc_coverage_native(FTC_CALL_COMM_SPLIT, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(2));
    expect_verdict("the program waits",
                   "FTCOLL_INTERCEPT=all FTCOLL_MAX_BYTES=65536 FTCOLL_COMMUNICATORS=survivors",
                   NO_WAIT);
}
END_TEST

START_TEST(what_messages_cannot_take_a_data_phase_does)
{
    opened();
    bytes = 65537;
    act_as(0);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_TOO_LARGE);
    expect(": message larger than max_bytes");
    expect_verdict("the program waits for ever", "FTCOLL_LARGE=protected", NO_WAIT);
}
END_TEST

START_TEST(it_does_so_whatever_max_bytes_is)
{
    opened();
    ftc_library.settings.large = FTC_LARGE_PROTECTED;
    bytes = 8192;
    act_as(0);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NOT_INTERCEPTED);
    expect("; FTCOLL_INTERCEPT=all\n");
}
END_TEST

START_TEST(nor_need_an_operation_be_commutative_there)
{
    opened();
    commutes = false;
    bytes = 65536; /* of each rank */
    act_as(0);
    call_at(site(0), FTC_CALL_REDUCE, FTC_FALLBACK_NOT_INTERCEPTED);
    expect_verdict("the program waits for ever", "FTCOLL_INTERCEPT=all FTCOLL_LARGE=protected",
                   NO_WAIT);
    opened();
    commutes = false;
    bytes = 65536;
    act_as(0);
    call_at(site(0), FTC_CALL_REDUCE, FTC_FALLBACK_NON_COMMUTATIVE);
    expect_verdict("the program waits for ever", "FTCOLL_LARGE=protected", NO_WAIT);
    opened();
    commutes = false;
    bytes = 65536;
    ftc_library.settings.large = FTC_LARGE_PROTECTED;
    act_as(0);
    call_at(site(0), FTC_CALL_REDUCE, FTC_FALLBACK_NOT_INTERCEPTED);
    expect_verdict("the program waits for ever", "FTCOLL_INTERCEPT=all", NO_WAIT);
}
END_TEST

START_TEST(what_would_be_native_all_the_same_is_not_advised)
{
    opened();
    act_as(0);
    is_inter = true;
    is_seen = false;
    call_at(site(1), FTC_CALL_BARRIER, FTC_FALLBACK_NOT_INTERCEPTED);
    expect(": intercommunicator that the library has not seen being made");
    is_inter = false;
    call_at(site(2), FTC_CALL_IREDUCE, FTC_FALLBACK_NOT_INTERCEPTED);
    expect(": nonblocking, and the library has not seen");
    expect_verdict("the program waits for ever", NULL, NULL);
}
END_TEST

static void expect_rejected(const struct ftc_call *call)
{
    opened();
    act_as(0);
    ftc_coverage_call(call, FTC_FALLBACK_NOT_INTERCEPTED);
    expect("needs nobody   libc.so.6(__getpid+0x2): arguments that native MPI rejects");
}

/* The library looks at all arguments of such a call before it carries it out. */
START_TEST(nor_is_anything_for_arguments_that_native_mpi_rejects)
{
    struct ftc_call call = call_of(site(0), FTC_CALL_REDUCE);

    call.root = RANKS;
    expect_rejected(&call);
    call = call_of(site(0), FTC_CALL_BCAST);
    call.count = -1;
    expect_rejected(&call);
    call.count = 1;
    call.recvbuf = MPI_IN_PLACE;
    expect_rejected(&call);
    call = call_of(site(0), FTC_CALL_ALLREDUCE);
    call.recvbuf = MPI_IN_PLACE;
    expect_rejected(&call);
    opened();
    is_inter = true;
    act_as(0);
    call_at(site(0), FTC_CALL_SCAN, FTC_FALLBACK_NOT_INTERCEPTED);
    expect(": arguments that native MPI rejects");
}
END_TEST

START_TEST(with_threads_an_intercommunicator_is_seen_if_survivors_make_it)
{
    opened();
    act_as(0);
    is_inter = true;
    is_seen = false;
    ftc_library.threaded = true;
    call_at(site(1), FTC_CALL_BARRIER, FTC_FALLBACK_NOT_INTERCEPTED);
    call_at(site(2), FTC_CALL_ALLREDUCE, FTC_FALLBACK_UNSEEN_INTERCOMM);
    expect("; FTCOLL_COMMUNICATORS=survivors");
    expect_verdict("the program waits for ever",
                   "FTCOLL_INTERCEPT=all FTCOLL_COMMUNICATORS=survivors", NO_WAIT);
    ftc_library.settings.communicators = FTC_COMMUNICATORS_SURVIVORS;
    call_at(site(3), FTC_CALL_ALLREDUCE, FTC_FALLBACK_UNSEEN_INTERCOMM);
    expect_verdict("the program waits for ever",
                   "FTCOLL_INTERCEPT=all FTCOLL_COMMUNICATORS=survivors",
                   "the program waits for ever");
    ftc_library.threaded = false;
}
END_TEST

/* Of which all ranks have a value: it is as many times as large. */
START_TEST(an_operation_that_is_not_commutative_needs_more_room)
{
    opened();
    act_as(0);
    commutes = false;
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NON_COMMUTATIVE);
    expect(": operation is not commutative, and setting intercept does not name noncommutative");
    expect_verdict("the program waits for ever", "FTCOLL_INTERCEPT=all", NO_WAIT);
    bytes = 4096;
    call_at(site(1), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NON_COMMUTATIVE);
    expect_verdict("the program waits for ever", "FTCOLL_INTERCEPT=all FTCOLL_MAX_BYTES=65536",
                   NO_WAIT);
}
END_TEST

START_TEST(each_site_is_told_what_helps_it)
{
    opened();
    act_as(0);
    call_at(site(0), FTC_CALL_BARRIER, FTC_FALLBACK_NOT_INTERCEPTED);
    expect("setting intercept does not name this call; FTCOLL_INTERCEPT=all\n");
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, 1, site(1));
    expect("setting p2p is native; FTCOLL_P2P=error\n");
    ftc_coverage_native(FTC_CALL_WIN_FENCE, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(2));
    expect("no protection for this call\n");
    call_at(site(3), FTC_CALL_BARRIER, FTC_FALLBACK_NONE);
    expect("+0x5)\n");
}
END_TEST

START_TEST(settings_that_help_some_calls_leave_the_others_waiting)
{
    opened();
    act_as(0);
    call_at(site(0), FTC_CALL_BARRIER, FTC_FALLBACK_NOT_INTERCEPTED);
    ftc_coverage_native(FTC_CALL_WIN_FENCE, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(1));
    expect_verdict("the program waits for ever", "FTCOLL_INTERCEPT=all",
                   "the program waits for ever, for example in MPI_Win_fence at");
    expect("(no protection for this call)");
    ftc_library.settings.on_blocked = FTC_ON_BLOCKED_ABORT;
    expect_verdict("the program aborts after blocked_ms", "FTCOLL_INTERCEPT=all",
                   "the program aborts after blocked_ms");
}
END_TEST

/* MPI_ERRORS_ARE_FATAL */
START_TEST(errors_that_are_fatal_protect_nobody)
{
    opened();
    returns = false;
    ftc_library.settings.p2p = FTC_P2P_ERROR;
    act_as(0);
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, 1, site(0));
    expect("MPI_Recv           ends the job   libc.so.6(");
    expect("0.0 % of 1 calls that need other ranks are protected; a dead rank would end the job at "
           "1 of 1 call sites");
    expect_verdict("the program aborts, for example in MPI_Recv at", "FTCOLL_P2P=ignore", NO_WAIT);
    returns = true;
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, 1, site(1));
    expect("0.0 % of 2 calls");
}
END_TEST

START_TEST(messages_are_to_be_errors_only_for_those_who_handle_them)
{
    opened();
    act_as(0);
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, 1, site(0));
    expect_verdict("the program waits for ever", "FTCOLL_P2P=error",
                   "some MPI calls return errors, for example in MPI_Recv at");
    returns = false;
    ftc_coverage_native(FTC_CALL_SEND, MPI_COMM_WORLD, 1, site(1));
    expect_verdict("the program waits for ever", "FTCOLL_P2P=ignore", NO_WAIT);
}
END_TEST

/* No death ends such a receive while a living rank could send the message. */
START_TEST(receives_from_any_source_may_wait)
{
    opened();
    returns = false;
    act_as(0);
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, MPI_ANY_SOURCE, site(0));
    expect_verdict("the program waits for ever", "FTCOLL_P2P=ignore",
                   ANY_SOURCE "; ftcoll rehearse ");
    ftc_coverage_native(FTC_CALL_WAITALL, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(1));
    expect_verdict("the program waits for ever", "FTCOLL_P2P=ignore",
                   ANY_SOURCE ", if MPI_Wait calls wait for messages only; ");
    opened();
    ftc_library.settings.p2p = FTC_P2P_IGNORE;
    act_as(0);
    ftc_coverage_native(FTC_CALL_IPROBE, MPI_COMM_WORLD, MPI_ANY_SOURCE, site(0));
    expect_verdict(ANY_SOURCE "; ftcoll rehearse ", NULL, NULL);
    ftc_coverage_native(FTC_CALL_COMM_SPLIT, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(1));
    expect_verdict("the program waits for ever", "FTCOLL_COMMUNICATORS=survivors", ANY_SOURCE);
}
END_TEST

/* What they wait for is noted only where p2p is not native. */
START_TEST(no_more_is_promised_of_waits_than_is_known)
{
    opened();
    act_as(0);
    ftc_coverage_native(FTC_CALL_WAITALL, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(0));
    expect_verdict("the program waits for ever", "FTCOLL_P2P=error",
                   "some MPI calls return errors, for example in MPI_Waitall at");
    ftc_library.settings.p2p = FTC_P2P_ERROR;
    ftc_coverage_native(FTC_CALL_WAITALL, MPI_COMM_NULL, FTC_ALL_MEMBERS, site(1));
    expect(": no protection for this call");
    opened();
    returns = false;
    act_as(0);
    ftc_coverage_native(FTC_CALL_WAITALL, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(0));
    expect_verdict("the program waits for ever", "FTCOLL_P2P=ignore",
                   NO_WAIT ", if MPI_Wait calls wait for messages only; ");
}
END_TEST

/* ---- blocks of different sizes: each rank knows its own ---- */

static bool on_intercomm;    /* two groups */
static int max_bytes = 4096; /* setting max_bytes */

/* Of @kind at root 0, with @sent bytes for each rank. */
static void move(enum ftc_call_kind kind, size_t sent)
{
    static int counts[RANKS] = {1, 1, 1}, at[RANKS] = {0};
    static char from[1], to[1];
    struct ftc_call call = call_of(site(kind % SITES), kind);
    struct ftc_layouts layouts = {
        .send = {.buffer = from, .counts = counts, .displacements = at, .datatype = MPI_INT},
        .receive = {.buffer = to, .counts = counts, .displacements = at, .datatype = MPI_INT},
    };
    bool has_blocks = kind != FTC_CALL_BCAST && kind != FTC_CALL_ALLREDUCE;

    call.layouts = has_blocks ? &layouts : NULL;
    opened();
    returns = !ftc_call_comes_from_root(kind) || !on_intercomm;
    is_inter = on_intercomm;
    ftc_library.settings.max_bytes = max_bytes;
    act_as(0);
    bytes = sent;
    ftc_coverage_call(&call, FTC_FALLBACK_NOT_INTERCEPTED);
}

START_TEST(what_is_too_large_together_is_not_for_intercept_alone)
{
    static const enum ftc_call_kind kinds[] = {FTC_CALL_ALLGATHERV, FTC_CALL_ALLTOALLV,
                                               FTC_CALL_ALLTOALLW,  FTC_CALL_GATHERV,
                                               FTC_CALL_SCATTERV,   FTC_CALL_NEIGHBOR_ALLTOALLV};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        move(kinds[i], 40000);
        expect("; FTCOLL_INTERCEPT=all FTCOLL_LARGE=protected\n");
        move(kinds[i], 3000);
        expect("; FTCOLL_INTERCEPT=all FTCOLL_MAX_BYTES=65536\n");
        move(kinds[i], 8);
        expect("; FTCOLL_INTERCEPT=all\n");
    }
    on_intercomm = true;
    move(FTC_CALL_ALLGATHER, 40000);
    expect("; FTCOLL_INTERCEPT=all FTCOLL_LARGE=protected\n");
    move(FTC_CALL_BCAST, 70000);
    expect("; FTCOLL_INTERCEPT=all FTCOLL_LARGE=protected FTCOLL_ON");
    move(FTC_CALL_ALLREDUCE, 40000);
    expect("; FTCOLL_INTERCEPT=all FTCOLL_LARGE=protected\n");
    move(FTC_CALL_ALLREDUCE, 8);
    expect("; FTCOLL_INTERCEPT=all\n");
    on_intercomm = false;
    move(FTC_CALL_NEIGHBOR_ALLGATHER, 20000); /* one block for all neighbors */
    expect("; FTCOLL_INTERCEPT=all FTCOLL_MAX_BYTES=65536\n");
    max_bytes = RANKS - 1; /* no byte of each in a slice */
    move(FTC_CALL_IALLTOALLV, 8);
    expect("; FTCOLL_INTERCEPT=all FTCOLL_MAX_BYTES=65536\n");
    max_bytes = 4096;
    move(FTC_CALL_IALLTOALLV, 3000); /* in rounds, of any size */
    expect("; FTCOLL_INTERCEPT=all\n");
    move(FTC_CALL_IALLTOALLV, 40000); /* but many of them are slow */
    expect("; FTCOLL_INTERCEPT=all FTCOLL_LARGE=protected\n");
}
END_TEST

/* ---- errors that the program gets ---- */

START_TEST(calls_whose_errors_return_are_not_protected)
{
    opened();
    act_as(0);
    call_at(site(0), FTC_CALL_BCAST, FTC_FALLBACK_NONE);
    expect("returns error");
    expect(
        "0.0 % of 1 calls that need other ranks are protected; a dead rank would cause errors at 1 "
        "of 1 call sites");
    expect_verdict("some MPI calls return errors, for example in MPI_Bcast at", NULL, NULL);
    ck_assert_ptr_null(strstr(report(), "no setting changes that"));
    opened();
    act_as(0);
    ftc_library.settings.f = 0;
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    expect_verdict("some MPI calls return errors", "FTCOLL_F=1", NO_WAIT);
    opened();
    act_as(0);
    ftc_library.settings.require_all = 1 << FTC_OPERATOR_SUM;
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    expect(": an error by setting require_all\n");
    call_at(site(1), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NOT_INTERCEPTED);
    expect_verdict("the program waits for ever", "FTCOLL_INTERCEPT=all",
                   "some MPI calls return errors");
}
END_TEST

/* The handler of some calls returns, that of others ends the job. */
START_TEST(what_is_ignored_for_one_call_is_no_error_of_others)
{
    opened();
    act_as(0);
    ftc_library.settings.p2p = FTC_P2P_ERROR;
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, 1, site(0));
    expect(": an error by setting p2p\n");
    returns = false;
    ftc_coverage_native(FTC_CALL_SEND, MPI_COMM_WORLD, 1, site(1));
    expect_verdict("the program aborts", "FTCOLL_P2P=ignore", NO_WAIT);
}
END_TEST

/* ---- communicators and files ---- */

START_TEST(a_communicator_that_native_mpi_makes_is_not_of_the_survivors)
{
    opened();
    act_as(0);
    ftc_library.settings.communicators = FTC_COMMUNICATORS_SURVIVORS;
    ftc_coverage_native(FTC_CALL_COMM_SPLIT, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(0));
    expect("MPI_Comm_split     not protected");
    ftc_coverage_native(FTC_CALL_COMM_DUP, comm_of_one, FTC_ALL_MEMBERS, site(1));
    expect("MPI_Comm_dup       needs nobody");
    call_at(site(2), FTC_CALL_INTERCOMM_CREATE, FTC_FALLBACK_NONE);
    expect(": an error if a leader is dead\n");
    returns = false;
    call_at(site(3), FTC_CALL_INTERCOMM_CREATE, FTC_FALLBACK_NONE);
    expect(": an error if a leader is dead, and errors are fatal\n");
    opened();
    act_as(0);
    ftc_library.settings.communicators = FTC_COMMUNICATORS_SURVIVORS;
    returns = false;
    ftc_coverage_call(&(struct ftc_call){.kind = FTC_CALL_INTERCOMM_CREATE_FROM_GROUPS,
                                         .comm = MPI_COMM_WORLD,
                                         .errhandler = MPI_ERRORS_RETURN,
                                         .return_address = site(0)},
                      FTC_FALLBACK_NONE);
    expect(": an error if a leader is dead\n");
    opened();
    act_as(0);
    ftc_library.settings.communicators = FTC_COMMUNICATORS_SURVIVORS;
    ftc_library.settings.f = 0;
    call_at(site(0), FTC_CALL_COMM_CREATE_GROUP, FTC_FALLBACK_NONE);
    expect_verdict(NO_WAIT, NULL, NULL);
    call_at(site(1), FTC_CALL_COMM_DUP, FTC_FALLBACK_NONE);
    expect_verdict("some MPI calls return errors", "FTCOLL_F=1", NO_WAIT);
}
END_TEST

START_TEST(files_refuse_some_calls_and_leave_others_alone)
{
    opened();
    act_as(0);
    returns = false; /* of communicators */
    ftc_coverage_native(FTC_CALL_FILE_SYNC, MPI_COMM_NULL, FTC_ALL_MEMBERS, site(0));
    expect(": each rank does it alone\n");
    ftc_coverage_native(FTC_CALL_FILE_SEEK_SHARED, MPI_COMM_NULL, FTC_ALL_MEMBERS, site(1));
    expect_verdict("the program waits for ever", "FTCOLL_COMMUNICATORS=survivors",
                   "some MPI calls return errors");
    ftc_library.settings.communicators = FTC_COMMUNICATORS_SURVIVORS;
    opened();
    act_as(0);
    ftc_library.settings.communicators = FTC_COMMUNICATORS_SURVIVORS;
    call_at(site(2), FTC_CALL_FILE_WRITE_ALL, FTC_FALLBACK_NONE);
    expect_verdict(NO_WAIT, NULL, NULL);
    ftc_coverage_native(FTC_CALL_FILE_SEEK_SHARED, MPI_COMM_NULL, FTC_ALL_MEMBERS, site(1));
    expect("MPI_File_seek_shared returns error");
    call_at(site(3), FTC_CALL_FILE_READ_ORDERED, FTC_FALLBACK_NONE);
    expect("MPI_File_read_ordered returns error");
    expect_verdict("some MPI calls return errors", NULL, NULL);
    ftc_coverage_native(FTC_CALL_FILE_READ_ALL, MPI_COMM_NULL, FTC_ALL_MEMBERS, site(0));
    expect_verdict("the program waits for ever, for example in MPI_File_read_all", NULL, NULL);
}
END_TEST

START_TEST(a_broadcast_may_lose_its_root)
{
    opened();
    returns = false;
    act_as(0);
    call_at(site(0), FTC_CALL_BCAST, FTC_FALLBACK_NOT_INTERCEPTED);
    expect_verdict("the program waits for ever", "FTCOLL_INTERCEPT=all FTCOLL_ON_DEAD_ROOT=keep",
                   NO_WAIT);
    opened();
    returns = false;
    act_as(0);
    call_at(site(0), FTC_CALL_BCAST, FTC_FALLBACK_NONE);
    expect_verdict("the program aborts, for example in MPI_Bcast at", "FTCOLL_ON_DEAD_ROOT=keep",
                   NO_WAIT);
    opened();
    returns = false;
    ftc_library.settings.on_dead_root = FTC_ON_DEAD_ROOT_KEEP;
    act_as(0);
    call_at(site(0), FTC_CALL_BCAST, FTC_FALLBACK_NONE);
    expect_verdict(NO_WAIT, NULL, NULL);
}
END_TEST

START_TEST(results_that_must_be_of_all_end_the_job)
{
    opened();
    returns = false;
    ftc_library.settings.require_all = 1 << FTC_OPERATOR_SUM;
    act_as(0);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    expect_verdict("the program aborts", NULL, NULL);
    call_at(site(1), FTC_CALL_REDUCE, FTC_FALLBACK_NOT_INTERCEPTED);
    expect_verdict("the program waits for ever", "FTCOLL_INTERCEPT=all", "the program aborts");
}
END_TEST

START_TEST(no_failure_is_tolerated_with_f_0)
{
    opened();
    returns = false;
    ftc_library.settings.f = 0;
    act_as(0);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    expect_verdict("the program aborts", "FTCOLL_F=1", NO_WAIT);
}
END_TEST

START_TEST(calls_at_unlisted_sites_count_too)
{
    opened();
    act_as(2);
    for (int i = 0; i <= SITES; i++)
        call_at(site(i), FTC_CALL_BARRIER,
                i < SITES ? FTC_FALLBACK_NONE : FTC_FALLBACK_NOT_INTERCEPTED);
    expect_verdict("the program waits for ever, at a call site that is not listed", NULL, NULL);
}
END_TEST

START_TEST(nothing_called)
{
    opened();
    expect("no call needed another rank");
}
END_TEST

/* ---- conditions ---- */

static void expect_condition(const char *text, int places)
{
    const char *line = strstr(report(), text), *end = line ? strchr(line, '\n') : NULL;
    int found = 0;

    ck_assert_msg((line != NULL) == (places >= 0), "'%s' is %s:\n%s", text, line ? "in" : "not in",
                  report());
    for (const char *c = line; c && c < end; c++)
        found += strncmp(c, "libc.so.6(", 10) == 0;
    ck_assert_int_eq(found, places > 0 ? places : 0);
}

static const char reductions[] = "condition: reductions lack the dead rank's part",
                  blocks[] = "condition: blocks of a dead rank are missing",
                  roots[] = "condition: calls with a dead root leave the buffer as it was",
                  any_source[] =
                      "condition: receives and probes from any source may get no message",
                  receives[] = "condition: receives from a dead rank get no data",
                  communicators[] = "condition: new communicators are smaller",
                  errors[] = "condition: calls return errors",
                  files[] = "condition: files lack the dead rank's part",
                  rank_0[] = "condition: output that only the dead rank writes is lost";

START_TEST(reductions_lack_a_part_unless_they_must_have_all)
{
    opened();
    act_as(1);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    call_at(site(1), FTC_CALL_BARRIER, FTC_FALLBACK_NONE);
    call_at(site(2), FTC_CALL_REDUCE, FTC_FALLBACK_NOT_INTERCEPTED);
    expect_condition(reductions, 2);
    expect_condition(blocks, -1);
    opened();
    act_as(1);
    ftc_library.settings.require_all = 1 << FTC_OPERATOR_SUM;
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    expect_condition(reductions, -1);
}
END_TEST

START_TEST(blocks_of_the_dead_are_missing)
{
    opened();
    act_as(1);
    call_at(site(0), FTC_CALL_ALLGATHER, FTC_FALLBACK_NONE);
    call_at(site(1), FTC_CALL_IALLTOALL, FTC_FALLBACK_NONE);
    call_at(site(2), FTC_CALL_SCATTER, FTC_FALLBACK_NONE);
    expect_condition(blocks, 2);
}
END_TEST

START_TEST(a_root_is_missed_where_its_death_is_no_error)
{
    opened();
    act_as(0);
    returns = false;
    call_at(site(0), FTC_CALL_BCAST, FTC_FALLBACK_NONE); /* keep is advised */
    expect_condition(roots, 1);
    expect("; FTCOLL_ON_DEAD_ROOT=keep (buffers keep their contents if the root is dead)\n");
    ftc_library.settings.on_dead_root = FTC_ON_DEAD_ROOT_KEEP;
    call_at(site(1), FTC_CALL_SCATTER, FTC_FALLBACK_NONE);
    expect_condition(roots, 2);
    opened();
    act_as(0);
    call_at(site(0), FTC_CALL_BCAST, FTC_FALLBACK_NONE);
    expect_condition(roots, -1);
    expect_condition(errors, 1);
}
END_TEST

START_TEST(receives_get_nothing_where_the_dead_are_ignored)
{
    opened();
    act_as(0);
    returns = false;
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, MPI_ANY_SOURCE, site(0));
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, 1, site(1));
    ftc_coverage_native(FTC_CALL_WAIT, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(2));
    ftc_coverage_native(FTC_CALL_SEND, MPI_COMM_WORLD, 1, site(3));
    expect_condition(any_source, 1);
    expect_condition(receives, 2);
    opened();
    act_as(0);
    ftc_library.settings.p2p = FTC_P2P_IGNORE;
    ftc_coverage_native(FTC_CALL_PROBE, MPI_COMM_WORLD, MPI_ANY_SOURCE, site(0));
    ftc_coverage_native(FTC_CALL_WAIT, MPI_COMM_WORLD, FTC_SOME_MEMBER, site(1));
    expect_condition(any_source, 2);
    expect_condition(receives, -1);
    opened();
    act_as(0);
    ftc_library.settings.p2p = FTC_P2P_ERROR;
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, MPI_ANY_SOURCE, site(0));
    expect_condition(any_source, -1);
    expect_condition(errors, 1);
}
END_TEST

/* It returns at once, but a loop of it waits. */
START_TEST(a_look_is_like_a_wait)
{
    opened();
    act_as(0);
    returns = false;
    ftc_coverage_native(FTC_CALL_IPROBE, MPI_COMM_WORLD, MPI_ANY_SOURCE, site(0));
    ftc_coverage_native(FTC_CALL_IPROBE, MPI_COMM_WORLD, 1, site(1));
    expect(": setting p2p is native; FTCOLL_P2P=ignore\n");
    expect_condition(any_source, 1);
    expect_condition(receives, 1);
    ck_assert(strstr(report(), "messages only") == NULL);
    ftc_coverage_native(FTC_CALL_TESTALL, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(2));
    expect_condition(receives, 2);
    expect("if MPI_Wait calls wait for messages only");
    ftc_coverage_native(FTC_CALL_WIN_TEST, MPI_COMM_NULL, FTC_ALL_MEMBERS, site(3));
    expect("MPI_Win_test       not protected  libc.so.6(");
    expect(": no protection for this call\n");
}
END_TEST

START_TEST(communicators_are_smaller_and_files_lack_data)
{
    opened();
    act_as(0);
    ftc_coverage_native(FTC_CALL_COMM_SPLIT, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(0));
    ftc_coverage_native(FTC_CALL_FILE_WRITE_ALL, MPI_COMM_NULL, FTC_ALL_MEMBERS, site(1));
    ftc_coverage_native(FTC_CALL_FILE_SET_SIZE, MPI_COMM_NULL, FTC_ALL_MEMBERS, site(2));
    ftc_coverage_native(FTC_CALL_FILE_SYNC, MPI_COMM_NULL, FTC_ALL_MEMBERS, site(3));
    expect_condition(communicators, 1);
    expect_condition(files, 2);
    expect_condition(errors, -1);
}
END_TEST

START_TEST(copies_are_as_large_as_before_with_places)
{
    opened();
    act_as(0);
    call_at(site(0), FTC_CALL_COMM_DUP, FTC_FALLBACK_NONE);
    expect_condition(communicators, 1);
    ftc_library.settings.communicators = FTC_COMMUNICATORS_PLACES;
    expect_condition(communicators, -1);
    call_at(site(1), FTC_CALL_COMM_SPLIT, FTC_FALLBACK_NONE);
    expect_condition(communicators, 1);
}
END_TEST

START_TEST(results_of_rank_0_alone_are_lost_unless_it_is_critical)
{
    opened();
    act_as(0);
    call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    expect_condition(rank_0, 0);
    is_inter = true;
    call_at(site(2), FTC_CALL_REDUCE, FTC_FALLBACK_NONE);
    expect_condition(rank_0, 0);
    is_inter = false;
    call_at(site(1), FTC_CALL_REDUCE, FTC_FALLBACK_NONE);
    expect_condition(rank_0, 1);
    ftc_board_forbid(&ftc_library.board, 0, FTC_FORBID_ANY);
    expect_condition(rank_0, -1);
}
END_TEST

START_TEST(a_condition_names_each_place_once_and_a_few_of_them)
{
    opened();
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        act_as(rank);
        for (int i = 0; i < SITES - 1; i++)
            call_at(site(i + (int)rank), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    }
    call_at(site(RANKS - 1), FTC_CALL_SCAN, FTC_FALLBACK_NONE);
    expect_condition(reductions, 3);
    expect(" and 2 more\n");
}
END_TEST

/* ---- as JSON ---- */

static const char *json(void)
{
    static char text[1 << 16];
    FILE *f = fmemopen(text, sizeof text, "w");
    struct ftc_json j;

    ftc_json_begin(&j, f);
    ftc_json_open_object(&j, NULL);
    ftc_coverage_report_write_json(&j, &notice);
    ftc_json_close(&j);
    fclose(f);
    return text;
}

static void expect_json(const char *part)
{
    const char *text = json();

    ck_assert_msg(strstr(text, part), "'%s' is not in:\n%s", part, text);
}

START_TEST(json_has_what_the_lines_have)
{
    opened();
    act_as(0);
    for (int i = 0; i < 3000; i++)
        call_at(site(0), FTC_CALL_ALLREDUCE, FTC_FALLBACK_NONE);
    call_at(site(1), FTC_CALL_BARRIER, FTC_FALLBACK_NOT_INTERCEPTED);
    expect_json("{\"coverage\":{\"call_sites\":[{\"call\":\"MPI_Barrier\",\"site\":\"libc.so.6(");
    expect_json("\"calls\":1,\"ranks\":1,\"first_rank\":0,\"last_rank\":0,\"fate\":\"not "
                "protected\",\"because\":\"setting intercept "
                "does not name this call\",\"settings\":[\"FTCOLL_INTERCEPT=all\"]},");
    expect_json("\"calls\":3000,\"ranks\":1,\"first_rank\":0,\"last_rank\":0,\"fate\":"
                "\"protected\",\"because\":null,\"settings\":[]}],");
    expect_json(
        "\"elsewhere\":{\"calls\":0,\"not_protected\":0},\"ranks_unknown\":0,\"calls\":3001,"
        "\"protected_percent\":99.9,\"places\":2,\"places_that_wait\":1,"
        "\"places_that_wait_or_abort\":1,\"places_not_protected\":1,\"verdict\":{\"outcome\":"
        "\"waits\",\"example\":{"
        "\"call\":\"MPI_Barrier\",\"site\":");
    expect_json(
        "\"better\":{\"settings\":[\"FTCOLL_INTERCEPT=all\"],\"verdict\":{\"outcome\":"
        "\"does not wait\",\"example\":null}},\"conditions\":[{\"condition\":\"reductions\","
        "\"meaning\":\"reductions lack");
    ftc_library.settings.on_blocked = FTC_ON_BLOCKED_ABORT;
    expect_json("\"outcome\":\"aborts after blocked_ms\"");
}
END_TEST

START_TEST(json_of_nothing)
{
    opened();
    ck_assert_str_eq(json(), "{\"coverage\":{\"call_sites\":[],\"elsewhere\":{\"calls\":0,"
                             "\"not_protected\":0},\"ranks_unknown\":0,\"calls\":0,"
                             "\"protected_percent\":null,\"places\":0,"
                             "\"places_that_wait\":0,\"places_that_wait_or_abort\":0,"
                             "\"places_not_protected\":0,\"verdict\":{"
                             "\"outcome\":\"does not wait\",\"example\":null},\"better\":null,"
                             "\"conditions\":[]}}\n");
}
END_TEST

START_TEST(json_has_receives_from_any_source)
{
    opened();
    returns = false;
    ftc_library.settings.p2p = FTC_P2P_IGNORE;
    act_as(0);
    ftc_coverage_native(FTC_CALL_IPROBE, MPI_COMM_WORLD, MPI_ANY_SOURCE, site(0));
    expect_json("\"verdict\":{\"outcome\":\"waits only for any source\",\"example\":null}");
    ftc_library.settings.p2p = FTC_P2P_NATIVE;
    ftc_coverage_native(FTC_CALL_WAITALL, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(1));
    expect_json("\"outcome\":\"waits only for any source if MPI_Wait is for messages\"");
}
END_TEST

START_TEST(json_promises_no_more_of_waits_than_is_known)
{
    opened();
    act_as(0);
    returns = false;
    ftc_coverage_native(FTC_CALL_WAITALL, MPI_COMM_WORLD, FTC_ALL_MEMBERS, site(0));
    expect_json("\"verdict\":{\"outcome\":\"does not wait if MPI_Wait is for messages\",");
    ftc_library.settings.p2p = FTC_P2P_ERROR;
    ftc_coverage_native(FTC_CALL_RECV, MPI_COMM_WORLD, 1, site(1));
    expect_json("\"fate\":\"ends the job\"");
    expect_json("\"places_that_wait\":1,\"places_that_wait_or_abort\":2,");
}
END_TEST

/* Of one rank of another host they have been fetched, of the other not. */
START_TEST(what_is_not_known_of_other_hosts_is_told)
{
    opened();
    ftc_library.board.shared->geometry.other_hosts = 1;
    ftc_library.board.geometry.other_hosts = 1;
    ftc_library.board.shared->rank[1].host = ftc_library.board.shared->rank[2].host = 1;
    atomic_store(&ftc_coverage_sites_of(&ftc_library.board, 1)->are_known, true);
    ck_assert_ptr_nonnull(
        strstr(report(), "ftcoll: the calls of 1 rank on other hosts are not known\n"));
    expect_json("\"ranks_unknown\":1,");
}
END_TEST

/* ---- records that no correct rank writes ---- */

START_TEST(a_call_or_fate_that_there_is_not_is_left_out)
{
    const char *text;

    opened();
    for (uint32_t i = 0; i < SITES; i++) {
        atomic_store(&record(0, i)->call, i < 2 ? UINT32_MAX : FTC_CALL_BARRIER);
        record(0, i)->protection = i < 2 ? 0 : UINT32_MAX;
    }
    atomic_store(&record(1, 0)->call, FTC_CALL_COUNT);
    record(1, 1)->protection = FTC_PROTECTION_COUNT;
    atomic_store(&record(1, 1)->call, FTC_CALL_BARRIER);
    text = report();
    ck_assert_int_eq(count_lines(text), 3);
}
END_TEST

START_TEST(a_text_without_an_end_is_cut)
{
    const char *text;

    opened();
    atomic_store(&record(1, SITES - 1)->call, FTC_CALL_BARRIER);
    memset(record(1, SITES - 1)->text, 'x', FTC_COVERAGE_SITE_TEXT);
    text = report();
    ck_assert_int_eq(count_lines(text), 4);
    ck_assert_int_eq(strspn(strchr(text, 'x'), "x"), FTC_COVERAGE_SITE_TEXT - 1);
}
END_TEST

START_TEST(control_characters_are_not_printed)
{
    const char *text;

    opened();
    atomic_store(&record(0, 0)->call, FTC_CALL_BARRIER);
    strcpy(record(0, 0)->text, "a\033[2J\nb\r\x7f\xff%s");
    text = report();
    ck_assert_ptr_nonnull(strstr(text, "a?[2J?b???%s"));
    for (const char *c = text; *c; c++)
        ck_assert(*c == '\n' || (*c >= ' ' && *c <= '~'));
}
END_TEST

START_TEST(counts_may_be_anything)
{
    opened();
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        atomic_store(&record(rank, 0)->call, FTC_CALL_BARRIER);
        atomic_store(&record(rank, 0)->calls, UINT64_MAX);
        for (int s = 0; s < FTC_LEVELS; s++)
            atomic_store(&ftc_coverage_sites_of(&ftc_library.board, rank)->elsewhere[s],
                         UINT64_MAX);
    }
    expect("on    3  MPI_Barrier");
}
END_TEST

/* ---- the segment ---- */

START_TEST(without_sites_nothing_is_counted)
{
    enum { MANY_SITES = 512, PAGE_MOST = 65536 };
    struct ftc_board_geometry g = opened()->geometry;
    size_t with, sites = RANKS * (sizeof(struct ftc_coverage_sites) +
                                  MANY_SITES * sizeof(struct ftc_coverage_site));

    ftc_board_close(&ftc_library.board);
    g.sites_bytes = ftc_coverage_sites_bytes(MANY_SITES);
    ck_assert_int_eq(ftc_board_create(&ftc_library.board, &g), 0);
    with = ftc_library.board.size_bytes;
    ftc_board_close(&ftc_library.board);
    g.sites_bytes = 0;
    ck_assert_int_eq(ftc_board_create(&ftc_library.board, &g), 0);
    ftc_coverage_open();
    ck_assert(!ftc_coverage_is_on);
    /* The size is one of whole pages. */
    ck_assert_uint_lt(with - ftc_library.board.size_bytes - sites + PAGE_MOST, 2 * PAGE_MOST);
}
END_TEST

START_TEST(too_many_sites_are_refused)
{
    struct ftc_board_geometry g = opened()->geometry;
    struct ftc_board other;

    g.sites_bytes = UINT32_MAX - 63;
    ck_assert_int_eq(ftc_board_create(&other, &g), -EINVAL);
    ftc_library.board.shared->geometry.sites_bytes += 1 << 20;
    ck_assert_int_eq(ftc_board_map(&other, ftc_library.board.fd), -EACCES);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("coverage");
    UNIT_TEST(calls_of_all_ranks_at_one_site_are_one_line);
    UNIT_TEST(a_rank_at_which_different_things_help_is_one);
    UNIT_TEST(the_exposed_come_first_and_are_summed_up);
    UNIT_TEST(one_site_may_have_several_fates);
    UNIT_TEST(more_sites_than_there_is_room_for_are_counted);
    UNIT_TEST(native_calls_are_counted_by_what_protects_them);
    UNIT_TEST(settings_protect_native_calls);
    UNIT_TEST(protected_programs_survive);
    UNIT_TEST(settings_that_help_are_named);
    UNIT_TEST(what_messages_cannot_take_a_data_phase_does);
    UNIT_TEST(it_does_so_whatever_max_bytes_is);
    UNIT_TEST(nor_need_an_operation_be_commutative_there);
    UNIT_TEST(what_would_be_native_all_the_same_is_not_advised);
    UNIT_TEST(nor_is_anything_for_arguments_that_native_mpi_rejects);
    UNIT_TEST(with_threads_an_intercommunicator_is_seen_if_survivors_make_it);
    UNIT_TEST(an_operation_that_is_not_commutative_needs_more_room);
    UNIT_TEST(each_site_is_told_what_helps_it);
    UNIT_TEST(settings_that_help_some_calls_leave_the_others_waiting);
    UNIT_TEST(errors_that_are_fatal_protect_nobody);
    UNIT_TEST(messages_are_to_be_errors_only_for_those_who_handle_them);
    UNIT_TEST(receives_from_any_source_may_wait);
    UNIT_TEST(no_more_is_promised_of_waits_than_is_known);
    UNIT_TEST(what_is_too_large_together_is_not_for_intercept_alone);
    UNIT_TEST(calls_whose_errors_return_are_not_protected);
    UNIT_TEST(what_is_ignored_for_one_call_is_no_error_of_others);
    UNIT_TEST(a_communicator_that_native_mpi_makes_is_not_of_the_survivors);
    UNIT_TEST(files_refuse_some_calls_and_leave_others_alone);
    UNIT_TEST(a_broadcast_may_lose_its_root);
    UNIT_TEST(results_that_must_be_of_all_end_the_job);
    UNIT_TEST(no_failure_is_tolerated_with_f_0);
    UNIT_TEST(calls_at_unlisted_sites_count_too);
    UNIT_TEST(nothing_called);
    UNIT_TEST(reductions_lack_a_part_unless_they_must_have_all);
    UNIT_TEST(blocks_of_the_dead_are_missing);
    UNIT_TEST(a_root_is_missed_where_its_death_is_no_error);
    UNIT_TEST(receives_get_nothing_where_the_dead_are_ignored);
    UNIT_TEST(a_look_is_like_a_wait);
    UNIT_TEST(communicators_are_smaller_and_files_lack_data);
    UNIT_TEST(copies_are_as_large_as_before_with_places);
    UNIT_TEST(results_of_rank_0_alone_are_lost_unless_it_is_critical);
    UNIT_TEST(a_condition_names_each_place_once_and_a_few_of_them);
    UNIT_TEST(json_has_what_the_lines_have);
    UNIT_TEST(json_of_nothing);
    UNIT_TEST(json_has_receives_from_any_source);
    UNIT_TEST(what_is_not_known_of_other_hosts_is_told);
    UNIT_TEST(json_promises_no_more_of_waits_than_is_known);
    UNIT_TEST(a_call_or_fate_that_there_is_not_is_left_out);
    UNIT_TEST(a_text_without_an_end_is_cut);
    UNIT_TEST(control_characters_are_not_printed);
    UNIT_TEST(counts_may_be_anything);
    UNIT_TEST(without_sites_nothing_is_counted);
    UNIT_TEST(too_many_sites_are_refused);
    UNIT_END();
}
