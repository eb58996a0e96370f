/* lease: what the agent of a host (monitor/leaseholder.h) and the authority in mpiexec
 * (mpiexec/authority.h) say to each other. The agent asks again and again, each time for
 * @unreachable_ms from when it sent that; the number of an answer's frame is that of what it
 * answers. Bodies of frames: plain bytes. */
#ifndef FTC_NET_LEASE_H
#define FTC_NET_LEASE_H

#include "connection.h"

#include <inttypes.h>

/* In the environment of all that mpiexec starts: the port at which it listens, and the key. */
#define FTC_LEASE_VARIABLE "FTCOLL_INTERNAL_AUTHORITY"
#define FTC_LEASE_FORMAT   "%hu:%" PRIx64 ":%" PRIx64

/* Reads it, for this process and those that it forks. To be called before ftc_lease_hide(). */
void ftc_lease_read(void);

/* Takes it out of the environment, and its value out of what others see of that, because programs
 * print their environment and hand it on. To be called in the program that is the rank: a script
 * has to pass it on to that. */
void ftc_lease_hide(void);

/* Returns whether mpiexec has offered it, with the port and the key. */
bool ftc_lease_is_offered(void);
bool ftc_lease_offer(uint16_t *port, uint64_t key[2]);

/* In the handshake the authority has this in place of a rank. */
enum { FTC_LEASE_AUTHORITY = FTC_BOARD_RANKS_MAX };

/* How much longer the authority waits for a host than the host may go on: their clocks may differ
 * by a 500th. */
enum { FTC_LEASE_MARGIN_MS = 500, FTC_LEASE_DRIFT = 500 };

static inline int ftc_lease_margin_ms(int unreachable_ms)
{
    int drift_ms = unreachable_ms / FTC_LEASE_DRIFT;

    return drift_ms > FTC_LEASE_MARGIN_MS ? drift_ms : FTC_LEASE_MARGIN_MS;
}

/* How long hosts that hear each other wait for an mpiexec that none of them hears, and mpiexec for
 * hosts none of which it hears: it is stopped, or alone without a network. No host is lost then. */
enum { FTC_LEASE_MPIEXEC_MS = 300000 };

/* Until when a host may go on that has asked at @asked_ns, on its own clock; */
static inline uint64_t ftc_lease_until_ns(uint64_t asked_ns, int unreachable_ms)
{
    return asked_ns + (uint64_t)unreachable_ms * 1000000u;
}

/* and whether one that was heard at @heard_ns, on the authority's, has stopped by @now_ns. */
static inline bool ftc_lease_has_run_out(uint64_t heard_ns, int unreachable_ms, uint64_t now_ns)
{
    return now_ns - heard_ns >
           (uint64_t)(unreachable_ms + ftc_lease_margin_ms(unreachable_ms)) * 1000000u;
}

struct ftc_lease_request {
    uint32_t host, hosts;        /* of the job */
    int32_t unreachable_ms;      /* of the job */
    int32_t failure_exit_status; /* of the job; 0..255 */
    uint32_t is_agreed;          /* the ranks of the job count on it: lost hosts are tolerated */
    uint32_t family, port;       /* this host's end of the connection of mpiexec with its proxy */
    unsigned char address[FTC_BOARD_ADDRESS_BYTES];
    uint32_t is_through; /* no rank there is in MPI any more: it may fall silent without an agent */
};
_Static_assert(sizeof(struct ftc_lease_request) % 16 == 0, "bodies of frames");

enum ftc_lease_answer {
    FTC_LEASE_GRANTED = 1,
    FTC_LEASE_REFUSED, /* no proxy of mpiexec's is there, or nobody is to be declared lost */
    FTC_LEASE_LOST,    /* the host is given up: its ranks must end */
};

struct ftc_lease_reply {
    uint32_t answer;      /* enum ftc_lease_answer */
    uint32_t is_in_force; /* the ranks of all hosts count on it */
    uint64_t lost, ended; /* sets of hosts: those lost, and of these those whose processes ended */
    uint64_t more_unused;
};
_Static_assert(sizeof(struct ftc_lease_reply) % 16 == 0, "bodies of frames");

enum { FTC_LEASE_FRAME_MAX = 256 };

#endif
