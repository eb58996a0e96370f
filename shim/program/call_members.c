#include "call_members.h"

#include "communicator/attribute.h"
#include "communicator/group.h"
#include "value/datatype.h"

#include <errno.h>
#include <stdlib.h>

enum { NO_HANDLE = 0 };

struct ftc_call_members ftc_call_members[FTC_BOARD_SETS];
static int win_keyval = MPI_KEYVAL_INVALID;

/* Removes the descriptions of a freed handle, because MPI may reuse its value. */
static void forget(int handle)
{
    for (int i = 0; i < FTC_BOARD_MARKS; i++) {
        int known = handle;

        atomic_compare_exchange_strong(&ftc_call_members[ftc_call_members_slot(i, handle)].handle,
                                       &known, NO_HANDLE);
    }
}

/* Forgets the handle of a communicator that is freed. The attribute only records that the handle
 * may be in ftc_call_members[]. */
static void forget_comm(MPI_Comm comm, void *kept)
{
    (void)kept;
    forget(comm);
}

/* Forgets the handle of a window that is freed. Called by MPI. */
static int forget_win(MPI_Win win, int keyval, void *attribute, void *extra)
{
    (void)keyval;
    (void)attribute;
    (void)extra;
    forget(win);
    return MPI_SUCCESS;
}

int ftc_call_members_open(void)
{
    if (PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget_win, &win_keyval, NULL) != MPI_SUCCESS)
        return -EINVAL;
    ftc_attribute_on_free(FTC_SECTION_MARKS, forget_comm);
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

bool ftc_describe_group(unsigned place, MPI_Group members)
{
    _Atomic uint64_t *words = ftc_board_set(&ftc_library.board, ftc_library.world_rank, place);
    struct ftc_call_members *m = &ftc_call_members[place];

    atomic_store(&m->handle, NO_HANDLE);
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

/* Describes the remote group of an intercommunicator, because calls name its ranks. A call may need
 * both groups. */
bool ftc_describe_comm(unsigned place, MPI_Comm comm)
{
    MPI_Group members;
    bool done;

    if (!ftc_is_comm(comm))
        return false;
    members = ftc_group_of_peers(comm);
    done = ftc_describe_group(place, members);
    ftc_call_members[place].is_remote = ftc_is_inter(comm);
    PMPI_Group_free(&members);
    return done && ftc_attribute_keep(comm, FTC_SECTION_MARKS, ftc_call_members);
}

bool ftc_describe_win(unsigned place, MPI_Win win)
{
    MPI_Group members;
    int is_noted;
    bool done;
    void *attribute;

    if (!ftc_is_win(win) || PMPI_Win_get_group(win, &members) != MPI_SUCCESS)
        return false;
    done = ftc_describe_group(place, members);
    PMPI_Group_free(&members);
    if (done && PMPI_Win_get_attr(win, win_keyval, &attribute, &is_noted) == MPI_SUCCESS &&
        !is_noted)
        done = PMPI_Win_set_attr(win, win_keyval, NULL) == MPI_SUCCESS;
    return done;
}

bool ftc_describe(unsigned place, int handle, ftc_describe_it *describe_it)
{
    if (!describe_it(place, handle))
        return false;
    atomic_store(&ftc_call_members[place].handle, handle);
    return true;
}
