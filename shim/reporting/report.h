/* report: what the library did, written once: in MPI_Finalize by the surviving rank with the lowest
 * number; or, if the job ends before that, by the process that ends it, from the board alone.
 *
 * To write it waits for no rank. The call sites of ranks on other hosts are fetched before
 * (sites_elsewhere.h). The schema of the JSON is in ftcoll-report(5). */
#ifndef FTC_REPORTING_REPORT_H
#define FTC_REPORTING_REPORT_H

#include "call/call.h"
#include "call/policy.h"
#include "mpi/callsite.h"
#include "notice.h"
#include "transport/transport.h"

/* Grows when a key changes its meaning or goes; new ones may come. */
enum { FTC_REPORT_SCHEMA = 1 };

/* What a rank in MPI_Finalize knows beside what is on the board. */
struct ftc_report_own {
    const _Atomic
        uint64_t (*calls)[FTC_FALLBACK_COUNT]; /* by enum ftc_call_kind and enum ftc_fallback */
    struct ftc_transport *transport;
    const struct ftc_stack *(*stack)(uint32_t world); /* ftc_recovery_site() */
    bool (*was_in_it)(uint32_t world);                /* ftc_recovery_is_first() */
};

/* Fills @n with what rank @world needs, in MPI_Init, once there is a board. Rank 0 reports files
 * that cannot be written. */
void ftc_report_open(struct ftc_notice *n, const struct ftc_board *board, uint32_t world,
                     const struct ftc_settings *settings);

/* Writes the report, as the setting says, and finishes the trace; called by every survivor in
 * MPI_Finalize. */
void ftc_report_write(const struct ftc_notice *n, const struct ftc_report_own *own);

/* Writes the report of a job that ends before MPI_Finalize can write one, if there is something to
 * report, and finishes the trace. Waits a second at most until it is decided of all dead ranks
 * whether they have failed, and six for another process that is writing the report, or for the
 * reader of what this one has written to standard error. Returns false if there is nothing to
 * report. */
bool ftc_report_write_early(const struct ftc_notice *n);

#endif
