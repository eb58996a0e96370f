#include "replica.h"

#include "announcement.h"
#include "death.h"
#include "end_of_job.h"
#include "lease.h"
#include "presence.h"
#include "require_all.h"

#include <stddef.h>
#include <string.h>

/* Layout of @flags: the bits below, then the deaths that end the job (rank_state.h), then the
 * number of deaths after which a recovery was announced last. */
enum {
    TOLD = 2,
    JOB_SAID = 4,
    JOB_NOW = 8,
    REPORTED = 16,
    EXHAUSTED = 32,
    FORBIDDEN_SHIFT = 8,
    FORBIDDEN = (2 << FTC_DEATH_HOST) - 1,
    RECOVERED_SHIFT = 16
};
_Static_assert((uint64_t)FTC_BOARD_RANKS_MAX << RECOVERED_SHIFT <= UINT32_MAX, "flags are a word");

static uint64_t age(uint64_t then_ns, uint64_t now_ns)
{
    return then_ns != 0 && then_ns < now_ns ? now_ns - then_ns : 0;
}

static uint32_t flags_of(const struct ftc_board *board, uint32_t rank)
{
    const struct ftc_board_shared *s = board->shared;

    return (atomic_load(&s->rank[rank].forbidden) & FORBIDDEN) << FORBIDDEN_SHIFT |
           (atomic_load(&s->rank[rank].is_exhausted) ? EXHAUSTED : 0) |
           ((uint32_t)atomic_load(&s->rank[rank].announced) != 0 ? TOLD : 0) |
           (ftc_end_of_job_is_said_here(board) ? JOB_SAID : 0) |
           (ftc_end_of_job_is_now(board) ? JOB_NOW : 0) |
           ((uint32_t)atomic_load(&s->report_announced) != 0 ? REPORTED : 0) |
           (uint32_t)atomic_load(&s->recovery_announced) << RECOVERED_SHIFT;
}

/* Reads the state first, because the data of a death are written before it. */
struct ftc_replica ftc_replica_take(const struct ftc_board *board, uint32_t rank, uint64_t now_ns)
{
    const struct ftc_board_rank *s = &board->shared->rank[rank];
    struct ftc_replica r = {.rank = rank, .state = ftc_board_state(board, rank)};
    bool is_dead = r.state == FTC_RANK_FAILED;

    r.cause = is_dead ? ftc_death_cause(board, rank) : FTC_DEATH_NONE;
    r.value = is_dead ? ftc_death_value(board, rank) : 0;
    r.pid = atomic_load(&s->pid);
    r.counted = ftc_presence_counted(board, rank);
    r.settled = atomic_load(&s->settled);
    r.failed_in = ftc_recovery_record_error(board, rank);
    r.flags = flags_of(board, rank);
    r.require_all_matches = ftc_require_all_matches(board);
    r.waiting = atomic_load(&s->waiting);
    r.losses_announced = ftc_lease_losses_announced(board);
    r.death_age_ns = is_dead ? age(atomic_load(&s->death_time_ns), now_ns) : 0;
    r.settled_age_ns = age(atomic_load(&s->settled_ns), now_ns);
    return r;
}

bool ftc_replica_differs(const struct ftc_replica *r, const struct ftc_replica *before)
{
    return memcmp(r, before, offsetof(struct ftc_replica, death_age_ns)) != 0;
}

static bool is_sane(const struct ftc_board *board, uint32_t host, const struct ftc_replica *r)
{
    return r->rank < board->geometry.ranks && ftc_board_host(board, r->rank) == host &&
           !ftc_board_is_here(board, r->rank) && r->state <= FTC_RANK_FAILED &&
           r->counted <= FTC_COUNTED_REFUSED &&
           (r->state != FTC_RANK_FAILED ||
            (r->cause > FTC_DEATH_NONE && r->cause <= FTC_DEATH_HOST));
}

/* Enters the number of deaths after which another host has announced a recovery. A claim of a
 * process of this host stays. */
static void enter_recovery_announced(_Atomic uint64_t *word, uint32_t deaths)
{
    uint64_t seen = atomic_load(word);

    while ((uint32_t)seen < deaths &&
           !atomic_compare_exchange_weak(word, &seen, (seen & ~(uint64_t)UINT32_MAX) | deaths))
        ;
}

/* Enters the parts that concern the whole job: its end, its report and recoveries. */
static void enter_job(struct ftc_board *board, uint32_t host, const struct ftc_replica *r)
{
    uint32_t flags = r->flags;

    if (flags & JOB_NOW)
        ftc_end_of_job_begin(board);
    else if (flags & JOB_SAID)
        (void)ftc_end_of_job_claim(board, r->rank);
    else
        ftc_end_of_job_is_not_said_on(board, host);
    if (flags & (REPORTED | JOB_NOW))
        ftc_announcement_is_elsewhere(
            board, &(struct ftc_announcement){.kind = FTC_ANNOUNCEMENT_REPORT, .number = 1});
    enter_recovery_announced(&board->shared->recovery_announced, flags >> RECOVERED_SHIFT);
}

/* Records that the rank has recovered from the deaths since @last_ns, when it recovered last. */
static void enter_recovery(struct ftc_board *board, uint64_t last_ns, uint64_t now_ns,
                           const struct ftc_operation_id *failed_in)
{
    for (uint32_t i = 0; i < board->geometry.ranks; i++) {
        if (!ftc_board_is_dead(board, i) ||
            atomic_load(&board->shared->rank[i].death_time_ns) < last_ns)
            continue;
        ftc_recovery_record_fail(board, i, failed_in);
        ftc_recovery_record_recovered(board, i, now_ns);
    }
}

static void death_is_announced_elsewhere(const struct ftc_board *board, uint32_t rank)
{
    ftc_announcement_is_elsewhere(
        board,
        &(struct ftc_announcement){.kind = FTC_ANNOUNCEMENT_DEATH, .rank = rank, .number = 1});
}

static void enter_rank(struct ftc_board *board, const struct ftc_replica *r, uint64_t now_ns)
{
    struct ftc_board_rank *s = &board->shared->rank[r->rank];

    atomic_store(&s->pid, r->pid);
    atomic_store(&s->waiting, r->waiting);
    atomic_store(&s->forbidden, r->flags >> FORBIDDEN_SHIFT & FORBIDDEN);
    if (r->flags & EXHAUSTED)
        atomic_store(&s->is_exhausted, true);
    if (r->settled > atomic_load(&s->settled)) {
        enter_recovery(board, atomic_load(&s->settled_ns), now_ns, &r->failed_in);
        atomic_store(&s->settled_ns,
                     r->settled_age_ns < now_ns ? now_ns - r->settled_age_ns : now_ns);
        atomic_store(&s->settled, r->settled);
    }
    if (r->flags & TOLD)
        death_is_announced_elsewhere(board, r->rank);
}

/* Marks the deaths on the lost hosts @hosts as announced, because another host has announced them.
 * That may happen before mpiexec tells this host that they are lost. */
static void enter_losses_announced(const struct ftc_board *board, uint64_t hosts)
{
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if ((hosts >> ftc_board_host(board, i) & 1) != 0 && !ftc_board_is_here(board, i))
            death_is_announced_elsewhere(board, i);
}

static void enter_state(struct ftc_board *board, const struct ftc_replica *r)
{
    if (r->state > ftc_board_state(board, r->rank) && r->state != FTC_RANK_FAILED)
        ftc_board_advance(board, r->rank, (enum ftc_rank_state)r->state);
    if (r->counted != FTC_COUNTED_NOT)
        ftc_presence_count(board, r->rank, r->counted == FTC_COUNTED_PREPARED);
}

static bool enter_death(struct ftc_board *board, const struct ftc_replica *r)
{
    return r->state == FTC_RANK_FAILED &&
           ftc_board_mark_failed_ago(board, r->rank, (enum ftc_death_cause)r->cause, r->value,
                                     r->death_age_ns);
}

bool ftc_replica_enter(struct ftc_board *board, uint32_t host, const struct ftc_replica *r,
                       uint64_t now_ns)
{
    if (!is_sane(board, host, r))
        return false;
    enter_job(board, host, r);
    ftc_require_all_add(board, r->require_all_matches);
    enter_losses_announced(board, r->losses_announced);
    enter_rank(board, r, now_ns);
    enter_state(board, r);
    return enter_death(board, r);
}
