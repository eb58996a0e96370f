#include "policy.h"

enum ftc_pass ftc_policy(const struct ftc_policy_facts *facts, size_t max_bytes)
{
    if (!facts->intercepted)
        return FTC_PASS_NOT_INTERCEPTED;
    if (facts->communicator != FTC_PASS_NONE)
        return facts->communicator;
    if (!facts->valid)
        return FTC_PASS_INVALID;
    if (facts->has_addresses)
        return FTC_PASS_ADDRESSES;
    if (!facts->commutative)
        return FTC_PASS_NON_COMMUTATIVE;
    if (facts->value_bytes > max_bytes)
        return FTC_PASS_TOO_LARGE;
    return FTC_PASS_NONE;
}

const char *ftc_pass_text(enum ftc_pass pass)
{
    static const char *const text[FTC_PASS_COUNT] = {
        "carried out by ftcoll",
#define FTC_PASS(name, words) words,
#include "passes.def"
#undef FTC_PASS
    };

    return text[pass];
}
