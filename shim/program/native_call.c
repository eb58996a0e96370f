#include "native_call.h"

#include "board/activity.h"
#include "board/mark.h"
#include "board/rank_state.h"
#include "call_members.h"
#include "communicator/group.h"
#include "coverage.h"
#include "job_end.h"
#include "library.h"
#include "value/datatype.h"

#include <stdio.h>

static atomic_bool is_taken[FTC_BOARD_CALLS]; /* true: some thread has the mark */
struct ftc_board_mark *ftc_native_call_marks;

static const _Atomic uint32_t nobody;
const _Atomic uint32_t *ftc_native_call_deaths = &nobody;

/* Bytes of stack. Native MPI uses more than this before it calls back. The frames of most wrappers
 * differ by less than this. */
enum { CALL_BYTES = 64 };

_Thread_local int ftc_native_call_depth;
_Thread_local uint32_t ftc_native_call_fallback;
static _Thread_local int own_mark = -1;      /* mark of the outermost call */
static _Thread_local uintptr_t inside_below; /* stack address below which calls are nested */
static _Thread_local struct {
    uintptr_t inside_below; /* 0: the thread is in no operator */
    enum ftc_call_kind kind;
} operation;

int ftc_native_call_open(void)
{
    int rv = ftc_call_members_open();

    if (rv != 0)
        return rv;
    ftc_native_call_marks = ftc_marks_of(&ftc_library.board, ftc_library.world_rank);
    ftc_native_call_deaths = ftc_board_deaths_word(&ftc_library.board);
    return 0;
}

/* Takes a mark that no other thread has. Returns false if there is none. */
static __attribute__((noinline)) bool take_free_mark(void)
{
    for (int i = 0; i < FTC_BOARD_CALLS; i++) {
        if (!atomic_load_explicit(&is_taken[i], memory_order_relaxed) &&
            !atomic_exchange_explicit(&is_taken[i], true, memory_order_acquire)) {
            own_mark = i;
            return true;
        }
    }
    return false;
}

/* Begins a call of this thread. Returns whether it is the outermost one and there is a mark for
 * it. */
static inline bool take_mark(unsigned bytes_below)
{
    if (!ftc_native_call_marks)
        return false;
    if (ftc_native_call_is_inside()) {
        ftc_native_call_depth++;
        return false;
    }
    ftc_native_call_depth = 1;
    inside_below = (uintptr_t)__builtin_frame_address(0) - bytes_below;
    if (ftc_library.threaded)
        return take_free_mark();
    own_mark = 0;
    return true;
}

void ftc_native_call_count(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                           const void *return_address)
{
    if (ftc_coverage_is_on && !ftc_native_call_is_inside())
        ftc_coverage_native(kind, comm, peer, return_address);
}

/* Counts and begins a call. Returns whether it must be marked. */
static inline bool begin(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                         const void *return_address)
{
    ftc_native_call_count(kind, comm, peer, return_address);
    return take_mark(CALL_BYTES);
}

static void give_back_mark(void)
{
    if (ftc_library.threaded)
        atomic_store_explicit(&is_taken[own_mark], false, memory_order_release);
    own_mark = -1;
}

static inline void show(enum ftc_call_kind kind, unsigned place, int peer,
                        const void *return_address)
{
    int32_t need;

    if (ftc_call_members_need(place, peer, &need))
        ftc_native_call_write_mark(&ftc_native_call_marks[own_mark], kind, place, need,
                                   return_address);
    else
        give_back_mark();
}

/* Shows the mark of a call that needs all members of @group. The group is described each time, in
 * place of the previous one. */
static void show_group(enum ftc_call_kind kind, MPI_Group group, const void *return_address)
{
    unsigned place = ftc_call_members_slot(own_mark, group);

    if (ftc_describe_group(place, group))
        show(kind, place, FTC_ALL_MEMBERS, return_address);
    else
        give_back_mark();
}

static __attribute__((noinline)) void show_both(enum ftc_call_kind kind, MPI_Comm intercomm,
                                                const void *return_address)
{
    MPI_Group both = ftc_group_of_both(intercomm);

    show_group(kind, both, return_address);
    PMPI_Group_free(&both);
}

/* Shows the mark of a call on the communicator or window @handle, which @place describes. */
static inline void mark_with_members(enum ftc_call_kind kind, int handle, unsigned place, int peer,
                                     const void *return_address)
{
    if (peer == FTC_ALL_MEMBERS && ftc_call_members[place].is_remote && !ftc_call_is_message(kind))
        show_both(kind, handle, return_address);
    else
        show(kind, place, peer, return_address);
}

/* Describes the members and shows the mark. Not inlined, so that calls whose members are known stay
 * short. */
static __attribute__((noinline)) void describe_and_show(enum ftc_call_kind kind, int handle,
                                                        ftc_describe_it *describe_it, int peer,
                                                        const void *return_address)
{
    unsigned place = ftc_call_members_slot(own_mark, handle);

    if (ftc_describe(place, handle, describe_it))
        mark_with_members(kind, handle, place, peer, return_address);
    else
        give_back_mark();
}

static inline void mark(enum ftc_call_kind kind, int handle, ftc_describe_it *describe_it, int peer,
                        const void *return_address)
{
    unsigned place = ftc_call_members_slot(own_mark, handle);

    if (ftc_call_members_are_of(place, handle))
        mark_with_members(kind, handle, place, peer, return_address);
    else
        describe_and_show(kind, handle, describe_it, peer, return_address);
}

void ftc_native_call_enter(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                           const void *return_address)
{
    if (begin(kind, comm, peer, return_address))
        mark(kind, comm, ftc_describe_comm, peer, return_address);
}

/* Adds @dest to the mark as a second rank, because the message to @dest may be complete while the
 * rank is still in the call. */
void ftc_native_call_enter_exchange(enum ftc_call_kind kind, MPI_Comm comm, int source, int dest,
                                    const void *return_address)
{
    int world;

    ftc_native_call_enter(kind, comm, ftc_native_call_partner(source, dest), return_address);
    if (ftc_native_call_depth != 1 || own_mark < 0 || source < 0 || dest == source)
        return;
    world = ftc_call_members_world(&ftc_call_members[ftc_call_members_slot(own_mark, comm)], dest);
    if (world >= 0)
        ftc_mark_also(&ftc_native_call_marks[own_mark], (uint32_t)world);
}

void ftc_native_call_mark(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                          const void *return_address)
{
    if (take_mark(0))
        mark(kind, comm, ftc_describe_comm, peer, return_address);
}

void ftc_native_call_enter_window(enum ftc_call_kind kind, MPI_Win win, int peer,
                                  const void *return_address)
{
    if (begin(kind, MPI_COMM_NULL, peer, return_address))
        mark(kind, win, ftc_describe_win, peer, return_address);
}

static bool is_of_one(MPI_File file)
{
    MPI_Group group;
    int size = 0;

    if (file == MPI_FILE_NULL || PMPI_File_get_group(file, &group) != MPI_SUCCESS)
        return false;
    PMPI_Group_size(group, &size);
    PMPI_Group_free(&group);
    return size == 1;
}

void ftc_native_call_enter_file(enum ftc_call_kind kind, MPI_File file, const void *return_address)
{
    MPI_Comm comm = ftc_coverage_is_on && is_of_one(file) ? MPI_COMM_SELF : MPI_COMM_NULL;
    MPI_Group group;

    if (!begin(kind, comm, FTC_ALL_MEMBERS, return_address))
        return;
    if (file == MPI_FILE_NULL || PMPI_File_get_group(file, &group) != MPI_SUCCESS) {
        give_back_mark();
        return;
    }
    show_group(kind, group, return_address);
    PMPI_Group_free(&group);
}

void ftc_native_call_enter_group(enum ftc_call_kind kind, MPI_Group group,
                                 const void *return_address)
{
    ftc_native_call_count(kind, MPI_COMM_NULL, FTC_ALL_MEMBERS, return_address);
    ftc_native_call_mark_group(kind, group, return_address);
}

void ftc_native_call_mark_group(enum ftc_call_kind kind, MPI_Group group,
                                const void *return_address)
{
    if (!take_mark(0))
        return;
    if (!ftc_is_group(group))
        give_back_mark();
    else
        show_group(kind, group, return_address);
}

void ftc_native_call_enter_leaders(MPI_Comm local, int local_leader, MPI_Comm peer,
                                   int remote_leader, const void *return_address)
{
    MPI_Group needed;

    if (!begin(FTC_CALL_INTERCOMM_CREATE, local, FTC_ALL_MEMBERS, return_address))
        return;
    needed = ftc_group_with_leader(local, local_leader, peer, remote_leader);
    if (needed == MPI_GROUP_NULL) {
        give_back_mark();
        return;
    }
    show_group(FTC_CALL_INTERCOMM_CREATE, needed, return_address);
    PMPI_Group_free(&needed);
}

static void end_mark(void)
{
    if (own_mark < 0)
        return;
    ftc_mark_end(&ftc_native_call_marks[own_mark]);
    give_back_mark();
}

/* Ends a call. A call that ftc_native_call_forget_left() has forgotten may still return, if nested
 * calls use another stack. */
void ftc_native_call_leave(void)
{
    if (ftc_native_call_depth > 0 && --ftc_native_call_depth == 0)
        end_mark();
}

/* Counts the operator as a call, because other calls may be nested in it. */
void ftc_native_call_begin_operation(enum ftc_call_kind kind)
{
    ftc_activity_combine(&ftc_library.board, ftc_library.world_rank, 1);
    operation.inside_below = (uintptr_t)__builtin_frame_address(0);
    operation.kind = kind;
    if (ftc_native_call_depth++ == 0)
        inside_below = operation.inside_below;
}

void ftc_native_call_end_operation(void)
{
    operation.inside_below = 0;
    if (ftc_native_call_depth > 0)
        ftc_native_call_depth--;
    ftc_activity_combine(&ftc_library.board, ftc_library.world_rank, -1);
}

static void end_with_left_operation(void)
{
    char text[256];

    snprintf(text, sizeof text,
             "ftcoll: rank %d has left a user-defined operation by longjmp or an exception, in the "
             "middle of %s, which cannot be completed any more",
             ftc_library.world_rank, ftc_call_name(operation.kind));
    operation.inside_below = 0;
    ftc_job_end(MPI_COMM_WORLD, MPI_ERR_OP, text);
}

/* Relies on stacks that grow downwards: calls that native MPI makes back to the program are below
 * the call. */
void ftc_native_call_forget_left(const void *frame)
{
    if (operation.inside_below != 0 && (uintptr_t)frame >= operation.inside_below)
        end_with_left_operation();
    if ((uintptr_t)frame < inside_below)
        return;
    ftc_native_call_depth = 0;
    end_mark();
}
