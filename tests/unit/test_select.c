/* Which protocol a call takes, for all combinations of the facts that decide it. The expectations
 * are in select.def. */
#include "collectives/plan.h"
#include "library.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

enum { RANKS = 4, EXPOSED_BYTES = 1 << 16, MAX_BYTES = 4096 };

/* The facts, in the order of the digits in select.def. */
enum fact {
    BETWEEN,     /* on an intercommunicator */
    PROTECTED,   /* large = protected */
    HOSTS,       /* several hosts */
    OBSTACLE,    /* why the data do not fit one operation: index in obstacles[] */
    COMMUTATIVE, /* operation */
    PACKED,      /* elements at addresses */
    NEEDS_MPI,
    ELEMENT, /* fits both, no part of an operation, no slot of the data phase */
    FITS,    /* each block, and all of them, fit the place of shown data */
    ROUNDS,  /* max_bytes has a byte of each rank */
    FACTS
};

static const int values[FACTS] = {2, 2, 2, 4, 2, 2, 2, 3, 2, 2};
static const enum ftc_fallback obstacles[] = {FTC_FALLBACK_NONE, FTC_FALLBACK_ADDRESSES,
                                              FTC_FALLBACK_NON_COMMUTATIVE, FTC_FALLBACK_TOO_LARGE};
static const size_t elements[] = {8, 128 << 10, 2 << 20};

/* ---- a call with these facts ---- */

static struct ftc_call call;
static struct ftc_comm comm = {.size = RANKS, .member_count = RANKS};
static struct ftc_collective collective;
static struct ftc_plan plan;
static bool needs_mpi;

static bool tell_needs_mpi(const struct ftc_plan *of)
{
    (void)of;
    return needs_mpi;
}

bool ftc_facts_need_mpi(const struct ftc_facts *facts)
{
    (void)facts;
    return needs_mpi;
}

static const struct ftc_collective *collective_of(enum ftc_call_kind kind)
{
    static const struct ftc_collective ftc_collective_none, ftc_collective_barrier;
    static const struct ftc_collective *const of[FTC_CALL_COUNT] = {
#define FTC_CALL(kind, name, class, need, setting, collective)                                     \
    [FTC_CALL_##kind] = &ftc_collective_##collective,
#include "call/calls.def"
#undef FTC_CALL
    };

    return of[kind];
}

static void set_world(const int facts[])
{
    struct ftc_settings *s = &ftc_library.settings;

    s->large = facts[PROTECTED] ? FTC_LARGE_PROTECTED : FTC_LARGE_NATIVE;
    s->max_bytes = facts[ROUNDS] ? MAX_BYTES : RANKS - 1;
    ftc_library.world_size = RANKS;
    ftc_library.board.geometry.other_hosts = (uint32_t)facts[HOSTS];
    ftc_library.board.geometry.exposed_bytes = EXPOSED_BYTES;
}

static void make_call(enum ftc_call_kind kind, const int facts[])
{
    static const struct ftc_layouts layouts;
    size_t bytes = elements[facts[ELEMENT]];

    call = (struct ftc_call){.kind = kind, .count = 16};
    call.layouts = collective_of(kind) == &ftc_collective_blocks ? &layouts : NULL;
    collective = *collective_of(kind);
    collective.needs_mpi = tell_needs_mpi;
    needs_mpi = facts[NEEDS_MPI];
    plan = (struct ftc_plan){
        .call = &call,
        .collective = &collective,
        .comm = &comm,
        .is_inter = facts[BETWEEN] && ftc_call_plain(kind) != FTC_CALL_BARRIER,
        .arguments = {.count = call.count,
                      .packs_elements = facts[PACKED],
                      .value_bytes = facts[FITS] ? EXPOSED_BYTES : 2 * EXPOSED_BYTES,
                      .facts = {.contiguous = true,
                                .commutative = facts[COMMUTATIVE],
                                .size_bytes = bytes,
                                .extent_bytes = (ptrdiff_t)bytes,
                                .true_extent_bytes = bytes}},
    };
    set_world(facts);
}

/* ---- the choice ---- */

/* The letters in select.def. */
static char letter_of(enum ftc_protocol protocol)
{
    static const char letters[] = {
        [FTC_PROTOCOL_SINGLE] = 'S',           [FTC_PROTOCOL_SINGLE_EXPOSED] = 'E',
        [FTC_PROTOCOL_PIPELINED] = 'P',        [FTC_PROTOCOL_SEGMENTED] = 'T',
        [FTC_PROTOCOL_ROUNDS_IN_MEMORY] = 'M', [FTC_PROTOCOL_ROUNDS_IN_MESSAGES] = 'W',
        [FTC_PROTOCOL_NATIVE] = 'N',           [FTC_PROTOCOL_ERROR] = 'X',
    };

    return letters[protocol];
}

static bool is_single(enum ftc_protocol protocol)
{
    return protocol == FTC_PROTOCOL_SINGLE || protocol == FTC_PROTOCOL_SINGLE_EXPOSED;
}

static void choose(enum ftc_call_kind kind, const int facts[], char choice[4])
{
    make_call(kind, facts);
    strcpy(choice, "---");
    ftc_plan_select(&plan, obstacles[facts[OBSTACLE]], false);
    choice[0] = letter_of(plan.protocol);
    choice[1] = "-p"[plan.packs];
    if (!is_single(plan.protocol))
        return;
    ftc_plan_select(&plan, FTC_FALLBACK_TOO_LARGE, true);
    choice[2] = letter_of(plan.protocol);
}

/* ---- all combinations ---- */

struct row {
    const char *kinds, *facts, *choice;
};

static const struct row rows[] = {
#define ROW(kinds, facts, choice) {" " kinds " ", facts, choice},
#include "select.def"
#undef ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool next_facts(int facts[])
{
    for (int i = FACTS - 1; i >= 0; i--) {
        if (++facts[i] < values[i])
            return true;
        facts[i] = 0;
    }
    return false;
}

/* On an intercommunicator all calls need MPI, and elements are packed; a rank that gives none knows
 * nothing of the operation. */
static bool happens(const int facts[])
{
    return !facts[BETWEEN] || (facts[NEEDS_MPI] && (facts[PACKED] || !facts[COMMUTATIVE]));
}

static bool is_of(const struct row *row, const char *kind, const int facts[])
{
    for (int i = 0; i < FACTS; i++)
        if (row->facts[i] != '*' && row->facts[i] != '0' + facts[i])
            return false;
    return strstr(row->kinds, kind) != NULL;
}

static int find_row(enum ftc_call_kind kind, const int facts[])
{
    char name[64];

    snprintf(name, sizeof name, " %s ", ftc_call_name(kind) + strlen("MPI_"));
    for (int i = 0; i < ROWS; i++)
        if (is_of(&rows[i], name, facts))
            return i;
    return -1;
}

static void check(enum ftc_call_kind kind, const int facts[], bool is_used[])
{
    char choice[4], text[FACTS + 1] = "";
    int row = find_row(kind, facts);

    for (int i = 0; i < FACTS; i++)
        text[i] = (char)('0' + facts[i]);
    ck_assert_msg(row >= 0, "no row for %s %s", ftc_call_name(kind), text);
    choose(kind, facts, choice);
    ck_assert_msg(strcmp(choice, rows[row].choice) == 0, "%s %s: %s in place of %s (%s)",
                  ftc_call_name(kind), text, choice, rows[row].choice, rows[row].facts);
    is_used[row] = true;
}

START_TEST(each_call_takes_the_recorded_protocol)
{
    bool is_used[ROWS] = {false};

    for (int kind = 0; kind < FTC_CALL_COUNT; kind++) {
        int facts[FACTS] = {0};

        if (!ftc_call_is_counted(kind))
            continue;
        do
            if (happens(facts))
                check(kind, facts, is_used);
        while (next_facts(facts));
    }
    for (int row = 0; row < ROWS; row++)
        ck_assert_msg(is_used[row], "no call is of %s: %s", rows[row].kinds, rows[row].facts);
}
END_TEST

START_TEST(calls_with_requests_are_those_that_the_table_of_calls_names)
{
    for (int kind = 0; kind < FTC_CALL_COUNT; kind++) {
        enum ftc_call_class class = ftc_call_class(kind);

        ck_assert_msg(ftc_call_is_nonblocking(kind) ==
                          (class == FTC_CLASS_NONBLOCKING || class == FTC_CLASS_PERSISTENT),
                      "%s", ftc_call_name(kind));
    }
}
END_TEST

int main(void)
{
    UNIT_BEGIN("select");
    UNIT_TEST(calls_with_requests_are_those_that_the_table_of_calls_names);
    UNIT_TEST(each_call_takes_the_recorded_protocol);
    UNIT_END();
}
