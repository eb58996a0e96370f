/* Whom receives from any source count on. */
#include "board/rank_state.h"
#include "communicator/attribute.h"
#include "communicator/group.h"
#include "library.h"
#include "p2p/peers.h"
#include "unit_board.h"
#include "value/datatype.h"

#include <signal.h>
#include <string.h>

enum { SELF, RANKS = 4, FIRST_COMM = 100, PEERS = 2 };

struct ftc_library ftc_library;

static bool is_inter;
static MPI_Comm comm = FIRST_COMM; /* in each test another one */

/* ---- a communicator of the ranks from 0 on, or on two groups: the remote one has the last ---- */

static int first_peer(void)
{
    return is_inter ? RANKS - PEERS : 0;
}

int PMPI_Comm_test_inter(MPI_Comm handle, int *flag)
{
    ck_assert_int_eq(handle, comm);
    *flag = is_inter;
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *group)
{
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

MPI_Group ftc_group_of_peers(MPI_Comm handle)
{
    return handle;
}

int *ftc_group_world_ranks(MPI_Group group, int *size)
{
    int *world = calloc(PEERS, sizeof *world);

    (void)group;
    *size = PEERS;
    for (int i = 0; i < PEERS; i++)
        world[i] = first_peer() + i;
    return world;
}

bool ftc_is_comm(MPI_Comm handle)
{
    return handle == comm;
}

void *ftc_attribute_get(MPI_Comm handle, enum ftc_attribute_section section)
{
    (void)handle;
    (void)section;
    return NULL;
}

bool ftc_attribute_keep(MPI_Comm handle, enum ftc_attribute_section section, void *kept)
{
    (void)handle;
    (void)section;
    return kept != NULL;
}

/* Peer @rank of the communicator dies. */
static void kill_peer(int rank)
{
    ftc_board_mark_failed(&ftc_library.board, (uint32_t)(first_peer() + rank), FTC_DEATH_SIGNAL,
                          SIGKILL);
}

static struct ftc_peers *peers_of(bool two_groups)
{
    struct ftc_peers *p;

    is_inter = two_groups;
    comm++;
    ftc_library.board = unit_board(unit_geometry(RANKS, 8));
    p = ftc_peers_get(comm);
    ck_assert_ptr_nonnull(p);
    return p;
}

START_TEST(a_rank_does_not_wait_for_itself)
{
    struct ftc_peers *p = peers_of(false);

    ck_assert(!ftc_peers_are_dead(p));
    kill_peer(SELF + 1);
    ck_assert(ftc_peers_are_dead(p));
}
END_TEST

/* None of the remote group is this rank. */
START_TEST(of_a_remote_group_all_may_send)
{
    struct ftc_peers *p = peers_of(true);

    ck_assert(!ftc_peers_are_dead(p));
    kill_peer(0);
    ck_assert(!ftc_peers_are_dead(p));
    kill_peer(1);
    ck_assert(ftc_peers_are_dead(p));
}
END_TEST

/* Two receives are ended by one death each, and a third by either. */
START_TEST(without_a_remote_group_no_receive_waits)
{
    struct ftc_peers *p = peers_of(true);

    for (int i = 0; i < PEERS; i++) {
        kill_peer(i);
        ck_assert_int_eq(ftc_peers_culprit(p, MPI_ANY_SOURCE, 1), i);
        ftc_peers_mark_reported(p, i);
        ck_assert_int_eq(ftc_peers_culprit(p, MPI_ANY_SOURCE, 1), i + 1 < PEERS ? -1 : i);
    }
}
END_TEST

int main(void)
{
    UNIT_BEGIN("peers");
    UNIT_TEST(a_rank_does_not_wait_for_itself);
    UNIT_TEST(of_a_remote_group_all_may_send);
    UNIT_TEST(without_a_remote_group_no_receive_waits);
    UNIT_END();
}
