/* leaseholder: how the agent of a host keeps the right of its ranks to go on (board/lease.h), with
 * the authority in mpiexec (net/lease.h).
 *
 * It asks often. A lease counts from when that was asked which was granted, so it runs out here
 * before the authority, which counts from when it heard that, and waits longer, takes the host for
 * lost. */
#ifndef FTC_MONITOR_LEASEHOLDER_H
#define FTC_MONITOR_LEASEHOLDER_H

#include "monitored.h"
#include "net/connection.h"
#include "net/socket.h"

struct ftc_leaseholder {
    struct ftc_connection c;
    bool has_authority;
    struct ftc_address address; /* of mpiexec */
    struct ftc_end own;         /* of mpiexec's connection with this host's proxy */
    uint16_t port;
    uint64_t key[2];
    uint64_t asked_ns, again_ns; /* CLOCK_MONOTONIC */
};

/* Finds the authority, if there is one, by the environment and the launcher's connection. */
void ftc_leaseholder_open(struct ftc_leaseholder *l);

/* How long the loop of the agent may sleep; -1: as long as it likes. */
int ftc_leaseholder_patience_ms(const struct ftc_leaseholder *l, const struct ftc_monitored *rank);

/* Asks and hears, as there is time for it. Enters the hosts that are lost in the board: true if
 * there is a new one. Once the lease has run out, or this host is declared lost, it ends all ranks
 * of this host, with a line, and this process. */
bool ftc_leaseholder_turn(struct ftc_leaseholder *l, struct ftc_monitored *rank, uint64_t now_ns);

#endif
