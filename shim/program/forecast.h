/* forecast: what becomes of a call when a rank dies that it needs, and which settings would make
 * that better. It depends on the settings, on the call, and on the error handler in force: an error
 * that ends the job protects nobody. */
#ifndef FTC_PROGRAM_FORECAST_H
#define FTC_PROGRAM_FORECAST_H

#include "call/call.h"
#include "call/policy.h"
#include "reporting/settings_forecast.h"

#include <stdint.h>

/* Judges a call that the library carries out, or native MPI because of @fallback. */
struct ftc_forecast ftc_forecast_of_call(const struct ftc_call *call, enum ftc_fallback fallback);

/* Judges another call, such as one that makes a communicator, that the survivors carry out. */
struct ftc_forecast ftc_forecast_of_survivors(const struct ftc_call *call);

/* Judges a call of calls.def that native MPI carries out, as in ftc_coverage_native(). */
struct ftc_forecast ftc_forecast_of_native(enum ftc_call_kind kind, MPI_Comm comm, int peer);

#endif
