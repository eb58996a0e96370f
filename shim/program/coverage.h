/* coverage: how often each call site of the program was protected, and why not otherwise (setting
 * report = coverage). Users learn before any failure whether the library helps them.
 *
 * Each rank describes its call sites on the board. The report therefore covers all ranks, including
 * the dead, without waiting for any. The call sites of other hosts are fetched before
 * (reporting/sites_elsewhere.h). */
#ifndef FTC_PROGRAM_COVERAGE_H
#define FTC_PROGRAM_COVERAGE_H

#include "call/call.h"
#include "call/policy.h"

#include <stdbool.h>

/* True if call sites are counted. ftc_coverage_native() is to be called only then. */
extern bool ftc_coverage_is_on;

/* Starts counting call sites, if the board has room for them. To be called in MPI_Init when the
 * board is open. */
void ftc_coverage_open(void);

/* Counts the call that this thread is about to carry out here or pass to native MPI, and its call
 * site if call sites are counted. */
void ftc_coverage_call(const struct ftc_call *call, enum ftc_fallback fallback);

/* Numbers of calls of this rank so far, by kind and by reason for native MPI. The reason is
 * FTC_FALLBACK_NONE for calls carried out here. */
extern _Atomic uint64_t ftc_coverage_calls_so_far[FTC_CALL_COUNT][FTC_FALLBACK_COUNT];

/* Sums up ftc_coverage_calls_so_far[]: sets *@carried_out to the number of calls carried out here,
 * and *@passed to that of calls passed to native MPI. Counts kinds with ftc_call_is_counted(). */
void ftc_coverage_sums(unsigned long long *carried_out, unsigned long long *passed);

/* Counts the call site of a call that native MPI carries out and that does not go through
 * ftc_coverage_call(). @peer is as in ftc_native_call_enter(). @comm is MPI_COMM_NULL if the call
 * is on no communicator, or waits for more than messages. */
void ftc_coverage_native(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                         const void *return_address);

#endif
