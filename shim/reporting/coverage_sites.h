/* coverage_sites: the call sites of a rank on the board. The rank writes them (program/coverage.c).
 * The process that writes the report reads them (coverage_table.c), and checks each value before it
 * uses it. */
#ifndef FTC_REPORTING_COVERAGE_SITES_H
#define FTC_REPORTING_COVERAGE_SITES_H

#include "board/board.h"
#include "protection.h"

/* Calls of one kind that one call site of the program made and that had the same fate. */
enum { FTC_COVERAGE_SITE_TEXT = 236 };
struct ftc_coverage_site {
    _Atomic uint64_t calls;
    _Atomic uint32_t call;             /* enum ftc_call_kind; 0: unused */
    uint32_t protection;               /* enum ftc_protection */
    uint32_t remedies;                 /* bits of enum ftc_remedy */
    char text[FTC_COVERAGE_SITE_TEXT]; /* the call site, ended by a zero */
};

/* Call sites of a rank, and the number of its calls at call sites for which there was no room. */
struct ftc_coverage_sites {
    _Alignas(64) _Atomic uint64_t elsewhere[FTC_LEVELS]; /* by enum ftc_protection_level */
    _Atomic uint32_t are_known; /* set by the rank; fetched with the rest from another host */
    _Alignas(64) struct ftc_coverage_site site[];
};

enum { FTC_COVERAGE_SITES = 512 }; /* call sites that a rank can describe */

/* Returns the bytes of @sites call sites of a rank, for struct ftc_board_geometry. */
static inline uint32_t ftc_coverage_sites_bytes(uint32_t sites)
{
    return (uint32_t)(sizeof(struct ftc_coverage_sites) + sites * sizeof(struct ftc_coverage_site));
}

/* Returns how many call sites are complete in the first @bytes of a rank's struct
 * ftc_coverage_sites. */
static inline uint32_t ftc_coverage_sites_in(size_t bytes)
{
    size_t head = sizeof(struct ftc_coverage_sites);

    return bytes < head ? 0 : (uint32_t)((bytes - head) / sizeof(struct ftc_coverage_site));
}

/* Returns how many call sites of each rank have room on the board. */
static inline uint32_t ftc_coverage_sites_room(const struct ftc_board *board)
{
    return ftc_coverage_sites_in(board->geometry.sites_bytes);
}

/* Returns the call sites of @world. To be called only if the board has room for call sites. */
static inline struct ftc_coverage_sites *ftc_coverage_sites_of(const struct ftc_board *board,
                                                               uint32_t world)
{
    return ftc_board_sites(board, world);
}

#endif
