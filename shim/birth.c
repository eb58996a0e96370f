#include "birth.h"

#include "error.h"
#include "group.h"
#include "hash.h"
#include "library.h"

#include <stdlib.h>

/* How many were made by the calls that have an order among each other. */
struct series {
    uint64_t name;
    uint32_t made;
    struct series *next;
};

struct birth {
    uint64_t number;
    struct series *children;
};

enum { ALL_RANKS = 0 }; /* name of the series of calls of all ranks */

static int keyval = MPI_KEYVAL_INVALID;
static struct birth world = {.number = FTC_HASH_START};

/* Called by MPI when @comm is freed. */
static int forget(MPI_Comm comm, int key, void *attribute, void *extra)
{
    struct birth *b = attribute;

    (void)comm;
    (void)key;
    (void)extra;
    while (b->children) {
        struct series *s = b->children;

        b->children = s->next;
        free(s);
    }
    free(b);
    return MPI_SUCCESS;
}

bool ftc_birth_open(void)
{
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) == MPI_SUCCESS;
}

static struct birth *look_up(MPI_Comm comm)
{
    struct birth *b = NULL;
    int found = 0;

    if (comm == MPI_COMM_WORLD)
        return &world;
    if (keyval == MPI_KEYVAL_INVALID)
        return NULL;
    return PMPI_Comm_get_attr(comm, keyval, &b, &found) == MPI_SUCCESS && found ? b : NULL;
}

static struct series *find_series(struct birth *parent, uint64_t name)
{
    struct series *s = parent->children;

    while (s && s->name != name)
        s = s->next;
    if (s)
        return s;
    s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (struct series){.name = name, .next = parent->children};
    parent->children = s;
    return s;
}

/* 0 without memory. Threads may make communicators of one parent at the same time. */
static uint64_t next_number(struct birth *parent, uint64_t name)
{
    struct series *s;
    uint64_t number = 0;

    ftc_library_lock();
    s = find_series(parent, name);
    if (s) {
        number = ftc_hash(parent->number, &name, sizeof name);
        number = ftc_hash(number, &s->made, sizeof s->made) | 1;
        s->made++;
    }
    ftc_library_unlock();
    return number;
}

static void be_born(struct birth *parent, uint64_t name, MPI_Comm made)
{
    struct birth *b = calloc(1, sizeof *b);
    uint64_t number = next_number(parent, name);

    if (!b || number == 0) {
        ftc_error_abort_no_memory(MPI_COMM_WORLD);
        return;
    }
    b->number = number;
    if (made == MPI_COMM_NULL || PMPI_Comm_set_attr(made, keyval, b) != MPI_SUCCESS)
        free(b);
}

int ftc_birth_from(MPI_Comm parent, const MPI_Comm *made, int rv)
{
    struct birth *b;

    if (ftc_library.state != FTC_LIBRARY_ACTIVE || rv != MPI_SUCCESS)
        return rv;
    b = look_up(parent);
    if (b)
        be_born(b, ALL_RANKS, *made);
    return rv;
}

/* The same on all ranks of @group, and not ALL_RANKS. */
static uint64_t name_of(MPI_Group group, int tag)
{
    uint64_t name = ftc_hash(FTC_HASH_START, &tag, sizeof tag);
    int size = 0, *world_rank;

    PMPI_Group_size(group, &size);
    world_rank = calloc((size_t)size, sizeof *world_rank);
    if (world_rank && ftc_group_world_ranks(group, size, world_rank))
        name = ftc_hash(name, world_rank, (size_t)size * sizeof *world_rank);
    else
        ftc_error_abort_no_memory(MPI_COMM_WORLD);
    free(world_rank);
    return name | 1;
}

int ftc_birth_in_group(MPI_Comm parent, MPI_Group group, int tag, const MPI_Comm *made, int rv)
{
    struct birth *b;

    if (ftc_library.state != FTC_LIBRARY_ACTIVE || rv != MPI_SUCCESS)
        return rv;
    b = look_up(parent);
    if (b)
        be_born(b, name_of(group, tag), *made);
    return rv;
}

uint64_t ftc_birth_of(MPI_Comm comm)
{
    const struct birth *b = comm == MPI_COMM_NULL ? NULL : look_up(comm);

    return b ? b->number : 0;
}
