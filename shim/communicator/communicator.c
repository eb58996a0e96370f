#include "communicator.h"

#include "attribute.h"
#include "board/activity.h"
#include "board/directory.h"
#include "board/publication.h"
#include "board/rank_state.h"
#include "call/call.h"
#include "group.h"
#include "job_end.h"
#include "lineage.h"
#include "spares.h"
#include "system/hash.h"
#include "value/datatype.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CACHE_SIZE = 64,
    BUCKETS = 256,
    GIVE_UP_TURNS = 100000,
    F_MAX = 64, /* that setting f allows */
};

static struct ftc_comm *bucket[BUCKETS];
static struct ftc_comm *internal;
static const struct ftc_comm_keeper *keeper;
static struct {
    MPI_Comm handle;
    struct ftc_comm *comm;
} cache[CACHE_SIZE];

/* How many communicators of a membership have been used: part of the identity of the next one whose
 * lineage is not known. */
struct membership {
    uint64_t hash;
    uint32_t used;
    struct membership *next;
};
static struct membership *membership_bucket[BUCKETS];

/* By entry on the board. */
static struct {
    bool is_taken;     /* by a communicator that lives */
    unsigned freed_at; /* freed_count then */
} * entries;

/* Messages of a freed communicator can still be under way: they arrive before long, or never. */
enum { FREED_REMEMBERED = 1024 };
static uint64_t freed[FREED_REMEMBERED];
static unsigned freed_count;

/* So many other entries are freed before a freed one is taken again on several hosts. A rank does
 * not see which entries the ranks of other hosts have freed. */
enum { RESTED = 256 };

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

static enum ftc_pass find_world_ranks(struct ftc_comm *c, const int *world_rank)
{
    const struct ftc_library *l = &ftc_library;

    for (int i = 0; i < c->size; i++)
        if (world_rank[i] < 0 || world_rank[i] >= l->world_size)
            return FTC_PASS_OUTSIDE_WORLD;
    for (int i = 0; i < c->size; i++)
        c->world[i] = world_rank[i];
    return FTC_PASS_NONE;
}

static bool any_member_dead(const struct ftc_comm *c)
{
    for (int i = 0; i < c->size; i++)
        if (ftc_board_is_dead(&ftc_library.board, c->world[i]))
            return true;
    return false;
}

/* Under MPI_THREAD_MULTIPLE threads may use two communicators of one membership for the first time
 * in different orders on different ranks: then rank 0's count decides. Other threads go on
 * meanwhile. If a member dies, its news may never come: each rank keeps its own count, which is
 * wrong only if threads have overtaken each other as well. */
static void agree_on_use(const struct ftc_comm *c, MPI_Comm comm, uint32_t *use)
{
    uint32_t told = *use;
    MPI_Request request;
    int done = 0;

    if (!ftc_library.threaded || comm == MPI_COMM_NULL)
        return;
    ftc_library_unlock();
    PMPI_Ibcast(&told, 1, MPI_UINT32_T, 0, comm, &request);
    for (int idle = 0; !done && idle < GIVE_UP_TURNS; idle += any_member_dead(c)) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        sched_yield();
    }
    ftc_library_lock();
    if (done)
        *use = told;
}

/* What makes a communicator, besides the settings. */
struct origin {
    MPI_Comm comm; /* MPI_COMM_NULL: no MPI call uses it */
    int size, rank, remote, remote_size;
    const int *world_rank;
    uint64_t number; /* of its lineage; 0: its first use tells it from others of its membership */
    uint64_t seed;   /* of its identity then */
    int f;
};

static int identify_by_use(struct ftc_comm *c, const struct origin *from)
{
    uint64_t hash =
        ftc_hash(from->seed, from->world_rank, (size_t)c->size * sizeof *from->world_rank);
    struct membership *m = find_membership(hash);
    uint32_t use;

    if (!m)
        return -ENOMEM;
    use = m->used++; /* before another thread comes */
    agree_on_use(c, from->comm, &use);
    if (use >= m->used)
        m->used = use + 1;
    c->id = ftc_hash(hash, &use, sizeof use);
    return 0;
}

static int identify(struct ftc_comm *c, const struct origin *from)
{
    if (from->number == 0)
        return identify_by_use(c, from);
    c->id = ftc_hash(from->number, from->world_rank, (size_t)c->size * sizeof *from->world_rank);
    return 0;
}

static bool is_still_used(uint64_t id)
{
    const struct ftc_board *b = &ftc_library.board;

    for (uint32_t i = 0; i < b->geometry.ranks; i++)
        if (ftc_activity_is_on(b, i, id) && ftc_board_state(b, i) < FTC_RANK_FINALIZED)
            return true;
    return false;
}

/* A rank that is still in the last operation of a freed communicator may need what this rank
 * published; so the entry of a freed one is taken again only when the others have freed it, too. */
static bool take_entry_if(struct ftc_comm *c, bool (*may_be_taken)(uint32_t entry, uint64_t before))
{
    const struct ftc_board *b = &ftc_library.board;

    for (uint32_t probe = 0; probe < ftc_publication_probes(b); probe++) {
        uint32_t entry = ftc_publication_place(b, c->id, probe);

        if (entries[entry].is_taken ||
            !may_be_taken(entry, ftc_publication_owner(b, ftc_library.world_rank, entry)))
            continue;
        entries[entry].is_taken = true;
        c->entry = entry;
        return true;
    }
    return false;
}

static bool is_free(uint32_t entry, uint64_t before)
{
    (void)entry;
    return before == 0 || !ftc_publication_is_needed(&ftc_library.board, before);
}

static bool is_rested(uint32_t entry, uint64_t before)
{
    return is_free(entry, before) &&
           (before == 0 || freed_count - entries[entry].freed_at >= RESTED);
}

/* For programs in which some ranks never free what others have freed. */
static bool is_left(uint32_t entry, uint64_t before)
{
    (void)entry;
    return !is_still_used(before);
}

static int take_entry(struct ftc_comm *c)
{
    bool is_taken = ftc_board_has_other_hosts(&ftc_library.board) && take_entry_if(c, is_rested);

    return is_taken || take_entry_if(c, is_free) || take_entry_if(c, is_left) ? 0 : -ENOSPC;
}

/* Whether f counts hosts (failure_domain). */
static bool hosts_fail(void)
{
    return ftc_library.settings.failure_domain == FTC_FAILURE_DOMAIN_HOST &&
           ftc_board_has_other_hosts(&ftc_library.board);
}

/* Hosts in the order in which they first appear among the members. */
static struct ftc_hosts find_hosts(struct ftc_comm *c)
{
    const struct ftc_board *b = &ftc_library.board;
    struct ftc_hosts hosts = {.count = 0, .are_far = !ftc_library.is_one_machine, .of = c->host};
    int32_t number[FTC_BOARD_HOSTS_MAX];

    for (int i = 0; i < FTC_BOARD_HOSTS_MAX; i++)
        number[i] = -1;
    for (int i = 0; i < c->member_count; i++) {
        uint32_t host = ftc_board_host(b, c->world[c->member[i]]);

        if (number[host] < 0)
            number[host] = hosts.count++;
        c->host[i] = number[host];
    }
    return hosts;
}

static void shape(struct ftc_comm *c)
{
    const struct ftc_tree_shape *tree = &ftc_library.settings.tree;
    struct ftc_hosts hosts = {.count = 1};

    if (ftc_board_has_other_hosts(&ftc_library.board))
        hosts = find_hosts(c);
    if (hosts_fail()) {
        ftc_topology_init_over_hosts(&c->topology, c->member_count, c->f, tree, &hosts,
                                     c->topology_storage);
        return;
    }
    ftc_topology_init(&c->topology, c->member_count, c->f, tree, c->topology_storage);
    c->topology.hosts = hosts;
}

static void renumber(struct ftc_comm *c)
{
    for (uint32_t s = 0; s < ftc_library.board.geometry.ranks; s++)
        c->member_of_world[s] = -1;
    c->known_dead = 0;
    for (int i = 0; i < c->member_count; i++) {
        c->member_of_world[c->world[c->member[i]]] = i;
        if (c->member[i] == c->rank)
            c->own_member = i;
        c->known_dead += c->dead[i];
    }
    c->killed.next = c->own_member + 1; /* so that all who wait look at everybody in one turn */
    shape(c);
    c->numbering++;
}

static int allocate(struct ftc_comm *c)
{
    size_t size = (size_t)c->size;

    c->member = malloc(size * sizeof *c->member);
    c->dead = calloc(size, sizeof *c->dead);
    c->silence = calloc(size, sizeof *c->silence);
    c->member_of_world = malloc(ftc_library.board.geometry.ranks * sizeof *c->member_of_world);
    c->topology_storage = malloc(hosts_fail() ? ftc_topology_storage_bytes_over_hosts(c->size)
                                              : ftc_topology_storage_bytes(c->size, 0));
    c->host = malloc(size * sizeof *c->host);
    return c->member && c->dead && c->silence && c->member_of_world && c->topology_storage &&
                   c->host
               ? 0
               : -ENOMEM;
}

static int protect(struct ftc_comm *c)
{
    int rv = allocate(c);

    if (rv == 0)
        rv = keeper->open(c);
    if (rv == 0)
        rv = take_entry(c);
    if (rv != 0)
        return rv;
    ftc_publication_open(&ftc_library.board, ftc_library.world_rank, c->entry, c->id);
    for (int i = 0; i < c->size; i++)
        c->member[i] = i;
    c->member_count = c->size;
    renumber(c);
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
    entries[c->entry].is_taken = false;
    entries[c->entry].freed_at = freed_count;
    ftc_publication_free(&ftc_library.board, ftc_library.world_rank, c->entry);
    freed[freed_count++ % FREED_REMEMBERED] = c->id;
}

static void destroy(struct ftc_comm *c)
{
    if (c->running)
        keeper->close(c);
    free(c->world);
    free(c->member);
    free(c->dead);
    free(c->silence);
    free(c->member_of_world);
    free(c->topology_storage);
    free(c->host);
    free(c);
}

static struct ftc_comm *create(const struct origin *from)
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
    c->pass = find_world_ranks(c, from->world_rank);
    if (c->pass == FTC_PASS_NONE && (identify(c, from) != 0 || protect(c) != 0))
        goto fail;
    return c;

fail:
    destroy(c);
    return NULL;
}

static struct ftc_comm *unprotected(enum ftc_pass pass)
{
    struct ftc_comm *c = calloc(1, sizeof *c);

    if (c)
        c->pass = pass;
    return c;
}

static bool has_outsiders(const struct origin *from)
{
    for (int i = 0; i < from->size; i++)
        if (from->world_rank[i] < 0)
            return true;
    return false;
}

/* Its use does not identify it, as that of others does: threads of two groups agree on nothing. */
static enum ftc_pass pass_of_inter(const struct origin *from)
{
    if (has_outsiders(from))
        return FTC_PASS_OUTSIDE_WORLD;
    if ((ftc_library.settings.intercept & FTC_INTERCEPT_INTERCOMM) == 0)
        return FTC_PASS_INTERCOMM;
    return from->number == 0 ? FTC_PASS_UNSEEN_INTERCOMM : FTC_PASS_NONE;
}

static struct ftc_comm *examine_inter(MPI_Comm comm, struct origin *from)
{
    struct ftc_comm *c;
    enum ftc_pass pass;
    int *world_rank = ftc_group_world_ranks_of_both(comm, &from->remote, &from->remote_size);
    int local;

    if (!world_rank)
        return NULL;
    PMPI_Comm_size(comm, &local);
    PMPI_Comm_rank(comm, &from->rank);
    from->rank += from->remote == 0 ? from->remote_size : 0;
    from->size = local + from->remote_size;
    from->world_rank = world_rank;
    pass = pass_of_inter(from);
    c = pass == FTC_PASS_NONE ? create(from) : unprotected(pass);
    free(world_rank);
    return c;
}

static struct ftc_comm *examine(MPI_Comm comm)
{
    const struct ftc_lineage *lineage = ftc_lineage_of(comm);
    struct origin from = {.comm = comm,
                          .number = lineage ? ftc_lineage_number(lineage) : 0,
                          .seed = FTC_HASH_START,
                          .f = ftc_library.settings.f};
    struct ftc_comm *c = NULL;
    int inter, *world_rank;

    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return NULL;
    if (inter)
        return examine_inter(comm, &from);
    PMPI_Comm_size(comm, &from.size);
    PMPI_Comm_rank(comm, &from.rank);
    if (from.size == 1)
        return unprotected(FTC_PASS_COMM_SELF);
    from.world_rank = world_rank = ftc_group_world_ranks_of(comm, &from.size);
    if (world_rank)
        c = create(&from);
    free(world_rank);
    return c;
}

/* When @comm is freed. */
static void forget(MPI_Comm comm, void *kept)
{
    struct ftc_comm *c = kept;

    ftc_library_lock();
    if (c->running)
        keeper->complete(c);
    if (cache[(unsigned)comm % CACHE_SIZE].handle == comm)
        cache[(unsigned)comm % CACHE_SIZE].comm = NULL;
    ftc_comm_release(c);
    ftc_library_unlock();
}

int ftc_comm_open(const struct ftc_comm_keeper *above)
{
    assert(above->open);
    assert(above->complete);
    assert(above->close);
    keeper = above;
    entries = calloc(ftc_library.board.geometry.entries, sizeof *entries);
    if (!entries)
        return -ENOMEM;
    ftc_attribute_on_free(FTC_TENANT_COMM, forget);
    return 0;
}

struct ftc_comm *ftc_comm_internal(void)
{
    struct origin from = {.comm = MPI_COMM_NULL,
                          .size = ftc_library.world_size,
                          .rank = ftc_library.world_rank,
                          .seed = FTC_HASH_START,
                          .f = ftc_library.settings.f};
    int *world_rank;

    if (internal)
        return internal;
    world_rank = calloc((size_t)ftc_library.world_size, sizeof *world_rank);
    if (!world_rank)
        return NULL;
    for (int i = 0; i < ftc_library.world_size; i++)
        world_rank[i] = i;
    from.world_rank = world_rank;
    internal = create(&from);
    free(world_rank);
    return internal;
}

/* For one call of the ranks of @group. @number and @seed as in struct origin. */
static struct ftc_comm *create_for_group(MPI_Group group, uint64_t number, uint64_t seed)
{
    struct origin from = {.comm = MPI_COMM_NULL, .number = number, .seed = seed, .f = F_MAX};
    struct ftc_comm *c = NULL;
    int *world_rank;

    PMPI_Group_rank(group, &from.rank);
    from.world_rank = world_rank = ftc_group_world_ranks(group, &from.size);
    if (world_rank)
        c = create(&from);
    free(world_rank);
    return c;
}

/* Threads may make such calls in different orders on different ranks: MPI has them use different
 * tags. */
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

/* Its number is that of what is made, too, which has the same members. */
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
    struct origin from = {.comm = MPI_COMM_NULL,
                          .size = of->size,
                          .rank = of->rank,
                          .remote = of->remote,
                          .remote_size = of->remote_size,
                          .number = number,
                          .f = F_MAX};
    struct ftc_comm *c = NULL;
    int *world_rank = calloc((size_t)of->size, sizeof *world_rank);

    for (int i = 0; world_rank && i < of->size; i++)
        world_rank[i] = (int)of->world[i];
    from.world_rank = world_rank;
    if (world_rank)
        c = create(&from);
    free(world_rank);
    return c;
}

void ftc_comm_release(struct ftc_comm *c)
{
    if (c->pass == FTC_PASS_NONE)
        unprotect(c);
    destroy(c);
}

/* A copy that was made after deaths begins without the dead. */
static void leave_out_missing(struct ftc_comm *c, MPI_Comm comm)
{
    const unsigned char *missing = ftc_spares_missing(comm);
    int kept = 0;

    if (!missing || c->pass != FTC_PASS_NONE)
        return;
    for (int i = 0; i < c->size; i++)
        if (!missing[i])
            c->member[kept++] = i;
    c->member_count = kept;
    renumber(c);
}

static struct ftc_comm *look_up(MPI_Comm comm)
{
    struct ftc_comm *c;

    if (!ftc_is_comm(comm))
        return NULL;
    c = ftc_attribute_get(comm, FTC_TENANT_COMM);
    if (c)
        return c;
    c = examine(comm);
    if (c)
        leave_out_missing(c, comm);
    if (c && ftc_attribute_keep(comm, FTC_TENANT_COMM, c))
        return c;
    ftc_job_end_no_memory(
        "another communicator"); /* the others will protect it: this rank must as well */
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

static bool is_listed(const struct ftc_failure_info *failed, int member)
{
    for (int i = 0; i < failed->count; i++)
        if (failed->id[i] == member)
            return true;
    return false;
}

void ftc_comm_exclude(struct ftc_comm *c, const struct ftc_failure_info *failed)
{
    int kept = 0;

    if (failed->count == 0)
        return;
    for (int i = 0; i < c->member_count; i++) {
        if (is_listed(failed, i))
            continue;
        c->dead[kept] = c->dead[i];
        c->member[kept++] = c->member[i];
    }
    c->member_count = kept;
    renumber(c);
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
    any = list_left_out(ftc_attribute_get(comm, FTC_TENANT_COMM), is_left_out, size);
    ftc_library_unlock();
    return any;
}

int ftc_comm_member(const struct ftc_comm *c, int rank)
{
    for (int i = 0; i < c->member_count; i++)
        if (c->member[i] == rank)
            return i;
    return -1;
}
