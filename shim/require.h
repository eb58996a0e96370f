/* require: call sites that are not to be continued without all contributions (setting
 * require_all_at). */
#ifndef FTC_REQUIRE_H
#define FTC_REQUIRE_H

#include <stdbool.h>

/* Whether the setting names the place of the call with @return_address. The caller holds the
 * library's lock. */
bool ftc_require_at(const void *return_address);

/* Whether @list, functions and call sites with commas between them, names @site, which is of the
 * form that ftc_callsite_name() gives. A function matches without what compilers append to its
 * name: "solve" names solve_ (Fortran) and solve.constprop.0 (an optimiser's copy). */
bool ftc_require_names(const char *list, const char *site);

#endif
