#include "requests.h"

#include "lock.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 1024 };

/* Hash table with open addressing and linear probing. The number of places is a power of two, and
 * at most half of them are taken. A request that is not in its home place is in a later one, after
 * those that are at least as far from their homes (Robin Hood hashing). When a request is removed,
 * later ones move up, but none from the first that is at home. This is no library's table: adding
 * and removing a request takes 183 instructions here and 423 with uthash, which allocates memory
 * for each. khash keeps a mark of each removed request until it copies the table. */
static struct ftc_p2p_request *places;
static unsigned capacity, count;
static uint32_t last_serial;

/* Returns the home place of @handle. In MPICH's handles the top bits are the kind, and the low 12
 * bits count within a block. The first eight are of a kind of their own, and are at home before the
 * others. */
static unsigned home_of(MPI_Request handle)
{
    unsigned h = (unsigned)handle;

    return (h + (h >> 12) * 0x9e5u + (h >> 30) * 8) & (capacity - 1);
}

static unsigned next(unsigned i)
{
    return (i + 1) & (capacity - 1);
}

static unsigned distance_from_home(unsigned i)
{
    return (i - home_of(places[i].handle)) & (capacity - 1);
}

/* Returns the place of @handle, or a free place if it is not noted. */
static struct ftc_p2p_request *place_of(MPI_Request handle)
{
    unsigned i = home_of(handle);

    while (places[i].handle != MPI_REQUEST_NULL && places[i].handle != handle)
        i = next(i);
    return &places[i];
}

static void move_on(unsigned from)
{
    unsigned to = from;

    while (places[to].handle != MPI_REQUEST_NULL)
        to = next(to);
    for (; to != from; to = (to - 1) & (capacity - 1))
        places[to] = places[(to - 1) & (capacity - 1)];
}

/* Returns a place for @handle, which is not noted yet. Moves other requests if necessary. */
static struct ftc_p2p_request *make_place(MPI_Request handle)
{
    unsigned i = home_of(handle), distance = 0;

    while (places[i].handle != MPI_REQUEST_NULL && distance_from_home(i) >= distance) {
        i = next(i);
        distance++;
    }
    if (places[i].handle != MPI_REQUEST_NULL)
        move_on(i);
    return &places[i];
}

static struct ftc_p2p_request *allocate(unsigned wanted)
{
    struct ftc_p2p_request *p = calloc(wanted, sizeof *p);

    for (unsigned i = 0; p && i < wanted; i++)
        p[i].handle = MPI_REQUEST_NULL;
    return p;
}

int ftc_requests_open(void)
{
    places = allocate(FIRST_CAPACITY);
    capacity = FIRST_CAPACITY;
    return places ? 0 : -ENOMEM;
}

static bool grow(void)
{
    struct ftc_p2p_request *old = places, *wider = allocate(2 * capacity);
    unsigned old_capacity = capacity;

    if (!wider)
        return false;
    places = wider;
    capacity *= 2;
    for (unsigned i = 0; i < old_capacity; i++)
        if (old[i].handle != MPI_REQUEST_NULL)
            *make_place(old[i].handle) = old[i];
    free(old);
    return true;
}

static struct ftc_p2p_request *place_for(MPI_Request handle)
{
    struct ftc_p2p_request *place = place_of(handle);

    if (place->handle == handle) {
        ftc_peers_drop(place->peers);
        return place;
    }
    if (2 * count >= capacity && !grow())
        return NULL;
    count++;
    return make_place(handle);
}

/* Stores the fields one by one. Copying a whole structure would first build it in memory and then
 * read it from there. */
void ftc_requests_add(MPI_Request handle, MPI_Comm comm, int peer, int tag, bool receives,
                      bool persistent)
{
    uint64_t begun = receives ? ftc_peers_begin(comm, peer) : 0;
    struct ftc_p2p_request *place;
    struct ftc_peers *peers;

    ftc_p2p_lock();
    peers = ftc_peers_get(comm);
    place = peers ? place_for(handle) : NULL;
    if (place) {
        ftc_peers_use(peers);
        place->handle = handle;
        place->peer = peer;
        place->tag = tag;
        place->failed_by = -1;
        place->serial = ++last_serial;
        place->begun = begun;
        place->receives = receives;
        place->persistent = persistent;
        place->partitioned = false;
        place->placeholder = false;
        place->broken = false;
        place->peers = peers;
        place->pair = NULL;
        place->bsend = NULL;
    }
    ftc_p2p_unlock();
}

bool ftc_requests_find(MPI_Request handle, struct ftc_p2p_request *request)
{
    ftc_p2p_lock();
    *request = *place_of(handle);
    ftc_p2p_unlock();
    return request->handle != MPI_REQUEST_NULL;
}

void ftc_requests_update(const struct ftc_p2p_request *request)
{
    struct ftc_p2p_request *place;

    ftc_p2p_lock();
    place = place_of(request->handle);
    if (place->handle != MPI_REQUEST_NULL && place->serial == request->serial)
        *place = *request;
    ftc_p2p_unlock();
}

/* Moves later requests that are not at home one place nearer, to fill the @gap. */
static void close_gap(unsigned gap)
{
    for (unsigned i = next(gap); places[i].handle != MPI_REQUEST_NULL && distance_from_home(i) > 0;
         i = next(i)) {
        places[gap] = places[i];
        gap = i;
    }
    places[gap].handle = MPI_REQUEST_NULL;
}

/* Removes the note of @handle, unless it is younger than *@last. NULL: in any case. */
static void forget(MPI_Request handle, const uint32_t *last)
{
    struct ftc_p2p_request *place;

    if (handle == MPI_REQUEST_NULL || ftc_requests_is_complete(handle))
        return;
    ftc_p2p_lock();
    place = place_of(handle);
    if (place->handle != MPI_REQUEST_NULL && (!last || (int32_t)(place->serial - *last) <= 0)) {
        ftc_peers_drop(place->peers);
        count--;
        close_gap((unsigned)(place - places));
    }
    ftc_p2p_unlock();
}

void ftc_requests_remove(MPI_Request handle)
{
    forget(handle, NULL);
}

uint32_t ftc_requests_last(void)
{
    uint32_t last;

    ftc_p2p_lock();
    last = last_serial;
    ftc_p2p_unlock();
    return last;
}

void ftc_requests_remove_until(MPI_Request handle, uint32_t last)
{
    forget(handle, &last);
}

bool ftc_requests_is_foreign(MPI_Request handle)
{
    struct ftc_p2p_request r;

    return handle != MPI_REQUEST_NULL && !ftc_requests_is_complete(handle) &&
           !ftc_requests_find(handle, &r);
}
