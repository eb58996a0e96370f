#include "leaders.h"

#include "communicator/communicator.h"
#include "communicator/group.h"
#include "communicator/lineage.h"
#include "job_end.h"
#include "or_allreduce.h"
#include "program/error.h"
#include "program/native_call.h"
#include "system/hash.h"
#include "value/datatype.h"

#include <stdlib.h>
#include <string.h>

/* Description of a group. Its leader sends it to the other leader, which then passes it on to its
 * own group. All fields are 0 if the leader of the described group is dead. */
struct leader_report {
    uint64_t number; /* number of the call in that group */
    int32_t outcome;
    int32_t leader; /* its rank in MPI_COMM_WORLD + 1 */
    int32_t count;
    int32_t rank[]; /* of each member: its rank in MPI_COMM_WORLD + 1 */
};
enum { UNKNOWN, KNOWN, OUTSIDE };

static size_t report_bytes(void)
{
    size_t bytes = sizeof(struct leader_report) + (size_t)ftc_library.world_size * sizeof(int32_t);

    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

static bool is_leader(const struct ftc_creation *x)
{
    int rank = -1;

    PMPI_Comm_rank(x->comm, &rank);
    return rank == x->bridge->local_leader;
}

static bool names_a_peer(const struct ftc_bridge *b)
{
    MPI_Group peers;
    int size = 0;

    if (!ftc_is_comm(b->peer))
        return false;
    peers = ftc_group_of_peers(b->peer);
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

/* Returns the group of this rank and the other leader, in an order that is the same on both. Sets
 * *@other to the rank of the other leader in it. Returns MPI_GROUP_NULL if the other leader is not
 * in MPI_COMM_WORLD, or is this rank itself. */
static MPI_Group group_of_leaders(const struct ftc_bridge *b, int *other)
{
    MPI_Group peers = ftc_group_of_peers(b->peer);
    int size = 0, *all = ftc_group_world_ranks(peers, &size), own = (int)ftc_library.world_rank;
    int theirs =
        all && b->remote_leader >= 0 && b->remote_leader < size ? all[b->remote_leader] : -1;

    free(all);
    PMPI_Group_free(&peers);
    if (theirs < 0 || theirs == own)
        return MPI_GROUP_NULL;
    *other = theirs > own;
    return ftc_group_of_world(*other == 1 ? (int[]){own, theirs} : (int[]){theirs, own}, 2);
}

/* Fills @own, with 0 for members that are not in MPI_COMM_WORLD. Returns false without memory. */
static bool describe_own_group(const struct ftc_creation *x, uint64_t number,
                               struct leader_report *own)
{
    int size = 0, *world = ftc_group_world_ranks_of(x->comm, &size);

    own->number = number;
    own->outcome = KNOWN;
    own->leader = (int32_t)ftc_library.world_rank + 1;
    for (int i = 0; world && i < size && i < (int)ftc_library.world_size; i++)
        own->rank[own->count++] = world[i] < 0 ? 0 : world[i] + 1;
    free(world);
    return own->count > 0;
}

/* Returns whether each member of both groups is in MPI_COMM_WORLD and occurs only once. If not,
 * native MPI carries out the call, and reports an error if one is due. */
static bool are_groups(const struct leader_report *one, const struct leader_report *other)
{
    int most = ftc_library.world_size;
    bool *is_there = calloc((size_t)most + 1, sizeof *is_there), are;

    if (!is_there)
        ftc_job_end_no_memory("another communicator"); /* the groups would decide differently */
    are = is_there && one->count <= most && other->count > 0 && other->count <= most &&
          other->leader > 0 && other->leader <= most;
    for (int i = 0; are && i < one->count + other->count; i++) {
        int rank = i < one->count ? one->rank[i] : other->rank[i - one->count];

        are = rank > 0 && rank <= most && !is_there[rank];
        if (are)
            is_there[rank] = true;
    }
    free(is_there);
    return are;
}

/* Writes to @report the description of the other group, or leaves it as it is if the other leader
 * is dead. Marks the group as OUTSIDE if native MPI has to carry out the call. The first allreduce
 * may contain the description of a leader that sent it long ago and has died since. Both leaders
 * therefore confirm, in a second allreduce, that they are there. Returns an MPI error code. */
static int hear(const struct ftc_call *call, struct ftc_comm *c, int other,
                const struct leader_report *own, struct leader_report *report)
{
    size_t bytes = report_bytes();
    unsigned char *both = calloc(2, bytes), is_there[2] = {0};
    int rv;

    if (!both) {
        ftc_job_end_no_memory("another communicator"); /* the other leader would wait */
        return ftc_error_no_memory();
    }
    is_there[1 - other] = 1;
    memcpy(both + (size_t)(1 - other) * bytes, own, bytes);
    rv = ftc_or_allreduce(call, c, both, 2 * bytes);
    if (rv == MPI_SUCCESS)
        rv = ftc_or_allreduce(call, c, is_there, sizeof is_there);
    if (rv == MPI_SUCCESS && is_there[other])
        memcpy(report, both + (size_t)other * bytes, bytes);
    if (report->outcome == KNOWN && !are_groups(own, report))
        report->outcome = OUTSIDE;
    free(both);
    return rv;
}

/* As above, but marks the wait for the other leader on the board. That leader may have named a
 * third rank as this group's leader. If the third rank is dead, the other leader returns an error
 * and does not come here. on_blocked must see this once no other rank continues either. */
static int hear_while_marked(const struct ftc_creation *x, const struct ftc_call *call,
                             struct ftc_comm *c, int other, const struct leader_report *own,
                             struct leader_report *report)
{
    int rv;

    ftc_native_call_mark(x->kind, x->bridge->peer, FTC_SOME_MEMBER, x->return_address);
    rv = hear(call, c, other, own, report);
    ftc_native_call_leave();
    return rv;
}

/* Creates a communicator for the leaders' operations in one call. The caller releases it. */
static struct ftc_comm *comm_of_leaders(const struct ftc_creation *x, MPI_Group leaders)
{
    struct ftc_comm *c;

    ftc_library_lock();
    c = ftc_comm_for_leaders(x->bridge->peer, leaders, x->tag);
    ftc_library_unlock();
    return c;
}

static void release(struct ftc_comm *c)
{
    ftc_library_lock();
    ftc_comm_release(c);
    ftc_library_unlock();
}

static int ask_other_leader(const struct ftc_creation *x, const struct ftc_call *call,
                            uint64_t number, struct leader_report *report)
{
    struct leader_report *own = calloc(1, report_bytes());
    int other = 0, rv = MPI_SUCCESS;
    MPI_Group leaders = group_of_leaders(x->bridge, &other);
    struct ftc_comm *c = leaders == MPI_GROUP_NULL ? NULL : comm_of_leaders(x, leaders);

    if (!own || !describe_own_group(x, number, own) || (leaders != MPI_GROUP_NULL && !c))
        ftc_job_end_no_memory("another communicator"); /* the other leader would wait */
    else if (!c)
        report->outcome = OUTSIDE;
    else
        rv = hear_while_marked(x, call, c, other, own, report);
    if (c)
        release(c);
    if (leaders != MPI_GROUP_NULL)
        PMPI_Group_free(&leaders);
    free(own);
    return rv;
}

/* ---- within a group ---- */

/* Creates a communicator for the operations of this group in one call, during which any number of
 * ranks may die. The caller releases it. Sets *@fallback to that of the program's communicator.
 * Returns NULL without memory, or if the program's communicator is not protected, such as that of
 * one rank, which has no others to tell. */
static struct ftc_comm *comm_of(const struct ftc_creation *x, uint64_t number,
                                enum ftc_fallback *fallback)
{
    struct ftc_comm *of, *c = NULL;

    ftc_library_lock();
    of = ftc_comm_get(x->comm);
    *fallback = of ? of->fallback : FTC_FALLBACK_INVALID;
    if (*fallback == FTC_FALLBACK_NONE)
        c = ftc_comm_for_request(number, of);
    ftc_library_unlock();
    return c;
}

/* Waits until all living ranks of the group are here. Their leader confirms to the other leader
 * only after that, and so can pass on the description at once. */
static int meet_group(const struct ftc_call *call, struct ftc_comm *c)
{
    unsigned char nothing = 0;

    return c ? ftc_or_allreduce(call, c, &nothing, sizeof nothing) : MPI_SUCCESS;
}

static int share_report(const struct ftc_call *call, struct ftc_comm *c,
                        struct leader_report *report)
{
    return c ? ftc_or_allreduce(call, c, report, report_bytes()) : MPI_SUCCESS;
}

/* Returns whether the description is complete. If a leader dies while it passes it on, only the
 * beginning may have arrived. */
static bool is_whole(const struct leader_report *report)
{
    for (int i = 0; i < report->count; i++)
        if (report->rank[i] == 0)
            return false;
    return report->outcome == KNOWN && report->count > 0;
}

static MPI_Group group_of(const struct leader_report *report)
{
    int *rank = malloc((size_t)report->count * sizeof *rank);
    MPI_Group group;

    if (!rank)
        return MPI_GROUP_NULL;
    for (int i = 0; i < report->count; i++)
        rank[i] = report->rank[i] - 1;
    group = ftc_group_of_world(rank, report->count);
    free(rank);
    return group;
}

static int world_rank_of(const struct ftc_creation *x, int rank)
{
    int size = 0, *world = ftc_group_world_ranks_of(x->comm, &size);
    int found = world && rank < size ? world[rank] : -1;

    free(world);
    return found;
}

/* Returns the number of the call in both groups, from its number in the group with the lowest rank
 * and in the other; 0 if one of these is 0. */
static uint64_t number_of_both(uint64_t first, uint64_t second)
{
    return first == 0 || second == 0 ? 0
                                     : ftc_hash_mix(ftc_hash_mix(FTC_HASH_START, first), second);
}

static int learn(const struct ftc_creation *x, uint64_t number, const struct leader_report *report,
                 struct ftc_meeting *m)
{
    int leader[2] = {world_rank_of(x, x->bridge->local_leader), report->leader - 1};
    MPI_Group local;

    m->remote = group_of(report);
    if (m->remote == MPI_GROUP_NULL) {
        ftc_job_end_no_memory("another communicator"); /* all others go on */
        return ftc_error_no_memory();
    }
    local = ftc_group_of(x->comm);
    m->leaders = ftc_group_of_world(leader, 2);
    m->number = ftc_group_lowest(m->remote) < ftc_group_lowest(local)
                    ? number_of_both(report->number, number)
                    : number_of_both(number, report->number);
    PMPI_Group_free(&local);
    return MPI_SUCCESS;
}

/* Brings the description of the other group to all ranks of this one. If only the leader has an
 * error, it passes on an empty description, as if the other leader were dead. */
static int meet(const struct ftc_creation *x, const struct ftc_call *call, struct ftc_comm *c,
                uint64_t number, struct leader_report *report)
{
    int rv = meet_group(call, c), heard = MPI_SUCCESS;

    if (rv == MPI_SUCCESS && is_leader(x))
        heard = ask_other_leader(x, call, number, report);
    if (rv == MPI_SUCCESS)
        rv = share_report(call, c, report);
    return rv == MPI_SUCCESS ? heard : rv;
}

int ftc_leaders_meet(const struct ftc_creation *x, const struct ftc_call *call,
                     struct ftc_meeting *meeting)
{
    uint64_t number = ftc_lineage_of_object(x->comm, FTC_LINEAGE_REQUEST);
    struct leader_report *report = calloc(1, report_bytes());
    enum ftc_fallback fallback;
    struct ftc_comm *c = comm_of(x, number, &fallback);
    int rv;

    *meeting = (struct ftc_meeting){.remote = MPI_GROUP_NULL, .leaders = MPI_GROUP_NULL};
    if (!report || (fallback == FTC_FALLBACK_NONE && !c)) {
        ftc_job_end_no_memory("another communicator"); /* the others would wait */
        free(report);
        return ftc_error_no_memory();
    }
    rv = meet(x, call, c, number, report);
    if (c)
        release(c);
    if (fallback != FTC_FALLBACK_NONE && fallback != FTC_FALLBACK_COMM_SELF)
        report->outcome = OUTSIDE; /* all members know, and the other leader has learnt it */
    if (rv == MPI_SUCCESS && is_whole(report))
        rv = learn(x, number, report, meeting);
    else if (rv == MPI_SUCCESS && report->outcome != OUTSIDE)
        rv = ftc_error_plain(call, FTC_ERROR_DEAD_LEADER);
    free(report);
    return rv;
}
