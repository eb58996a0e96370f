#include "protection.h"

enum ftc_protection_level ftc_protection_level(uint32_t protection)
{
    switch (protection) {
    case FTC_FALLBACK_NONE:
        return FTC_LEVEL_PROTECTED;
    case FTC_FALLBACK_COMM_SELF:
    case FTC_FALLBACK_INVALID: /* fails at once */
        return FTC_LEVEL_ALONE;
#define FTC_PROTECTION(name, level, text)                                                          \
    case FTC_PROTECTION_##name:                                                                    \
        return FTC_LEVEL_##level;
#include "protections.def"
#undef FTC_PROTECTION
    default:
        return FTC_LEVEL_EXPOSED;
    }
}

const char *ftc_protection_fate(uint32_t protection)
{
    static const char *const fate[FTC_LEVELS] = {"not protected", "ends the job", "returns error",
                                                 "protected", "needs nobody"};

    return fate[ftc_protection_level(protection)];
}

const char *ftc_protection_reason(uint32_t protection)
{
    static const char *const text[] = {
#define FTC_PROTECTION(name, level, words) words,
#include "protections.def"
#undef FTC_PROTECTION
    };

    if (protection == FTC_FALLBACK_NONE)
        return NULL;
    return protection < FTC_FALLBACK_COUNT ? ftc_fallback_text((enum ftc_fallback)protection)
                                           : text[protection - FTC_FALLBACK_COUNT];
}

const char *ftc_remedy_text(uint32_t remedies, unsigned *next)
{
    static const struct {
        uint32_t remedy;
        const char *text;
    } table[] = {
        {FTC_REMEDY_INTERCEPT, "FTCOLL_INTERCEPT=all"},
        {FTC_REMEDY_MAX_BYTES, "FTCOLL_MAX_BYTES=65536"},
        {FTC_REMEDY_LARGE, "FTCOLL_LARGE=protected"},
        {FTC_REMEDY_P2P_IGNORE, "FTCOLL_P2P=ignore"},
        {FTC_REMEDY_P2P_ERROR, "FTCOLL_P2P=error"},
        {FTC_REMEDY_COMMUNICATORS, "FTCOLL_COMMUNICATORS=survivors"},
        {FTC_REMEDY_KEEP, "FTCOLL_ON_DEAD_ROOT=keep"},
        {FTC_REMEDY_F, "FTCOLL_F=1"},
    };
    const unsigned count = sizeof table / sizeof *table;

    if (remedies & FTC_REMEDY_P2P_IGNORE) /* ignore also helps where error would */
        remedies &= ~(uint32_t)FTC_REMEDY_P2P_ERROR;
    while (*next < count && (remedies & table[*next].remedy) == 0)
        ++*next;
    return *next < count ? table[(*next)++].text : NULL;
}
