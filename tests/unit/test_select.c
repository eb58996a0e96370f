/* Which protocol a call takes, for all combinations of the facts that decide it. The expectations
 * are in select.def. */
#include "board/directory.h"
#include "collectives/composite.h"
#include "collectives/course.h"
#include "collectives/slices.h"
#include "library.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

enum { RANKS = 4, SHOWN_BYTES = 1 << 16, MAX_BYTES = 4096 };

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
    SLICES,  /* max_bytes has a byte of each rank */
    FACTS
};

static const int values[FACTS] = {2, 2, 2, 4, 2, 2, 2, 3, 2, 2};
static const enum ftc_pass obstacles[] = {FTC_PASS_NONE, FTC_PASS_ADDRESSES,
                                          FTC_PASS_NON_COMMUTATIVE, FTC_PASS_TOO_LARGE};
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

static const struct ftc_collective *collective_of(enum ftc_call_kind kind, bool is_between)
{
    static const struct ftc_collective ftc_collective_none;
    static const struct ftc_collective *const of[FTC_CALL_COUNT] = {
#define FTC_CALL(kind, name, class, need, setting, collective)                                     \
    [FTC_CALL_##kind] = &ftc_collective_##collective,
#include "call/calls.def"
#undef FTC_CALL
    };

    return is_between && of[kind] != &ftc_collective_barrier ? &ftc_collective_between : of[kind];
}

static void set_world(const int facts[])
{
    struct ftc_settings *s = &ftc_library.settings;

    s->large = facts[PROTECTED] ? FTC_LARGE_PROTECTED : FTC_LARGE_NATIVE;
    s->max_bytes = facts[SLICES] ? MAX_BYTES : RANKS - 1;
    ftc_library.world_size = RANKS;
    ftc_library.board.geometry.other_hosts = (uint32_t)facts[HOSTS];
    ftc_library.board.geometry.shown_bytes = SHOWN_BYTES;
}

static void make_call(enum ftc_call_kind kind, const int facts[])
{
    size_t bytes = elements[facts[ELEMENT]];

    call = (struct ftc_call){.kind = kind, .count = 16};
    collective = *collective_of(kind, facts[BETWEEN]);
    collective.needs_mpi = tell_needs_mpi;
    needs_mpi = facts[NEEDS_MPI];
    plan = (struct ftc_plan){
        .call = &call,
        .collective = &collective,
        .comm = &comm,
        .count = call.count,
        .packs_elements = facts[PACKED],
        .value_bytes = facts[FITS] ? SHOWN_BYTES : 2 * SHOWN_BYTES,
        .facts = {.contiguous = true,
                  .commutative = facts[COMMUTATIVE],
                  .size_bytes = bytes,
                  .extent_bytes = (ptrdiff_t)bytes,
                  .true_extent_bytes = bytes},
    };
    set_world(facts);
}

/* ---- the choice ---- */

/* S single, E single with all blocks exposed, P pipelined, T segmented, M rounds in memory, W
 * rounds in messages, L slices, N native MPI, X an error. */
static char letter_of(enum ftc_course_kind kind)
{
    switch (kind) {
    case FTC_COURSE_LARGE:
        return 'P';
    case FTC_COURSE_SERIES:
        return 'T';
    case FTC_COURSE_POSTED:
        return ftc_board_has_other_hosts(&ftc_library.board) ? 'W' : 'M';
    default:
        return 'S';
    }
}

/* ftc_plan_make(), and make_plan() of nonblocking.c. */
static char first_of(enum ftc_pass pass)
{
    char letter = 'S';

    plan.is_shown = pass == FTC_PASS_TOO_LARGE && ftc_composite_can_be_shown(&plan);
    if (plan.is_shown) {
        letter = 'E';
    } else if (pass != FTC_PASS_NONE) {
        plan.course_kind = ftc_course_of(&plan, pass);
        letter = plan.course_kind == FTC_COURSE_WHOLE ? 'N' : letter_of(plan.course_kind);
    }
    if (letter != 'N' && ftc_call_is_nonblocking(call.kind) && ftc_plan_is_of_unknown_size(&plan) &&
        !ftc_slices_possible(&plan) && !ftc_posted_can(&plan, FTC_PASS_TOO_LARGE))
        return 'N';
    return letter;
}

/* needs_parcel() of nonblocking.c. */
static bool needs_parcel(void)
{
    if (plan.course_kind == FTC_COURSE_LARGE || plan.course_kind == FTC_COURSE_SERIES)
        return false;
    return plan.collective->needs_mpi(&plan) ||
           (ftc_plan_is_of_unknown_size(&plan) && !ftc_posted_can(&plan, FTC_PASS_TOO_LARGE));
}

/* is_packed_whole() of composite.c: v the value is packed as it travels, b the block alone. */
static char packing_of(char first)
{
    if (first == 'N' || !ftc_call_is_nonblocking(call.kind) || !needs_parcel())
        return '-';
    return plan.course_kind == FTC_COURSE_POSTED || ftc_plan_is_of_unknown_size(&plan) ? 'b' : 'v';
}

/* go_on() of plan.c, and end_task() of nonblocking.c. */
static char next_of(char first, char packing)
{
    if (first != 'S' && first != 'E')
        return '-';
    if (ftc_posted_can(&plan, FTC_PASS_TOO_LARGE))
        return letter_of(FTC_COURSE_POSTED);
    if (packing != '-' && ftc_plan_is_of_unknown_size(&plan))
        return 'L';
    return ftc_call_is_nonblocking(call.kind) ? 'X' : 'N';
}

static void choose(enum ftc_call_kind kind, const int facts[], char choice[4])
{
    make_call(kind, facts);
    choice[0] = first_of(obstacles[facts[OBSTACLE]]);
    choice[1] = packing_of(choice[0]);
    choice[2] = next_of(choice[0], choice[1]);
    choice[3] = '\0';
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

int main(void)
{
    UNIT_BEGIN("select");
    UNIT_TEST(each_call_takes_the_recorded_protocol);
    UNIT_END();
}
