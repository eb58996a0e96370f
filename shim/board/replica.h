/* replica: data of a rank that the boards of other hosts show.
 *
 * The monitor processes of the rank's host send the data (monitor/query_server.h). The agents of
 * the other hosts check them and enter them in their boards (monitor/agent.h). Times are sent as
 * ages, because each host has its own clock. The receiver subtracts an age from its own time, so a
 * received time is too late by the duration of the transfer. */
#ifndef FTC_BOARD_REPLICA_H
#define FTC_BOARD_REPLICA_H

#include "recovery_record.h"

/* Body of a frame: plain bytes without pointers, in a multiple of 16. */
struct ftc_replica {
    uint32_t rank;
    uint32_t state;                    /* enum ftc_rank_state */
    uint32_t cause;                    /* enum ftc_death_cause */
    int32_t value;                     /* value of the cause of death */
    int32_t pid;                       /* pid on its own host */
    uint32_t counted;                  /* enum ftc_counted */
    uint32_t settled;                  /* number of deaths (recovery_record.h) */
    uint32_t flags;                    /* flags of replica.c */
    uint64_t require_all_matches;      /* ftc_require_all_matches() of its host */
    uint64_t waiting;                  /* ftc_still_show() (mark.h) */
    uint64_t losses_announced;         /* ftc_lease_losses_announced() of its host */
    struct ftc_operation_id failed_in; /* ftc_recovery_record_error() */
    uint64_t unused;
    uint64_t death_age_ns, settled_age_ns;
};
_Static_assert(sizeof(struct ftc_replica) % 16 == 0, "bodies of frames");

/* Returns the data of @rank, of this host, at @now_ns. */
struct ftc_replica ftc_replica_take(const struct ftc_board *board, uint32_t rank, uint64_t now_ns);

/* Returns whether @r differs from @before in more than the ages. */
bool ftc_replica_differs(const struct ftc_replica *r, const struct ftc_replica *before);

/* Enters data that @host has sent. Returns whether a death was not on this board before. Enters
 * nothing for a rank that is not on @host, or if no correct host sends such values. */
bool ftc_replica_enter(struct ftc_board *board, uint32_t host, const struct ftc_replica *r,
                       uint64_t now_ns);

#endif
