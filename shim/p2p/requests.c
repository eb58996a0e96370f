#include "requests.h"

#include "lock.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 1024 };

/* Open addressing with linear probing; a power of two of places, at most half of them taken. */
static struct ftc_p2p_request *places;
static unsigned capacity, count;

pthread_mutex_t ftc_p2p_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Handles that are in use together differ in their low bits, or else in higher ones. */
static unsigned home_of(MPI_Request handle)
{
    unsigned h = (unsigned)handle;

    return (h ^ (h >> 12) * 0x9e5u) & (capacity - 1);
}

static unsigned next(unsigned i)
{
    return (i + 1) & (capacity - 1);
}

/* Where @handle is, or would go. */
static struct ftc_p2p_request *place_of(MPI_Request handle)
{
    unsigned i = home_of(handle);

    while (places[i].handle != MPI_REQUEST_NULL && places[i].handle != handle)
        i = next(i);
    return &places[i];
}

static struct ftc_p2p_request *allocate(unsigned wanted)
{
    struct ftc_p2p_request *p = malloc(wanted * sizeof *p);

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
            *place_of(old[i].handle) = old[i];
    free(old);
    return true;
}

static void add(const struct ftc_p2p_request *request, struct ftc_peers *peers)
{
    struct ftc_p2p_request *place = place_of(request->handle);

    ftc_peers_use(peers);
    if (place->handle == MPI_REQUEST_NULL)
        count++;
    else
        ftc_peers_drop(place->peers);
    *place = *request;
    place->peers = peers;
}

void ftc_requests_add(const struct ftc_p2p_request *request, MPI_Comm comm)
{
    struct ftc_peers *peers;

    ftc_p2p_lock();
    peers = ftc_peers_get(comm);
    if (peers && (2 * count < capacity || grow()))
        add(request, peers);
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
    if (place->handle != MPI_REQUEST_NULL && place->peers == request->peers)
        *place = *request;
    ftc_p2p_unlock();
}

/* Those behind it that would not be found past a free place move up. */
static void close_gap(unsigned gap)
{
    for (unsigned i = next(gap); places[i].handle != MPI_REQUEST_NULL; i = next(i)) {
        unsigned home = home_of(places[i].handle);

        if (((i - home) & (capacity - 1)) < ((i - gap) & (capacity - 1)))
            continue;
        places[gap] = places[i];
        gap = i;
    }
    places[gap].handle = MPI_REQUEST_NULL;
}

void ftc_requests_remove(MPI_Request handle)
{
    struct ftc_p2p_request *place;

    if (handle == MPI_REQUEST_NULL)
        return;
    ftc_p2p_lock();
    place = place_of(handle);
    if (place->handle != MPI_REQUEST_NULL) {
        ftc_peers_drop(place->peers);
        count--;
        close_gap((unsigned)(place - places));
    }
    ftc_p2p_unlock();
}
