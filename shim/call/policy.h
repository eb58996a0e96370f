/* policy: is a call carried out here or by native MPI? (doc/design.md, section 9)
 *
 * A pure function of facts that all ranks of a correct program share, so that all decide alike. */
#ifndef FTC_CALL_POLICY_H
#define FTC_CALL_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ftc_pass {
    FTC_PASS_NONE = 0, /* carried out here */
#define FTC_PASS(name, text) FTC_PASS_##name,
#include "passes.def"
#undef FTC_PASS
    FTC_PASS_COUNT
};

struct ftc_policy_facts {
    bool intercepted;
    enum ftc_pass communicator; /* why the communicator cannot be protected, or FTC_PASS_NONE */
    bool valid;                 /* no argument is known to be invalid */
    bool has_addresses;         /* what is to be combined is at addresses of the datatype's */
    bool commutative;
    size_t value_bytes;
};

enum ftc_pass ftc_policy(const struct ftc_policy_facts *facts, size_t max_bytes);

/* Whether @pass is an obstacle in the data of the call, which setting large overcomes. */
static inline bool ftc_pass_is_of_data(enum ftc_pass pass)
{
    return pass == FTC_PASS_ADDRESSES || pass == FTC_PASS_NON_COMMUTATIVE ||
           pass == FTC_PASS_TOO_LARGE;
}

/* One line for the report. */
const char *ftc_pass_text(enum ftc_pass pass);

#endif
