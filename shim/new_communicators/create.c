#include "create.h"

#include "board/directory.h"
#include "board/rank_state.h"
#include "communicator/communicator.h"
#include "communicator/error_handler.h"
#include "communicator/group.h"
#include "context.h"
#include "leavable.h"
#include "mpi/inside.h"
#include "program/error.h"
#include "program/native_call.h"
#include "progress/drive.h"
#include "progress/mismatch.h"
#include "progress/queue.h"
#include "report/report.h"
#include "seating.h"
#include "system/hash.h"
#include "system/looks.h"
#include "value/broadcast.h"
#include "value/datatype.h"

#include <stdlib.h>
#include <string.h>

/* Tags of the native part, among those of calls of MPI_Comm_create_group on one communicator: no
 * other message of MPICH has them. Half of the allowed ones. */
enum { FIRST_TAG = 1 << 27, TAGS = 1 << 27 };

enum { RECEIVES_WHEN_FREED = 402 }; /* MPICH 4.2 */

/* What ranks tell each other before the native part, a byte of flags for each rank. */
enum { KNOWN_DEAD = 1, PRESENT = 2 };

/* What ranks tell each other after the native part. */
enum { LEFT_NOW = 1, LEFT_BEFORE = 2 };

/* So many times setting blocked_ms, and that a second at least, the survivors' native part may
 * take. */
enum { STUCK_TIMES = 3, STUCK_LEAST_MS = 1000, NS_OF_MS = 1000000 };

/* Those without whom the call cannot be carried out; ranks are theirs. */
struct roll {
    struct ftc_comm *comm; /* for the library's operations among them */
    MPI_Group group;
    bool is_own; /* @comm lives as long as the call */
    bool has_own_group;
    int size;
    unsigned char *dead; /* by rank: not 0 if the survivors know; then one for is_exhausted */
    int dead_count;
    uint32_t deaths_seen; /* board count when is_hopeless was found */
    bool is_hopeless;     /* one has died since the survivors agreed */
    bool is_bounded;      /* the native part */
    struct ftc_looks looks;
    struct ftc_seating seating; /* of a call that makes a topology, once somebody is dead */
};

/* Whether this rank must not make communicators any more (leavable.h). */
static bool is_exhausted;

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

static bool has_group(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_COMM_CREATE || kind == FTC_CALL_COMM_CREATE_GROUP;
}

static bool handles_are_valid(const struct ftc_creation *x)
{
    int inter = 1;

    return ftc_is_comm(x->comm) && PMPI_Comm_test_inter(x->comm, &inter) == MPI_SUCCESS &&
           (inter != 0) == (x->kind == FTC_CALL_INTERCOMM_MERGE) &&
           (!has_group(x->kind) || ftc_is_group(x->group));
}

static bool is_member(MPI_Group group)
{
    int rank = MPI_UNDEFINED;

    PMPI_Group_rank(group, &rank);
    return rank != MPI_UNDEFINED;
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
        return is_subset(x->group, x->comm) && is_member(x->group) && is_valid_tag(x->tag);
    case FTC_CALL_FILE_OPEN:
        return is_opening(x->opening);
    default: /* of a split, MPICH takes any color */
        return !ftc_creation_is_topology(x->kind) || ftc_seating_is_valid(x);
    }
}

/* ---- what the survivors tell each other ---- */

static void combine_bytes(void *context, void *into, const void *from)
{
    const size_t *bytes = context;
    const unsigned char *source = from;
    unsigned char *target = into;

    for (size_t i = 0; i < *bytes; i++)
        target[i] |= source[i];
}

static uint32_t signature_of(enum ftc_call_kind kind, size_t bytes)
{
    uint64_t h = ftc_hash_mix(ftc_hash_mix(FTC_HASH_START, kind), bytes);

    return ftc_signature(h);
}

/* Replaces @table by the union of all survivors' tables. */
static int unite_piece(const struct ftc_call *call, struct ftc_comm *c, unsigned char *table,
                       size_t bytes)
{
    struct ftc_drive_request request = {
        .call = call,
        .kind = FTC_OP_ALLREDUCE,
        .value_bytes = bytes,
        .contribution = table,
        .combine = combine_bytes,
        .context = &bytes,
    };
    enum ftc_drive_outcome outcome;
    int rv;

    if (c->running->first)
        ftc_queue_complete(c);
    ftc_mismatch_enter(call, c, signature_of(call->kind, bytes));
    outcome = ftc_drive(c, &request);
    ftc_mismatch_leave();
    rv = ftc_error_of(call, c, outcome);
    if (rv == MPI_SUCCESS)
        memcpy(table, c->running->op.result.value, bytes);
    if (outcome == FTC_DRIVE_DONE)
        ftc_comm_exclude(c, c->running->op.result.failed);
    return rv;
}

/* In pieces for which the board has room. */
static int unite(const struct ftc_call *call, struct ftc_comm *c, void *table, size_t bytes)
{
    size_t room = ftc_broadcast_value_bytes((size_t)ftc_library.settings.max_bytes), piece;
    int rv = MPI_SUCCESS;

    ftc_library_lock();
    for (size_t done = 0; done < bytes && rv == MPI_SUCCESS; done += piece) {
        piece = bytes - done < room ? bytes - done : room;
        rv = unite_piece(call, c, (unsigned char *)table + done, piece);
    }
    ftc_library_unlock();
    return rv;
}

static void strike_off(struct roll *roll)
{
    roll->dead_count = 0;
    for (int rank = 0; rank < roll->size; rank++) {
        if (ftc_comm_member(roll->comm, rank) < 0)
            roll->dead[rank] = 1;
        roll->dead_count += roll->dead[rank];
    }
}

/* What this rank knows of the others. */
static unsigned char knowledge_of(const struct ftc_comm *c, int rank)
{
    if (rank == c->rank)
        return PRESENT;
    return ftc_board_is_dead(&ftc_library.board, c->world[rank]) ? KNOWN_DEAD : 0;
}

/* The dead of whom one survivor knows, those whom the operation itself has left out, and whoever is
 * not in its result: a subtree without failures is enough for that, and then its root need not know
 * who died in another (doc/design.md, section 3). */
static int agree_on_the_dead(const struct ftc_call *call, struct roll *roll)
{
    int rv;

    for (int rank = 0; rank < roll->size; rank++)
        roll->dead[rank] = knowledge_of(roll->comm, rank);
    roll->dead[roll->size] = is_exhausted;
    rv = unite(call, roll->comm, roll->dead, (size_t)roll->size + 1);
    if (rv != MPI_SUCCESS)
        return rv;
    for (int rank = 0; rank < roll->size; rank++)
        roll->dead[rank] = roll->dead[rank] != PRESENT;
    strike_off(roll);
    return roll->dead[roll->size] ? ftc_error_exhausted(call) : MPI_SUCCESS;
}

/* ---- the roll ---- */

/* Those whom @x needs. */
static MPI_Group group_of(const struct ftc_creation *x)
{
    return x->kind == FTC_CALL_INTERCOMM_MERGE ? ftc_group_of_both_in_order(x->comm)
                                               : ftc_group_of(x->comm);
}

static bool is_copy(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_COMM_DUP || kind == FTC_CALL_COMM_DUP_WITH_INFO;
}

/* Of a communicator of one rank all calls are native MPI's, but for those that want the places it
 * has. The library has none of the program's for it. */
static bool is_one_with_places(const struct ftc_creation *x)
{
    int size = 0;

    if ((!is_copy(x->kind) && x->kind != FTC_CALL_CART_SUB) || !ftc_places_of(x->comm))
        return false;
    PMPI_Comm_size(x->comm, &size);
    return size == 1;
}

/* For the operations among them: that of the program, where it has one of just these. */
static struct ftc_comm *comm_of(const struct ftc_creation *x, const struct roll *roll)
{
    struct ftc_comm *c;

    ftc_library_lock();
    c = roll->is_own ? ftc_comm_for_call(x->comm, roll->group, x->tag) : ftc_comm_get(x->comm);
    ftc_library_unlock();
    return c;
}

static bool open_roll(const struct ftc_creation *x, struct roll *roll)
{
    roll->has_own_group = x->kind != FTC_CALL_COMM_CREATE_GROUP;
    roll->is_own =
        !roll->has_own_group || x->kind == FTC_CALL_INTERCOMM_MERGE || is_one_with_places(x);
    roll->group = roll->has_own_group ? group_of(x) : x->group;
    if (roll->group == MPI_GROUP_NULL)
        return false;
    roll->comm = comm_of(x, roll);
    if (!roll->comm)
        return false;
    roll->size = roll->comm->size;
    roll->dead = roll->comm->pass == FTC_PASS_NONE ? calloc((size_t)roll->size + 1, 1) : NULL;
    return roll->dead != NULL;
}

static void close_roll(struct roll *roll)
{
    if (roll->comm && roll->is_own) {
        ftc_library_lock();
        ftc_comm_release(roll->comm);
        ftc_library_unlock();
    }
    if (roll->group != MPI_GROUP_NULL && roll->has_own_group)
        PMPI_Group_free(&roll->group);
    ftc_seating_free(&roll->seating);
    free(roll->dead);
}

/* ---- who is in the new communicator ---- */

/* @group without the dead, in its order. */
static int without_the_dead(const struct roll *roll, MPI_Group group, MPI_Group *living)
{
    int *rank = malloc((size_t)roll->size * sizeof *rank), count = 0, rv;
    MPI_Group dead;

    if (!rank)
        return ftc_error_no_memory();
    for (int i = 0; i < roll->size; i++)
        if (roll->dead[i])
            rank[count++] = i;
    rv = PMPI_Group_incl(roll->group, count, rank, &dead);
    free(rank);
    if (rv != MPI_SUCCESS)
        return rv;
    rv = PMPI_Group_difference(group, dead, living);
    PMPI_Group_free(&dead);
    return rv;
}

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
static int ranks_of_color(const struct choice *choice, const struct roll *roll, int color,
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
                         struct roll *roll, MPI_Group *part)
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
    strike_off(roll);
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
                            struct roll *roll, MPI_Group *members)
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
        strike_off(roll);
        if (is_first == (told[0] <= told[1]))
            PMPI_Group_union(local, remote, &both);
        else
            PMPI_Group_union(remote, local, &both);
        rv = without_the_dead(roll, both, members);
        PMPI_Group_free(&both);
    }
    PMPI_Group_free(&local);
    PMPI_Group_free(&remote);
    return rv;
}

static int members_with_places(const struct ftc_creation *x, struct roll *roll, MPI_Group *members)
{
    if (!ftc_seating_find(x, roll->size, roll->comm->rank, roll->dead, &roll->seating))
        return ftc_error_no_memory();
    return PMPI_Group_incl(roll->group, roll->seating.count, roll->seating.member, members);
}

static int members_of(const struct ftc_creation *x, const struct ftc_call *call, struct roll *roll,
                      MPI_Group *members)
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
        return without_the_dead(roll, x->group, members);
    default:
        return without_the_dead(roll, roll->group, members);
    }
}

/* ---- the new communicator ---- */

/* As MPICH does it: what is made of a group or of two inherits nothing, and files have error
 * handlers of their own. */
static bool inherits_error_handler(enum ftc_call_kind kind)
{
    return !has_group(kind) && kind != FTC_CALL_INTERCOMM_MERGE && kind != FTC_CALL_FILE_OPEN;
}

/* A communicator without a handler says that it has MPI_ERRORS_ARE_FATAL. That must not become a
 * handler of the new one's own: it may be fatal where natively the error returns. */
static void inherit_error_handler(const struct ftc_creation *x)
{
    MPI_Errhandler handler;

    if (PMPI_Comm_get_errhandler(x->comm, &handler) != MPI_SUCCESS)
        return;
    if (handler != MPI_ERRORS_ARE_FATAL || ftc_error_handler_is_fatal(x->comm))
        PMPI_Comm_set_errhandler(*x->newcomm, handler);
    PMPI_Errhandler_free(&handler);
}

static bool has_info(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_COMM_DUP_WITH_INFO || kind == FTC_CALL_COMM_IDUP_WITH_INFO;
}

static void inherit(const struct ftc_creation *x, struct roll *roll, int *rv)
{
    if (inherits_error_handler(x->kind))
        inherit_error_handler(x);
    if (!ftc_seating_keep(&roll->seating, *x->newcomm))
        *rv = ftc_error_no_memory();
    if (has_info(x->kind) && x->info != MPI_INFO_NULL)
        *rv = PMPI_Comm_set_info(*x->newcomm, x->info);
    if (*rv != MPI_SUCCESS)
        PMPI_Comm_free(x->newcomm);
}

/* What MPI has copied of a topology with empty places is not the topology. */
static int copy_places(const struct ftc_creation *x)
{
    if (!is_copy(x->kind) || ftc_places_inherit(x->comm, *x->newcomm))
        return MPI_SUCCESS;
    PMPI_Comm_free(x->newcomm);
    return ftc_error_no_memory();
}

/* ---- the native part ---- */

struct native_part {
    const struct ftc_creation *x;
    MPI_Group members; /* MPI_GROUP_NULL: nobody is dead */
    const struct ftc_seating *seating;
    int tag, result;
};

static int open_file(MPI_Comm comm, const struct ftc_opening *o)
{
    return PMPI_File_open(comm, o->name, o->amode, o->info, o->file);
}

static int call_native(const struct ftc_creation *x, int tag)
{
    if (ftc_creation_is_topology(x->kind))
        return ftc_seating_native(x->kind, x->comm, x->arrangement, x->newcomm);
    switch (x->kind) {
    case FTC_CALL_FILE_OPEN:
        return open_file(x->comm, x->opening);
    case FTC_CALL_COMM_DUP_WITH_INFO:
        return PMPI_Comm_dup_with_info(x->comm, x->info, x->newcomm);
    case FTC_CALL_COMM_CREATE:
        return PMPI_Comm_create(x->comm, x->group, x->newcomm);
    case FTC_CALL_COMM_CREATE_GROUP:
        return PMPI_Comm_create_group(x->comm, x->group, tag, x->newcomm);
    case FTC_CALL_COMM_SPLIT:
        return PMPI_Comm_split(x->comm, x->color, x->key, x->newcomm);
    case FTC_CALL_INTERCOMM_MERGE:
        return PMPI_Intercomm_merge(x->comm, x->high, x->newcomm);
    case FTC_CALL_COMM_SPLIT_TYPE:
        return PMPI_Comm_split_type(x->comm, x->type, x->key, x->info, x->newcomm);
    default:
        return PMPI_Comm_dup(x->comm, x->newcomm);
    }
}

/* Of what the survivors make theirs: not of an intercommunicator. */
static MPI_Comm parent_of(const struct ftc_creation *x)
{
    return x->kind == FTC_CALL_INTERCOMM_MERGE ? MPI_COMM_WORLD : x->comm;
}

/* Of the survivors alone. */
static int create_of_members(const struct native_part *part)
{
    const struct ftc_creation *x = part->x;
    bool is_file = x->kind == FTC_CALL_FILE_OPEN;
    MPI_Comm parent = parent_of(x), of_members;
    int rv;

    if (!is_file && !ftc_creation_is_topology(x->kind))
        return PMPI_Comm_create_group(parent, part->members, part->tag, x->newcomm);
    rv = PMPI_Comm_create_group(parent, part->members, part->tag, &of_members);
    if (rv != MPI_SUCCESS)
        return rv;
    rv = is_file ? open_file(of_members, x->opening)
                 : ftc_seating_apply(part->seating, of_members, x->newcomm);
    PMPI_Comm_free(&of_members);
    return rv;
}

static void run_native_part(void *argument)
{
    struct native_part *part = argument;

    if (part->members != MPI_GROUP_NULL) {
        part->result = create_of_members(part);
        return;
    }
    part->result = call_native(part->x, part->tag);
    if (part->result == MPI_SUCCESS)
        part->result = copy_places(part->x);
}

/* Somebody has died of whom the survivors did not know when the native part began. */
static bool lacks_member(struct roll *roll)
{
    const struct ftc_board *board = &ftc_library.board;
    uint32_t deaths = ftc_board_deaths(board);

    if (deaths == roll->deaths_seen)
        return roll->is_hopeless;
    roll->deaths_seen = deaths;
    for (int rank = 0; rank < roll->size; rank++)
        if (!roll->dead[rank] && ftc_board_is_dead(board, roll->comm->world[rank]))
            roll->is_hopeless = true;
    return roll->is_hopeless;
}

/* All its members live, and have come to it at about the same time. A rank that is killed while it
 * writes to another's queue of UCX's, in shared memory, leaves that shut for ever. */
static bool is_stuck(struct roll *roll)
{
    uint64_t bound_ms = (uint64_t)ftc_library.settings.blocked_ms;

    if (bound_ms < STUCK_LEAST_MS)
        bound_ms = STUCK_LEAST_MS;
    return roll->is_bounded &&
           ftc_looks_waited_ns(&roll->looks, 0) > STUCK_TIMES * bound_ms * NS_OF_MS;
}

static bool is_hopeless(void *context)
{
    struct roll *roll = context;

    return lacks_member(roll) || is_stuck(roll);
}

/* Of a call that was left, messages may wait for receives, and receives for messages: the next must
 * not meet them. Threads that use the same communicator are told apart by the program's tags. */
static int tag_of(const struct ftc_creation *x, const struct ftc_comm *c)
{
    uint64_t hash = ftc_hash_mix(c->id, c->seq);

    if (x->kind == FTC_CALL_COMM_CREATE_GROUP && ftc_library.threaded)
        return x->tag;
    return FIRST_TAG + (int)(hash >> 32) % TAGS;
}

/* The native part needs @members, or without them all whom the call itself needs. */
static void mark_native_part(const struct ftc_creation *x, MPI_Group members)
{
    MPI_Group needed =
        members == MPI_GROUP_NULL && x->kind == FTC_CALL_COMM_CREATE_GROUP ? x->group : members;

    if (needed == MPI_GROUP_NULL)
        ftc_native_call_mark(x->kind, x->comm, FTC_ALL_MEMBERS, x->return_address);
    else
        ftc_native_call_mark_group(x->kind, needed, x->return_address);
}

/* That of a file may take its time. */
static void begin_native_part(struct roll *roll, const struct native_part *part)
{
    roll->deaths_seen = 0;
    roll->is_hopeless = false;
    roll->is_bounded = part->members != MPI_GROUP_NULL && part->x->kind != FTC_CALL_FILE_OPEN;
    roll->looks = (struct ftc_looks){0};
    mark_native_part(part->x, part->members);
}

/* False if the call was left. */
static bool make(const struct ftc_creation *x, struct roll *roll, MPI_Group members, int *rv)
{
    struct native_part part = {x, members, &roll->seating, tag_of(x, roll->comm), MPI_SUCCESS};
    bool is_over;

    if (members != MPI_GROUP_NULL && !is_member(members))
        return true;
    begin_native_part(roll, &part);
    is_over = ftc_leavable_run(run_native_part, &part, is_hopeless, roll);
    ftc_native_call_leave();
    if (!is_over)
        ftc_context_abandon(members == MPI_GROUP_NULL ? x->comm : parent_of(x));
    if (is_over && part.result == MPI_SUCCESS && members != MPI_GROUP_NULL)
        inherit(x, roll, &part.result);
    *rv = part.result;
    return is_over;
}

/* Whether all have come through the native part. If not, it has to be repeated by all. */
static int agree_on_the_end(const struct ftc_call *call, struct roll *roll, bool is_over,
                            bool *again)
{
    static bool left_before;
    unsigned char told = (is_over ? 0 : LEFT_NOW) | (left_before ? LEFT_BEFORE : 0);
    int rv = unite(call, roll->comm, &told, 1);

    left_before |= !is_over;
    is_exhausted |= !is_over && (told & LEFT_BEFORE) != 0;
    *again = (told & LEFT_NOW) != 0;
    return rv;
}

/* A file that some have opened cannot be closed without the others: it stays open. */
static void drop(const struct ftc_creation *x)
{
    if (x->kind == FTC_CALL_FILE_OPEN)
        *x->opening->file = MPI_FILE_NULL;
    if (*x->newcomm != MPI_COMM_NULL)
        PMPI_Comm_free(x->newcomm);
}

static int attempt(const struct ftc_creation *x, const struct ftc_call *call, struct roll *roll,
                   bool *again)
{
    MPI_Group members = MPI_GROUP_NULL;
    int rv, end;

    *x->newcomm = MPI_COMM_NULL;
    *again = false;
    rv = agree_on_the_dead(call, roll);
    if (rv == MPI_SUCCESS && (roll->dead_count > 0 || ftc_seating_is_ours(x)))
        rv = members_of(x, call, roll, &members);
    if (rv != MPI_SUCCESS)
        return rv;
    end = agree_on_the_end(call, roll, make(x, roll, members, &rv), again);
    ftc_seating_free(&roll->seating);
    if (members != MPI_GROUP_NULL && members != MPI_GROUP_EMPTY)
        PMPI_Group_free(&members);
    if (*again || end != MPI_SUCCESS)
        drop(x);
    return end != MPI_SUCCESS ? end : rv;
}

static bool is_on(enum ftc_call_kind kind)
{
    return ftc_library.state == FTC_LIBRARY_ACTIVE && !ftc_library.paused &&
           ftc_library.settings.communicators == FTC_COMMUNICATORS_SURVIVORS &&
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
    struct roll roll = {.group = MPI_GROUP_NULL};
    bool is_done = false, again = true;

    ftc_native_call_look_back();
    if (!is_on(x->kind) || !arguments_are_valid(x))
        return false;
    if (open_roll(x, &roll)) {
        ftc_report_call(&call, FTC_PASS_NONE);
        is_done = true;
        while (again)
            x->result = attempt(x, &call, &roll, &again);
        raise_error(&call);
    }
    close_roll(&roll);
    return is_done;
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
    if (is_exhausted || !ftc_context_is_abandoned(comm))
        return native(comm);
    return ftc_context_retire(comm, native);
}
