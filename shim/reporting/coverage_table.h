/* coverage_table: the call sites that all ranks have described on the board, merged, and what the
 * death of a rank would do to the program (setting report = coverage). */
#ifndef FTC_REPORTING_COVERAGE_TABLE_H
#define FTC_REPORTING_COVERAGE_TABLE_H

#include "config/settings.h"
#include "coverage_sites.h"

/* What is told in one line: the same call at the same place with the same fate, of all ranks. */
struct ftc_coverage_row {
    uint32_t call, protection, remedies, ranks;
    uint32_t first, last; /* of these ranks */
    uint64_t calls;
    char text[FTC_COVERAGE_SITE_TEXT];
};

struct ftc_coverage_table {
    struct ftc_coverage_row *row; /* the exposed first, then what is called most */
    int count;
    void *known; /* rows by call, protection and text: a tree of tsearch(), while it is made */
    uint64_t calls[FTC_LEVELS], elsewhere[FTC_LEVELS]; /* in all; at sites without a row */
    int unknown; /* ranks of whose calls nothing is known: their hosts cannot be asked */
    bool rank_0_is_critical;
    bool copies_keep_ranks; /* communicators = places */
    int places[FTC_LEVELS]; /* different ones among the rows, with this level or worse */
};

/* What becomes of the program when a rank dies. */
struct ftc_coverage_verdict {
    enum ftc_protection_level level;    /* of the call that is worst off */
    const struct ftc_coverage_row *row; /* NULL: one of those elsewhere, or none */
    bool is_sure;                       /* false: if MPI_Wait calls wait for messages only */
    bool waits_for_any_source;          /* in a call that is protected otherwise */
};

/* Of what is on the board nothing is believed without a check. False without memory. */
bool ftc_coverage_make(struct ftc_coverage_table *t, const struct ftc_board *board,
                       const struct ftc_settings *settings);
void ftc_coverage_free(struct ftc_coverage_table *t);

/* As things are, and with @remedies, all that help some call. */
void ftc_coverage_judge(const struct ftc_coverage_table *t, struct ftc_coverage_verdict *now,
                        struct ftc_coverage_verdict *best, uint32_t *remedies);

/* What becomes of its calls with the settings in @remedies. */
enum ftc_protection_level ftc_coverage_level(const struct ftc_coverage_row *row, uint32_t remedies);

/* The settings that would make its calls end better, enum ftc_remedy; 0: none does. */
uint32_t ftc_coverage_remedies(const struct ftc_coverage_row *row);

/* Calls that need other ranks; and how many of these are protected, in tenths of a percent, rounded
 * down, so that 1000 is all. */
uint64_t ftc_coverage_calls(const struct ftc_coverage_table *t);
int ftc_coverage_permille(const struct ftc_coverage_table *t);

#endif
