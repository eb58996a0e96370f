/* coverage_sites: the call sites of a rank on the board. The rank writes them (program/coverage.c),
 * whoever writes the report reads them (coverage_table.c), and believes nothing without a check. */
#ifndef FTC_REPORTING_COVERAGE_SITES_H
#define FTC_REPORTING_COVERAGE_SITES_H

#include "board/board.h"
#include "protection.h"

/* The calls of one kind, from one place of the program, that had the same fate. */
enum { FTC_COVERAGE_SITE_TEXT = 236 };
struct ftc_coverage_site {
    _Atomic uint64_t calls;
    _Atomic uint32_t call;             /* enum ftc_call_kind; 0: unused */
    uint32_t protection;               /* enum ftc_protection */
    uint32_t remedies;                 /* of enum ftc_remedy */
    char text[FTC_COVERAGE_SITE_TEXT]; /* the place, ended by a zero */
};

/* All of a rank, with the calls for whose places there was no room. */
struct ftc_coverage_sites {
    _Alignas(64) _Atomic uint64_t elsewhere[FTC_LEVELS]; /* by enum ftc_protection_level */
    _Atomic uint32_t are_known; /* written by their rank; of one elsewhere: fetched */
    _Alignas(64) struct ftc_coverage_site site[];
};

enum { FTC_COVERAGE_SITES = 512 }; /* that a rank can describe */

/* For ftc_board_geometry: room for @sites of a rank. */
static inline uint32_t ftc_coverage_sites_bytes(uint32_t sites)
{
    return (uint32_t)(sizeof(struct ftc_coverage_sites) + sites * sizeof(struct ftc_coverage_site));
}

/* How many are whole in the first @bytes of a rank's. */
static inline uint32_t ftc_coverage_sites_in(size_t bytes)
{
    size_t head = sizeof(struct ftc_coverage_sites);

    return bytes < head ? 0 : (uint32_t)((bytes - head) / sizeof(struct ftc_coverage_site));
}

/* For how many there is room. */
static inline uint32_t ftc_coverage_sites_room(const struct ftc_board *board)
{
    return ftc_coverage_sites_in(board->geometry.sites_bytes);
}

/* Only if there is room for any. */
static inline struct ftc_coverage_sites *ftc_coverage_sites_of(const struct ftc_board *board,
                                                               uint32_t world)
{
    return ftc_board_sites(board, world);
}

#endif
