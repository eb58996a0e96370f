/* pmi: the few PMI commands that the library itself sends to the launcher (doc/design.md, section
 * 7). They ask which ranks share a host, end a rank's account, or end the job. The launcher is
 * Hydra or Slurm's plugin pmi2. Commands have the form in which the rank's MPI has begun: PMI-1 or
 * PMI-2. */
#ifndef FTC_MONITOR_PMI_H
#define FTC_MONITOR_PMI_H

#include "pmi_wire.h"

/* Returns the inherited PMI socket that the environment names, or -1 if this process is no rank of
 * a launcher that uses one. */
int ftc_pmi_fd(void);

/* Sets and returns the form of commands of this process; at first it is PMI-1. With FTC_PMI_MUTE no
 * command is sent, and only the end of the connection is noticed. */
void ftc_pmi_speak(enum ftc_pmi_wire wire);
enum ftc_pmi_wire ftc_pmi_spoken(void);

enum ftc_pmi_answer {
    FTC_PMI_FINALIZE_ACK,
    FTC_PMI_SILENCE, /* no answer in time */
    FTC_PMI_CLOSED,  /* connection closed by the other end, or broken */
};

/* Asks the launcher which ranks share a host, and writes the value of PMI_process_mapping to @text
 * (mapping.h). Must be called while MPI itself sends no command. Returns 0; -ENOENT without a
 * launcher that answers, or if it has no value, or one that does not fit in @size bytes with its
 * zero byte; -ETIMEDOUT, -EPIPE or -EPROTO if an answer in this form does not arrive within ten
 * seconds. PMI-1 needs two answers. */
int ftc_pmi_get_mapping(int fd, char *text, size_t size);

/* Waits up to @timeout_ms for the answer to a finalize command. Drops all other commands. */
enum ftc_pmi_answer ftc_pmi_wait(int fd, int timeout_ms);

/* Ends the whole job, also if its other ranks wait for this one. Unless MPI @has_begun PMI here,
 * begins it first, because Slurm accepts no other command before; that takes up to five seconds.
 * The launcher may kill this process at once and drop its unread output. Waits up to five seconds
 * for that: if a rank ends before the launcher has heard of the abort, Hydra's proxy takes that for
 * a crash and reports it. */
void ftc_pmi_abort(int fd, int status, bool has_begun);

/* Ends the account of this rank: the launcher then no longer takes the closing of the socket for a
 * crash. Harmless if MPI, or another process that holds the socket, has done so before.
 * @may_be_second: an answer to an earlier such command can still be on its way. Waits at most six
 * seconds. */
void ftc_pmi_finalize(int fd, bool may_be_second);

#endif
