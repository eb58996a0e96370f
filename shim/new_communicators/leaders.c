#include "leaders.h"

#include "board/rank_state.h"
#include "communicator/communicator.h"
#include "communicator/group.h"
#include "communicator/lineage.h"
#include "program/error.h"
#include "program/native_call.h"
#include "progress/wait.h"
#include "system/hash.h"
#include "union.h"
#include "value/datatype.h"

#include <stdlib.h>
#include <string.h>

enum { TURNS = 256 }; /* as many as take in all that a dead rank had sent (p2p/dead_peer.c) */

/* What a leader tells its group: all is 0 if it is dead. */
struct told {
    uint64_t number; /* of the call, in the other group */
    int32_t outcome;
    int32_t count;  /* of the other group's ranks */
    int32_t rank[]; /* each its world rank and 1 */
};
enum { UNKNOWN, KNOWN, OUTSIDE, DEAD };

/* What it tells the other leader: a number, in two parts, and world ranks. */
enum { NUMBER_PARTS = 2 };

static bool is_leader(const struct ftc_creation *x)
{
    int rank = -1;

    PMPI_Comm_rank(x->comm, &rank);
    return rank == x->bridge->local_leader;
}

/* The ranks that the leader names its peer by. */
static MPI_Group peers_of(const struct ftc_bridge *b)
{
    int inter = 0;

    PMPI_Comm_test_inter(b->peer, &inter);
    return ftc_group_of_peers(b->peer, inter);
}

static bool names_a_peer(const struct ftc_bridge *b)
{
    MPI_Group peers;
    int size = 0;

    if (!ftc_is_comm(b->peer))
        return false;
    peers = peers_of(b);
    PMPI_Group_size(peers, &size);
    PMPI_Group_free(&peers);
    return b->remote_leader >= 0 && b->remote_leader < size;
}

bool ftc_leaders_are_valid(const struct ftc_creation *x)
{
    const struct ftc_bridge *b = x->bridge;
    int size = 0;

    PMPI_Comm_size(x->comm, &size);
    if (b->local_leader < 0 || b->local_leader >= size)
        return false;
    return !is_leader(x) || names_a_peer(b);
}

/* ---- between the leaders ---- */

/* Below 0: it is not in MPI_COMM_WORLD. */
static int world_rank_of_remote_leader(const struct ftc_bridge *b)
{
    MPI_Group peers = peers_of(b);
    int size = 0, world = -1, *all = ftc_group_world_ranks(peers, &size);

    if (all && b->remote_leader < size)
        world = all[b->remote_leader];
    free(all);
    PMPI_Group_free(&peers);
    return world;
}

static bool has_come(MPI_Request *receive, MPI_Status *status)
{
    int flag = 0;

    PMPI_Test(receive, &flag, status);
    return flag != 0;
}

/* Whether the other leader's message has come, whatever has become of the leader. */
static bool await_message(MPI_Request *receive, int world, MPI_Status *status)
{
    struct ftc_wait wait = {0};

    while (!ftc_board_is_dead(&ftc_library.board, (uint32_t)world)) {
        if (has_come(receive, status))
            return true;
        ftc_wait_native_turn(&wait);
    }
    for (int turn = 0; turn < TURNS; turn++)
        if (has_come(receive, status))
            return true;
    return false;
}

static void end_send(MPI_Request *send, int world)
{
    struct ftc_wait wait = {0};
    int flag = 0;

    while (!flag && !ftc_board_is_dead(&ftc_library.board, (uint32_t)world)) {
        PMPI_Test(send, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            ftc_wait_native_turn(&wait);
    }
    if (*send != MPI_REQUEST_NULL)
        PMPI_Request_free(send);
}

/* @mine for @theirs, which has room for *@count numbers and holds so many in the end. What native
 * MPI may still send is not given back. */
static bool exchange(const struct ftc_creation *x, int world, const int *mine, int own_count,
                     int *theirs, int *count)
{
    const struct ftc_bridge *b = x->bridge;
    MPI_Request receive, send;
    MPI_Status status;
    bool is_there;

    PMPI_Irecv(theirs, *count, MPI_INT, b->remote_leader, x->tag, b->peer, &receive);
    PMPI_Isend(mine, own_count, MPI_INT, b->remote_leader, x->tag, b->peer, &send);
    is_there = await_message(&receive, world, &status);
    end_send(&send, world);
    if (is_there) {
        PMPI_Get_count(&status, MPI_INT, count);
        return true;
    }
    PMPI_Cancel(&receive);
    PMPI_Request_free(&receive);
    return false;
}

/* ---- within a group ---- */

/* Each of them once, and in MPI_COMM_WORLD: else native MPI is to say what is wrong. */
static bool are_groups(const int *mine, int own_count, const int *theirs, int count)
{
    bool *is_there = calloc((size_t)ftc_library.world_size, sizeof *is_there), are = is_there;

    for (int i = 0; are && i < own_count + count; i++) {
        int world = i < own_count ? mine[i] : theirs[i - own_count];

        are = world >= 0 && world < ftc_library.world_size && !is_there[world];
        if (are)
            is_there[world] = true;
    }
    free(is_there);
    return are;
}

static void note(struct told *told, const int *theirs, int count)
{
    memcpy(&told->number, theirs, sizeof told->number);
    told->outcome = KNOWN;
    told->count = count - NUMBER_PARTS;
    for (int i = 0; i < told->count; i++)
        told->rank[i] = theirs[NUMBER_PARTS + i] + 1;
}

/* The number and the ranks of this rank's group; NULL without memory. */
static int *message_of(const struct ftc_creation *x, uint64_t number, int *count)
{
    int size = 0, *world = ftc_group_world_ranks_of(x->comm, &size);
    int *message = malloc(((size_t)size + NUMBER_PARTS) * sizeof *message);

    if (world && message) {
        memcpy(message, &number, sizeof number);
        memcpy(message + NUMBER_PARTS, world, (size_t)size * sizeof *world);
        *count = size + NUMBER_PARTS;
    } else {
        free(message);
        message = NULL;
    }
    free(world);
    return message;
}
_Static_assert(NUMBER_PARTS * sizeof(int) == sizeof(uint64_t), "a number in two parts");

/* Fills @told. The memory that is sent stays, if the other leader is dead. */
static void ask_other_leader(const struct ftc_creation *x, uint64_t number, struct told *told)
{
    int count = ftc_library.world_size + NUMBER_PARTS, own_count = 0, world;
    int *mine = message_of(x, number, &own_count);
    int *theirs = malloc((size_t)count * sizeof *theirs);

    world = world_rank_of_remote_leader(x->bridge);
    told->outcome = world < 0 ? OUTSIDE : DEAD;
    if (world >= 0 && mine && theirs && exchange(x, world, mine, own_count, theirs, &count)) {
        told->outcome = OUTSIDE;
        if (count > NUMBER_PARTS && are_groups(mine + NUMBER_PARTS, own_count - NUMBER_PARTS,
                                               theirs + NUMBER_PARTS, count - NUMBER_PARTS))
            note(told, theirs, count);
    }
    if (world < 0 || !ftc_board_is_dead(&ftc_library.board, (uint32_t)world)) {
        free(mine);
        free(theirs);
    }
}

/* So that any number may die meanwhile. NULL for one rank, which tells nobody. */
static struct ftc_comm *comm_of(const struct ftc_creation *x, uint64_t number)
{
    struct ftc_comm *of, *c = NULL;

    ftc_library_lock();
    of = ftc_comm_get(x->comm);
    if (of && of->pass == FTC_PASS_NONE)
        c = ftc_comm_for_request(number, of);
    ftc_library_unlock();
    return c;
}

static int tell_group(const struct ftc_creation *x, const struct ftc_call *call, uint64_t number,
                      struct told *told, size_t bytes)
{
    struct ftc_comm *c = comm_of(x, number);
    int size = 0, rv;

    PMPI_Comm_size(x->comm, &size);
    if (size == 1)
        return MPI_SUCCESS;
    if (!c)
        return ftc_error_no_memory();
    rv = ftc_union_of(call, c, told, bytes);
    ftc_library_lock();
    ftc_comm_release(c);
    ftc_library_unlock();
    return rv;
}

/* A leader that dies while it tells may have told the beginning. */
static bool is_whole(const struct told *told)
{
    for (int i = 0; i < told->count; i++)
        if (told->rank[i] == 0)
            return false;
    return told->outcome == KNOWN && told->count > 0;
}

static MPI_Group group_of(const struct told *told)
{
    int *rank = malloc((size_t)told->count * sizeof *rank);
    MPI_Group world, group = MPI_GROUP_NULL;

    if (!rank)
        return MPI_GROUP_NULL;
    for (int i = 0; i < told->count; i++)
        rank[i] = told->rank[i] - 1;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_incl(world, told->count, rank, &group);
    PMPI_Group_free(&world);
    free(rank);
    return group;
}

/* In whatever order. */
static uint64_t number_of_both(uint64_t a, uint64_t b)
{
    uint64_t lower = a < b ? a : b, higher = a < b ? b : a;

    return lower == 0 ? 0 : ftc_hash_mix(ftc_hash_mix(FTC_HASH_START, lower), higher);
}

int ftc_leaders_meet(const struct ftc_creation *x, const struct ftc_call *call,
                     struct ftc_meeting *meeting)
{
    size_t bytes = sizeof(struct told) + (size_t)ftc_library.world_size * sizeof(int32_t);
    uint64_t number = ftc_lineage_of_request(x->comm);
    struct told *told = calloc(1, bytes);
    int rv;

    *meeting = (struct ftc_meeting){.remote = MPI_GROUP_NULL};
    if (!told)
        return ftc_error_no_memory();
    ftc_native_call_mark_leaders(x->comm, x->bridge->local_leader, x->bridge->peer,
                                 x->bridge->remote_leader, x->return_address);
    if (is_leader(x))
        ask_other_leader(x, number, told);
    rv = tell_group(x, call, number, told, bytes);
    ftc_native_call_leave();
    if (rv == MPI_SUCCESS && is_whole(told)) {
        meeting->remote = group_of(told);
        meeting->number = number_of_both(number, told->number);
        rv = meeting->remote == MPI_GROUP_NULL ? ftc_error_no_memory() : MPI_SUCCESS;
    } else if (rv == MPI_SUCCESS && told->outcome != OUTSIDE) {
        rv = ftc_error_dead_leader(call, told->outcome == DEAD);
    }
    free(told);
    return rv;
}
