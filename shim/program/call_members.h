/* call_members: the members of the communicator, window or group of a marked call, in the form that
 * the board needs: world ranks. */
#ifndef FTC_PROGRAM_CALL_MEMBERS_H
#define FTC_PROGRAM_CALL_MEMBERS_H

#include "board/mark.h"
#include "call/call.h"
#include "library.h"

#include <stdatomic.h>

/* World ranks of the members of a communicator, window or group. The set with the same number on
 * the board has those of them that are in MPI_COMM_WORLD. In MPICH a handle is an integer that also
 * shows the type of its object. */
struct ftc_call_members {
    _Atomic int handle; /* 0: must be described anew */
    bool is_remote;     /* the members are the remote group of an intercommunicator */
    int size;
    int *world_rank; /* negative: outside of MPI_COMM_WORLD */
};

/* Descriptions. Each mark has its own entries, so that threads do not change each other's. A mark
 * passes from one thread to another by is_taken of native_call.c (acquire, release), so handles are
 * loaded relaxed. */
extern struct ftc_call_members ftc_call_members[FTC_BOARD_SETS];

/* Returns the entry for @handle among those of mark @index. */
static inline unsigned ftc_call_members_slot(int index, int handle)
{
    enum { PLACES = FTC_BOARD_SETS / FTC_BOARD_MARKS };

    return (unsigned)index * PLACES + (unsigned)handle % PLACES;
}

static inline bool ftc_call_members_are_of(unsigned place, int handle)
{
    return atomic_load_explicit(&ftc_call_members[place].handle, memory_order_relaxed) == handle;
}

/* Prepares the functions below in MPI_Init. Returns 0 or -EINVAL. */
int ftc_call_members_open(void);

/* Type of a function that describes @handle in @place. It returns false if the handle is not valid
 * or there is no memory. */
typedef bool ftc_describe_it(unsigned place, int handle);
ftc_describe_it ftc_describe_comm, ftc_describe_win;

/* Describes the members of @group in @place. Returns false without memory. */
bool ftc_describe_group(unsigned place, MPI_Group group);

/* Describes @handle in @place by @describe_it. The place loses its previous content. Returns what
 * @describe_it returns. */
bool ftc_describe(unsigned place, int handle, ftc_describe_it *describe_it);

/* Returns the world rank of member @peer; -1 if it has none. */
static inline int32_t ftc_call_members_world(const struct ftc_call_members *m, int peer)
{
    int world = peer >= 0 && peer < m->size ? m->world_rank[peer] : -1;

    return world >= 0 && world < ftc_library.world_size ? world : -1;
}

/* Stores in *@need what a call on the object described in @place needs: a world rank, FTC_BOARD_ALL
 * or FTC_BOARD_SOME. Returns false if it needs no rank. */
static inline bool ftc_call_members_need(unsigned place, int peer, int32_t *need)
{
    if (peer == FTC_ALL_MEMBERS)
        *need = FTC_BOARD_ALL;
    else if (peer == FTC_SOME_MEMBER)
        *need = FTC_BOARD_SOME;
    else
        *need = ftc_call_members_world(&ftc_call_members[place], peer);
    return *need >= 0 || peer == FTC_ALL_MEMBERS || peer == FTC_SOME_MEMBER;
}

#endif
