#include "settings_forecast.h"

bool ftc_settings_forecast_is_intercepted(const struct ftc_settings *s, enum ftc_call_kind kind)
{
    static const int bit[FTC_CALL_COUNT] = {
#define FTC_CALL(kind, name, class, need, setting, collective)                                     \
    [FTC_CALL_##kind] = FTC_INTERCEPT_##setting,
#include "call/calls.def"
#undef FTC_CALL
    };

    return (s->intercept & bit[kind]) != 0;
}

struct ftc_forecast ftc_settings_forecast_in_vain(uint32_t protection)
{
    enum ftc_protection of = (enum ftc_protection)protection;
    bool is_exposed = ftc_protection_level(of) == FTC_LEVEL_EXPOSED;

    return (struct ftc_forecast){of, is_exposed ? FTC_REMEDY_IN_VAIN : 0};
}

uint32_t ftc_settings_forecast_remedies(struct ftc_forecast here)
{
    if ((here.remedies & FTC_REMEDY_IN_VAIN) == 0)
        return here.remedies;
    return ftc_protection_level(here.protection) == FTC_LEVEL_FATAL ? FTC_REMEDY_HALF
                                                                    : FTC_REMEDY_RAISES;
}

/* Protection of a call that fails: the error handler returns the error if @returns, else ends the
 * job. */
#define ERROR(name)                                                                                \
    (enum ftc_protection)(returns ? FTC_PROTECTION_##name##_RAISED : FTC_PROTECTION_##name##_FATAL)

/* Returns the remedies that express the error of a dead root; 0 if there is no such error. */
static uint32_t for_dead_root(const struct ftc_settings *s, enum ftc_call_kind kind, bool returns)
{
    if (!ftc_call_comes_from_root(kind) || s->on_dead_root != FTC_ON_DEAD_ROOT_ERROR)
        return 0;
    return returns ? FTC_REMEDY_RAISES : FTC_REMEDY_KEEP;
}

struct ftc_forecast ftc_settings_forecast_here(const struct ftc_settings *s,
                                               enum ftc_call_kind kind, bool returns, bool required)
{
    uint32_t remedies = for_dead_root(s, kind, returns);

    if (required)
        return (struct ftc_forecast){ERROR(REQUIRED), FTC_REMEDY_IN_VAIN};
    if (s->f == 0)
        return (struct ftc_forecast){ERROR(F), FTC_REMEDY_F | remedies};
    if (remedies != 0)
        return (struct ftc_forecast){ERROR(DEAD_ROOT), remedies};
    return (struct ftc_forecast){.protection = (enum ftc_protection)FTC_FALLBACK_NONE};
}

/* Returns FTC_REMEDY_IF_MESSAGE for a wait or test of requests, else 0: while p2p is native it is
 * not recorded which requests are messages. */
static uint32_t doubt_of(enum ftc_call_kind kind)
{
    bool is_probe = kind == FTC_CALL_IPROBE || kind == FTC_CALL_IMPROBE;

    return ftc_call_class(kind) == FTC_CLASS_MESSAGE || is_probe ? 0 : FTC_REMEDY_IF_MESSAGE;
}

static struct ftc_forecast of_message(const struct ftc_settings *s, enum ftc_call_kind kind,
                                      bool returns)
{
    uint32_t remedy = returns ? FTC_REMEDY_P2P_ERROR | FTC_REMEDY_RAISES : FTC_REMEDY_P2P_IGNORE;

    switch (s->p2p) {
    case FTC_P2P_NATIVE:
        return (struct ftc_forecast){FTC_PROTECTION_P2P_NATIVE, remedy | doubt_of(kind)};
    case FTC_P2P_ERROR:
        return (struct ftc_forecast){ERROR(P2P), returns ? FTC_REMEDY_IN_VAIN : remedy};
    default:
        return (struct ftc_forecast){FTC_PROTECTION_P2P, 0};
    }
}

static struct ftc_forecast of_freeing(const struct ftc_settings *s)
{
    if (ftc_settings_forecast_is_intercepted(s, FTC_CALL_WIN_FREE))
        return (struct ftc_forecast){FTC_PROTECTION_INTERCEPT, 0};
    return (struct ftc_forecast){(enum ftc_protection)FTC_FALLBACK_NOT_INTERCEPTED,
                                 FTC_REMEDY_INTERCEPT};
}

/* Returns whether @kind tolerates any number of deaths. */
static bool bears_all(enum ftc_call_kind kind)
{
    switch (kind) {
    case FTC_CALL_COMM_CREATE_GROUP:
    case FTC_CALL_COMM_CREATE_FROM_GROUP:
    case FTC_CALL_COMM_IDUP:
    case FTC_CALL_COMM_IDUP_WITH_INFO:
    case FTC_CALL_FILE_IREAD_ALL:
    case FTC_CALL_FILE_IREAD_AT_ALL:
    case FTC_CALL_FILE_IWRITE_ALL:
    case FTC_CALL_FILE_IWRITE_AT_ALL:
        return true;
    default:
        return false;
    }
}

/* Returns the forecast of a call with communicators = survivors. */
static struct ftc_forecast of_survivors(const struct ftc_settings *s, enum ftc_call_kind kind,
                                        bool returns)
{
    if (ftc_call_class(kind) == FTC_CLASS_FILE_REFUSED)
        return (struct ftc_forecast){FTC_PROTECTION_FILE_RAISED, FTC_REMEDY_IN_VAIN};
    if (kind == FTC_CALL_INTERCOMM_CREATE || kind == FTC_CALL_INTERCOMM_CREATE_FROM_GROUPS)
        return (struct ftc_forecast){ERROR(LEADER), FTC_REMEDY_IN_VAIN};
    if (s->f == 0 && !bears_all(kind))
        return (struct ftc_forecast){ERROR(F), FTC_REMEDY_F};
    return (struct ftc_forecast){FTC_PROTECTION_COMMUNICATORS, 0};
}

static struct ftc_forecast by_communicators(const struct ftc_settings *s, enum ftc_call_kind kind,
                                            bool returns)
{
    struct ftc_forecast here = of_survivors(s, kind, returns);

    if (s->communicators != FTC_COMMUNICATORS_NATIVE)
        return here;
    return (struct ftc_forecast){FTC_PROTECTION_COMMUNICATORS_NATIVE,
                                 FTC_REMEDY_COMMUNICATORS | ftc_settings_forecast_remedies(here)};
}

struct ftc_forecast ftc_settings_forecast_of_native(const struct ftc_settings *s,
                                                    enum ftc_call_kind kind, bool returns)
{
    if (ftc_call_is_message(kind) && kind != FTC_CALL_WIN_TEST)
        return of_message(s, kind, returns);
    if (kind == FTC_CALL_WIN_FREE)
        return of_freeing(s);
    if (kind == FTC_CALL_COMM_FREE) /* MPICH waits for no rank in it */
        return (struct ftc_forecast){FTC_PROTECTION_ALONE, 0};
    switch (ftc_call_class(kind)) {
    case FTC_CLASS_COMMUNICATOR:
        return by_communicators(s, kind, returns);
    case FTC_CLASS_FILE:
    case FTC_CLASS_FILE_REFUSED: /* the error handlers of files return */
        return by_communicators(s, kind, true);
    case FTC_CLASS_FILE_ALONE:
        return (struct ftc_forecast){FTC_PROTECTION_ALONE, 0};
    default:
        return ftc_settings_forecast_in_vain(FTC_PROTECTION_NO_WAY);
    }
}

struct ftc_forecast ftc_settings_forecast_of(const struct ftc_settings *s, enum ftc_call_kind kind,
                                             bool returns)
{
    struct ftc_forecast forecast;

    switch (ftc_call_class(kind)) {
    case FTC_CLASS_PROTECTED:
    case FTC_CLASS_NONBLOCKING:
    case FTC_CLASS_PERSISTENT:
        forecast = ftc_settings_forecast_here(s, kind, returns, false);
        if (ftc_settings_forecast_is_intercepted(s, kind))
            return forecast;
        forecast.protection = (enum ftc_protection)FTC_FALLBACK_NOT_INTERCEPTED;
        forecast.remedies = ftc_settings_forecast_remedies(forecast) | FTC_REMEDY_INTERCEPT;
        return forecast;
    default:
        return ftc_settings_forecast_of_native(s, kind, returns);
    }
}
