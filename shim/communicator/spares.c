#include "spares.h"

#include "attribute.h"
#include "board/rank_state.h"
#include "group.h"
#include "job_end.h"
#include "library.h"
#include "value/datatype.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { IS_NO_SPARE = -1 };

struct ftc_spares {
    int users, count;
    uint32_t taken; /* a bit each: in use, or freed natively */
    uint32_t kept;  /* a bit each: in use on all ranks, or freed natively */
    MPI_Comm spare[FTC_SPARES_OF_WORLD];
};

/* Data of a communicator that shares spares. */
struct share {
    struct ftc_spares *of;
    int number;      /* spare that it is itself; IS_NO_SPARE: none */
    uint32_t deaths; /* number of deaths in the job when the spare was taken */
    bool is_changed; /* whether it has attributes or hints */
    unsigned char missing[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* no other lock is taken within it */
static _Atomic bool any_made;

/* ---- making ---- */

static struct share *share_of(MPI_Comm comm)
{
    return any_made && ftc_is_comm(comm) ? ftc_attribute_get(comm, FTC_SECTION_SPARES) : NULL;
}

/* Makes the next spare, without attributes and topology. All but the first are made from the first
 * one, whose error handler lets MPI's errors return. */
static int make_next(struct ftc_spares *s, MPI_Comm comm, MPI_Group group)
{
    MPI_Comm *next = &s->spare[s->count];
    int rv = PMPI_Comm_create(s->count > 0 ? s->spare[0] : comm, group, next);

    if (rv == MPI_SUCCESS && s->count++ == 0)
        PMPI_Comm_set_errhandler(*next, MPI_ERRORS_RETURN);
    return rv;
}

struct ftc_spares *ftc_spares_make(MPI_Comm comm)
{
    struct ftc_spares *s = calloc(1, sizeof *s);
    MPI_Group group = ftc_group_of(comm);
    int size = 0, wanted, rv = MPI_SUCCESS;

    if (!s)
        ftc_job_end_no_memory("another communicator"); /* the others would wait */
    PMPI_Comm_size(comm, &size);
    wanted = size == ftc_library.world_size ? FTC_SPARES_OF_WORLD : FTC_SPARES_OF_PART;
    while (s && s->count < wanted && rv == MPI_SUCCESS)
        rv = make_next(s, comm, group);
    PMPI_Group_free(&group);
    any_made = true;
    s = ftc_spares_hold(s);
    if (rv == MPI_SUCCESS)
        return s;
    ftc_spares_drop(s);
    return NULL;
}

struct ftc_spares *ftc_spares_hold(struct ftc_spares *s)
{
    pthread_mutex_lock(&lock);
    if (s)
        s->users++;
    pthread_mutex_unlock(&lock);
    return s;
}

void ftc_spares_drop(struct ftc_spares *s)
{
    bool is_last;

    pthread_mutex_lock(&lock);
    is_last = s && --s->users == 0;
    pthread_mutex_unlock(&lock);
    for (int i = 0; is_last && i < s->count; i++)
        if (!(s->taken & 1U << i))
            PMPI_Comm_free(&s->spare[i]);
    if (is_last)
        free(s);
}

/* ---- sharing ---- */

static struct share *attach(struct ftc_spares *s, MPI_Comm comm, int size)
{
    struct share *share = calloc(1, sizeof *share + (size_t)size);

    if (!share || !ftc_attribute_keep(comm, FTC_SECTION_SPARES, share)) {
        ftc_job_end_no_memory("another communicator"); /* the other ranks have it */
        return NULL;
    }
    share->of = ftc_spares_hold(s);
    share->number = IS_NO_SPARE;
    return share;
}

static void forget(MPI_Comm comm, void *kept)
{
    struct share *share = kept;

    (void)comm;
    if (share->number != IS_NO_SPARE)
        ftc_spares_keep(share->of, share->number);
    ftc_spares_drop(share->of);
    free(share);
}

void ftc_spares_open(void)
{
    ftc_attribute_on_free(FTC_SECTION_SPARES, forget);
}

struct ftc_spares *ftc_spares_of(MPI_Comm comm)
{
    const struct share *share = share_of(comm);

    return share ? share->of : NULL;
}

void ftc_spares_share(struct ftc_spares *s, MPI_Comm comm)
{
    if (s && !share_of(comm))
        attach(s, comm, 0);
}

void ftc_spares_inherit(MPI_Comm from, MPI_Comm to)
{
    struct ftc_spares *s = to != MPI_COMM_NULL ? ftc_spares_of(from) : NULL;
    int compared = MPI_UNEQUAL;

    if (s && PMPI_Comm_compare(from, to, &compared) == MPI_SUCCESS && compared == MPI_CONGRUENT)
        ftc_spares_share(s, to);
}

/* ---- taking ---- */

uint32_t ftc_spares_kept(const struct ftc_spares *s)
{
    uint32_t kept;

    pthread_mutex_lock(&lock);
    kept = s->kept;
    pthread_mutex_unlock(&lock);
    return kept | ~((1U << s->count) - 1);
}

void ftc_spares_keep(struct ftc_spares *s, int number)
{
    pthread_mutex_lock(&lock);
    s->kept |= 1U << number;
    pthread_mutex_unlock(&lock);
}

static bool mark_taken(struct ftc_spares *s, int i)
{
    bool was_free;

    pthread_mutex_lock(&lock);
    was_free = !(s->taken & 1U << i);
    s->taken |= 1U << i;
    pthread_mutex_unlock(&lock);
    return was_free;
}

MPI_Comm ftc_spares_take(struct ftc_spares *s, int i, const unsigned char *dead)
{
    struct share *share;
    int size = 0;

    if (!mark_taken(s, i))
        return MPI_COMM_NULL;
    PMPI_Comm_size(s->spare[i], &size);
    PMPI_Comm_set_errhandler(s->spare[i], MPI_ERRORS_ARE_FATAL);
    share = attach(s, s->spare[i], size);
    if (!share)
        return MPI_COMM_NULL;
    share->number = i;
    share->deaths = ftc_board_deaths(&ftc_library.board);
    memcpy(share->missing, dead, (size_t)size);
    return s->spare[i];
}

const unsigned char *ftc_spares_missing(MPI_Comm comm)
{
    const struct share *share = share_of(comm);

    return share && share->number != IS_NO_SPARE ? share->missing : NULL;
}

void ftc_spares_note_change(MPI_Comm comm)
{
    struct share *share = share_of(comm);

    if (share)
        share->is_changed = true;
}

/* Returns whether the communicator is fit to be a spare. If a rank has died since it was taken,
 * messages of that rank and receives that were given up may be left in it. */
static bool is_as_new(const struct share *share)
{
    return share && share->number != IS_NO_SPARE && !share->is_changed &&
           share->deaths == ftc_board_deaths(&ftc_library.board);
}

bool ftc_spares_give_back(MPI_Comm *comm)
{
    const struct share *share = comm ? share_of(*comm) : NULL;
    struct ftc_spares *s;
    uint32_t bit;

    if (!is_as_new(share))
        return false;
    s = ftc_spares_hold(share->of);
    bit = 1U << share->number;
    ftc_attribute_forget(*comm);
    PMPI_Comm_set_name(*comm, "");
    *comm = MPI_COMM_NULL;
    pthread_mutex_lock(&lock);
    s->taken &= ~bit;
    s->kept &= ~bit;
    pthread_mutex_unlock(&lock);
    ftc_spares_drop(s);
    return true;
}
