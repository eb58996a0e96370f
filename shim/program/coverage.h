/* coverage: how often each call site of the program was protected, and why not otherwise (setting
 * report = coverage), so that users see before any failure whether the library helps them.
 *
 * Each rank describes its call sites on the board. So the report knows those of all ranks, also of
 * the dead, and waits for no rank; those of other hosts are fetched before
 * (reporting/sites_elsewhere.h). */
#ifndef FTC_PROGRAM_COVERAGE_H
#define FTC_PROGRAM_COVERAGE_H

#include "call/call.h"
#include "call/policy.h"

#include <stdbool.h>

/* True if the places of calls are counted: ftc_coverage_native() is to be called only then. */
extern bool ftc_coverage_is_on;

/* In MPI_Init, when the board is open: counts from then on, if the board has room for it. */
void ftc_coverage_open(void);

/* Counts the call that this thread is about to carry out here or pass on, also if the setting does
 * not ask for its place. */
void ftc_coverage_call(const struct ftc_call *call, enum ftc_fallback fallback);

/* Calls of this rank so far: all, and those carried out here and passed on. */
extern _Atomic uint64_t ftc_coverage_calls_so_far[FTC_CALL_COUNT][FTC_FALLBACK_COUNT];
void ftc_coverage_sums(unsigned long long *carried_out, unsigned long long *passed);

/* A call that native MPI carries out; the others go to ftc_coverage_call(). @peer is
 * as in ftc_native_call_enter(). Without a communicator it waits for more than messages. */
void ftc_coverage_native(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                         const void *return_address);

#endif
