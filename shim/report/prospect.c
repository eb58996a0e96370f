#include "prospect.h"

bool ftc_prospect_is_intercepted(const struct ftc_settings *s, enum ftc_call_kind kind)
{
    static const int bit[FTC_CALL_COUNT] = {
#define FTC_CALL(kind, name, class, need, setting, collective)                                     \
    [FTC_CALL_##kind] = FTC_INTERCEPT_##setting,
#include "call/calls.def"
#undef FTC_CALL
    };

    return (s->intercept & bit[kind]) != 0;
}

struct ftc_outlook ftc_prospect_in_vain(uint32_t protection)
{
    enum ftc_protection of = (enum ftc_protection)protection;
    bool is_exposed = ftc_protection_shelter(of) == FTC_SHELTER_EXPOSED;

    return (struct ftc_outlook){of, is_exposed ? FTC_REMEDY_IN_VAIN : 0};
}

struct ftc_outlook ftc_prospect_here(const struct ftc_settings *s, enum ftc_call_kind kind,
                                     bool returns, bool required)
{
    if (returns)
        return (struct ftc_outlook){.protection = (enum ftc_protection)FTC_PASS_NONE};
    if (required)
        return (struct ftc_outlook){FTC_PROTECTION_REQUIRED_FATAL, FTC_REMEDY_IN_VAIN};
    if (s->f == 0)
        return (struct ftc_outlook){FTC_PROTECTION_F_FATAL, FTC_REMEDY_F};
    if (ftc_call_comes_from_root(kind) && s->on_dead_root == FTC_ON_DEAD_ROOT_ERROR)
        return (struct ftc_outlook){FTC_PROTECTION_DEAD_ROOT_FATAL, FTC_REMEDY_KEEP};
    return (struct ftc_outlook){.protection = (enum ftc_protection)FTC_PASS_NONE};
}

/* While p2p is native it is not noted which requests are messages. */
static uint32_t doubt_of(enum ftc_call_kind kind)
{
    return ftc_call_class(kind) == FTC_CLASS_WAIT ? FTC_REMEDY_IF_MESSAGE : 0;
}

static struct ftc_outlook of_message(const struct ftc_settings *s, enum ftc_call_kind kind,
                                     bool returns)
{
    uint32_t remedy = returns ? FTC_REMEDY_P2P_ERROR : FTC_REMEDY_P2P_IGNORE;

    switch (s->p2p) {
    case FTC_P2P_NATIVE:
        return (struct ftc_outlook){FTC_PROTECTION_P2P_NATIVE, remedy | doubt_of(kind)};
    case FTC_P2P_ERROR:
        if (!returns)
            return (struct ftc_outlook){FTC_PROTECTION_P2P_FATAL, FTC_REMEDY_P2P_IGNORE};
        break;
    default:
        break;
    }
    return (struct ftc_outlook){FTC_PROTECTION_P2P, 0};
}

static struct ftc_outlook of_freeing(const struct ftc_settings *s)
{
    if (ftc_prospect_is_intercepted(s, FTC_CALL_WIN_FREE))
        return (struct ftc_outlook){FTC_PROTECTION_INTERCEPT, 0};
    return (struct ftc_outlook){(enum ftc_protection)FTC_PASS_NOT_INTERCEPTED,
                                FTC_REMEDY_INTERCEPT};
}

struct ftc_outlook ftc_prospect_of_native(const struct ftc_settings *s, enum ftc_call_kind kind,
                                          bool returns)
{
    if (ftc_call_is_message(kind))
        return of_message(s, kind, returns);
    if (kind == FTC_CALL_WIN_FREE)
        return of_freeing(s);
    if (ftc_call_class(kind) != FTC_CLASS_COMMUNICATOR && ftc_call_class(kind) != FTC_CLASS_FILE)
        return ftc_prospect_in_vain(FTC_PROTECTION_NO_WAY);
    if (s->communicators == FTC_COMMUNICATORS_NATIVE)
        return (struct ftc_outlook){FTC_PROTECTION_COMMUNICATORS_NATIVE, FTC_REMEDY_COMMUNICATORS};
    return (struct ftc_outlook){FTC_PROTECTION_COMMUNICATORS, 0};
}

struct ftc_outlook ftc_prospect_of(const struct ftc_settings *s, enum ftc_call_kind kind,
                                   bool returns)
{
    struct ftc_outlook outlook;

    switch (ftc_call_class(kind)) {
    case FTC_CLASS_PROTECTED:
    case FTC_CLASS_NONBLOCKING:
    case FTC_CLASS_PERSISTENT:
        outlook = ftc_prospect_here(s, kind, returns, false);
        if (ftc_prospect_is_intercepted(s, kind))
            return outlook;
        outlook.protection = (enum ftc_protection)FTC_PASS_NOT_INTERCEPTED;
        outlook.remedies |= FTC_REMEDY_INTERCEPT;
        return outlook;
    default:
        return ftc_prospect_of_native(s, kind, returns);
    }
}
