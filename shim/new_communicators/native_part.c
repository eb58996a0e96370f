#include "native_part.h"

#include "communicator/error_handler.h"
#include "communicator/group.h"
#include "context.h"
#include "detour.h"
#include "leavable.h"
#include "program/error.h"
#include "program/native_call.h"
#include "system/hash.h"
#include "system/lines.h"

/* Tags of the survivors' part, among those of calls of MPI_Comm_create_group on one communicator:
 * no other message of MPICH has them. Half of the allowed ones. */
enum { FIRST_TAG = 1 << 27, TAGS = 1 << 27 };

/* ---- the new communicator ---- */

/* As MPICH does it: what is made of a group or of two inherits nothing, and files have error
 * handlers of their own. */
static bool inherits_error_handler(enum ftc_call_kind kind)
{
    return !ftc_creation_has_group(kind) && kind != FTC_CALL_INTERCOMM_MERGE &&
           kind != FTC_CALL_FILE_OPEN;
}

static bool has_info(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_COMM_DUP_WITH_INFO || kind == FTC_CALL_COMM_IDUP_WITH_INFO ||
           ftc_creation_is_from_groups(kind);
}

int ftc_native_give_hints(MPI_Info info, MPI_Comm made)
{
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    ftc_spares_note_change(made);
    return PMPI_Comm_set_info(made, info);
}

static int inherit(const struct ftc_creation *x, struct ftc_roll *roll)
{
    MPI_Errhandler handler;
    int rv = MPI_SUCCESS;

    if (inherits_error_handler(x->kind)) {
        handler = ftc_error_handler_take(x->comm);
        ftc_error_handler_give(handler, *x->newcomm);
        ftc_error_handler_drop(&handler);
    } else if (ftc_creation_is_from_groups(x->kind)) {
        ftc_error_handler_give(x->errhandler, *x->newcomm);
    }
    if (!ftc_seating_keep(&roll->seating, *x->newcomm))
        rv = ftc_error_no_memory();
    else if (has_info(x->kind))
        rv = ftc_native_give_hints(x->info, *x->newcomm);
    if (rv != MPI_SUCCESS)
        PMPI_Comm_free(x->newcomm);
    return rv;
}

/* What MPI has copied of a topology with empty places is not the topology. */
static int copy_places(const struct ftc_creation *x)
{
    if (!ftc_creation_is_copy(x->kind) || ftc_places_inherit(x->comm, *x->newcomm))
        return MPI_SUCCESS;
    PMPI_Comm_free(x->newcomm);
    return ftc_error_no_memory();
}

/* ---- a spare ---- */

/* The number of a spare that is free on all survivors; -1: none. Each call begins at another
 * number, so that a copy that has just been freed is seldom the next one: messages may be under way
 * there.
 */
static int free_spare(const struct ftc_roll *roll)
{
    int first = ftc_native_tag(roll->comm) % FTC_SPARES_OF_WORLD;

    for (int i = 0; i < FTC_SPARES_OF_WORLD; i++) {
        int number = (first + i) % FTC_SPARES_OF_WORLD;

        if (!(roll->taken & 1U << number))
            return number;
    }
    return -1;
}

static int first_survivor(const struct ftc_roll *roll)
{
    int rank = 0;

    while (roll->dead[rank])
        rank++;
    return rank;
}

/* One line of each rank at most; the others of the call print none. */
static void say_that_none_is_left(enum ftc_call_kind kind, const struct ftc_roll *roll)
{
    static _Atomic bool is_said;

    if (ftc_library.settings.communicators != FTC_COMMUNICATORS_PLACES || is_said ||
        first_survivor(roll) != roll->comm->rank)
        return;
    is_said = true;
    ftc_lines_say("ftcoll: rank %d: %s makes a communicator of the %d survivors, not of all %d "
                  "ranks: no copy that was made before the failure is left (communicators = places "
                  "makes %d of MPI_COMM_WORLD, and %d of another communicator when it is first "
                  "copied)\n",
                  ftc_library.world_rank, ftc_call_name(kind), roll->size - roll->dead_count,
                  roll->size, FTC_SPARES_OF_WORLD, FTC_SPARES_OF_PART);
}

bool ftc_native_part_has_spare(enum ftc_call_kind kind, const struct ftc_roll *roll)
{
    if (roll->dead_count == 0)
        return false;
    if (roll->spares && free_spare(roll) >= 0)
        return true;
    say_that_none_is_left(kind, roll);
    return false;
}

MPI_Comm ftc_native_part_take_spare(struct ftc_roll *roll)
{
    int number = free_spare(roll);
    MPI_Comm spare = ftc_spares_take(roll->spares, number, roll->dead);

    roll->spare = spare != MPI_COMM_NULL ? number : -1;
    return spare;
}

enum ftc_native_end ftc_native_part_by_spare(const struct ftc_creation *x, struct ftc_roll *roll,
                                             int *rv)
{
    *x->newcomm = ftc_native_part_take_spare(roll);
    if (*x->newcomm == MPI_COMM_NULL)
        return FTC_NATIVE_NOT_TRIED;
    *rv = inherit(x, roll);
    return FTC_NATIVE_HAS_COMMUNICATOR;
}

/* ---- the native part ---- */

struct native_part {
    const struct ftc_creation *x;
    MPI_Group members; /* MPI_GROUP_NULL: nobody is dead */
    struct ftc_roll *roll;
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
    return x->kind == FTC_CALL_INTERCOMM_MERGE || x->is_between ? MPI_COMM_WORLD : x->comm;
}

/* Of both groups' members, one behind the other, their groups, and of these an intercommunicator.
 */
int ftc_native_gather_sides(struct ftc_between *b)
{
    int rv;

    b->both = b->own = MPI_COMM_NULL;
    rv = PMPI_Comm_create_group(MPI_COMM_WORLD, b->members, b->tag, &b->both);
    return rv == MPI_SUCCESS ? PMPI_Comm_split(b->both, b->is_second, 0, &b->own) : rv;
}

int ftc_native_bridge_sides(struct ftc_between *b, int rv, MPI_Comm *made)
{
    if (rv == MPI_SUCCESS)
        rv = PMPI_Intercomm_create(b->own, 0, b->both, b->is_second ? 0 : b->first, 0, made);
    if (b->own != MPI_COMM_NULL)
        PMPI_Comm_free(&b->own);
    if (b->both != MPI_COMM_NULL)
        PMPI_Comm_free(&b->both);
    return rv;
}

static int create_between(const struct native_part *part)
{
    const struct ftc_roll *roll = part->roll;
    struct ftc_between between = {
        .members = part->members, .is_second = roll->sides->is_second, .tag = part->tag};

    PMPI_Group_size(roll->living[0], &between.first);
    return ftc_native_bridge_sides(&between, ftc_native_gather_sides(&between), part->x->newcomm);
}

/* Of the survivors alone. */
static int create_of_members(const struct native_part *part)
{
    const struct ftc_creation *x = part->x;
    bool is_file = x->kind == FTC_CALL_FILE_OPEN;
    MPI_Comm parent = parent_of(x), of_members;
    int rv;

    if (x->is_between)
        return create_between(part);
    if (!is_file && !ftc_creation_is_topology(x->kind))
        return PMPI_Comm_create_group(parent, part->members, part->tag, x->newcomm);
    rv = PMPI_Comm_create_group(parent, part->members, part->tag, &of_members);
    if (rv != MPI_SUCCESS)
        return rv;
    rv = is_file ? open_file(of_members, x->opening)
                 : ftc_seating_apply(&part->roll->seating, of_members, x->newcomm);
    PMPI_Comm_free(&of_members);
    return rv;
}

/* Of what is copied for the first time, others may be made after a death. */
static bool wants_spares(const struct ftc_creation *x, const struct ftc_roll *roll)
{
    return roll->size > 1 && ftc_library.settings.communicators == FTC_COMMUNICATORS_PLACES &&
           ftc_creation_is_copy(x->kind) && !x->is_between && !ftc_spares_of(x->comm);
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
    if (part->result == MPI_SUCCESS && wants_spares(part->x, part->roll))
        part->roll->made = ftc_spares_make(part->x->comm);
}

/* Of a call that was left, messages may wait for receives, and receives for messages: the next must
 * not meet them. Threads that use the same group are told apart by the tag that is in the number of
 * @c. */
int ftc_native_tag(const struct ftc_comm *c)
{
    return FIRST_TAG + (int)((ftc_hash_mix(c->id, c->seq) >> 32) % TAGS);
}

/* The native part needs @members, or without them all whom the call itself needs. */
static void mark_native_part(const struct ftc_creation *x, MPI_Group members)
{
    MPI_Group needed =
        members == MPI_GROUP_NULL && ftc_creation_is_in_group(x) ? x->group : members;

    if (needed == MPI_GROUP_NULL)
        ftc_native_call_mark(x->kind, x->comm, FTC_ALL_MEMBERS, x->return_address);
    else
        ftc_native_call_mark_group(x->kind, needed, x->return_address);
}

/* That of a file may take its time. Of a call that was left while threads made others, MPICH may
 * keep what the next needs, also if nobody is dead in that. */
static bool is_bounded(const struct native_part *part)
{
    return (part->members != MPI_GROUP_NULL ||
            (ftc_library.threaded && part->roll->has_been_left)) &&
           part->x->kind != FTC_CALL_FILE_OPEN;
}

enum ftc_native_end ftc_native_part(const struct ftc_creation *x, struct ftc_roll *roll,
                                    MPI_Group members, int *rv)
{
    struct native_part part = {x, members, roll, ftc_native_tag(roll->comm), MPI_SUCCESS};
    bool is_file = x->kind == FTC_CALL_FILE_OPEN, is_over;

    if (members != MPI_GROUP_NULL && !ftc_group_has_this_rank(members))
        return FTC_NATIVE_HAS_COMMUNICATOR;
    ftc_detour_await_all();
    ftc_roll_watch(roll, is_bounded(&part));
    mark_native_part(x, members);
    is_over = is_file ? ftc_leavable_run_on_file(run_native_part, &part, ftc_roll_is_hopeless, roll)
                      : ftc_leavable_run(run_native_part, &part, ftc_roll_is_hopeless, roll);
    ftc_native_call_leave();
    if (!is_over)
        ftc_context_abandon(members == MPI_GROUP_NULL ? x->comm : parent_of(x));
    if (is_over && part.result == MPI_SUCCESS && members != MPI_GROUP_NULL)
        part.result = inherit(x, roll);
    *rv = part.result;
    return is_over ? FTC_NATIVE_HAS_COMMUNICATOR : FTC_NATIVE_WAS_LEFT;
}
