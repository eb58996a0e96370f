/* settings_forecast: predicts from the settings what happens to a call that needs a dead rank. Pure
 * functions, for the forecast of a call (program/forecast.h) and for users who ask before a job
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

/* Returns whether setting intercept names @kind. */
bool ftc_settings_forecast_is_intercepted(const struct ftc_settings *s, enum ftc_call_kind kind);

/* Returns the forecast of a call that the library carries out. @returns: the error handler in force
 * returns errors, otherwise it ends the job. @required: the result must have every rank. */
struct ftc_forecast ftc_settings_forecast_here(const struct ftc_settings *s,
                                               enum ftc_call_kind kind, bool returns,
                                               bool required);

/* Returns the remedies of a call that native MPI carries out. @here is the forecast that the call
 * would have if the library carried it out. */
uint32_t ftc_settings_forecast_remedies(struct ftc_forecast here);

/* Returns the forecast of other calls, which native MPI carries out: messages, requests,
 * communicators, files, and calls that are never protected. @returns as above. */
struct ftc_forecast ftc_settings_forecast_of_native(const struct ftc_settings *s,
                                                    enum ftc_call_kind kind, bool returns);

/* Returns the forecast of a call that no setting can protect. @protection is the reason: enum
 * ftc_protection, or an enum ftc_fallback. */
struct ftc_forecast ftc_settings_forecast_in_vain(uint32_t protection);

/* Returns the forecast of a call of @kind whose arguments do not prevent protection. @returns as
 * above. */
struct ftc_forecast ftc_settings_forecast_of(const struct ftc_settings *s, enum ftc_call_kind kind,
                                             bool returns);

#endif
