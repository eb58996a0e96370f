/* policy: is a call carried out here or by native MPI? (doc/design.md, section 9)
 *
 * A pure function of facts that all ranks of a correct program share, so that all decide alike. */
#ifndef FTC_CALL_POLICY_H
#define FTC_CALL_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ftc_fallback {
    FTC_FALLBACK_NONE = 0, /* carried out here */
#define FTC_FALLBACK(name, text) FTC_FALLBACK_##name,
#include "fallbacks.def"
#undef FTC_FALLBACK
    FTC_FALLBACK_COUNT
};

struct ftc_policy_facts {
    bool intercepted;
    enum ftc_fallback communicator; /* reason of the communicator; FTC_FALLBACK_NONE: none */
    bool valid;                     /* no argument is known to be invalid */
    bool has_addresses;             /* what is to be combined is at addresses of the datatype's */
    bool commutative;
    size_t value_bytes;
};

enum ftc_fallback ftc_policy(const struct ftc_policy_facts *facts, size_t max_bytes);

/* Returns whether @fallback lies in the data of the call, so that setting large overcomes it. */
static inline bool ftc_fallback_is_of_data(enum ftc_fallback fallback)
{
    return fallback == FTC_FALLBACK_ADDRESSES || fallback == FTC_FALLBACK_NON_COMMUTATIVE ||
           fallback == FTC_FALLBACK_TOO_LARGE;
}

/* Returns one line for the report. */
const char *ftc_fallback_text(enum ftc_fallback fallback);

#endif
