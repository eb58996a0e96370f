/* required_sites: call sites whose reductions must contain every rank (setting require_all_at). */
#ifndef FTC_REPORTING_REQUIRED_SITES_H
#define FTC_REPORTING_REQUIRED_SITES_H

#include "notice.h"
#include "system/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Number of words of the setting that are distinguished. The last stands for all that follow. */
enum { FTC_REQUIRE_WORDS = 64 };

/* Returns whether the setting names the call site of @return_address. The caller holds the
 * library's lock. */
bool ftc_required_sites_have(const struct ftc_notice *n, const void *return_address);

/* As above, but for a protected call, and notes on the board which words name its call site. The
 * report lists the words that were never noted. */
bool ftc_required_sites_meet(const struct ftc_notice *n, const void *return_address);

/* Returns which words of @list name @site, as bit i for word i. @list has functions and call sites
 * with commas between them, @site the form of ftc_callsite_name(). A function matches without what
 * compilers append to its name: "solve" names solve_ (Fortran), solve.constprop.0 (an optimiser's
 * copy), and C++'s solve(int, double), whose parameters may be given too. */
uint64_t ftc_required_sites_names(const char *list, const char *site);

/* Returns how many words have named no call of any rank. Does not count words from the 64th on. */
int ftc_required_sites_unnamed(const struct ftc_notice *n);

/* Writes a line of the report for each word that ftc_required_sites_unnamed() counts. */
void ftc_required_sites_write(FILE *f, const struct ftc_notice *n);

/* Adds the words that ftc_required_sites_unnamed() counts as member "require_all_at_unnamed". */
void ftc_required_sites_write_json(struct ftc_json *j, const struct ftc_notice *n);

#endif
