/* pmi: the few commands of PMI that are said to the launcher past MPI (doc/design.md, section 7):
 * they ask which ranks share a host, end a rank's account, or end the job. The launcher is Hydra,
 * or Slurm's plugin pmi2, and speaks as the rank's MPI has begun to: PMI-1 or PMI-2. */
#ifndef FTC_MONITOR_PMI_H
#define FTC_MONITOR_PMI_H

#include "pmi_wire.h"

/* The inherited PMI socket named by the environment, or -1 if this process is no rank of a launcher
 * that uses one. */
int ftc_pmi_fd(void);

/* In which form this process speaks from now on; PMI-1 before. With FTC_PMI_MUTE nothing is said,
 * and nothing is heard but the end of the connection. */
void ftc_pmi_speak(enum ftc_pmi_wire wire);
enum ftc_pmi_wire ftc_pmi_spoken(void);

enum ftc_pmi_answer {
    FTC_PMI_FINALIZE_ACK,
    FTC_PMI_SILENCE, /* nothing arrived in time */
    FTC_PMI_CLOSED,  /* the other end has closed the connection, or it is broken */
};

/* Asks which ranks share a host: fills @text with what stands under PMI_process_mapping (see
 * mapping.h). To be called while MPI itself asks nothing. Returns 0; -ENOENT if the launcher does
 * not say, or not in @size bytes; -ETIMEDOUT, -EPIPE or -EPROTO if it does not answer, or not in
 * this form: it gets ten seconds. */
int ftc_pmi_get_mapping(int fd, char *text, size_t size);

/* Waits up to @timeout_ms for the answer to a finalize command; all other commands are dropped. */
enum ftc_pmi_answer ftc_pmi_wait(int fd, int timeout_ms);

/* Ends the whole job, also where its other ranks wait for this one. Unless MPI @has_begun PMI here,
 * that is done first, as Slurm takes no other command before: then it waits up to five seconds. The
 * launcher may kill this process at once, and drop what it has not read yet of its output. Up to
 * five seconds are left to it for that: Hydra's proxy takes a rank that is gone before the launcher
 * has heard of the abort for a crash, and says so. */
void ftc_pmi_abort(int fd, int status, bool has_begun);

/* Ends the account: the launcher does not take the closing of the socket for a crash any more.
 * Harmless if it was done before, by MPI or by another process that holds the socket. Waits at most
 * six seconds. @may_be_second: an answer to an earlier such command can still be on its way. */
void ftc_pmi_finalize(int fd, bool may_be_second);

#endif
