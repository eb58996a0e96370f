/* settings_forecast: what the settings make of a call, before a program has called it: pure
 * functions, for the forecast of a call (forecast.h) and for people who ask before a job
 * (config/info.c). */
#ifndef FTC_REPORTING_SETTINGS_FORECAST_H
#define FTC_REPORTING_SETTINGS_FORECAST_H

#include "call/call.h"
#include "config/settings.h"
#include "protection.h"

struct ftc_forecast {
    enum ftc_protection protection;
    uint32_t remedies;
};

/* Whether setting intercept names it. */
bool ftc_settings_forecast_is_intercepted(const struct ftc_settings *s, enum ftc_call_kind kind);

/* Returns which errors a call may be that the library carries out. @returns: the error handler in
 * force returns errors, else it ends the job. @required: the result must have every rank. */
struct ftc_forecast ftc_settings_forecast_here(const struct ftc_settings *s,
                                               enum ftc_call_kind kind, bool returns,
                                               bool required);

/* The remedies of a call that is not carried out here and would end as @here says if it were. */
uint32_t ftc_settings_forecast_remedies(struct ftc_forecast here);

/* Judges all other calls, which native MPI carries out: messages, requests, communicators, and
 * calls that are not protected at all. */
struct ftc_forecast ftc_settings_forecast_of_native(const struct ftc_settings *s,
                                                    enum ftc_call_kind kind, bool returns);

/* Returns the forecast of a call that no setting can protect. @protection, or an enum ftc_fallback,
 * is the reason. */
struct ftc_forecast ftc_settings_forecast_in_vain(uint32_t protection);

/* Of any call whose arguments are such that nothing in them is against it. */
struct ftc_forecast ftc_settings_forecast_of(const struct ftc_settings *s, enum ftc_call_kind kind,
                                             bool returns);

#endif
