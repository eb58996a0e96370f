/* coverage_table: the call sites that all ranks have described on the board, merged, and what the
 * death of a rank would do to the program (setting report = coverage). */
#ifndef FTC_REPORTING_COVERAGE_TABLE_H
#define FTC_REPORTING_COVERAGE_TABLE_H

#include "config/settings.h"
#include "coverage_sites.h"

/* Line of the report: all calls of one kind at one call site with one fate. @ranks is the number of
 * ranks that made them. */
struct ftc_coverage_row {
    uint32_t call, protection, remedies, ranks;
    uint32_t first, last; /* lowest and highest of the ranks */
    uint64_t calls;
    char text[FTC_COVERAGE_SITE_TEXT];
};

struct ftc_coverage_table {
    struct ftc_coverage_row *row; /* the worst level first, then the most calls */
    int count;
    void *known; /* tree of tsearch(): rows by call, protection and text; only while it is made */
    uint64_t calls[FTC_LEVELS], elsewhere[FTC_LEVELS]; /* of all sites; of those without a row */
    int unknown; /* number of ranks of other hosts whose call sites could not be fetched */
    bool rank_0_is_critical;
    bool copies_keep_ranks; /* setting communicators is places */
    int places[FTC_LEVELS]; /* number of call sites among the rows with this level or a worse one */
};

/* Fate of the program when a rank dies. */
struct ftc_coverage_verdict {
    enum ftc_protection_level level;    /* of the call with the worst level */
    const struct ftc_coverage_row *row; /* that call; NULL: one without a row, or none */
    bool is_sure;              /* false: holds only if MPI_Wait calls wait for messages alone */
    bool waits_for_any_source; /* a call that is protected otherwise may wait for any source */
};

/* Makes @t of the call sites on the board, to be freed by ftc_coverage_free(). Ignores records that
 * no correct rank writes, because any process of the job can write to the board. Returns false
 * without memory. */
bool ftc_coverage_make(struct ftc_coverage_table *t, const struct ftc_board *board,
                       const struct ftc_settings *settings);
void ftc_coverage_free(struct ftc_coverage_table *t);

/* Sets *@now to the verdict with the settings of this run. Sets *@remedies to all settings that
 * would improve the level of a call, and *@best to the verdict with these settings. */
void ftc_coverage_judge(const struct ftc_coverage_table *t, struct ftc_coverage_verdict *now,
                        struct ftc_coverage_verdict *best, uint32_t *remedies);

/* Returns the level of the calls of @row with the settings in @remedies. */
enum ftc_protection_level ftc_coverage_level(const struct ftc_coverage_row *row, uint32_t remedies);

/* Returns the settings that would improve the level of the calls of @row, bits of enum ftc_remedy;
 * 0: none would. */
uint32_t ftc_coverage_remedies(const struct ftc_coverage_row *row);

/* Returns the number of calls that need other ranks. */
uint64_t ftc_coverage_calls(const struct ftc_coverage_table *t);

/* Returns how many of the calls that need other ranks are protected, in tenths of a percent,
 * rounded down, so that 1000 is all. Returns 0 if there are no such calls. */
int ftc_coverage_permille(const struct ftc_coverage_table *t);

#endif
