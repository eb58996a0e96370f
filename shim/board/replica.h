/* replica: what the boards of other hosts show of a rank of this one.
 *
 * A host's monitor processes send it, its agents enter it (monitor/query_server.h, agent.h). What
 * comes from another host is checked before it is entered. Times go as ages, because each host has
 * a clock of its own; they are longer here by the time that the news was under way. */
#ifndef FTC_BOARD_REPLICA_H
#define FTC_BOARD_REPLICA_H

#include "recovery_record.h"

/* Plain bytes, 16 times as many. */
struct ftc_replica {
    uint32_t rank;
    uint32_t state;   /* enum ftc_rank_state */
    uint32_t cause;   /* enum ftc_death_cause */
    int32_t value;    /* of a death */
    int32_t pid;      /* on its own host */
    uint32_t counted; /* enum ftc_counted */
    uint32_t settled; /* deaths (recovery_record.h) */
    uint32_t flags;
    uint64_t require_all_matches;      /* require_all.h, of its host */
    uint64_t waiting;                  /* mark.h, ftc_still_show() */
    uint64_t losses_told;              /* lease.h, by its host */
    struct ftc_operation_id failed_in; /* ftc_recovery_record_error() */
    uint64_t unused;
    uint64_t death_age_ns, settled_age_ns;
};
_Static_assert(sizeof(struct ftc_replica) % 16 == 0, "bodies of frames");

/* What @rank, of this host, shows at @now_ns. */
struct ftc_replica ftc_replica_take(const struct ftc_board *board, uint32_t rank, uint64_t now_ns);

/* Whether it tells something that @before did not: ages do not count. */
bool ftc_replica_is_news(const struct ftc_replica *r, const struct ftc_replica *before);

/* Enters what @host has sent; true if it was the first news of a death. Nothing is entered of a
 * rank that is not of that host, and no value that no correct host sends. */
bool ftc_replica_enter(struct ftc_board *board, uint32_t host, const struct ftc_replica *r,
                       uint64_t now_ns);

#endif
