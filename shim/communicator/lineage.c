#include "lineage.h"

#include "attribute.h"
#include "group.h"
#include "job_end.h"
#include "library.h"
#include "system/hash.h"
#include "value/datatype.h"

#include <search.h>
#include <stdlib.h>

/* Series of calls that all their ranks make in the same order. */
struct series {
    uint64_t name;
    uint32_t made;
};

struct ftc_lineage {
    uint64_t number;
    void *children; /* tree of series by name (tsearch()) */
    bool is_copy;
    int reported; /* number of dead members for which MPI_File_open() has returned an error */
};

enum { ALL_RANKS = 0 }; /* name of the series of calls of all ranks that make communicators */

static struct ftc_lineage world = {.number = FTC_HASH_START}, self = {.number = ~FTC_HASH_START};

/* Frees the lineage of @comm, which is being freed. */
static void forget(MPI_Comm comm, void *kept)
{
    struct ftc_lineage *b = kept;

    (void)comm;
    tdestroy(b->children, free);
    free(b);
}

void ftc_lineage_open(void)
{
    ftc_attribute_on_free(FTC_SECTION_LINEAGE, forget);
}

struct ftc_lineage *ftc_lineage_of(MPI_Comm comm)
{
    if (comm == MPI_COMM_WORLD)
        return &world;
    if (comm == MPI_COMM_SELF)
        return &self;
    return ftc_attribute_get(comm, FTC_SECTION_LINEAGE);
}

static int compare(const void *left, const void *right)
{
    const struct series *a = left, *b = right;

    return (a->name > b->name) - (a->name < b->name);
}

static struct series *find_series(struct ftc_lineage *parent, uint64_t name)
{
    struct series *fresh = calloc(1, sizeof *fresh), **found;

    if (!fresh)
        return NULL;
    fresh->name = name;
    found = tsearch(fresh, &parent->children, compare);
    if (!found || *found != fresh)
        free(fresh);
    return found ? *found : NULL;
}

/* Sets *@number to the next number of the series @name. Returns false without memory. Takes the
 * library's lock, because threads may make communicators from one parent at the same time. */
static bool next_number(struct ftc_lineage *parent, uint64_t name, uint64_t *number)
{
    struct series *s;

    ftc_library_lock();
    s = find_series(parent, name);
    if (s) {
        *number = ftc_hash(parent->number, &name, sizeof name);
        *number = ftc_hash(*number, &s->made, sizeof s->made);
        s->made++;
    }
    ftc_library_unlock();
    return s != NULL;
}

void ftc_lineage_give(MPI_Comm made, uint64_t number)
{
    struct ftc_lineage *b;

    if (made == MPI_COMM_NULL || number == 0)
        return;
    b = calloc(1, sizeof *b);
    if (b)
        b->number = number;
    if (!b || !ftc_attribute_keep(made, FTC_SECTION_LINEAGE, b)) {
        free(b);
        ftc_job_end_no_memory("another communicator");
    }
}

static uint64_t number_of(MPI_Comm parent, uint64_t name, const char *what)
{
    struct ftc_lineage *b = ftc_lineage_of(parent);
    uint64_t number = 0;

    if (b && !next_number(b, name, &number))
        ftc_job_end_no_memory(what);
    return number;
}

/* Returns the name of the series for @group and @tag, the same on all ranks of @group. Only
 * MPI_GROUP_NULL gives ALL_RANKS. Without threads the tag does not count: one thread makes
 * communicators in one order, and a series for each tag would stay as long as the parent. */
static uint64_t name_of(MPI_Group group, int tag)
{
    int salt = ftc_library.threaded ? tag : 0;
    uint64_t name = ftc_hash(FTC_HASH_START, &salt, sizeof salt);
    int size = 0, *world_rank;

    if (group == MPI_GROUP_NULL)
        return ALL_RANKS;
    world_rank = ftc_group_world_ranks(group, &size);
    if (world_rank)
        name = ftc_hash(name, world_rank, (size_t)size * sizeof *world_rank);
    else
        ftc_job_end_no_memory("another communicator");
    free(world_rank);
    return name | 1;
}

int ftc_lineage_from(MPI_Comm parent, const MPI_Comm *made, int rv)
{
    return ftc_lineage_in_group(parent, MPI_GROUP_NULL, 0, made, rv);
}

/* Returns whether the call counts as made. Each rank of @group gets a communicator unless there was
 * an error (ftc_lineage_expect()). If all ranks of the parent made the call, a rank may get
 * none. */
static bool is_made(MPI_Group group, const MPI_Comm *made)
{
    return made && (group == MPI_GROUP_NULL || *made != MPI_COMM_NULL);
}

int ftc_lineage_in_group(MPI_Comm parent, MPI_Group group, int tag, const MPI_Comm *made, int rv)
{
    if (ftc_library.state == FTC_LIBRARY_ACTIVE && rv == MPI_SUCCESS && is_made(group, made) &&
        ftc_is_comm(parent))
        ftc_lineage_give(*made, number_of(parent, name_of(group, tag), "another communicator"));
    return rv;
}

uint64_t ftc_lineage_of_object(MPI_Comm parent, enum ftc_lineage_object object)
{
    static const char *const what[] = {[FTC_LINEAGE_WINDOW] = "another window",
                                       [FTC_LINEAGE_FILE] = "another file",
                                       [FTC_LINEAGE_REQUEST] = "another persistent request"};

    return number_of(parent, object, what[object]);
}

void ftc_lineage_note_copy(const MPI_Comm *made)
{
    struct ftc_lineage *b = made && *made != MPI_COMM_NULL ? ftc_lineage_of(*made) : NULL;

    if (b)
        b->is_copy = true;
}

bool ftc_lineage_is_copy(MPI_Comm comm)
{
    const struct ftc_lineage *b = ftc_lineage_of(comm);

    return b && b->is_copy;
}

bool ftc_lineage_must_report(MPI_Comm comm, int dead)
{
    struct ftc_lineage *b = ftc_lineage_of(comm);

    if (!b || !b->is_copy || dead <= b->reported)
        return false;
    b->reported = dead;
    return true;
}

uint64_t ftc_lineage_number(const struct ftc_lineage *b)
{
    return b->number;
}
