/* required_sites: call sites that are not to be continued without all contributions (setting
 * require_all_at). */
#ifndef FTC_REPORTING_REQUIRED_SITES_H
#define FTC_REPORTING_REQUIRED_SITES_H

#include "notice.h"
#include "system/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Words of the setting that are told apart, the last for all that follow. */
enum { FTC_REQUIRE_WORDS = 64 };

/* Return whether the setting names the place of the call with @return_address. The caller holds the
 * library's lock. A protected call is to "meet" its site: the report lists words that none met. */
bool ftc_required_sites_have(const struct ftc_notice *n, const void *return_address);
bool ftc_required_sites_meet(const struct ftc_notice *n, const void *return_address);

/* Which words of @list, functions and call sites with commas between them, name @site, which is of
 * the form that ftc_callsite_name() gives: bit i for word i. A function matches without what
 * compilers append to its name: "solve" names solve_ (Fortran) and solve.constprop.0 (an
 * optimiser's copy), and C++'s solve(int, double), whose parameters may also be there. */
uint64_t ftc_required_sites_names(const char *list, const char *site);

/* How many words have named no call of any rank; a line of the report for each; and the same as
 * member "require_all_at_unnamed". */
int ftc_required_sites_unnamed(const struct ftc_notice *n);
void ftc_required_sites_write(FILE *f, const struct ftc_notice *n);
void ftc_required_sites_write_json(struct ftc_json *j, const struct ftc_notice *n);

#endif
