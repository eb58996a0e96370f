/* registry: all communicators that the library knows, and how it makes one. */
#include "communicator.h"

#include "attribute.h"
#include "call/call.h"
#include "entry.h"
#include "group.h"
#include "identity.h"
#include "job_end.h"
#include "lineage.h"
#include "members.h"
#include "spares.h"
#include "system/hash.h"
#include "value/datatype.h"

#include <assert.h>
#include <stdlib.h>

enum {
    CACHE_SIZE = 64,
    BUCKETS = 4096,
    F_MAX = 64, /* largest value of setting f */
};

static struct ftc_comm *bucket[BUCKETS];
static struct ftc_comm *internal;
static const struct ftc_comm_callbacks *callbacks;
static struct {
    MPI_Comm handle;
    struct ftc_comm *comm;
} cache[CACHE_SIZE];

/* Number of freed communicators that are remembered. Messages of a freed communicator can still be
 * under way; they arrive soon or never. */
enum { FREED_REMEMBERED = 1024 };
static uint64_t freed[FREED_REMEMBERED];
static unsigned freed_count;

static enum ftc_fallback find_world_ranks(struct ftc_comm *c, const int *world_rank)
{
    const struct ftc_library *l = &ftc_library;

    for (int i = 0; i < c->size; i++)
        if (world_rank[i] < 0 || world_rank[i] >= l->world_size)
            return FTC_FALLBACK_OUTSIDE_WORLD;
    for (int i = 0; i < c->size; i++)
        c->world[i] = world_rank[i];
    return FTC_FALLBACK_NONE;
}

static int protect(struct ftc_comm *c)
{
    int rv = ftc_members_open(c);

    if (rv == 0)
        rv = callbacks->open(c);
    if (rv == 0)
        rv = ftc_entry_take(c);
    if (rv != 0)
        return rv;
    ftc_members_take_all(c);
    c->next = bucket[c->id % BUCKETS];
    bucket[c->id % BUCKETS] = c;
    return 0;
}

static void unprotect(struct ftc_comm *c)
{
    struct ftc_comm **link = &bucket[c->id % BUCKETS];

    while (*link && *link != c)
        link = &(*link)->next;
    if (*link)
        *link = c->next;
    ftc_entry_give_back(c);
    freed[freed_count++ % FREED_REMEMBERED] = c->id;
}

static void destroy(struct ftc_comm *c)
{
    if (c->running)
        callbacks->close(c);
    ftc_members_close(c);
    free(c->world);
    free(c);
}

static struct ftc_comm *create(const struct ftc_origin *from)
{
    struct ftc_comm *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->size = from->size;
    c->rank = from->rank;
    c->remote = from->remote;
    c->remote_size = from->remote_size;
    c->f = from->f;
    c->world = malloc((size_t)c->size * sizeof *c->world);
    if (!c->world)
        goto fail;
    c->fallback = find_world_ranks(c, from->world_rank);
    if (c->fallback == FTC_FALLBACK_NONE && (ftc_identity_find(c, from) != 0 || protect(c) != 0))
        goto fail;
    return c;

fail:
    destroy(c);
    return NULL;
}

/* Creates a communicator from @from and @world_rank, and frees @world_rank, which is from malloc().
 * Returns NULL without memory, or if @world_rank is NULL. */
static struct ftc_comm *create_of(struct ftc_origin *from, int *world_rank)
{
    struct ftc_comm *c;

    from->world_rank = world_rank;
    c = world_rank ? create(from) : NULL;
    free(world_rank);
    return c;
}

static struct ftc_comm *unprotected(enum ftc_fallback fallback)
{
    struct ftc_comm *c = calloc(1, sizeof *c);

    if (c)
        c->fallback = fallback;
    return c;
}

static bool has_outsiders(const struct ftc_origin *from)
{
    for (int i = 0; i < from->size; i++)
        if (from->world_rank[i] < 0)
            return true;
    return false;
}

/* Returns why calls on an intercommunicator go to native MPI. Without a lineage it cannot be
 * protected: the order of its first use does not identify it, as that of an intracommunicator does,
 * because threads of two groups cannot agree on the order. */
static enum ftc_fallback fallback_of_inter(const struct ftc_origin *from)
{
    if (has_outsiders(from))
        return FTC_FALLBACK_OUTSIDE_WORLD;
    if ((ftc_library.settings.intercept & FTC_INTERCEPT_INTERCOMM) == 0)
        return FTC_FALLBACK_INTERCOMM;
    return from->number == 0 ? FTC_FALLBACK_UNSEEN_INTERCOMM : FTC_FALLBACK_NONE;
}

static struct ftc_comm *examine_inter(MPI_Comm comm, struct ftc_origin *from)
{
    struct ftc_comm *c;
    enum ftc_fallback fallback;
    int *world_rank = ftc_group_world_ranks_of_both(comm, &from->remote, &from->remote_size);
    int local;

    if (!world_rank)
        return NULL;
    PMPI_Comm_size(comm, &local);
    PMPI_Comm_rank(comm, &from->rank);
    from->rank += from->remote == 0 ? from->remote_size : 0;
    from->size = local + from->remote_size;
    from->world_rank = world_rank;
    fallback = fallback_of_inter(from);
    c = fallback == FTC_FALLBACK_NONE ? create(from) : unprotected(fallback);
    free(world_rank);
    return c;
}

static struct ftc_comm *examine(MPI_Comm comm)
{
    const struct ftc_lineage *lineage = ftc_lineage_of(comm);
    struct ftc_origin from = {.comm = comm,
                              .number = lineage ? ftc_lineage_number(lineage) : 0,
                              .seed = FTC_HASH_START,
                              .f = ftc_library.settings.f};
    int inter;

    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return NULL;
    if (inter)
        return examine_inter(comm, &from);
    PMPI_Comm_size(comm, &from.size);
    PMPI_Comm_rank(comm, &from.rank);
    if (from.size == 1)
        return unprotected(FTC_FALLBACK_COMM_SELF);
    return create_of(&from, ftc_group_world_ranks_of(comm, &from.size));
}

/* Completes the operations of @comm, which is being freed, and releases the library's data of
 * it. */
static void forget(MPI_Comm comm, void *kept)
{
    struct ftc_comm *c = kept;

    ftc_library_lock();
    if (c->running)
        callbacks->complete(c);
    if (cache[(unsigned)comm % CACHE_SIZE].handle == comm)
        cache[(unsigned)comm % CACHE_SIZE].comm = NULL;
    ftc_comm_release(c);
    ftc_library_unlock();
}

int ftc_comm_open(const struct ftc_comm_callbacks *above)
{
    assert(above->open);
    assert(above->complete);
    assert(above->close);
    callbacks = above;
    ftc_attribute_on_free(FTC_SECTION_COMM, forget);
    return ftc_entry_open();
}

struct ftc_comm *ftc_comm_internal(void)
{
    struct ftc_origin from = {.comm = MPI_COMM_NULL,
                              .size = ftc_library.world_size,
                              .rank = ftc_library.world_rank,
                              .seed = FTC_HASH_START,
                              .f = ftc_library.settings.f};
    int *world_rank;

    if (internal)
        return internal;
    world_rank = calloc((size_t)ftc_library.world_size, sizeof *world_rank);
    for (int i = 0; world_rank && i < ftc_library.world_size; i++)
        world_rank[i] = i;
    internal = create_of(&from, world_rank);
    return internal;
}

/* Creates a communicator for one call of the ranks of @group. @number and @seed are as in struct
 * ftc_origin. */
static struct ftc_comm *create_for_group(MPI_Group group, uint64_t number, uint64_t seed)
{
    struct ftc_origin from = {.comm = MPI_COMM_NULL, .number = number, .seed = seed, .f = F_MAX};

    PMPI_Group_rank(group, &from.rank);
    return create_of(&from, ftc_group_world_ranks(group, &from.size));
}

/* Returns the seed for one call on @parent with @tag. Threads may make such calls in different
 * orders on different ranks. MPI requires that they use different tags. */
static uint64_t seed_of_call(MPI_Comm parent, int tag)
{
    const struct ftc_lineage *lineage = ftc_lineage_of(parent);
    uint64_t number = lineage ? ftc_lineage_number(lineage) : 0;
    int salt = ftc_library.threaded ? tag : 0;

    return ftc_hash(number ^ ~FTC_HASH_START, &salt, sizeof salt);
}

struct ftc_comm *ftc_comm_for_call(MPI_Comm parent, MPI_Group group, int tag)
{
    return create_for_group(group, 0, seed_of_call(parent, tag));
}

struct ftc_comm *ftc_comm_for_leaders(MPI_Comm peer, MPI_Group group, int tag)
{
    return create_for_group(group, 0,
                            ftc_hash_mix(seed_of_call(peer, tag), FTC_CALL_INTERCOMM_CREATE));
}

/* Mixes the kind of call into @number, because the new intercommunicator has @number and the same
 * members. */
struct ftc_comm *ftc_comm_for_meeting(uint64_t number, MPI_Group group)
{
    return create_for_group(group, ftc_hash_mix(number, FTC_CALL_INTERCOMM_CREATE), 0);
}

struct ftc_comm *ftc_comm_for_window(uint64_t number, MPI_Group group)
{
    return create_for_group(group, number, ftc_hash_mix(FTC_HASH_START, FTC_CALL_WIN_FREE));
}

struct ftc_comm *ftc_comm_for_file(uint64_t number, MPI_Group group)
{
    return create_for_group(group, number, ftc_hash_mix(FTC_HASH_START, FTC_CALL_FILE_OPEN));
}

struct ftc_comm *ftc_comm_for_request(uint64_t number, const struct ftc_comm *of)
{
    struct ftc_origin from = {.comm = MPI_COMM_NULL,
                              .size = of->size,
                              .rank = of->rank,
                              .remote = of->remote,
                              .remote_size = of->remote_size,
                              .number = number,
                              .f = F_MAX};
    int *world_rank = calloc((size_t)of->size, sizeof *world_rank);

    for (int i = 0; world_rank && i < of->size; i++)
        world_rank[i] = (int)of->world[i];
    return create_of(&from, world_rank);
}

void ftc_comm_release(struct ftc_comm *c)
{
    if (c->fallback == FTC_FALLBACK_NONE)
        unprotect(c);
    destroy(c);
}

/* Leaves out the dead ranks of a copy that was made after their deaths. */
static void leave_out_missing(struct ftc_comm *c, MPI_Comm comm)
{
    const unsigned char *missing = ftc_spares_missing(comm);

    if (missing && c->fallback == FTC_FALLBACK_NONE)
        ftc_members_leave_out(c, missing);
}

static struct ftc_comm *look_up(MPI_Comm comm)
{
    struct ftc_comm *c;

    if (!ftc_is_comm(comm))
        return NULL;
    c = ftc_attribute_get(comm, FTC_SECTION_COMM);
    if (c)
        return c;
    c = examine(comm);
    if (c)
        leave_out_missing(c, comm);
    if (c && ftc_attribute_keep(comm, FTC_SECTION_COMM, c))
        return c;
    ftc_job_end_no_memory(
        "another communicator"); /* the other ranks will protect it, so this rank must as well */
    return NULL;
}

struct ftc_comm *ftc_comm_get(MPI_Comm comm)
{
    unsigned i = (unsigned)comm % CACHE_SIZE;

    if (cache[i].handle == comm && cache[i].comm)
        return cache[i].comm;
    cache[i].comm = look_up(comm);
    cache[i].handle = comm;
    return cache[i].comm;
}

struct ftc_comm *ftc_comm_find(uint64_t id)
{
    struct ftc_comm *c = bucket[id % BUCKETS];

    while (c && c->id != id)
        c = c->next;
    return c;
}

bool ftc_comm_was_freed(uint64_t id)
{
    for (int i = 0; i < FREED_REMEMBERED; i++)
        if (freed[i] == id)
            return true;
    return false;
}

static bool list_left_out(const struct ftc_comm *c, bool *is_left_out, int size)
{
    if (!c || c->size != size || ftc_comm_is_inter(c) || c->member_count == size)
        return false;
    for (int i = 0; i < size; i++)
        is_left_out[i] = true;
    for (int i = 0; i < c->member_count; i++)
        is_left_out[c->member[i]] = false;
    return true;
}

bool ftc_comm_left_out(MPI_Comm comm, bool *is_left_out, int size)
{
    bool any;

    ftc_library_lock();
    any = list_left_out(ftc_attribute_get(comm, FTC_SECTION_COMM), is_left_out, size);
    ftc_library_unlock();
    return any;
}
