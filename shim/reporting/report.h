/* report: what the library did, written once: in MPI_Finalize by the surviving rank with the lowest
 * number. If the job ends before that, the process that ends it writes the report, from the board
 * alone.
 *
 * Writing it waits for no rank. In MPI_Finalize the writer first fetches the call sites of ranks on
 * other hosts (sites_elsewhere.h). The schema of the JSON is in ftcoll-report(5). */
#ifndef FTC_REPORTING_REPORT_H
#define FTC_REPORTING_REPORT_H

#include "call/call.h"
#include "call/policy.h"
#include "mpi/callsite.h"
#include "notice.h"
#include "transport/transport.h"

/* Number of the JSON schema. It grows when a key is removed or changes its meaning, not when a key
 * is added. */
enum { FTC_REPORT_SCHEMA = 1 };

/* Facts that a rank in MPI_Finalize has beside those on the board. */
struct ftc_report_own {
    const _Atomic
        uint64_t (*calls)[FTC_FALLBACK_COUNT]; /* number by ftc_call_kind and ftc_fallback */
    struct ftc_transport *transport;
    const struct ftc_stack *(*stack)(uint32_t world); /* ftc_recovery_site() */
    bool (*was_in_it)(uint32_t world);                /* ftc_recovery_is_first() */
};

/* Fills @n for rank @world, in MPI_Init, once there is a board. Rank 0 prints which files cannot be
 * written. */
void ftc_report_open(struct ftc_notice *n, const struct ftc_board *board, uint32_t world,
                     const struct ftc_settings *settings);

/* Writes the report if the setting asks for one, and finishes the trace. To be called by every
 * survivor in MPI_Finalize; the first living rank writes the report, the first of each host the
 * trace. */
void ftc_report_write(const struct ftc_notice *n, const struct ftc_report_own *own);

/* Writes the report of a job that ends before MPI_Finalize can write one, if a rank has failed.
 * First waits at most one second until it is decided for all dead ranks whether they have failed.
 * After writing to standard error, waits at most five seconds until it has been read. If another
 * process is writing the report, waits for that at most six seconds. Then finishes the trace.
 * Returns false if no rank has failed, or with report = off. */
bool ftc_report_write_early(const struct ftc_notice *n);

#endif
