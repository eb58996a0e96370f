/* described: the members of the communicator, window or group that a marked call is on, as the
 * board needs them: world ranks. */
#ifndef FTC_PROGRAM_DESCRIBED_H
#define FTC_PROGRAM_DESCRIBED_H

#include "board/mark.h"
#include "call/call.h"
#include "library.h"

#include <stdatomic.h>

/* The world ranks behind those of a communicator or window, as far as the board needs them; the set
 * of the same number on the board has those of them that are in MPI_COMM_WORLD. In MPICH handles
 * are integers that tell what they are a handle of. */
struct ftc_described {
    _Atomic int handle; /* 0: to be described anew */
    bool is_remote;     /* of an intercommunicator */
    int size;
    int *world_rank; /* below 0: outside of MPI_COMM_WORLD */
};

/* Each mark has places of its own, so that threads do not change each other's. A mark goes from one
 * thread to another by is_taken (acquire, release), so looks at handles are relaxed. */
extern struct ftc_described ftc_described[FTC_BOARD_SETS];

static inline unsigned ftc_described_place(int index, int handle)
{
    enum { PLACES = FTC_BOARD_SETS / FTC_BOARD_MARKS };

    return (unsigned)index * PLACES + (unsigned)handle % PLACES;
}

static inline bool ftc_described_is(unsigned place, int handle)
{
    return atomic_load_explicit(&ftc_described[place].handle, memory_order_relaxed) == handle;
}

/* In MPI_Init; 0 or -EINVAL. */
int ftc_described_open(void);

/* Describe a communicator, a window, or a group in @place; false if it is not valid, or without
 * memory. */
typedef bool ftc_describe_it(unsigned place, int handle);
ftc_describe_it ftc_describe_comm, ftc_describe_win;
bool ftc_describe_group(unsigned place, MPI_Group group);

/* Has @describe_it describe @handle in @place. What was there before is gone. */
bool ftc_describe(unsigned place, int handle, ftc_describe_it *describe_it);

/* Returns the world rank of rank @peer; -1 if it has none. */
static inline int32_t ftc_described_world(const struct ftc_described *m, int peer)
{
    int world = peer >= 0 && peer < m->size ? m->world_rank[peer] : -1;

    return world >= 0 && world < ftc_library.world_size ? world : -1;
}

/* Finds what a call on what @place describes needs: a rank, or a part of the set. False if it needs
 * no rank. */
static inline bool ftc_described_need(unsigned place, int peer, int32_t *need)
{
    if (peer == FTC_ALL_MEMBERS)
        *need = FTC_BOARD_ALL;
    else if (peer == FTC_SOME_MEMBER)
        *need = FTC_BOARD_SOME;
    else
        *need = ftc_described_world(&ftc_described[place], peer);
    return *need >= 0 || peer == FTC_ALL_MEMBERS || peer == FTC_SOME_MEMBER;
}

#endif
