/* lease: messages between the agent of a host (monitor/leaseholder.h) and the authority in mpiexec
 * (mpiexec/authority.h). The agent requests a lease again and again, each time for unreachable_ms
 * from when it sent the request. A reply's frame has the number of the request's frame. The number
 * is 0 if the authority replies without a request, because a host was lost. Bodies of frames are
 * plain bytes. */
#ifndef FTC_NET_LEASE_H
#define FTC_NET_LEASE_H

#include "connection.h"

#include <inttypes.h>

/* Variable in the environment of all processes that mpiexec starts: the port at which mpiexec
 * listens, and the key. */
#define FTC_LEASE_VARIABLE "FTCOLL_INTERNAL_AUTHORITY"
#define FTC_LEASE_FORMAT   "%hu:%" PRIx64 ":%" PRIx64

/* Reads the variable, for this process and those that it forks. To be called before
 * ftc_lease_hide(). */
void ftc_lease_read(void);

/* Removes the variable from the environment, and overwrites its value, which other processes could
 * read. Programs print their environment and pass it on. To be called in the program that is the
 * rank, because a script before it has to pass the variable on. */
void ftc_lease_hide(void);

/* Returns whether mpiexec has offered leases. */
bool ftc_lease_is_offered(void);

/* Stores mpiexec's @port and @key. Returns false without a valid offer. */
bool ftc_lease_offer(uint16_t *port, uint64_t key[2]);

/* Number of the authority in the handshake, in place of a rank. */
enum { FTC_LEASE_AUTHORITY = FTC_BOARD_RANKS_MAX };

/* Margin that the authority waits after a lease: 500 ms, or a 500th of unreachable_ms if that is
 * more, because clocks may differ by a 500th. */
enum { FTC_LEASE_MARGIN_MS = 500, FTC_LEASE_DRIFT = 500 };

static inline int ftc_lease_margin_ms(int unreachable_ms)
{
    int drift_ms = unreachable_ms / FTC_LEASE_DRIFT;

    return drift_ms > FTC_LEASE_MARGIN_MS ? drift_ms : FTC_LEASE_MARGIN_MS;
}

/* Most time that hosts which hear each other wait for an mpiexec that none of them hears, and that
 * mpiexec waits if it hears none of several hosts. mpiexec is then stopped, or has no network. No
 * host is lost meanwhile. */
enum { FTC_LEASE_MPIEXEC_MS = 300000 };

/* Returns until when a host may go on that has sent its request at @asked_ns. Both are times of the
 * host's clock. */
static inline uint64_t ftc_lease_until_ns(uint64_t asked_ns, int unreachable_ms)
{
    return asked_ns + (uint64_t)unreachable_ms * 1000000u;
}

/* Returns whether a host that the authority has heard at @heard_ns must have stopped by @now_ns.
 * Both are times of the authority's clock. */
static inline bool ftc_lease_has_run_out(uint64_t heard_ns, int unreachable_ms, uint64_t now_ns)
{
    return now_ns - heard_ns >
           (uint64_t)(unreachable_ms + ftc_lease_margin_ms(unreachable_ms)) * 1000000u;
}

struct ftc_lease_request {
    uint32_t host, hosts;        /* this host's number, and number of hosts of the job */
    int32_t unreachable_ms;      /* setting of the job */
    int32_t failure_exit_status; /* setting of the job; 0..255 */
    uint32_t is_agreed;          /* all ranks have agreed on leases: lost hosts are tolerated */
    uint32_t family, port;       /* this host's end of mpiexec's proxy connection, with address */
    unsigned char address[FTC_BOARD_ADDRESS_BYTES];
    uint32_t is_through; /* no rank of the host is in MPI: without its agent it may be silent */
};
_Static_assert(sizeof(struct ftc_lease_request) % 16 == 0, "bodies of frames");

enum ftc_lease_answer {
    FTC_LEASE_GRANTED = 1,
    FTC_LEASE_REFUSED, /* the request matches no proxy, or no host may be declared lost */
    FTC_LEASE_LOST,    /* the host was declared lost: its ranks must end */
};

struct ftc_lease_reply {
    uint32_t answer;      /* enum ftc_lease_answer */
    uint32_t is_in_force; /* the ranks of all hosts have agreed on leases */
    uint64_t lost, ended; /* sets of hosts: lost ones; those of them that have ended */
    uint64_t more_unused;
};
_Static_assert(sizeof(struct ftc_lease_reply) % 16 == 0, "bodies of frames");

enum { FTC_LEASE_FRAME_MAX = 256 };

#endif
