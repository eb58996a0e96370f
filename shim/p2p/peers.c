#include "peers.h"

#include "board/rank_state.h"
#include "communicator/attribute.h"
#include "communicator/communicator.h"
#include "communicator/group.h"
#include "lock.h"
#include "value/datatype.h"

#include <stdlib.h>

enum { PLACES = 64 };

static struct ftc_peers *recent[PLACES]; /* recent peers, which are found here without asking MPI */

static struct ftc_peers **place_of(MPI_Comm comm)
{
    unsigned h = (unsigned)comm;

    return &recent[(h ^ (h >> 12)) % PLACES];
}

void ftc_peers_release(struct ftc_peers *p)
{
    free(p->world);
    free(p->reported);
    free(p->spared);
    free(p);
}

/* Forgets the communicator, which is freed. Requests on it may still be under way. */
static void forget(MPI_Comm comm, void *kept)
{
    struct ftc_peers *p = kept, **place = place_of(comm);

    ftc_p2p_lock();
    if (*place == p)
        *place = NULL;
    p->comm = MPI_COMM_NULL;
    if (p->users == 0)
        ftc_peers_release(p);
    ftc_p2p_unlock();
}

void ftc_peers_open(void)
{
    ftc_attribute_on_free(FTC_SECTION_PEERS, forget);
}

static bool describe(struct ftc_peers *p)
{
    MPI_Group members;
    bool done;

    members = ftc_group_of_peers(p->comm);
    p->world = ftc_group_world_ranks(members, &p->size);
    p->reported = calloc((size_t)p->size, sizeof *p->reported);
    p->spared = calloc((size_t)p->size, sizeof *p->spared);
    p->others = ftc_is_inter(p->comm) ? p->size : p->size - 1;
    done = p->world && p->reported && p->spared;
    PMPI_Group_free(&members);
    return done;
}

static struct ftc_peers *make(MPI_Comm comm)
{
    struct ftc_peers *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->comm = comm;
    if (describe(p) && ftc_attribute_keep(comm, FTC_SECTION_PEERS, p))
        return p;
    ftc_peers_release(p);
    return NULL;
}

struct ftc_peers *ftc_peers_get(MPI_Comm comm)
{
    struct ftc_peers **place = place_of(comm), *known = *place;

    if (known && known->comm == comm)
        return known;
    if (!ftc_is_comm(comm))
        return NULL;
    known = ftc_attribute_get(comm, FTC_SECTION_PEERS);
    *place = known ? known : make(comm);
    return *place;
}

static bool is_dead(const struct ftc_peers *p, int rank)
{
    return p->world[rank] >= 0 && ftc_board_is_dead(&ftc_library.board, (uint32_t)p->world[rank]);
}

static int count_dead(const struct ftc_peers *p)
{
    int dead = 0;

    for (int i = 0; i < p->size; i++)
        dead += is_dead(p, i);
    return dead;
}

bool ftc_peers_are_dead(const struct ftc_peers *p)
{
    return count_dead(p) == p->others;
}

/* Counts a receive that begins, and notes the ranks whose deaths do not end it. Receives that have
 * begun before are ended as before. */
static uint64_t begin(struct ftc_peers *p, const bool *is_left_out)
{
    p->begun++;
    for (int i = 0; is_left_out && i < p->size; i++)
        if (is_left_out[i] && p->spared[i] == 0)
            p->spared[i] = p->begun;
    return p->begun;
}

/* Takes the lock of lock.h twice, because the library's lock must not be taken under it. */
uint64_t ftc_peers_begin(MPI_Comm comm, int peer)
{
    bool *is_left_out, any;
    struct ftc_peers *p;
    uint64_t begun = 0;

    if (peer != MPI_ANY_SOURCE || ftc_board_deaths(&ftc_library.board) == 0)
        return 0;
    ftc_p2p_lock();
    p = ftc_peers_get(comm);
    ftc_p2p_unlock();
    is_left_out = p ? calloc((size_t)p->size, sizeof *is_left_out) : NULL;
    if (!is_left_out)
        return 0;
    any = ftc_comm_left_out(comm, is_left_out, p->size);
    ftc_p2p_lock();
    begun = begin(p, any ? is_left_out : NULL);
    ftc_p2p_unlock();
    free(is_left_out);
    return begun;
}

static bool ends(const struct ftc_peers *p, int rank, uint64_t begun)
{
    return !p->reported[rank] && (p->spared[rank] == 0 || begun < p->spared[rank]);
}

static int culprit_of_many(const struct ftc_peers *p, uint64_t begun)
{
    int last = -1;

    for (int i = 0; i < p->size; i++) {
        if (!is_dead(p, i))
            continue;
        if (ends(p, i, begun))
            return i;
        last = i;
    }
    return ftc_peers_are_dead(p) ? last : -1;
}

int ftc_peers_culprit(const struct ftc_peers *p, int peer, uint64_t begun)
{
    if (peer == MPI_ANY_SOURCE)
        return culprit_of_many(p, begun);
    return peer >= 0 && peer < p->size && is_dead(p, peer) ? peer : -1;
}

void ftc_peers_mark_reported(struct ftc_peers *p, int culprit)
{
    p->reported[culprit] = true;
}

void ftc_peers_unmark_reported(struct ftc_peers *p, int culprit)
{
    p->reported[culprit] = false;
}
