/* What the ranks of a call that makes a communicator tell each other, and what they conclude. */
#include "board/death.h"
#include "board/rank_state.h"
#include "new_communicators/participants.h"
#include "program/error.h"
#include "unit_board.h"

#include <signal.h>
#include <string.h>

enum { RANKS = 4, OWN = 1, VALUE_BYTES = 8, TOLD = RANKS + sizeof(uint32_t) };

struct ftc_library ftc_library;
static uint32_t world[RANKS] = {0, 1, 2, 3};
static struct ftc_comm comm = {.size = RANKS, .rank = OWN, .world = world};
static int left_out; /* of @comm; -1: nobody */
static struct ftc_participants participants;
static struct ftc_spares *spares; /* only its address is used */

int ftc_comm_member(const struct ftc_comm *c, int rank)
{
    ck_assert_ptr_eq(c, &comm);
    return rank == left_out ? -1 : rank;
}

int ftc_error_no_memory(void)
{
    ck_abort_msg("no memory");
}

struct ftc_spares *ftc_spares_hold(struct ftc_spares *s)
{
    return s;
}

void ftc_spares_drop(struct ftc_spares *s)
{
    (void)s;
}

uint32_t ftc_spares_kept(const struct ftc_spares *s)
{
    (void)s;
    return 1U << comm.rank;
}

static int kept;

void ftc_spares_keep(struct ftc_spares *s, int number)
{
    ck_assert_ptr_eq(s, spares);
    kept = number;
}

void ftc_topology_remap_free(struct ftc_topology_remap *remap)
{
    (void)remap;
}

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *made)
{
    (void)ranks;
    *made = group + n; /* a handle that tells how many */
    return MPI_SUCCESS;
}

int PMPI_Group_difference(MPI_Group all, MPI_Group some, MPI_Group *rest)
{
    *rest = all - (some - all);
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *group)
{
    (void)group;
    return MPI_SUCCESS;
}

static void set_up(void)
{
    left_out = -1;
    ftc_library = (struct ftc_library){.board = unit_board(unit_geometry(RANKS, VALUE_BYTES)),
                                       .world_rank = OWN};
    for (uint32_t i = 0; i < RANKS; i++)
        ftc_board_introduce(&ftc_library.board, i, 1);
    ck_assert(ftc_participants_open(&participants, &comm, RANKS, spares));
}

static void tear_down(void)
{
    ftc_participants_close(&participants);
    ftc_board_close(&ftc_library.board);
}

/* As the operation does. */
static void unite(unsigned char *into, const unsigned char *from)
{
    for (size_t i = 0; i < TOLD; i++)
        into[i] |= from[i];
}

/* What @rank tells, if this process is that rank. */
static void tell_as(int rank, enum ftc_native_end how, unsigned char *told)
{
    comm.rank = ftc_library.world_rank = rank;
    ftc_participants_fill_report(&participants, how);
    memcpy(told, participants.report, TOLD);
    comm.rank = ftc_library.world_rank = OWN;
}

/* This rank has ended with @own, all others with @others; whoever is dead tells nothing. */
static void tell_each_other(enum ftc_native_end own, enum ftc_native_end others)
{
    unsigned char united[TOLD] = {0}, told[TOLD];

    for (int i = 1; i <= RANKS; i++) { /* this rank last: what it has done before is a variable */
        int rank = (OWN + i) % RANKS;

        if (ftc_board_is_dead(&ftc_library.board, world[rank]))
            continue;
        tell_as(rank, rank == OWN ? own : others, told);
        unite(united, told);
    }
    memcpy(participants.report, united, TOLD);
    ftc_participants_hear(&participants);
}

static void kill_rank(uint32_t rank)
{
    ck_assert(ftc_board_mark_failed(&ftc_library.board, rank, FTC_DEATH_SIGNAL, SIGKILL));
}

START_TEST(all_have_it)
{
    set_up();
    tell_each_other(FTC_NATIVE_HAS_COMMUNICATOR, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert(!participants.is_again);
    ck_assert(!participants.is_exhausted);
    ck_assert_int_eq(participants.dead_count, 0);
    tear_down();
}
END_TEST

START_TEST(one_has_not)
{
    set_up();
    tell_each_other(FTC_NATIVE_NOT_TRIED, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert(participants.is_again);
    ck_assert(!participants.is_exhausted);
    ck_assert_int_eq(participants.dead_count, 0);
    tear_down();
}
END_TEST

/* By one rank's knowledge, by what has not come, and by what the operation has left out. */
START_TEST(who_is_dead)
{
    MPI_Group living;

    set_up();
    kill_rank(3);
    tell_each_other(FTC_NATIVE_HAS_COMMUNICATOR, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert(participants.dead[3] && !participants.dead[0] && !participants.dead[OWN] &&
              !participants.dead[2]);
    participants.report[0] = 0;
    ftc_participants_hear(&participants);
    ck_assert(participants.dead[0] && participants.dead[3]);
    left_out = 2;
    ftc_participants_hear(&participants);
    ck_assert_int_eq(participants.dead_count, 3);
    ck_assert_int_eq(ftc_participants_living(&participants, RANKS, &living), MPI_SUCCESS);
    ck_assert_int_eq(living, RANKS - 3);
    tear_down();
}
END_TEST

/* One that has told that it is there, and has died then: who has seen that has told so. */
START_TEST(dead_since_it_told)
{
    unsigned char told[TOLD];

    set_up();
    tell_as(3, FTC_NATIVE_HAS_COMMUNICATOR, told);
    kill_rank(3);
    tell_each_other(FTC_NATIVE_HAS_COMMUNICATOR, FTC_NATIVE_HAS_COMMUNICATOR);
    unite(participants.report, told);
    ftc_participants_hear(&participants);
    ck_assert(participants.dead[3]);
    ck_assert_int_eq(participants.dead_count, 1);
    tear_down();
}
END_TEST

START_TEST(death_in_the_native_part)
{
    set_up();
    kill_rank(3);
    tell_each_other(FTC_NATIVE_NOT_TRIED, FTC_NATIVE_NOT_TRIED);
    ftc_participants_watch(&participants, false);
    ck_assert(!ftc_participants_is_hopeless(&participants)); /* of that one all know */
    kill_rank(2);
    ck_assert(ftc_participants_is_hopeless(&participants));
    ck_assert(ftc_participants_is_hopeless(&participants));
    tear_down();
}
END_TEST

START_TEST(left_once)
{
    set_up();
    tell_each_other(FTC_NATIVE_WAS_ABANDONED, FTC_NATIVE_NOT_TRIED);
    ck_assert(participants.is_again && !participants.is_exhausted);
    tell_each_other(FTC_NATIVE_NOT_TRIED, FTC_NATIVE_WAS_ABANDONED); /* the others twice */
    ck_assert(participants.is_again && participants.is_exhausted);
    ck_assert(!ftc_participants_is_exhausted_here());
    tear_down();
}
END_TEST

/* What MPICH cannot do twice. */
START_TEST(left_twice)
{
    set_up();
    tell_each_other(FTC_NATIVE_NOT_TRIED, FTC_NATIVE_NOT_TRIED);
    tell_each_other(FTC_NATIVE_NOT_TRIED, FTC_NATIVE_NOT_TRIED); /* ended, any number of times */
    ck_assert(participants.is_again && !participants.is_exhausted);
    tell_each_other(FTC_NATIVE_WAS_ABANDONED, FTC_NATIVE_NOT_TRIED);
    ck_assert(participants.is_again && !participants.is_exhausted);
    tell_each_other(FTC_NATIVE_WAS_ABANDONED, FTC_NATIVE_NOT_TRIED);
    ck_assert(participants.is_exhausted && ftc_participants_is_exhausted_here());
    tell_each_other(FTC_NATIVE_HAS_COMMUNICATOR, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert(participants.is_exhausted);
    tear_down();
}
END_TEST

/* It may be of a call that was ended; or MPI has no more communicators, which is an error on all.
 */
START_TEST(an_error_is_tried_again)
{
    set_up();
    kill_rank(3);
    for (int i = 0; i < 3; i++) {
        tell_each_other(FTC_NATIVE_FAILED, FTC_NATIVE_HAS_COMMUNICATOR);
        ck_assert(participants.is_again && !participants.has_failed);
    }
    tell_each_other(FTC_NATIVE_FAILED, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert(!participants.is_again && participants.has_failed);
    kill_rank(2);
    tell_each_other(FTC_NATIVE_FAILED, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert(participants.is_again && !participants.has_failed);
    tell_each_other(FTC_NATIVE_HAS_COMMUNICATOR, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert(!participants.is_again && !participants.has_failed);
    tear_down();
}
END_TEST

/* The one whose messages do not arrive may be another than the one that is exhausted. */
START_TEST(an_exhausted_member_makes_it_hopeless)
{
    set_up();
    kill_rank(3);
    tell_each_other(FTC_NATIVE_HAS_COMMUNICATOR, FTC_NATIVE_HAS_COMMUNICATOR);
    ftc_participants_watch(&participants, true);
    ck_assert(!ftc_participants_is_hopeless(&participants));
    ftc_board_set_exhausted(&ftc_library.board, 2);
    ck_assert(ftc_participants_is_hopeless(&participants));
    tear_down();
}
END_TEST

/* Nobody needs one that is exhausted, and dead. */
START_TEST(exhausted_and_dead)
{
    set_up();
    tell_each_other(FTC_NATIVE_WAS_ABANDONED, FTC_NATIVE_NOT_TRIED);
    tell_each_other(FTC_NATIVE_WAS_ABANDONED, FTC_NATIVE_NOT_TRIED);
    ck_assert(participants.is_exhausted);
    left_out = OWN;
    ftc_participants_hear(&participants);
    ck_assert(!participants.is_exhausted);
    tear_down();
}
END_TEST

/* Each rank has taken the one of its own number. */
START_TEST(spares_that_any_has_taken)
{
    spares = (struct ftc_spares *)world;
    set_up();
    kill_rank(3);
    tell_each_other(FTC_NATIVE_HAS_COMMUNICATOR, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert_uint_eq(participants.taken, 1U << 0 | 1U << 1 | 1U << 2);
    tear_down();
    spares = NULL;
    set_up();
    tell_each_other(FTC_NATIVE_HAS_COMMUNICATOR, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert_uint_eq(participants.taken, UINT32_MAX);
    tear_down();
}
END_TEST

/* It is kept once all have it. */
START_TEST(a_spare_that_all_have)
{
    spares = (struct ftc_spares *)world;
    kept = -1;
    set_up();
    participants.spare = 2;
    tell_each_other(FTC_NATIVE_NOT_TRIED, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert_int_eq(kept, -1);
    participants.spare = 3;
    tell_each_other(FTC_NATIVE_HAS_COMMUNICATOR, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert_int_eq(kept, 3);
    kept = -1;
    tell_each_other(FTC_NATIVE_HAS_COMMUNICATOR, FTC_NATIVE_HAS_COMMUNICATOR);
    ck_assert_int_eq(kept, -1);
    tear_down();
    spares = NULL;
}
END_TEST

int main(void)
{
    UNIT_BEGIN("participants");
    UNIT_TEST(all_have_it);
    UNIT_TEST(one_has_not);
    UNIT_TEST(who_is_dead);
    UNIT_TEST(dead_since_it_told);
    UNIT_TEST(death_in_the_native_part);
    UNIT_TEST(left_once);
    UNIT_TEST(left_twice);
    UNIT_TEST(an_error_is_tried_again);
    UNIT_TEST(an_exhausted_member_makes_it_hopeless);
    UNIT_TEST(exhausted_and_dead);
    UNIT_TEST(spares_that_any_has_taken);
    UNIT_TEST(a_spare_that_all_have);
    UNIT_END();
}
