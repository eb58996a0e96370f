#include "native_part.h"

#include "abandonable.h"
#include "board/rank_state.h"
#include "communicator/error_handler.h"
#include "communicator/group.h"
#include "context.h"
#include "mpi/inside.h"
#include "program/error.h"
#include "program/native_call.h"
#include "system/hash.h"
#include "system/lines.h"
#include "value/datatype.h"

/* Tags of the survivors' calls of MPI_Comm_create_group: the upper half of those that MPICH 4.0.2
 * allows (MPI_TAG_UB is 2^28 - 1). Apart from calls of MPI_Comm_create_group on the same
 * communicator, no call of MPICH has messages with such tags. */
enum { FIRST_TAG = 1 << 27, TAGS = 1 << 27 };

enum { LEADERS_IGNORE_ERRORS = 500 }; /* since MPICH 5.0, see is_to_be_abandoned() */

/* Returns the tag of the native part. Messages of a native part that was not completed must not
 * match those of the next, so the tag depends on the number of the operation. It also depends on
 * the program's tag, which is part of the identity of @c and distinguishes threads that use the
 * same group. */
static int native_tag(const struct ftc_comm *c)
{
    return FIRST_TAG + (int)((ftc_hash_mix(c->id, c->seq) >> 32) % TAGS);
}

/* ---- the new communicator ---- */

/* Returns whether the new communicator inherits the error handler, as in MPICH. One made from a
 * group or from two groups does not, and files have error handlers of their own. */
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

static int give_hints(MPI_Info info, MPI_Comm made)
{
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    ftc_spares_note_change(made);
    return PMPI_Comm_set_info(made, info);
}

static int inherit(const struct ftc_creation *x, struct ftc_participants *participants)
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
    if (!ftc_topology_remap_keep(&participants->remap, *x->newcomm))
        rv = ftc_error_no_memory();
    else if (has_info(x->kind))
        rv = give_hints(x->info, *x->newcomm);
    if (rv != MPI_SUCCESS)
        PMPI_Comm_free(x->newcomm);
    return rv;
}

/* Copies a topology with empty positions, which MPI does not know. */
static int copy_topology(const struct ftc_creation *x)
{
    if (!ftc_creation_is_copy(x->kind) || ftc_virtual_topology_inherit(x->comm, *x->newcomm))
        return MPI_SUCCESS;
    PMPI_Comm_free(x->newcomm);
    return ftc_error_no_memory();
}

/* ---- a spare ---- */

/* Returns the number of a spare that is free on all survivors, or -1. Calls begin at different
 * numbers, so that one that was just freed, where messages may be under way, is seldom the next. */
static int free_spare(const struct ftc_participants *participants)
{
    int first = native_tag(participants->comm) % FTC_SPARES_OF_WORLD;

    for (int i = 0; i < FTC_SPARES_OF_WORLD; i++) {
        int number = (first + i) % FTC_SPARES_OF_WORLD;

        if (!(participants->taken & 1U << number))
            return number;
    }
    return -1;
}

static int first_survivor(const struct ftc_participants *participants)
{
    int rank = 0;

    while (participants->dead[rank])
        rank++;
    return rank;
}

/* Prints that no spare is left, at most once in each process. Only the first survivor of a call
 * prints. */
static void say_that_none_is_left(enum ftc_call_kind kind,
                                  const struct ftc_participants *participants)
{
    static _Atomic bool is_said;

    if (ftc_library.settings.communicators != FTC_COMMUNICATORS_PLACES || is_said ||
        first_survivor(participants) != participants->comm->rank)
        return;
    is_said = true;
    ftc_lines_say("ftcoll: rank %d: %s makes a communicator of the %d survivors, not of all %d "
                  "ranks: no copy that was made before the failure is left (communicators = places "
                  "makes %d of MPI_COMM_WORLD, and %d of another communicator when it is first "
                  "copied)\n",
                  ftc_library.world_rank, ftc_call_name(kind),
                  participants->size - participants->dead_count, participants->size,
                  FTC_SPARES_OF_WORLD, FTC_SPARES_OF_PART);
}

static bool has_spare(enum ftc_call_kind kind, const struct ftc_participants *participants)
{
    if (participants->dead_count == 0)
        return false;
    if (participants->spares && free_spare(participants) >= 0)
        return true;
    say_that_none_is_left(kind, participants);
    return false;
}

static enum ftc_native_end take_spare(const struct ftc_creation *x,
                                      struct ftc_participants *participants, int *rv)
{
    int number = free_spare(participants);

    *x->newcomm = ftc_spares_take(participants->spares, number, participants->dead);
    if (*x->newcomm == MPI_COMM_NULL)
        return FTC_NATIVE_NOT_TRIED;
    participants->spare = number;
    *rv = inherit(x, participants);
    return FTC_NATIVE_HAS_COMMUNICATOR;
}

/* ---- the native part ---- */

struct native_part {
    const struct ftc_creation *x;
    MPI_Group members; /* MPI_GROUP_NULL: native MPI carries out the call itself */
    struct ftc_participants *participants;
    int tag, result;
};

/* Returns @info with the hint that turns off data sieving in writes, unless the program has set
 * that hint. The caller frees the result if it is not @info. Ranks write their parts of some
 * collective calls alone (files/file.h). With data sieving ROMIO then reads a stretch of the file
 * and writes it back, under a lock that other ranks' contiguous writes do not take, and so undoes
 * them. */
static MPI_Info without_sieving(MPI_Info info)
{
    static const char hint[] = "romio_ds_write";
    char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info hints = info;
    int is_set = 0;

    if (info != MPI_INFO_NULL && !ftc_is_info(info))
        return info; /* native MPI reports the error */
    if (info != MPI_INFO_NULL)
        PMPI_Info_get(info, hint, MPI_MAX_INFO_VAL, value, &is_set);
    if (!is_set && (info == MPI_INFO_NULL ? PMPI_Info_create(&hints)
                                          : PMPI_Info_dup(info, &hints)) == MPI_SUCCESS)
        PMPI_Info_set(hints, hint, "disable");
    return hints;
}

static int open_file(MPI_Comm comm, const struct ftc_opening *o)
{
    MPI_Info hints = without_sieving(o->info);
    int rv = PMPI_File_open(comm, o->name, o->amode, hints, o->file);

    if (hints != o->info)
        PMPI_Info_free(&hints);
    return rv;
}

static int call_native(const struct ftc_creation *x, int tag)
{
    if (ftc_creation_is_topology(x->kind))
        return ftc_topology_remap_native(x->kind, x->comm, x->arrangement, x->newcomm);
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

/* Returns the communicator on which the survivors call MPI_Comm_create_group(). It must not be an
 * intercommunicator. */
static MPI_Comm parent_of(const struct ftc_creation *x)
{
    return x->kind == FTC_CALL_INTERCOMM_MERGE || x->is_inter ? MPI_COMM_WORLD : x->comm;
}

/* Frees *@made, unless @rv is an error and a rank is dead. *@made may then still get messages,
 * which another communicator with its context id would receive. */
static void free_when_through(int rv, MPI_Comm *made)
{
    if (rv == MPI_SUCCESS || !ftc_board_is_anyone_dead(&ftc_library.board))
        PMPI_Comm_free(made);
}

/* Makes a communicator of all members, one of this rank's group, and from both an
 * intercommunicator. */
static int create_intercomm(const struct native_part *part)
{
    bool is_second = part->participants->groups->is_second;
    MPI_Comm both, own;
    int first, rv;

    PMPI_Group_size(part->participants->living[0], &first);
    rv = PMPI_Comm_create_group(parent_of(part->x), part->members, part->tag, &both);
    if (rv != MPI_SUCCESS)
        return rv;
    rv = PMPI_Comm_split(both, is_second, 0, &own);
    if (rv == MPI_SUCCESS) {
        rv = PMPI_Intercomm_create(own, 0, both, is_second ? 0 : first, 0, part->x->newcomm);
        free_when_through(rv, &own);
    }
    free_when_through(rv, &both);
    return rv;
}

/* Makes the communicator, or opens the file, of the survivors alone. */
static int create_of_members(const struct native_part *part)
{
    const struct ftc_creation *x = part->x;
    bool is_file = x->kind == FTC_CALL_FILE_OPEN;
    MPI_Comm of_members;
    int rv;

    if (x->is_inter)
        return create_intercomm(part);
    if (!is_file && !ftc_creation_is_topology(x->kind))
        return PMPI_Comm_create_group(parent_of(x), part->members, part->tag, x->newcomm);
    rv = PMPI_Comm_create_group(parent_of(x), part->members, part->tag, &of_members);
    if (rv != MPI_SUCCESS)
        return rv;
    rv = is_file ? open_file(of_members, x->opening)
                 : ftc_topology_remap_apply(&part->participants->remap, of_members, x->newcomm);
    free_when_through(rv, &of_members);
    return rv;
}

/* Returns whether spares have to be made, because a communicator is copied for the first time.
 * Other copies may follow after a death. */
static bool wants_spares(const struct ftc_creation *x, const struct ftc_participants *participants)
{
    return participants->size > 1 &&
           ftc_library.settings.communicators == FTC_COMMUNICATORS_PLACES &&
           ftc_creation_is_copy(x->kind) && !x->is_inter && !ftc_spares_of(x->comm);
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
        part->result = copy_topology(part->x);
    if (part->result == MPI_SUCCESS && wants_spares(part->x, part->participants))
        part->participants->made = ftc_spares_make(part->x->comm);
}

/* Marks the native part on the board. It needs @members or, if these are MPI_GROUP_NULL, all ranks
 * that the call itself needs. */
static void mark_native_part(const struct ftc_creation *x, MPI_Group members)
{
    MPI_Group needed =
        members == MPI_GROUP_NULL && ftc_creation_is_in_group(x) ? x->group : members;

    if (needed == MPI_GROUP_NULL)
        ftc_native_call_mark(x->kind, x->comm, FTC_ALL_MEMBERS, x->return_address);
    else
        ftc_native_call_mark_group(x->kind, needed, x->return_address);
}

/* Returns whether the native part can only be abandoned, not ended. From MPICH 5.0 on, the leaders
 * of two groups mistake an error of UCX for their message. */
static bool is_to_be_abandoned(const struct native_part *part)
{
    return part->x->is_inter && part->members != MPI_GROUP_NULL &&
           ftc_inside_mpich() >= LEADERS_IGNORE_ERRORS;
}

static enum ftc_abandonable_end run(struct native_part *part)
{
    const struct ftc_creation *x = part->x;
    bool is_of_all = part->members == MPI_GROUP_NULL, is_on_file = x->kind == FTC_CALL_FILE_OPEN;

    if (is_on_file || is_to_be_abandoned(part))
        return (is_on_file ? ftc_abandonable_run_on_file : ftc_abandonable_run)(
                   run_native_part, part, ftc_participants_is_hopeless, part->participants)
                   ? FTC_ABANDONABLE_OVER
                   : FTC_ABANDONABLE_ABANDONED;
    return ftc_abandonable_make(run_native_part, part, ftc_participants_is_hopeless,
                                part->participants, is_of_all ? x->comm : parent_of(x),
                                is_of_all && inherits_error_handler(x->kind) ? x->newcomm : NULL);
}

/* Returns how the native part has ended. If it was ended although no participant has died, it was
 * waiting for messages that do not arrive. */
static enum ftc_native_end end_of(const struct native_part *part, enum ftc_abandonable_end end)
{
    if (end == FTC_ABANDONABLE_OVER_QUIETLY && part->result != MPI_SUCCESS)
        return FTC_NATIVE_FAILED;
    if (end == FTC_ABANDONABLE_OVER || end == FTC_ABANDONABLE_OVER_QUIETLY)
        return FTC_NATIVE_HAS_COMMUNICATOR;
    return end == FTC_ABANDONABLE_ENDED && ftc_participants_has_lost(part->participants)
               ? FTC_NATIVE_NOT_TRIED
               : FTC_NATIVE_WAS_ABANDONED;
}

enum ftc_native_end ftc_native_part(const struct ftc_creation *x,
                                    struct ftc_participants *participants, MPI_Group members,
                                    int *rv)
{
    struct native_part part = {x, members, participants, native_tag(participants->comm),
                               MPI_SUCCESS};
    enum ftc_native_end end;

    if (participants->is_copy && has_spare(x->kind, participants))
        return take_spare(x, participants, rv);
    if (members != MPI_GROUP_NULL && !ftc_group_has_this_rank(members))
        return FTC_NATIVE_HAS_COMMUNICATOR;
    ftc_participants_watch(participants,
                           x->kind != FTC_CALL_FILE_OPEN); /* opening a file may take its time */
    mark_native_part(x, members);
    end = end_of(&part, run(&part));
    ftc_native_call_leave();
    if (part.result != MPI_SUCCESS)
        *x->newcomm = MPI_COMM_NULL;
    else if (end == FTC_NATIVE_HAS_COMMUNICATOR && members != MPI_GROUP_NULL)
        part.result = inherit(x, participants);
    *rv = part.result;
    return end;
}

void ftc_native_part_abandon(const struct ftc_creation *x, MPI_Group members)
{
    ftc_context_abandon(members == MPI_GROUP_NULL ? x->comm : parent_of(x));
}
