#include "identity.h"

#include "board/rank_state.h"
#include "system/hash.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

enum { BUCKETS = 256, GIVE_UP_TURNS = 100000 };

/* Number of communicators of the same members, and of unknown lineage, that have been used. This
 * number is part of the identity of the next such communicator. */
struct membership {
    uint64_t hash;
    uint32_t used;
    struct membership *next;
};
static struct membership *membership_bucket[BUCKETS];

static struct membership *find_membership(uint64_t hash)
{
    struct membership **head = &membership_bucket[hash % BUCKETS], *m;

    for (m = *head; m; m = m->next)
        if (m->hash == hash)
            return m;
    m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->hash = hash;
    m->next = *head;
    *head = m;
    return m;
}

static bool any_member_dead(const struct ftc_comm *c)
{
    for (int i = 0; i < c->size; i++)
        if (ftc_board_is_dead(&ftc_library.board, c->world[i]))
            return true;
    return false;
}

/* Sets *@use to rank 0's count under MPI_THREAD_MULTIPLE. Threads may use two communicators with
 * the same members for the first time in different orders on different ranks. Releases the
 * library's lock while it waits, so that other threads continue. If a member dies, rank 0's count
 * may never arrive. Each rank then keeps its own count, which is wrong only if threads have also
 * overtaken each other. */
static void agree_on_use(const struct ftc_comm *c, MPI_Comm comm, uint32_t *use)
{
    uint32_t value = *use;
    MPI_Request request;
    int done = 0;

    if (!ftc_library.threaded || comm == MPI_COMM_NULL)
        return;
    ftc_library_unlock();
    PMPI_Ibcast(&value, 1, MPI_UINT32_T, 0, comm, &request);
    for (int idle = 0; !done && idle < GIVE_UP_TURNS; idle += any_member_dead(c)) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        sched_yield();
    }
    ftc_library_lock();
    if (done)
        *use = value;
}

static int identify_by_use(struct ftc_comm *c, const struct ftc_origin *from)
{
    uint64_t hash =
        ftc_hash(from->seed, from->world_rank, (size_t)c->size * sizeof *from->world_rank);
    struct membership *m = find_membership(hash);
    uint32_t use;

    if (!m)
        return -ENOMEM;
    use = m->used++; /* before agree_on_use() releases the lock */
    agree_on_use(c, from->comm, &use);
    if (use >= m->used)
        m->used = use + 1;
    c->id = ftc_hash(hash, &use, sizeof use);
    return 0;
}

int ftc_identity_find(struct ftc_comm *c, const struct ftc_origin *from)
{
    if (from->number == 0)
        return identify_by_use(c, from);
    c->id = ftc_hash(from->number, from->world_rank, (size_t)c->size * sizeof *from->world_rank);
    return 0;
}
