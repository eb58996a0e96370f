/* policy: whether the library can carry out a call as one operation (doc/design.md, section 9).
 *
 * The policy is a pure function of facts that all ranks of a correct program share, so all ranks
 * decide alike. */
#ifndef FTC_CALL_POLICY_H
#define FTC_CALL_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ftc_fallback {
    FTC_FALLBACK_NONE = 0, /* the library carries out the call */
#define FTC_FALLBACK(name, text) FTC_FALLBACK_##name,
#include "fallbacks.def"
#undef FTC_FALLBACK
    FTC_FALLBACK_COUNT
};

struct ftc_policy_facts {
    bool intercepted;
    enum ftc_fallback communicator; /* reason that lies in the communicator, or FTC_FALLBACK_NONE */
    bool valid;                     /* no argument is known to be invalid */
    bool has_addresses;             /* a reduction of MPI_BOTTOM: the datatype has the addresses */
    bool commutative;
    size_t value_bytes;
};

/* Returns the first reason that applies, or FTC_FALLBACK_NONE. @max_bytes is the most that one
 * operation may carry. */
enum ftc_fallback ftc_policy(const struct ftc_policy_facts *facts, size_t max_bytes);

/* Returns whether @fallback lies in the data of the call. Only then can the setting large overcome
 * it. */
static inline bool ftc_fallback_is_of_data(enum ftc_fallback fallback)
{
    return fallback == FTC_FALLBACK_ADDRESSES || fallback == FTC_FALLBACK_NON_COMMUTATIVE ||
           fallback == FTC_FALLBACK_TOO_LARGE;
}

/* Returns the text of @fallback for the report. */
const char *ftc_fallback_text(enum ftc_fallback fallback);

#endif
