#include "sites_elsewhere.h"

#include "board/rank_state.h"
#include "coverage_sites.h"
#include "system/clock.h"
#include "transport/remote_query.h"

#include <string.h>
#include <time.h>

enum { PATIENCE_NS = 1000000000, TURN_NS = 50000 };

/* Returns a living rank of @host, any of which answers for all ranks there; -1: none lives. */
static int find_living(const struct ftc_board *b, uint32_t host)
{
    for (uint32_t rank = 0; rank < b->geometry.ranks; rank++)
        if (ftc_board_host(b, rank) == host && !ftc_board_is_dead(b, rank))
            return (int)rank;
    return -1;
}

static bool fetch_part(struct ftc_transport *t, uint32_t via, uint32_t rank, uint32_t part,
                       void *to, size_t bytes)
{
    uint64_t until_ns = ftc_clock_ns() + PATIENCE_NS;

    while (!ftc_remote_query_sites(t, via, rank, part, to, bytes)) {
        if (ftc_clock_ns() > until_ns)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = TURN_NS}, NULL);
    }
    return true;
}

/* Returns whether all used call sites are within the first @bytes. A rank fills them in order: if
 * the last complete one is unused, so are all later ones. */
static bool are_all_there(const struct ftc_coverage_sites *sites, size_t bytes)
{
    uint32_t whole = ftc_coverage_sites_in(bytes);

    return whole > 0 && atomic_load(&sites->site[whole - 1].call) == 0;
}

static bool fetch(const struct ftc_board *b, struct ftc_transport *t, uint32_t via, uint32_t rank)
{
    struct ftc_coverage_sites *sites = ftc_coverage_sites_of(b, rank);
    size_t there = 0, bytes = FTC_QUERY_SITES_BYTES, all = b->geometry.sites_bytes;

    for (uint32_t part = 0; there < all && !are_all_there(sites, there); part++) {
        if (bytes > all - there)
            bytes = all - there;
        if (!fetch_part(t, via, rank, part, (unsigned char *)sites + there, bytes)) {
            memset(sites, 0, there);
            return false;
        }
        there += bytes;
    }
    return true;
}

static void fetch_of(const struct ftc_board *b, struct ftc_transport *t, uint32_t host)
{
    int via = find_living(b, host);

    for (uint32_t rank = 0; via >= 0 && rank < b->geometry.ranks; rank++)
        if (ftc_board_host(b, rank) == host && !fetch(b, t, (uint32_t)via, rank))
            return;
}

void ftc_sites_elsewhere_fetch(const struct ftc_board *b, struct ftc_transport *t)
{
    if (ftc_coverage_sites_room(b) == 0)
        return;
    for (uint32_t host = 0; host <= b->geometry.other_hosts; host++)
        if (host != b->geometry.host)
            fetch_of(b, t, host);
}
