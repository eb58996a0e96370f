#include "native.h"

#include "library.h"

#include <errno.h>
#include <stdlib.h>

/* The world ranks behind a communicator's, as far as the board needs them; the group of the same
 * number on the board has them as a set. */
struct group {
    MPI_Comm comm; /* MPI_COMM_NULL: unused */
    int size;
    int *world_rank; /* below 0: outside of MPI_COMM_WORLD */
};

static struct group groups[FTC_BOARD_GROUPS];
static int keyval = MPI_KEYVAL_INVALID;
static bool is_on;
static bool is_taken; /* the mark, by some thread */

/* In a library that is loaded at the start these cost no more than other variables. */
static
    __attribute__((tls_model("initial-exec"))) _Thread_local int depth; /* calls inside of calls */
static __attribute__((tls_model("initial-exec"))) _Thread_local bool has_mark;

static struct ftc_board_native *mark(void)
{
    return &ftc_library.board.shared->slot[ftc_library.self].native;
}

/* One writer at a time; a reader takes the fields if the version is odd and the same after them. */
static void next_version(struct ftc_board_native *m)
{
    uint64_t version = atomic_load_explicit(&m->version, memory_order_relaxed);

    atomic_store_explicit(&m->version, version + 1, memory_order_release);
}

static unsigned place_of(MPI_Comm comm)
{
    return (unsigned)comm % FTC_BOARD_GROUPS;
}

/* Called by MPI when a communicator is freed: its handle may come back for another. */
static int forget(MPI_Comm comm, int key, void *attribute, void *extra)
{
    struct group *g = &groups[place_of(comm)];

    (void)key;
    (void)attribute;
    (void)extra;
    if (g->comm == comm)
        g->comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int ftc_native_open(void)
{
    for (int i = 0; i < FTC_BOARD_GROUPS; i++)
        groups[i].comm = MPI_COMM_NULL;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) != MPI_SUCCESS)
        return -EINVAL;
    is_on = true;
    return 0;
}

static int translate(MPI_Group from, int size, int *world_rank)
{
    MPI_Group world;
    int *own = malloc((size_t)size * sizeof *own), rv;

    if (!own)
        return -ENOMEM;
    for (int i = 0; i < size; i++)
        own[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    rv = PMPI_Group_translate_ranks(from, size, own, world, world_rank);
    PMPI_Group_free(&world);
    free(own);
    return rv == MPI_SUCCESS ? 0 : -EINVAL;
}

static void add_to_board(const int *world_rank, int size, _Atomic uint64_t *words)
{
    for (int i = 0; i < size; i++) {
        uint32_t slot;

        if (world_rank[i] < 0 || world_rank[i] >= ftc_library.world_size)
            continue;
        slot = ftc_library.slot_of_world[world_rank[i]];
        atomic_fetch_or(&words[slot / 64], 1ull << slot % 64);
    }
}

/* A call on an intercommunicator names ranks of the remote group; it may need both groups. */
static int describe(struct group *g, MPI_Comm comm)
{
    _Atomic uint64_t *words = ftc_board_group(&ftc_library.board, ftc_library.self, place_of(comm));
    MPI_Group members;
    int inter, rv;

    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return -EINVAL;
    if (inter)
        PMPI_Comm_remote_group(comm, &members);
    else
        PMPI_Comm_group(comm, &members);
    PMPI_Group_size(members, &g->size);
    free(g->world_rank);
    g->world_rank = calloc((size_t)g->size, sizeof *g->world_rank);
    rv = g->world_rank ? translate(members, g->size, g->world_rank) : -ENOMEM;
    PMPI_Group_free(&members);
    for (uint32_t i = 0; i < ftc_board_group_words(&ftc_library.board.geometry); i++)
        atomic_store(&words[i], 0);
    if (rv == 0)
        add_to_board(g->world_rank, g->size, words);
    return rv;
}

/* NULL for a communicator that is not valid. */
static const struct group *group_of(MPI_Comm comm)
{
    struct group *g = &groups[place_of(comm)];

    if (g->comm == comm && comm != MPI_COMM_NULL)
        return g;
    g->comm = MPI_COMM_NULL;
    if (comm == MPI_COMM_NULL || describe(g, comm) != 0 ||
        PMPI_Comm_set_attr(comm, keyval, g) != MPI_SUCCESS)
        return NULL;
    g->comm = comm;
    return g;
}

/* The board slot of rank @peer; -1 for all members. */
static int32_t slot_of_peer(const struct group *g, int peer)
{
    int world;

    if (peer < 0 || peer >= g->size)
        return -1;
    world = g->world_rank[peer];
    return world >= 0 && world < ftc_library.world_size ? (int32_t)ftc_library.slot_of_world[world]
                                                        : -1;
}

static void set_mark(enum ftc_call_kind kind, MPI_Comm comm, int peer, const void *return_address)
{
    const struct group *g = peer == MPI_PROC_NULL ? NULL : group_of(comm);
    struct ftc_board_native *m = mark();

    if (!g)
        return;
    has_mark = is_taken = true;
    atomic_store_explicit(&m->call, kind, memory_order_relaxed);
    atomic_store_explicit(&m->peer, slot_of_peer(g, peer), memory_order_relaxed);
    atomic_store_explicit(&m->group, place_of(comm), memory_order_relaxed);
    atomic_store_explicit(&m->return_address, (uint64_t)(uintptr_t)return_address,
                          memory_order_relaxed);
    next_version(m);
}

void ftc_native_enter(enum ftc_call_kind kind, MPI_Comm comm, int peer, const void *return_address)
{
    if (!is_on || depth++ > 0)
        return;
    ftc_library_lock();
    if (!is_taken)
        set_mark(kind, comm, peer, return_address);
    ftc_library_unlock();
}

void ftc_native_leave(void)
{
    if (!is_on || --depth > 0 || !has_mark)
        return;
    ftc_library_lock();
    next_version(mark());
    has_mark = is_taken = false;
    ftc_library_unlock();
}
