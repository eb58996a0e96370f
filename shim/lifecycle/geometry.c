#include "geometry.h"

#include "board/bulk.h"
#include "board/publication.h"
#include "board/trace.h"
#include "reporting/coverage_sites.h"
#include "transport/multicast.h"
#include "value/blocks.h"
#include "value/broadcast.h"
#include "value/contributors.h"

enum {
    ENTRIES =
        32768, /* communicators and persistent requests of a rank; MPICH has 2048 communicators */
    EXPOSED_TIMES = 4,
    RING_DEPTH_MAX = 16,
    RING_DEPTH_MIN = 4,            /* places that one operation needs in each attempt */
    RINGS_BYTES = 6 * 1024 * 1024, /* most for a rank's rings with all others of its host */
};

static size_t max_value_bytes(const struct ftc_settings *s, int ranks)
{
    size_t data = (size_t)s->max_bytes;
    size_t broadcast = ftc_broadcast_value_bytes(data);
    size_t reduction = ftc_contributors_bytes(ranks) + data;
    size_t blocks = ftc_blocks_room(&(struct ftc_blocks_limit){.ranks = ranks, .data_bytes = data});
    size_t most = broadcast > reduction ? broadcast : reduction;

    return (s->intercept & FTC_INTERCEPT_BLOCKS) != 0 && blocks > most ? blocks : most;
}

/* Returns the size of a place for exposed data; 0: there are none. There are none on several hosts,
 * nor with monitor = timeout, because a rank that was declared dead may still read the data. Rounds
 * cost more than exposed blocks, so with large = protected there is room for blocks larger than a
 * message. */
static uint32_t exposed_bytes(const struct ftc_settings *s, int hosts)
{
    uint32_t bytes = (uint32_t)s->max_bytes * (s->large == FTC_LARGE_PROTECTED ? EXPOSED_TIMES : 1);
    bool are_exposed = hosts == 1 && s->monitor != FTC_MONITOR_TIMEOUT &&
                       (s->intercept & (FTC_INTERCEPT_BCAST | FTC_INTERCEPT_BLOCKS)) != 0;

    return are_exposed ? (bytes + 63) / 64 * 64 : 0;
}

/* Sets the depth of the rings. Among many ranks they are less deep: each place, once used, takes
 * memory, and no rank needs so many places in all. */
static void set_ring_depth(struct ftc_board_geometry *g, size_t ranks_here)
{
    g->ring_depth = RING_DEPTH_MAX;
    while (g->ring_depth > RING_DEPTH_MIN && ranks_here * ftc_board_ring_bytes(g) > RINGS_BYTES)
        g->ring_depth /= 2;
}

struct ftc_board_geometry ftc_geometry_make(const struct ftc_settings *s, int ranks, int hosts,
                                            size_t part_bytes)
{
    bool is_large_protected = s->large == FTC_LARGE_PROTECTED;
    size_t whole_bytes = max_value_bytes(s, ranks);
    size_t max_bytes =
        is_large_protected && hosts > 1 && part_bytes > whole_bytes ? part_bytes : whole_bytes;
    struct ftc_board_geometry g = {
        .ranks = (uint32_t)ranks,
        .entries = ENTRIES,
        .entry_stride_bytes = ftc_publication_stride(max_bytes),
        .multicast_bytes = ftc_multicast_stride(),
        .message_stride_bytes = ftc_transport_message_stride(max_bytes),
        .sites_bytes = s->report >= FTC_REPORT_COVERAGE || s->crash[0] != '\0' /* at a site */
                           ? ftc_coverage_sites_bytes(FTC_COVERAGE_SITES)
                           : 0,
        .exposed_bytes = exposed_bytes(s, hosts),
        .bulk_bytes = is_large_protected && hosts == 1 ? FTC_BULK_HEAD_BYTES : 0,
        .region_bytes = is_large_protected && hosts == 1 ? FTC_BULK_REGION_BYTES : 0,
        .trace_bytes = s->trace_file[0] != '\0' ? ftc_trace_bytes((uint32_t)ranks) : 0,
        .other_hosts = (uint32_t)hosts - 1,
    };

    set_ring_depth(&g, (size_t)(ranks + hosts - 1) / (size_t)hosts);
    return g;
}
