#include "create.h"

#include "board/directory.h"
#include "board/rank_state.h"
#include "communicator/group.h"
#include "context.h"
#include "mpi/inside.h"
#include "native_part.h"
#include "program/error.h"
#include "program/native_call.h"
#include "progress/queue.h"
#include "report/report.h"
#include "roll.h"
#include "union.h"
#include "value/datatype.h"

#include <stdlib.h>

enum { RECEIVES_WHEN_FREED = 402 }; /* MPICH 4.2 */

/* What a rank says in a split. */
struct choice {
    int32_t is_there, color, key;
};

/* ---- arguments: native MPI finds what is wrong with them before it waits for anybody ---- */

static bool is_subset(MPI_Group group, MPI_Comm comm)
{
    MPI_Group all = ftc_group_of(comm), rest;
    int outside;

    PMPI_Group_difference(group, all, &rest);
    PMPI_Group_size(rest, &outside);
    PMPI_Group_free(&all);
    if (rest != MPI_GROUP_EMPTY)
        PMPI_Group_free(&rest);
    return outside == 0;
}

static bool handles_are_valid(const struct ftc_creation *x)
{
    int inter = 1;

    return ftc_is_comm(x->comm) && PMPI_Comm_test_inter(x->comm, &inter) == MPI_SUCCESS &&
           (inter != 0) == (x->kind == FTC_CALL_INTERCOMM_MERGE) &&
           (!ftc_creation_has_group(x->kind) || ftc_is_group(x->group));
}

static bool is_valid_tag(int tag)
{
    int *highest, found = 0;

    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
    return found && tag >= 0 && tag <= *highest;
}

static bool is_one(int bits)
{
    return bits != 0 && (bits & (bits - 1)) == 0;
}

static bool is_opening(const struct ftc_opening *o)
{
    int amode = o->amode;

    if (!o->file || !o->name ||
        !is_one(amode & (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY)))
        return false;
    if (amode & MPI_MODE_RDONLY)
        return (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) == 0;
    return (amode & MPI_MODE_RDWR) == 0 || (amode & MPI_MODE_SEQUENTIAL) == 0;
}

static bool arguments_are_valid(const struct ftc_creation *x)
{
    if (!x->newcomm || !handles_are_valid(x))
        return false;
    switch (x->kind) {
    case FTC_CALL_COMM_CREATE:
        return is_subset(x->group, x->comm);
    case FTC_CALL_COMM_CREATE_GROUP:
        return is_subset(x->group, x->comm) && ftc_group_has_this_rank(x->group) &&
               is_valid_tag(x->tag);
    case FTC_CALL_FILE_OPEN:
        return is_opening(x->opening);
    default: /* of a split, MPICH takes any color */
        return !ftc_creation_is_topology(x->kind) || ftc_seating_is_valid(x);
    }
}

/* ---- what the survivors tell each other ---- */

/* Replaces @table by the union of all survivors' tables. */
static int unite(const struct ftc_call *call, struct ftc_comm *c, void *table, size_t bytes)
{
    struct ftc_union u = {.call = call, .comm = c, .table = table, .size = bytes};
    struct ftc_drive_request request;
    int rv = MPI_SUCCESS;

    ftc_library_lock();
    while (!ftc_union_is_over(&u) && rv == MPI_SUCCESS) {
        if (c->running->first)
            ftc_queue_complete(c);
        ftc_union_request(&u, &request);
        rv = ftc_union_take(&u, ftc_drive(c, &request));
    }
    ftc_library_unlock();
    return rv;
}

/* Who is dead, and whether all have come through the native part. */
static int agree(const struct ftc_call *call, struct ftc_roll *roll, enum ftc_native_end end)
{
    int rv;

    ftc_roll_tell(roll, end);
    rv = unite(call, roll->comm, roll->told, (size_t)roll->size);
    if (rv == MPI_SUCCESS)
        ftc_roll_hear(roll);
    return rv;
}

/* ---- the roll ---- */

/* Those whom @x needs. */
static MPI_Group group_of(const struct ftc_creation *x)
{
    return x->kind == FTC_CALL_INTERCOMM_MERGE ? ftc_group_of_both_in_order(x->comm)
                                               : ftc_group_of(x->comm);
}

/* Of a communicator of one rank all calls are native MPI's, but for those that want the places it
 * has. The library has none of the program's for it. */
static bool is_one_with_places(const struct ftc_creation *x)
{
    int size = 0;

    if ((!ftc_creation_is_copy(x->kind) && x->kind != FTC_CALL_CART_SUB) || !ftc_places_of(x->comm))
        return false;
    PMPI_Comm_size(x->comm, &size);
    return size == 1;
}

static bool has_own_group(const struct ftc_creation *x)
{
    return x->kind != FTC_CALL_COMM_CREATE_GROUP;
}

/* For the library's operations among them: else it has one of the program's of just these. */
static bool has_own_comm(const struct ftc_creation *x)
{
    return !has_own_group(x) || x->kind == FTC_CALL_INTERCOMM_MERGE || is_one_with_places(x);
}

static struct ftc_comm *comm_of(const struct ftc_creation *x, MPI_Group group)
{
    struct ftc_comm *c;

    ftc_library_lock();
    c = has_own_comm(x) ? ftc_comm_for_call(x->comm, group, x->tag) : ftc_comm_get(x->comm);
    ftc_library_unlock();
    return c;
}

static void close_roll(const struct ftc_creation *x, struct ftc_roll *roll)
{
    ftc_roll_close(roll);
    if (roll->comm && has_own_comm(x)) {
        ftc_library_lock();
        ftc_comm_release(roll->comm);
        ftc_library_unlock();
    }
    if (roll->group != MPI_GROUP_NULL && has_own_group(x))
        PMPI_Group_free(&roll->group);
}

/* False if native MPI is to carry @x out. To be closed otherwise. */
static bool open_roll(const struct ftc_creation *x, struct ftc_roll *roll)
{
    MPI_Group group = has_own_group(x) ? group_of(x) : x->group;
    struct ftc_comm *c = group == MPI_GROUP_NULL ? NULL : comm_of(x, group);

    if (c && c->pass == FTC_PASS_NONE && ftc_roll_open(roll, c, group))
        return true;
    *roll = (struct ftc_roll){.comm = c, .group = group};
    close_roll(x, roll);
    return false;
}

/* ---- who is in the new communicator ---- */

static int color_of(const struct ftc_creation *x)
{
    if (x->kind == FTC_CALL_COMM_SPLIT)
        return x->color;
    /* Of other types MPI lets a part be none at all. */
    return x->type == MPI_COMM_TYPE_SHARED
               ? (int)ftc_board_host(&ftc_library.board, (uint32_t)ftc_library.world_rank)
               : MPI_UNDEFINED;
}

/* Those of @color by key, of equal keys by rank: so an insertion that keeps the order. */
static int ranks_of_color(const struct choice *choice, const struct ftc_roll *roll, int color,
                          int *rank)
{
    int count = 0;

    for (int i = 0; i < roll->size; i++) {
        int at = count;

        if (!choice[i].is_there || roll->dead[i] || choice[i].color != color)
            continue;
        for (; at > 0 && choice[rank[at - 1]].key > choice[i].key; at--)
            rank[at] = rank[at - 1];
        rank[at] = i;
        count++;
    }
    return count;
}

static int part_of_split(const struct ftc_creation *x, const struct ftc_call *call,
                         struct ftc_roll *roll, MPI_Group *part)
{
    struct choice *choice = calloc((size_t)roll->size, sizeof *choice);
    int *rank = malloc((size_t)roll->size * sizeof *rank), own = roll->comm->rank, rv;

    if (!choice || !rank) {
        rv = ftc_error_no_memory();
        goto out;
    }
    choice[own] = (struct choice){.is_there = 1, .color = color_of(x), .key = x->key};
    rv = unite(call, roll->comm, choice, (size_t)roll->size * sizeof *choice);
    if (rv != MPI_SUCCESS)
        goto out;
    ftc_roll_strike_off(roll);
    if (choice[own].color == MPI_UNDEFINED)
        *part = MPI_GROUP_EMPTY;
    else
        rv = PMPI_Group_incl(roll->group, ranks_of_color(choice, roll, choice[own].color, rank),
                             rank, part);
out:
    free(choice);
    free(rank);
    return rv;
}

/* What is known of a side of an intercommunicator. */
enum { HIGH = 1 };

/* Both sides without the dead, the one that is not high first; of two alike the one with the lowest
 * rank. A side that is all dead says nothing. */
static int members_of_merge(const struct ftc_creation *x, const struct ftc_call *call,
                            struct ftc_roll *roll, MPI_Group *members)
{
    MPI_Group local, remote, both;
    unsigned char told[2] = {0}; /* by side, the one with the lowest rank first */
    bool is_first;
    int rv;

    PMPI_Comm_group(x->comm, &local);
    PMPI_Comm_remote_group(x->comm, &remote);
    is_first = ftc_group_lowest(local) < ftc_group_lowest(remote);
    told[is_first ? 0 : 1] = x->high ? HIGH : 0;
    rv = unite(call, roll->comm, told, sizeof told);
    if (rv == MPI_SUCCESS) {
        ftc_roll_strike_off(roll);
        if (is_first == (told[0] <= told[1]))
            PMPI_Group_union(local, remote, &both);
        else
            PMPI_Group_union(remote, local, &both);
        rv = ftc_roll_living(roll, both, members);
        PMPI_Group_free(&both);
    }
    PMPI_Group_free(&local);
    PMPI_Group_free(&remote);
    return rv;
}

static int members_with_places(const struct ftc_creation *x, struct ftc_roll *roll,
                               MPI_Group *members)
{
    if (!ftc_seating_find(x, roll->size, roll->comm->rank, roll->dead, &roll->seating))
        return ftc_error_no_memory();
    return PMPI_Group_incl(roll->group, roll->seating.count, roll->seating.member, members);
}

static int members_of(const struct ftc_creation *x, const struct ftc_call *call,
                      struct ftc_roll *roll, MPI_Group *members)
{
    if (ftc_creation_is_topology(x->kind))
        return members_with_places(x, roll, members);
    switch (x->kind) {
    case FTC_CALL_COMM_SPLIT:
    case FTC_CALL_COMM_SPLIT_TYPE:
        return part_of_split(x, call, roll, members);
    case FTC_CALL_INTERCOMM_MERGE:
        return members_of_merge(x, call, roll, members);
    case FTC_CALL_COMM_CREATE:
        return ftc_roll_living(roll, x->group, members);
    default:
        return ftc_roll_living(roll, roll->group, members);
    }
}

/* A file that some have opened cannot be closed without the others: it stays open. */
static void drop(const struct ftc_creation *x)
{
    if (x->kind == FTC_CALL_FILE_OPEN)
        *x->opening->file = MPI_FILE_NULL;
    if (*x->newcomm != MPI_COMM_NULL)
        PMPI_Comm_free(x->newcomm);
}

/* One communicator, of all who are not dead by what is agreed on; with roll->is_again it is not all
 * of them that have it. */
static int attempt(const struct ftc_creation *x, const struct ftc_call *call, struct ftc_roll *roll)
{
    MPI_Group members = MPI_GROUP_NULL;
    int rv = MPI_SUCCESS, end;

    roll->is_again = false;
    if (roll->is_exhausted)
        return ftc_error_exhausted(call);
    if (roll->dead_count > 0 || ftc_seating_is_ours(x))
        rv = members_of(x, call, roll, &members);
    if (rv != MPI_SUCCESS)
        return rv;
    end = agree(call, roll, ftc_native_part(x, roll, members, &rv));
    ftc_seating_free(&roll->seating);
    if (members != MPI_GROUP_NULL && members != MPI_GROUP_EMPTY)
        PMPI_Group_free(&members);
    if (roll->is_again || end != MPI_SUCCESS)
        drop(x);
    return end != MPI_SUCCESS ? end : rv;
}

static int make(const struct ftc_creation *x, const struct ftc_call *call, struct ftc_roll *roll)
{
    int rv = agree(call, roll, FTC_NATIVE_HAS_COMMUNICATOR);

    *x->newcomm = MPI_COMM_NULL;
    if (rv != MPI_SUCCESS)
        return rv;
    do
        rv = attempt(x, call, roll);
    while (roll->is_again);
    return rv;
}

bool ftc_new_communicators_are_on(void)
{
    return ftc_library.state == FTC_LIBRARY_ACTIVE && !ftc_library.paused &&
           ftc_library.settings.communicators == FTC_COMMUNICATORS_SURVIVORS;
}

static bool is_on(enum ftc_call_kind kind)
{
    return ftc_new_communicators_are_on() &&
           (!ftc_creation_is_topology(kind) || ftc_inside_want(FTC_INSIDE_NEIGHBORS));
}

/* A file that is not open yet has the error handler of MPI_FILE_NULL. */
static void raise_error(const struct ftc_call *call)
{
    if (call->kind == FTC_CALL_FILE_OPEN)
        ftc_error_raise_on_file(call, MPI_FILE_NULL);
    else
        ftc_error_raise(call);
}

bool ftc_new_communicator_create(struct ftc_creation *x)
{
    struct ftc_call call = {.kind = x->kind,
                            .comm = x->comm,
                            .datatype = MPI_DATATYPE_NULL,
                            .op = MPI_OP_NULL,
                            .return_address = x->return_address};
    struct ftc_roll roll;

    ftc_native_call_look_back();
    if (!is_on(x->kind) || !arguments_are_valid(x) || !open_roll(x, &roll))
        return false;
    ftc_report_call(&call, FTC_PASS_NONE);
    x->result = make(x, &call, &roll);
    close_roll(x, &roll);
    raise_error(&call);
    return true;
}

/* Members that an operation has left out are the same on all ranks behind it. */
static bool all_know_of_dead(MPI_Comm comm)
{
    struct ftc_comm *c;
    bool is_known;

    ftc_library_lock();
    c = ftc_comm_get(comm);
    is_known = c && c->pass == FTC_PASS_NONE && c->member_count < c->size;
    ftc_library_unlock();
    return is_known;
}

bool ftc_new_communicator_create_if_dead(struct ftc_creation *x)
{
    return is_on(x->kind) && arguments_are_valid(x) && all_know_of_dead(x->comm) &&
           ftc_new_communicator_create(x);
}

static bool has_dead_member(MPI_Comm comm)
{
    int inter = 0, size = 0, *world;
    bool is_dead = false;
    MPI_Group group;

    PMPI_Comm_test_inter(comm, &inter);
    group = inter ? ftc_group_of_both(comm) : ftc_group_of_peers(comm, false);
    world = ftc_group_world_ranks(group, &size);
    for (int i = 0; world && i < size; i++)
        is_dead |= world[i] >= 0 && ftc_board_is_dead(&ftc_library.board, (uint32_t)world[i]);
    free(world);
    PMPI_Group_free(&group);
    return is_dead;
}

/* After a death survivors may have given up receives for which a message comes all the same. Since
 * 4.2 MPI_Comm_free() of MPICH receives such messages, waits for their data, for ever if the sender
 * is dead, and then ends the job because there were any. MPICH keeps such a communicator, with its
 * attributes. */
static bool is_to_be_kept(const MPI_Comm *comm)
{
    return ftc_board_is_open(&ftc_library.board) && ftc_board_is_anyone_dead(&ftc_library.board) &&
           ftc_inside_mpich() >= RECEIVES_WHEN_FREED && comm && ftc_is_comm(*comm) &&
           *comm != MPI_COMM_WORLD && has_dead_member(*comm);
}

int ftc_new_communicator_free(MPI_Comm *comm, int (*native)(MPI_Comm *comm))
{
    if (is_to_be_kept(comm)) {
        *comm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    if (!ftc_context_is_abandoned(comm) || ftc_roll_is_exhausted_here())
        return native(comm);
    return ftc_context_retire(comm, native);
}
