#include "host.h"

#include "board/replica.h"
#include "check.h"
#include "internal.h"

size_t sim_host_board_bytes(int ranks)
{
    return sizeof(struct ftc_board_shared) + (size_t)ranks * sizeof(struct ftc_board_rank);
}

static void make_board(const struct sim *s, int number)
{
    struct ftc_board *board = &s->hosts[number].board;

    board->shared = (void *)(s->boards + (size_t)number * sim_host_board_bytes(s->scenario.n));
    board->geometry = (struct ftc_board_geometry){
        .ranks = (uint32_t)s->scenario.n,
        .other_hosts = (uint32_t)s->host_count - 1,
        .host = (uint32_t)number,
    };
    for (int rank = 0; rank < s->scenario.n; rank++) {
        board->shared->rank[rank].host = (uint32_t)s->host[rank];
        ftc_board_advance(board, (uint32_t)rank, FTC_RANK_RUNNING);
    }
}

void sim_host_begin(struct sim *s)
{
    for (int i = 0; i < s->host_count; i++) {
        struct sim_host *h = &s->hosts[i];

        make_board(s, i);
        h->ranks = h->untold = h->unheard = 0;
        h->is_gone = h->is_lost = false;
        h->deaths_seen = 0;
        h->news = 0;
    }
    for (int rank = 0; rank < s->scenario.n; rank++)
        s->hosts[s->host[rank]].ranks |= sim_bit(rank);
}

/* ---- from the board to the ranks ---- */

static void tell_rank(struct sim *s, const struct ftc_board *board, int rank)
{
    const struct sim_process *p = &s->process[rank];

    for (int peer = 0; peer < s->scenario.n; peer++)
        if (ftc_board_is_dead(board, (uint32_t)peer) && !(p->known_dead & sim_bit(peer)))
            sim_event_allow(s, SIM_EVENT_NEWS, rank, peer);
}

/* Ranks look at the number of deaths alone, until it grows. */
static void tell_ranks(struct sim *s, struct sim_host *h)
{
    uint32_t deaths = ftc_board_deaths(&h->board);

    if (deaths == h->deaths_seen)
        return;
    h->deaths_seen = deaths;
    for (int rank = 0; rank < s->scenario.n; rank++)
        if (h->ranks & sim_bit(rank) && s->process[rank].alive &&
            s->process[rank].stage != SIM_STAGE_FINISHED)
            tell_rank(s, &h->board, rank);
}

/* ---- from other hosts to the board ---- */

static void refresh(struct sim *s, enum sim_event_kind kind, int host, int what, bool can_happen)
{
    if (can_happen)
        sim_event_allow(s, kind, host, what);
    else
        sim_event_forbid(s, kind, host, what);
}

void sim_host_refresh(struct sim *s, int host)
{
    const struct sim_host *h = &s->hosts[host];
    bool hears = !h->is_gone && !sim_lease_agent_is_paused(s, host);

    for (int rank = 0; rank < s->scenario.n; rank++)
        refresh(s, SIM_EVENT_TELL, host, rank,
                hears && h->untold & sim_bit(rank) && !sim_lease_is_cut(s, s->host[rank], host));
    for (int lost = 0; lost < s->host_count; lost++)
        refresh(s, SIM_EVENT_LOSS, host, lost,
                hears && h->unheard & sim_bit(lost) && sim_lease_hears_authority(s, host));
}

static uint64_t ranks_gone(const struct sim *s)
{
    uint64_t ranks = 0;

    for (int host = 0; host < s->host_count; host++)
        ranks |= s->hosts[host].is_gone ? s->hosts[host].ranks : 0;
    return ranks;
}

static uint64_t hosts_lost(const struct sim *s)
{
    uint64_t hosts = 0;

    for (int host = 0; host < s->host_count; host++)
        hosts |= s->hosts[host].is_lost ? sim_bit(host) : 0;
    return hosts;
}

/* Whoever takes over begins with all that there is; of a host that has ended nobody answers. */
static void change_agent(struct sim *s, int host)
{
    struct sim_host *h = &s->hosts[host];

    sim_trace_note(s, "        the agent of host %d ends", host);
    h->untold = s->dead & ~h->ranks & ~ranks_gone(s);
    h->unheard = hosts_lost(s) & ~sim_bit(host);
    sim_host_refresh(s, host);
}

static const struct scenario_agent *ending_agent(const struct sim *s, int host)
{
    const struct scenario *c = &s->scenario;

    for (int i = 0; i < c->agent_count; i++)
        if (sim_host_number(s, c->agent[i].host) == host && c->agent[i].news == s->hosts[host].news)
            return &c->agent[i];
    return NULL;
}

static void enter_death(struct sim *s, int host, int rank)
{
    struct sim_host *h = &s->hosts[host];
    int from = s->host[rank];
    struct ftc_replica r = ftc_replica_take(&s->hosts[from].board, (uint32_t)rank, 1);

    h->untold &= ~sim_bit(rank);
    ftc_replica_enter(&h->board, (uint32_t)from, &r, 1);
}

static void enter_loss(struct sim *s, int host, int lost)
{
    struct sim_host *h = &s->hosts[host];

    h->unheard &= ~sim_bit(lost);
    ftc_lease_lose_host(&h->board, (uint32_t)lost, s->hosts[lost].how);
}

/* What is left of a death when an agent ends in the middle of ftc_board_mark_failed_ago(). */
static void uncount(struct ftc_board *board, uint32_t before)
{
    if (ftc_board_deaths(board) != before)
        atomic_store(&board->shared->deaths, before);
}

static void hear(struct sim *s, int host, int what, void (*enter)(struct sim *, int, int))
{
    struct sim_host *h = &s->hosts[host];
    uint32_t before = ftc_board_deaths(&h->board);
    const struct scenario_agent *ending;

    h->news++;
    ending = ending_agent(s, host);
    if (!ending || ending->when != SIM_BEFORE)
        enter(s, host, what);
    if (ending && ending->when == SIM_WITHIN)
        uncount(&h->board, before);
    if (ending)
        change_agent(s, host);
    sim_check_board(s, host);
    sim_host_refresh(s, host);
    tell_ranks(s, h);
}

void sim_host_hear(struct sim *s, int host, int rank)
{
    hear(s, host, rank, enter_death);
}

void sim_host_hear_loss(struct sim *s, int host, int lost)
{
    hear(s, host, lost, enter_loss);
}

/* ---- deaths on the host ---- */

/* A single rank that dies leaves its monitor process behind; so does a host that stops, for a
 * while. */
void sim_host_take_ends(struct sim *s, uint64_t ranks)
{
    for (int host = 0; host < s->host_count; host++) {
        struct sim_host *h = &s->hosts[host];

        if ((h->ranks & ~ranks) == 0 && (ranks & (ranks - 1)) != 0 &&
            !ftc_lease_has_ended(&h->board))
            h->is_gone = true;
    }
}

void sim_host_bury(struct sim *s, int rank)
{
    int own = s->host[rank];

    ftc_board_mark_failed(&s->hosts[own].board, (uint32_t)rank, FTC_DEATH_SIGNAL, 9);
    tell_ranks(s, &s->hosts[own]);
    for (int host = 0; host < s->host_count && !s->hosts[own].is_gone; host++)
        if (host != own)
            s->hosts[host].untold |= sim_bit(rank);
}
