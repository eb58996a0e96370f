#include "create.h"

#include "board/directory.h"
#include "board/rank_state.h"
#include "communicator/group.h"
#include "communicator/lineage.h"
#include "context.h"
#include "leaders.h"
#include "mpi/inside.h"
#include "native_part.h"
#include "or_allreduce.h"
#include "participants.h"
#include "program/coverage.h"
#include "program/error.h"
#include "program/native_call.h"
#include "progress/recovery.h"
#include "value/datatype.h"

#include <limits.h>
#include <stdlib.h>

enum { RECEIVES_WHEN_FREED = 402 }; /* since MPICH 4.2, MPI_Comm_free receives messages */

/* Arguments of a rank in a split. */
struct choice {
    int32_t is_there, color, key;
};

/* ---- arguments: native MPI reports invalid ones before it waits for other ranks ---- */

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

/* Returns whether the call makes an intercommunicator from another one. */
static bool copies_intercomm(enum ftc_call_kind kind)
{
    return ftc_creation_is_copy(kind) || kind == FTC_CALL_COMM_CREATE ||
           kind == FTC_CALL_COMM_SPLIT;
}

static bool handles_are_valid(const struct ftc_creation *x)
{
    if (!ftc_is_comm(x->comm) || (ftc_creation_has_group(x->kind) && !ftc_is_group(x->group)))
        return false;
    return ftc_is_inter(x->comm) ? x->kind == FTC_CALL_INTERCOMM_MERGE || copies_intercomm(x->kind)
                                 : x->kind != FTC_CALL_INTERCOMM_MERGE;
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
    case FTC_CALL_COMM_CREATE_FROM_GROUP: /* from_groups.c has checked the other arguments */
    case FTC_CALL_INTERCOMM_CREATE_FROM_GROUPS:
        return x->bridge || ftc_group_has_this_rank(x->group);
    case FTC_CALL_FILE_OPEN:
        return is_opening(x->opening);
    case FTC_CALL_INTERCOMM_CREATE:
        return is_valid_tag(x->tag) && ftc_leaders_are_valid(x);
    default: /* in a split, MPICH accepts any color */
        return !ftc_creation_is_topology(x->kind) || ftc_topology_remap_is_valid(x);
    }
}

/* ---- agreement of the survivors ---- */

/* Agrees with the other survivors which ranks are dead, and whether all have completed the native
 * part. Returns an MPI error code. */
static int agree(const struct ftc_call *call, struct ftc_participants *participants,
                 enum ftc_native_end end)
{
    int rv;

    ftc_participants_fill_report(participants, end);
    rv = ftc_or_allreduce(call, participants->comm, participants->report,
                          ftc_participants_report_bytes(participants));
    if (rv == MPI_SUCCESS)
        ftc_participants_hear(participants);
    return rv;
}

/* ---- the participants ---- */

/* Returns the ranks that @x needs; those of both groups of an intercommunicator, one group after
 * the other. The caller frees the group. */
static MPI_Group group_of(const struct ftc_creation *x, const struct ftc_inter_groups *groups)
{
    MPI_Group both;

    if (x->is_inter)
        return PMPI_Group_union(groups->group[0], groups->group[1], &both) == MPI_SUCCESS
                   ? both
                   : MPI_GROUP_NULL;
    return x->kind == FTC_CALL_INTERCOMM_MERGE ? ftc_group_of_both_in_order(x->comm)
                                               : ftc_group_of(x->comm);
}

/* Returns whether the communicator has one rank and a topology that MPI does not know. Native MPI
 * carries out all other calls on a communicator of one rank. */
static bool is_alone_with_topology(const struct ftc_creation *x)
{
    int size = 0;

    if ((!ftc_creation_is_copy(x->kind) && x->kind != FTC_CALL_CART_SUB) ||
        !ftc_virtual_topology_get(x->comm))
        return false;
    PMPI_Comm_size(x->comm, &size);
    return size == 1;
}

static bool has_own_group(const struct ftc_creation *x)
{
    return !ftc_creation_is_in_group(x);
}

/* Returns whether the library's operations need a communicator of their own. Otherwise the program
 * has one with just these ranks. */
static bool has_own_comm(const struct ftc_creation *x)
{
    return !has_own_group(x) || x->kind == FTC_CALL_INTERCOMM_MERGE || x->is_inter ||
           is_alone_with_topology(x);
}

static struct ftc_comm *comm_of(const struct ftc_creation *x, MPI_Group group)
{
    struct ftc_comm *c;

    ftc_library_lock();
    if (x->lineage != 0)
        c = ftc_comm_for_meeting(x->lineage, group);
    else if (x->bridge) /* each group passes a different communicator */
        c = ftc_comm_for_call(MPI_COMM_WORLD, group, x->tag);
    else
        c = has_own_comm(x) ? ftc_comm_for_call(x->comm, group, x->tag) : ftc_comm_get(x->comm);
    ftc_library_unlock();
    return c;
}

static void close_participants(const struct ftc_creation *x, struct ftc_participants *participants)
{
    ftc_participants_close(participants);
    if (participants->comm && has_own_comm(x)) {
        ftc_library_lock();
        ftc_comm_release(participants->comm);
        ftc_library_unlock();
    }
    if (participants->group != MPI_GROUP_NULL && has_own_group(x))
        PMPI_Group_free(&participants->group);
}

/* Opens the participants of @x. Returns false if native MPI is to carry @x out. */
static bool open_participants(const struct ftc_creation *x, const struct ftc_inter_groups *groups,
                              struct ftc_participants *participants)
{
    MPI_Group group = has_own_group(x) ? group_of(x, groups) : x->group;
    struct ftc_comm *c = group == MPI_GROUP_NULL ? NULL : comm_of(x, group);
    struct ftc_spares *spares = x->is_inter ? NULL : ftc_spares_of(x->comm);

    if (c && c->fallback == FTC_FALLBACK_NONE &&
        ftc_participants_open(participants, c, group, spares)) {
        participants->groups = groups;
        return true;
    }
    *participants = (struct ftc_participants){.comm = c, .group = group};
    close_participants(x, participants);
    return false;
}

/* ---- members of the new communicator ---- */

static int color_of(const struct ftc_creation *x)
{
    if (x->kind == FTC_CALL_COMM_SPLIT)
        return x->color;
    /* For other types MPI allows that no communicator is made. */
    return x->type == MPI_COMM_TYPE_SHARED
               ? (int)ftc_board_host(&ftc_library.board, (uint32_t)ftc_library.world_rank)
               : MPI_UNDEFINED;
}

/* Writes to @rank the living ranks from @begin to @end - 1 that have @color. Sorts them by key, and
 * equal keys by rank: an insertion keeps the order of these. Returns their number. */
static int ranks_of_color(const struct choice *choice, const struct ftc_participants *participants,
                          int color, int begin, int end, int *rank)
{
    int count = 0;

    for (int i = begin; i < end; i++) {
        int at = count;

        if (!choice[i].is_there || participants->dead[i] || choice[i].color != color)
            continue;
        for (; at > 0 && choice[rank[at - 1]].key > choice[i].key; at--)
            rank[at] = rank[at - 1];
        rank[at] = i;
        count++;
    }
    return count;
}

/* Returns whether the split has all ranks in one part, in their present order. All living ranks
 * must have the color of @own, and keys in the order of the ranks. In a split by hosts, the dead
 * must be of that host as well; other colors of the dead are not known. */
static bool is_copy(const struct ftc_creation *x, const struct choice *choice,
                    const struct ftc_participants *participants, const struct choice *own)
{
    int key = INT_MIN;

    for (int i = 0; i < participants->size; i++) {
        uint32_t host = ftc_board_host(&ftc_library.board, participants->comm->world[i]);

        if (x->kind == FTC_CALL_COMM_SPLIT_TYPE && (int)host != own->color)
            return false;
        if (participants->dead[i])
            continue;
        if (choice[i].color != own->color || choice[i].key < key)
            return false;
        key = choice[i].key;
    }
    return own->color != MPI_UNDEFINED;
}

static int part_of_split(const struct ftc_creation *x, const struct ftc_call *call,
                         struct ftc_participants *participants, MPI_Group *part)
{
    struct choice *choice = calloc((size_t)participants->size, sizeof *choice);
    int *rank = malloc((size_t)participants->size * sizeof *rank), own = participants->comm->rank,
        rv;

    if (!choice || !rank) {
        rv = ftc_error_no_memory();
        goto out;
    }
    choice[own] = (struct choice){.is_there = 1, .color = color_of(x), .key = x->key};
    rv = ftc_or_allreduce(call, participants->comm, choice,
                          (size_t)participants->size * sizeof *choice);
    if (rv != MPI_SUCCESS)
        goto out;
    ftc_participants_strike_off(participants);
    participants->is_copy = is_copy(x, choice, participants, &choice[own]);
    if (choice[own].color == MPI_UNDEFINED)
        *part = MPI_GROUP_EMPTY;
    else
        rv = PMPI_Group_incl(
            participants->group,
            ranks_of_color(choice, participants, choice[own].color, 0, participants->size, rank),
            rank, part);
out:
    free(choice);
    free(rank);
    return rv;
}

/* Flag that a group of an intercommunicator sends about itself. */
enum { HIGH = 1 };

/* Sets *@members to the living ranks of both groups, first those of the group that is not high. If
 * both groups pass the same @high, the group with the lowest rank comes first. A group without
 * living ranks counts as not high. Returns an MPI error code. */
static int members_of_merge(const struct ftc_creation *x, const struct ftc_call *call,
                            struct ftc_participants *participants, MPI_Group *members)
{
    MPI_Group local, remote, both;
    unsigned char flags[2] = {0}; /* flags by group, first that with the lowest rank */
    bool is_first;
    int rv;

    PMPI_Comm_group(x->comm, &local);
    PMPI_Comm_remote_group(x->comm, &remote);
    is_first = ftc_group_lowest(local) < ftc_group_lowest(remote);
    flags[is_first ? 0 : 1] = x->high ? HIGH : 0;
    rv = ftc_or_allreduce(call, participants->comm, flags, sizeof flags);
    if (rv == MPI_SUCCESS) {
        ftc_participants_strike_off(participants);
        if (is_first == (flags[0] <= flags[1]))
            PMPI_Group_union(local, remote, &both);
        else
            PMPI_Group_union(remote, local, &both);
        rv = ftc_participants_living(participants, both, members);
        PMPI_Group_free(&both);
    }
    PMPI_Group_free(&local);
    PMPI_Group_free(&remote);
    return rv;
}

/* ---- members of a new intercommunicator ---- */

static void free_living(struct ftc_participants *participants)
{
    for (int i = 0; i < 2; i++)
        if (participants->living[i] != MPI_GROUP_NULL && participants->living[i] != MPI_GROUP_EMPTY)
            PMPI_Group_free(&participants->living[i]);
    participants->living[0] = participants->living[1] = MPI_GROUP_NULL;
}

/* Returns the choice of this rank. All calls on an intercommunicator are treated as splits: the
 * group of MPI_Comm_create() is one part, and a copy has all ranks in one part. */
static struct choice inter_choice(const struct ftc_creation *x)
{
    struct choice choice = {.is_there = 1, .color = x->color, .key = x->key};
    int rank;

    if (x->kind == FTC_CALL_COMM_CREATE) {
        PMPI_Group_rank(x->group, &rank);
        choice.color = rank == MPI_UNDEFINED ? MPI_UNDEFINED : 0;
        choice.key = rank;
    } else if (x->kind != FTC_CALL_COMM_SPLIT) {
        choice.color = choice.key = 0;
    }
    return choice;
}

/* Sets participants->living to the living ranks of each group that have @color. Returns an MPI
 * error code. */
static int living_of_color(struct ftc_participants *participants, const struct choice *choice,
                           int color)
{
    int *rank = malloc((size_t)participants->size * sizeof *rank), first = 0, rv = MPI_SUCCESS;

    if (!rank)
        return ftc_error_no_memory();
    PMPI_Group_size(participants->groups->group[0], &first);
    for (int i = 0; i < 2 && rv == MPI_SUCCESS; i++)
        rv = PMPI_Group_incl(participants->group,
                             ranks_of_color(choice, participants, color, i == 0 ? 0 : first,
                                            i == 0 ? first : participants->size, rank),
                             rank, &participants->living[i]);
    free(rank);
    return rv;
}

/* Unites the living ranks of both groups. If a group has none, MPI_Comm_create() and
 * MPI_Comm_split() make no intercommunicator, as natively. Other calls, such as a copy, return an
 * error. */
static int unite_living(const struct ftc_creation *x, const struct ftc_call *call,
                        const struct ftc_participants *participants, MPI_Group *members)
{
    bool may_be_none = x->kind == FTC_CALL_COMM_CREATE || x->kind == FTC_CALL_COMM_SPLIT;

    *members = MPI_GROUP_EMPTY;
    if (participants->living[0] != MPI_GROUP_EMPTY && participants->living[1] != MPI_GROUP_EMPTY)
        return PMPI_Group_union(participants->living[0], participants->living[1], members);
    return may_be_none ? MPI_SUCCESS : ftc_error_plain(call, FTC_ERROR_DEAD_GROUP);
}

static int members_of_both(const struct ftc_creation *x, const struct ftc_call *call,
                           struct ftc_participants *participants, MPI_Group *members)
{
    struct choice *choice = calloc((size_t)participants->size, sizeof *choice), *own;
    int rv;

    if (!choice)
        return ftc_error_no_memory();
    own = &choice[participants->comm->rank];
    *own = inter_choice(x);
    rv = ftc_or_allreduce(call, participants->comm, choice,
                          (size_t)participants->size * sizeof *choice);
    free_living(participants);
    *members = MPI_GROUP_EMPTY;
    if (rv == MPI_SUCCESS)
        ftc_participants_strike_off(participants);
    if (rv == MPI_SUCCESS && own->color != MPI_UNDEFINED) {
        rv = living_of_color(participants, choice, own->color);
        if (rv == MPI_SUCCESS)
            rv = unite_living(x, call, participants, members);
    }
    free(choice);
    return rv;
}

static int members_with_places(const struct ftc_creation *x, struct ftc_participants *participants,
                               MPI_Group *members)
{
    if (!ftc_topology_remap_find(x, participants->size, participants->comm->rank,
                                 participants->dead, &participants->remap))
        return ftc_error_no_memory();
    return PMPI_Group_incl(participants->group, participants->remap.count,
                           participants->remap.member, members);
}

static bool names_all(const struct ftc_creation *x)
{
    MPI_Group all = ftc_group_of(x->comm);
    int compared = MPI_UNEQUAL;

    PMPI_Group_compare(x->group, all, &compared);
    PMPI_Group_free(&all);
    return compared == MPI_IDENT;
}

static int members_of(const struct ftc_creation *x, const struct ftc_call *call,
                      struct ftc_participants *participants, MPI_Group *members)
{
    if (ftc_creation_is_topology(x->kind))
        return members_with_places(x, participants, members);
    if (x->is_inter)
        return members_of_both(x, call, participants, members);
    switch (x->kind) {
    case FTC_CALL_COMM_SPLIT:
    case FTC_CALL_COMM_SPLIT_TYPE:
        return part_of_split(x, call, participants, members);
    case FTC_CALL_INTERCOMM_MERGE:
        return members_of_merge(x, call, participants, members);
    case FTC_CALL_COMM_CREATE:
        participants->is_copy = names_all(x);
        return ftc_participants_living(participants, x->group, members);
    default:
        participants->is_copy =
            ftc_creation_is_copy(x->kind) || (ftc_creation_has_group(x->kind) && names_all(x));
        return ftc_participants_living(participants, participants->group, members);
    }
}

/* Discards what @x has made. A file stays open: the ranks that have opened it cannot close it
 * without the others. */
static void drop(const struct ftc_creation *x)
{
    if (x->kind == FTC_CALL_FILE_OPEN)
        *x->opening->file = MPI_FILE_NULL;
    if (*x->newcomm != MPI_COMM_NULL && !ftc_spares_give_back(x->newcomm))
        PMPI_Comm_free(x->newcomm);
}

/* Lets the old communicator share the spares that were just made, if any, and the new communicator
 * share the spares of the old one. */
static void pass_spares_on(const struct ftc_creation *x, struct ftc_participants *participants)
{
    ftc_spares_share(participants->made, x->comm);
    ftc_spares_inherit(x->comm, *x->newcomm);
}

/* Returns whether the library makes the communicator even if all ranks live. MPI may not know the
 * topology. In calls with leaders or from groups, native MPI sends messages to a leader, or with a
 * tag that MPICH derives. If a rank abandons such a call, these messages stay, and another call
 * would receive them. */
static bool is_ours_though_all_live(const struct ftc_creation *x)
{
    return ftc_topology_remap_is_ours(x) || x->bridge || ftc_creation_is_from_groups(x->kind);
}

/* Tries to make the communicator, of the ranks that are not dead as far as the survivors have
 * agreed. Sets participants->is_again if all must try again because a rank has not got it. Returns
 * an MPI error code. */
static int attempt(const struct ftc_creation *x, const struct ftc_call *call,
                   struct ftc_participants *participants)
{
    MPI_Group members = MPI_GROUP_NULL;
    int rv = MPI_SUCCESS, end;

    participants->is_again = participants->is_copy = false;
    if (participants->is_exhausted)
        return ftc_error_plain(call, FTC_ERROR_EXHAUSTED);
    if (participants->dead_count > 0 || is_ours_though_all_live(x))
        rv = members_of(x, call, participants, &members);
    if (rv != MPI_SUCCESS)
        return rv;
    end = agree(call, participants, ftc_native_part(x, participants, members, &rv));
    if (participants->is_again || participants->has_failed || end != MPI_SUCCESS) {
        ftc_native_part_abandon(x, members);
        drop(x);
    } else if (rv == MPI_SUCCESS) {
        pass_spares_on(x, participants);
    }
    if (participants->has_failed && end == MPI_SUCCESS)
        rv = ftc_error_native(call, rv == MPI_SUCCESS ? MPI_ERR_OTHER : rv);
    ftc_topology_remap_free(&participants->remap);
    if (members != MPI_GROUP_NULL && members != MPI_GROUP_EMPTY)
        PMPI_Group_free(&members);
    ftc_spares_drop(participants->made);
    participants->made = NULL;
    return end != MPI_SUCCESS ? end : rv;
}

/* Agrees with the other survivors which ranks are dead before the first attempt. In
 * MPI_Intercomm_create() only ranks that know both groups come here. If a leader dies before it has
 * sent the list of the other group to its own group, the other group waits here for ranks that do
 * not come. The mark on the board lets on_blocked see that. */
static int agree_at_first(const struct ftc_creation *x, const struct ftc_call *call,
                          struct ftc_participants *participants)
{
    bool is_marked = participants->groups->leaders != MPI_GROUP_NULL;
    int rv;

    if (is_marked)
        ftc_native_call_mark_group(x->kind, participants->groups->leaders, x->return_address);
    rv = agree(call, participants, FTC_NATIVE_HAS_COMMUNICATOR);
    if (is_marked)
        ftc_native_call_leave();
    return rv;
}

/* Returns whether MPI_File_open() has to return an error (communicators = survivors), because the
 * communicator is a copy with a dead member. A library that has made the copy counts its members,
 * and gives each a part of the file. It would mistake a file of the survivors for a file of all. */
static bool is_counted_on(const struct ftc_creation *x, const struct ftc_participants *participants)
{
    return x->kind == FTC_CALL_FILE_OPEN && participants->dead_count > 0 &&
           ftc_library.settings.communicators == FTC_COMMUNICATORS_SURVIVORS &&
           ftc_lineage_must_report(x->comm, participants->dead_count);
}

static int refuse_to_open(const struct ftc_creation *x, const struct ftc_call *call,
                          const struct ftc_participants *participants)
{
    drop(x);
    return ftc_error_dead_counted(call, participants->comm->member[0] == participants->comm->rank);
}

static int make_of_living(const struct ftc_creation *x, const struct ftc_call *call,
                          struct ftc_participants *participants)
{
    int rv = agree_at_first(x, call, participants);

    *x->newcomm = MPI_COMM_NULL;
    if (rv != MPI_SUCCESS)
        return rv;
    do {
        if (is_counted_on(x, participants))
            return refuse_to_open(x, call, participants);
        rv = attempt(x, call, participants);
    } while (participants->is_again);
    return rv == MPI_SUCCESS && is_counted_on(x, participants)
               ? refuse_to_open(x, call, participants)
               : rv;
}

static int make(const struct ftc_creation *x, const struct ftc_call *call,
                struct ftc_participants *participants)
{
    uint32_t since = participants->comm->seq;
    int rv = make_of_living(x, call, participants);

    if (rv != MPI_SUCCESS)
        ftc_recovery_fail(participants->comm, since);
    return rv;
}

bool ftc_new_communicators_are_on(void)
{
    return ftc_library.state == FTC_LIBRARY_ACTIVE && !ftc_library.paused &&
           ftc_library.settings.communicators != FTC_COMMUNICATORS_NATIVE;
}

static bool is_on(enum ftc_call_kind kind)
{
    return ftc_new_communicators_are_on() &&
           (!ftc_creation_is_topology(kind) || ftc_inside_want(FTC_INSIDE_NEIGHBORS));
}

/* Raises the error of @x. A file that is not open yet has the error handler of MPI_FILE_NULL. */
static void raise_error(const struct ftc_creation *x, const struct ftc_call *call)
{
    if (call->kind == FTC_CALL_FILE_OPEN)
        ftc_error_raise_on_file(call, MPI_FILE_NULL);
    else if (ftc_creation_is_from_groups(call->kind))
        ftc_error_raise_by(call, x->errhandler);
    else
        ftc_error_raise(call);
}

static int find_groups_by_leaders(struct ftc_creation *x, const struct ftc_call *call,
                                  struct ftc_inter_groups *groups)
{
    struct ftc_meeting meeting;
    int rv;

    *x->newcomm = MPI_COMM_NULL;
    rv = ftc_leaders_meet(x, call, &meeting);
    if (rv != MPI_SUCCESS || meeting.remote == MPI_GROUP_NULL)
        return rv;
    x->lineage = meeting.number;
    groups->leaders = meeting.leaders;
    ftc_inter_groups_set(groups, ftc_group_of(x->comm), meeting.remote);
    return MPI_SUCCESS;
}

static int find_groups(struct ftc_creation *x, const struct ftc_call *call,
                       struct ftc_inter_groups *groups)
{
    x->is_inter = x->bridge || (x->kind != FTC_CALL_INTERCOMM_MERGE && ftc_is_inter(x->comm));
    if (x->bridge)
        return find_groups_by_leaders(x, call, groups);
    /* With threads only its lineage distinguishes an intercommunicator from others. */
    if (x->is_inter && (!ftc_library.threaded || ftc_lineage_of(x->comm)))
        ftc_inter_groups_find(groups, x->comm);
    return MPI_SUCCESS;
}

/* Counts @x as a call that the library carries out. A call in two parts is counted in the first
 * one, and the copy that MPI_Init() makes is not counted. */
static void report(const struct ftc_creation *x, const struct ftc_call *call)
{
    if (x->return_address && !(x->bridge && ftc_creation_is_from_groups(x->kind)))
        ftc_coverage_call(call, FTC_FALLBACK_NONE);
}

static bool carry_out(struct ftc_creation *x, const struct ftc_call *call,
                      const struct ftc_inter_groups *groups)
{
    struct ftc_participants participants;

    if ((x->is_inter && groups->group[0] == MPI_GROUP_NULL) ||
        !open_participants(x, groups, &participants))
        return false;
    report(x, call);
    x->result = make(x, call, &participants);
    free_living(&participants);
    close_participants(x, &participants);
    return true;
}

bool ftc_new_communicator_create(struct ftc_creation *x)
{
    struct ftc_call call = {.kind = x->kind,
                            .comm = x->comm,
                            .datatype = MPI_DATATYPE_NULL,
                            .op = MPI_OP_NULL,
                            .errhandler = x->errhandler,
                            .return_address = x->return_address};
    struct ftc_inter_groups groups = FTC_INTER_GROUPS_NONE;
    bool is_done;

    ftc_native_call_look_back();
    if (!is_on(x->kind) || !arguments_are_valid(x))
        return false;
    x->result = find_groups(x, &call, &groups);
    if (x->result != MPI_SUCCESS)
        report(x, &call);
    is_done = x->result != MPI_SUCCESS || carry_out(x, &call, &groups);
    ftc_inter_groups_free(&groups);
    if (is_done)
        raise_error(x, &call);
    return is_done;
}

void ftc_new_communicators_start(void)
{
    MPI_Comm copy = MPI_COMM_NULL;
    struct ftc_creation x = {.kind = FTC_CALL_COMM_DUP, .comm = MPI_COMM_WORLD, .newcomm = &copy};

    if (ftc_library.settings.communicators == FTC_COMMUNICATORS_PLACES &&
        ftc_new_communicator_create(&x) && copy != MPI_COMM_NULL)
        PMPI_Comm_free(&copy);
}

/* Returns whether all members of @comm know that some are dead, because an operation has left these
 * out. After that operation, all ranks have left out the same ones. */
static bool all_know_of_dead(MPI_Comm comm)
{
    struct ftc_comm *c;
    bool is_known;

    ftc_library_lock();
    c = ftc_comm_get(comm);
    is_known = c && c->fallback == FTC_FALLBACK_NONE && c->member_count < c->size;
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
    MPI_Group group = ftc_is_inter(comm) ? ftc_group_of_both(comm) : ftc_group_of(comm);
    int size = 0, *world;
    bool is_dead = false;

    world = ftc_group_world_ranks(group, &size);
    for (int i = 0; world && i < size; i++)
        is_dead |= world[i] >= 0 && ftc_board_is_dead(&ftc_library.board, (uint32_t)world[i]);
    free(world);
    PMPI_Group_free(&group);
    return is_dead;
}

/* Returns whether MPI_Comm_free() might wait forever or end the job. After a death, a message may
 * still arrive for a receive that a survivor has given up. From MPICH 4.2 on, MPI_Comm_free()
 * receives such messages and waits for their data, forever if the sender is dead. It then ends the
 * job because there were any. Such a communicator therefore stays in MPICH, with its attributes. */
static bool is_emptied_when_freed(const MPI_Comm *comm)
{
    return ftc_board_is_open(&ftc_library.board) && ftc_board_is_anyone_dead(&ftc_library.board) &&
           ftc_inside_mpich() >= RECEIVES_WHEN_FREED && comm && ftc_is_comm(*comm) &&
           *comm != MPI_COMM_WORLD && has_dead_member(*comm);
}

/* Returns whether *@comm stays in MPICH when the program frees it. With threads this also keeps the
 * context id of a communicator from others, after a call on it was ended or abandoned
 * (context.h). */
static bool is_to_be_kept(const MPI_Comm *comm)
{
    return is_emptied_when_freed(comm) || (ftc_library.threaded && ftc_context_is_abandoned(comm));
}

int ftc_new_communicator_free(MPI_Comm *comm, int (*native)(MPI_Comm *comm),
                              const void *return_address)
{
    if (native == PMPI_Comm_free && ftc_spares_give_back(comm))
        return MPI_SUCCESS;
    if (is_to_be_kept(comm)) {
        *comm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    if (!ftc_context_is_abandoned(comm) || ftc_participants_is_exhausted_here())
        return native(comm);
    return ftc_context_retire(comm, native, return_address);
}
