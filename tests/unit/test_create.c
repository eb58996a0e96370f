/* Who is in a communicator that the survivors make. The file under test is part of this one. */
#include "new_communicators/create.c"

#include "unit_board.h"

#include <string.h>

enum { RANKS = 6, HOSTS = 2, DEAD = 2, GROUP = 100, PART = 101 };

struct ftc_library ftc_library;

static int self, in_part[RANKS], count;

/* ---- other ranks, whose number modulo HOSTS is that of their host ---- */

int ftc_or_allreduce(const struct ftc_call *call, struct ftc_comm *c, void *table, size_t bytes)
{
    struct choice *choice = table;

    (void)call;
    (void)c;
    ck_assert_uint_eq(bytes, RANKS * sizeof *choice);
    for (int i = 0; i < RANKS; i++)
        if (i != self && i != DEAD)
            choice[i] = (struct choice){.is_there = 1, .color = i % HOSTS};
    return MPI_SUCCESS;
}

void ftc_participants_strike_off(struct ftc_participants *participants)
{
    participants->dead[DEAD] = 1;
}

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    ck_assert_int_eq(group, GROUP);
    ck_assert_int_le(n, RANKS);
    count = n;
    memcpy(in_part, ranks, (size_t)n * sizeof *ranks);
    *newgroup = PART;
    return MPI_SUCCESS;
}

/* Splits by hosts on rank @rank. */
static void split_on(int rank)
{
    const struct ftc_creation x = {.kind = FTC_CALL_COMM_SPLIT_TYPE, .type = MPI_COMM_TYPE_SHARED};
    const struct ftc_call call = {.kind = FTC_CALL_COMM_SPLIT_TYPE};
    uint32_t world[RANKS];
    unsigned char dead[RANKS] = {0};
    struct ftc_comm c = {.size = RANKS, .rank = rank, .world = world};
    struct ftc_participants participants = {
        .comm = &c, .group = GROUP, .size = RANKS, .dead = dead};
    MPI_Group part;

    for (uint32_t i = 0; i < RANKS; i++)
        world[i] = i;
    self = rank;
    ftc_library.world_rank = rank;
    ftc_library.board = unit_board_of((uint32_t)rank % HOSTS, HOSTS, RANKS, 8);
    ck_assert_int_eq(part_of_split(&x, &call, &participants, &part), MPI_SUCCESS);
    ck_assert_int_eq(part, PART);
    ck_assert(!participants.is_copy);
}

START_TEST(survivors_share_memory_with_those_of_their_host)
{
    int expected = 0;

    split_on(_i);
    for (int i = 0; i < RANKS; i++)
        if (i != DEAD && i % HOSTS == _i % HOSTS)
            ck_assert_int_eq(in_part[expected++], i);
    ck_assert_int_eq(count, expected);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("create");
    tcase_add_loop_test(unit_case, survivors_share_memory_with_those_of_their_host, 0, HOSTS);
    UNIT_END();
}
