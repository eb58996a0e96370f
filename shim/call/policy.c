#include "policy.h"

enum ftc_fallback ftc_policy(const struct ftc_policy_facts *facts, size_t max_bytes)
{
    if (!facts->intercepted)
        return FTC_FALLBACK_NOT_INTERCEPTED;
    if (facts->communicator != FTC_FALLBACK_NONE)
        return facts->communicator;
    if (!facts->valid)
        return FTC_FALLBACK_INVALID;
    if (facts->has_addresses)
        return FTC_FALLBACK_ADDRESSES;
    if (!facts->commutative)
        return FTC_FALLBACK_NON_COMMUTATIVE;
    if (facts->value_bytes > max_bytes)
        return FTC_FALLBACK_TOO_LARGE;
    return FTC_FALLBACK_NONE;
}

const char *ftc_fallback_text(enum ftc_fallback fallback)
{
    static const char *const text[FTC_FALLBACK_COUNT] = {
        "carried out by ftcoll",
#define FTC_FALLBACK(name, words) words,
#include "fallbacks.def"
#undef FTC_FALLBACK
    };

    return text[fallback];
}
