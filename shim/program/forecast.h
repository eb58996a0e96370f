/* forecast: predicts what becomes of a call when a rank that it needs dies, and which settings
 * would improve that. It depends on the settings, on the call, and on the error handler in force:
 * an error that ends the job protects no rank. */
#ifndef FTC_PROGRAM_FORECAST_H
#define FTC_PROGRAM_FORECAST_H

#include "call/call.h"
#include "call/policy.h"
#include "reporting/settings_forecast.h"

#include <stdint.h>

/* Returns the forecast of a call that the library carries out, or native MPI because of
 * @fallback. */
struct ftc_forecast ftc_forecast_of_call(const struct ftc_call *call, enum ftc_fallback fallback);

/* Returns the forecast of another call that the survivors carry out, such as one that makes a
 * communicator. */
struct ftc_forecast ftc_forecast_of_survivors(const struct ftc_call *call);

/* Returns the forecast of a call of calls.def that native MPI carries out. The arguments are as in
 * ftc_coverage_native(). */
struct ftc_forecast ftc_forecast_of_native(enum ftc_call_kind kind, MPI_Comm comm, int peer);

#endif
