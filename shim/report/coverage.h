/* coverage: how often each call site of the program was protected, and why not otherwise (setting
 * report = coverage), so that users see before any failure whether the library helps them.
 *
 * Each rank describes its call sites on the board. So the report knows those of all ranks, also of
 * the dead, and waits for nobody; those of other hosts are asked for before (sites_elsewhere.h).
 */
#ifndef FTC_REPORT_COVERAGE_H
#define FTC_REPORT_COVERAGE_H

#include "board/board.h"
#include "outlook.h"

#include <stdbool.h>

/* True if calls are to be counted: the two functions below are to be called only then. */
extern bool ftc_coverage_is_on;

/* In MPI_Init, when the board is open: counts from then on, if the board has room for it. */
void ftc_coverage_open(void);

/* A call of which is decided who carries it out. */
void ftc_coverage_call(const struct ftc_call *call, enum ftc_pass pass);

/* A call that native MPI carries out; the others go to ftc_coverage_call(). @peer is
 * as in ftc_native_call_enter(). Without a communicator it waits for more than messages. */
void ftc_coverage_native(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                         const void *return_address);

#endif
