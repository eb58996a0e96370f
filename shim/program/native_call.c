#include "native_call.h"

#include "board/mark.h"
#include "board/rank_state.h"
#include "communicator/attribute.h"
#include "communicator/group.h"
#include "job_end.h"
#include "library.h"
#include "report/coverage.h"
#include "value/datatype.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { NO_HANDLE = 0, PLACES = FTC_BOARD_SETS / FTC_BOARD_MARKS };

/* The world ranks behind those of a communicator or window, as far as the board needs them; the set
 * of the same number on the board has those of them that are in MPI_COMM_WORLD. In MPICH handles
 * are integers that tell what they are a handle of. */
struct members {
    _Atomic int handle; /* NO_HANDLE: to be described anew */
    bool is_remote;     /* of an intercommunicator */
    int size;
    int *world_rank; /* below 0: outside of MPI_COMM_WORLD */
};

/* Each mark has its own, so that threads do not change each other's. */
static struct members described[FTC_BOARD_SETS];
static atomic_bool is_taken[FTC_BOARD_CALLS]; /* by some thread */
static int win_keyval = MPI_KEYVAL_INVALID;
static struct ftc_board_mark *marks; /* this rank's; NULL: marking is off */

static const _Atomic uint32_t nobody;
const _Atomic uint32_t *ftc_native_call_deaths = &nobody;

/* Native MPI takes more of the stack until it calls back; most wrappers differ by less of it. */
enum { CALL_BYTES = 64 };

_Thread_local int ftc_native_call_depth;
_Thread_local uint32_t ftc_native_call_pass;
static _Thread_local int own_mark = -1;      /* of the outermost */
static _Thread_local uintptr_t inside_below; /* where on the stack calls are inside of it */
static _Thread_local struct {
    uintptr_t inside_below; /* 0: in none */
    enum ftc_call_kind kind;
} operation;

/* ---- members ---- */

static unsigned place_of(int index, int handle)
{
    return (unsigned)index * PLACES + (unsigned)handle % PLACES;
}

/* A handle that is freed may come back for something else. */
static void forget(int handle)
{
    for (int i = 0; i < FTC_BOARD_MARKS; i++) {
        int known = handle;

        atomic_compare_exchange_strong(&described[place_of(i, handle)].handle, &known, NO_HANDLE);
    }
}

/* When a communicator is freed. What is kept of it is only that it may be in described[]. */
static void forget_comm(MPI_Comm comm, void *kept)
{
    (void)kept;
    forget(comm);
}

/* Called by MPI when a window is freed. */
static int forget_win(MPI_Win win, int keyval, void *attribute, void *extra)
{
    (void)keyval;
    (void)attribute;
    (void)extra;
    forget(win);
    return MPI_SUCCESS;
}

int ftc_native_call_open(void)
{
    if (PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget_win, &win_keyval, NULL) != MPI_SUCCESS)
        return -EINVAL;
    ftc_attribute_on_free(FTC_TENANT_MARKS, forget_comm);
    marks = ftc_marks_of(&ftc_library.board, ftc_library.world_rank);
    ftc_native_call_deaths = ftc_board_deaths_word(&ftc_library.board);
    return 0;
}

static void add_to_board(const int *world_rank, int size, _Atomic uint64_t *words)
{
    for (int i = 0; i < size; i++) {
        uint32_t world = (uint32_t)world_rank[i];

        if (world_rank[i] < 0 || world_rank[i] >= ftc_library.world_size)
            continue;
        atomic_fetch_or(&words[world / 64], 1ull << world % 64);
    }
}

static bool describe_members(unsigned place, MPI_Group members)
{
    _Atomic uint64_t *words = ftc_board_set(&ftc_library.board, ftc_library.world_rank, place);
    struct members *m = &described[place];

    for (uint32_t i = 0; i < ftc_board_set_words(&ftc_library.board.geometry); i++)
        atomic_store(&words[i], 0);
    free(m->world_rank);
    m->world_rank = ftc_group_world_ranks(members, &m->size);
    m->is_remote = false;
    if (!m->world_rank)
        return false;
    add_to_board(m->world_rank, m->size, words);
    return true;
}

/* A call on an intercommunicator names ranks of the remote group; it may need both groups. */
static bool describe_comm(unsigned place, MPI_Comm comm)
{
    MPI_Group members;
    bool done;

    if (!ftc_is_comm(comm))
        return false;
    members = ftc_group_of_peers(comm);
    done = describe_members(place, members);
    described[place].is_remote = ftc_is_inter(comm);
    PMPI_Group_free(&members);
    return done && ftc_attribute_keep(comm, FTC_TENANT_MARKS, described);
}

static bool describe_win(unsigned place, MPI_Win win)
{
    MPI_Group members;
    int is_noted;
    bool done;
    void *attribute;

    if (!ftc_is_win(win) || PMPI_Win_get_group(win, &members) != MPI_SUCCESS)
        return false;
    done = describe_members(place, members);
    PMPI_Group_free(&members);
    if (done && PMPI_Win_get_attr(win, win_keyval, &attribute, &is_noted) == MPI_SUCCESS &&
        !is_noted)
        done = PMPI_Win_set_attr(win, win_keyval, NULL) == MPI_SUCCESS;
    return done;
}

/* ---- marks ---- */

/* One that no other thread has. */
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

static inline bool is_inside(void)
{
    ftc_native_call_look_back();
    return ftc_native_call_depth > 0;
}

/* True for the outermost call of a thread, if there is a mark for it. */
static inline bool take_mark(unsigned bytes_below)
{
    if (!marks)
        return false;
    if (is_inside()) {
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
    if (ftc_coverage_is_on && !is_inside())
        ftc_coverage_native(kind, comm, peer, return_address);
}

static void (*first)(void); /* NULL: nothing */

void ftc_native_call_set_first(void (*function)(void))
{
    first = function;
}

static bool makes_communicator(enum ftc_call_kind kind)
{
    switch (kind) {
    case FTC_CALL_COMM_ACCEPT:
    case FTC_CALL_COMM_CONNECT:
    case FTC_CALL_COMM_SPAWN:
    case FTC_CALL_COMM_SPAWN_MULTIPLE:
    case FTC_CALL_WIN_CREATE:
    case FTC_CALL_WIN_ALLOCATE:
    case FTC_CALL_WIN_ALLOCATE_SHARED:
    case FTC_CALL_WIN_CREATE_DYNAMIC:
    case FTC_CALL_FILE_OPEN:
        return true;
    default:
        return ftc_call_class(kind) == FTC_CLASS_COMMUNICATOR;
    }
}

static void do_first(enum ftc_call_kind kind)
{
    if (makes_communicator(kind))
        first();
}

/* What begins each call: true if it is to be marked. */
static inline bool begin(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                         const void *return_address)
{
    if (first)
        do_first(kind);
    ftc_native_call_count(kind, comm, peer, return_address);
    return take_mark(CALL_BYTES);
}

static void give_back_mark(void)
{
    if (ftc_library.threaded)
        atomic_store_explicit(&is_taken[own_mark], false, memory_order_release);
    own_mark = -1;
}

/* The world rank of rank @peer; -1 if it has none. */
static int32_t world_of(const struct members *m, int peer)
{
    int world = peer >= 0 && peer < m->size ? m->world_rank[peer] : -1;

    return world >= 0 && world < ftc_library.world_size ? world : -1;
}

/* What a call on what @place describes needs: a rank, or a part of the set. False: nobody. */
static inline bool find_need(unsigned place, int peer, int32_t *need)
{
    if (peer == FTC_ALL_MEMBERS)
        *need = FTC_BOARD_ALL;
    else if (peer == FTC_SOME_MEMBER)
        *need = FTC_BOARD_SOME;
    else
        *need = world_of(&described[place], peer);
    return *need >= 0 || peer == FTC_ALL_MEMBERS || peer == FTC_SOME_MEMBER;
}

static inline void write_mark(struct ftc_board_mark *m, enum ftc_call_kind kind, unsigned place,
                              int32_t need, const void *return_address)
{
    ftc_mark_begin(m, (struct ftc_mark_start){.kind = kind,
                                              .set = place,
                                              .pass = ftc_native_call_pass,
                                              .peer = need,
                                              .return_address = return_address,
                                              .stack = __builtin_frame_address(0)});
}

static inline void show(enum ftc_call_kind kind, unsigned place, int peer,
                        const void *return_address)
{
    int32_t need;

    if (find_need(place, peer, &need))
        write_mark(&marks[own_mark], kind, place, need, return_address);
    else
        give_back_mark();
}

/* Described each time, in place of what was there before. */
static void show_group(enum ftc_call_kind kind, MPI_Group group, const void *return_address)
{
    unsigned place = place_of(own_mark, group);

    atomic_store(&described[place].handle, NO_HANDLE);
    if (describe_members(place, group))
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

/* Of the communicator or window @handle, which @place describes. */
static inline void show_described(enum ftc_call_kind kind, int handle, unsigned place, int peer,
                                  const void *return_address)
{
    if (peer == FTC_ALL_MEMBERS && described[place].is_remote && !ftc_call_is_message(kind))
        show_both(kind, handle, return_address);
    else
        show(kind, place, peer, return_address);
}

/* False if @handle is not valid. */
static bool describe(unsigned place, int handle, bool (*describe_it)(unsigned, int))
{
    atomic_store(&described[place].handle, NO_HANDLE);
    if (!describe_it(place, handle))
        return false;
    atomic_store(&described[place].handle, handle);
    return true;
}

/* Out of the way of calls whose members are known. */
static __attribute__((noinline)) void describe_and_show(enum ftc_call_kind kind, int handle,
                                                        bool (*describe_it)(unsigned, int),
                                                        int peer, const void *return_address)
{
    unsigned place = place_of(own_mark, handle);

    if (describe(place, handle, describe_it))
        show_described(kind, handle, place, peer, return_address);
    else
        give_back_mark();
}

static inline void mark(enum ftc_call_kind kind, int handle, bool (*describe_it)(unsigned, int),
                        int peer, const void *return_address)
{
    unsigned place = place_of(own_mark, handle);

    if (atomic_load_explicit(&described[place].handle, memory_order_relaxed) == handle)
        show_described(kind, handle, place, peer, return_address);
    else
        describe_and_show(kind, handle, describe_it, peer, return_address);
}

void ftc_native_call_enter(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                           const void *return_address)
{
    if (begin(kind, comm, peer, return_address))
        mark(kind, comm, describe_comm, peer, return_address);
}

/* What it sends may be through although it is still in the call. */
void ftc_native_call_enter_exchange(enum ftc_call_kind kind, MPI_Comm comm, int source, int dest,
                                    const void *return_address)
{
    int world;

    ftc_native_call_enter(kind, comm, ftc_native_call_partner(source, dest), return_address);
    if (ftc_native_call_depth != 1 || own_mark < 0 || source < 0 || dest == source)
        return;
    world = world_of(&described[place_of(own_mark, comm)], dest);
    if (world >= 0)
        ftc_mark_also(&marks[own_mark], (uint32_t)world);
}

void ftc_native_call_mark(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                          const void *return_address)
{
    if (take_mark(0))
        mark(kind, comm, describe_comm, peer, return_address);
}

void ftc_native_call_enter_window(enum ftc_call_kind kind, MPI_Win win, int peer,
                                  const void *return_address)
{
    if (begin(kind, MPI_COMM_NULL, peer, return_address))
        mark(kind, win, describe_win, peer, return_address);
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
    if (first)
        do_first(kind);
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
    ftc_mark_end(&marks[own_mark]);
    give_back_mark();
}

/* A call that was taken for left may come back, where calls inside of it have a stack elsewhere. */
void ftc_native_call_leave(void)
{
    if (ftc_native_call_depth > 0 && --ftc_native_call_depth == 0)
        end_mark();
}

/* Counts as a call that something may be inside of. */
void ftc_native_call_begin_operation(enum ftc_call_kind kind)
{
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
}

static void end_with_left_operation(void)
{
    char text[256];

    snprintf(
        text, sizeof text,
        "ftcoll: rank %d has left an operation of the program's own by a jump or an exception, "
        "in the middle of %s, which cannot be carried out any more",
        ftc_library.world_rank, ftc_call_name(operation.kind));
    operation.inside_below = 0;
    ftc_job_end(MPI_COMM_WORLD, MPI_ERR_OP, text);
}

/* Stacks grow downwards: what native MPI calls back lies below the call. */
void ftc_native_call_forget_left(const void *frame)
{
    if (operation.inside_below != 0 && (uintptr_t)frame >= operation.inside_below)
        end_with_left_operation();
    if ((uintptr_t)frame < inside_below)
        return;
    ftc_native_call_depth = 0;
    end_mark();
}

/* ---- calls that only look ---- */

/* All threads have one mark: as long as one of them finds something, the process goes on. */
static atomic_flag poll_is_taken = ATOMIC_FLAG_INIT;
static struct {
    bool is_open, needs_dead;
    enum ftc_call_kind kind; /* of the look that was examined last */
    int handle, peer;
} poll;

static void end_poll(void)
{
    if (poll.is_open)
        ftc_mark_end(&marks[FTC_BOARD_POLL]);
    poll.is_open = false;
}

static bool is_dead(int32_t world)
{
    return world >= 0 && ftc_board_is_dead(&ftc_library.board, (uint32_t)world);
}

static bool needs_dead(unsigned place, int32_t need)
{
    const struct members *m = &described[place];

    if (need >= 0)
        return is_dead(need);
    for (int i = 0; i < m->size; i++)
        if (is_dead(world_of(m, i)))
            return true;
    return false;
}

/* False if @handle is not valid. The mark that is shown may be of the same place. */
static bool describe_for_poll(unsigned place, int handle, bool (*describe_it)(unsigned, int))
{
    if (atomic_load_explicit(&described[place].handle, memory_order_relaxed) == handle)
        return true;
    end_poll();
    return describe(place, handle, describe_it);
}

/* Of several looks in turn the mark shows one that needs a dead rank, if there is one. */
static void examine(enum ftc_call_kind kind, int handle, bool (*describe_it)(unsigned, int),
                    int peer, const void *return_address)
{
    unsigned place = place_of(FTC_BOARD_POLL, handle);
    bool dead;
    int32_t need;

    if (!describe_for_poll(place, handle, describe_it) || !find_need(place, peer, &need))
        return;
    poll.kind = kind;
    poll.handle = handle;
    poll.peer = peer;
    dead = needs_dead(place, need);
    if (poll.is_open && (poll.needs_dead || !dead))
        return;
    end_poll();
    write_mark(&marks[FTC_BOARD_POLL], kind, place, need, return_address);
    poll.is_open = true;
    poll.needs_dead = dead;
}

static bool is_examined(enum ftc_call_kind kind, int handle, int peer)
{
    return poll.is_open && poll.needs_dead && poll.kind == kind && poll.handle == handle &&
           poll.peer == peer &&
           atomic_load_explicit(&described[place_of(FTC_BOARD_POLL, handle)].handle,
                                memory_order_relaxed) == handle;
}

static uint64_t coarse_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void found_nothing(enum ftc_call_kind kind, int handle,
                                 bool (*describe_it)(unsigned, int), int peer,
                                 const void *return_address)
{
    if (!marks || is_inside() ||
        atomic_flag_test_and_set_explicit(&poll_is_taken, memory_order_acquire))
        return;
    if (!is_examined(kind, handle, peer))
        examine(kind, handle, describe_it, peer, return_address);
    ftc_mark_poll(&marks[FTC_BOARD_POLL], coarse_ns());
    atomic_flag_clear_explicit(&poll_is_taken, memory_order_release);
}

void ftc_native_call_found_nothing(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                                   const void *return_address)
{
    found_nothing(kind, comm, describe_comm, peer, return_address);
}

void ftc_native_call_found_nothing_in_window(enum ftc_call_kind kind, MPI_Win win,
                                             const void *return_address)
{
    found_nothing(kind, win, describe_win, FTC_ALL_MEMBERS, return_address);
}

void ftc_native_call_found(void)
{
    if (!marks || atomic_flag_test_and_set_explicit(&poll_is_taken, memory_order_acquire))
        return;
    end_poll();
    atomic_flag_clear_explicit(&poll_is_taken, memory_order_release);
}
