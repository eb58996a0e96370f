#include "lease.h"

#include "board/lease.h"
#include "check.h"
#include "internal.h"
#include "net/lease.h"

#include <limits.h>

enum { NS_OF_MS = 1000000, OUT = 1 << SIM_WAY_OUT, IN = 1 << SIM_WAY_IN };

_Static_assert(SIM_LEASE_TICKS *SIM_TICK_MS == SIM_UNREACHABLE_MS, "ticks of a lease");

/* ---- the clock of the library's code ---- */

static uint64_t simulated_ns; /* 0: none */

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    if (simulated_ns == 0)
        return __real_clock_gettime(id, t);
    t->tv_sec = (time_t)(simulated_ns / 1000000000u);
    t->tv_nsec = (long)(simulated_ns % 1000000000u);
    return 0;
}

static void set_clock(const struct sim *s)
{
    simulated_ns = (1000000 + (uint64_t)s->tick * SIM_TICK_MS) * NS_OF_MS;
}

void sim_lease_end(void)
{
    simulated_ns = 0;
}

/* ---- ways ---- */

static bool is_cut(const struct sim *s, int host, enum scenario_way way)
{
    return s->tick < s->hosts[host].lease.cut_until[way];
}

static bool any_is_cut(const struct sim *s, int host)
{
    bool any = false;

    for (int way = 0; way < SIM_WAYS; way++)
        any = any || is_cut(s, host, (enum scenario_way)way);
    return any;
}

bool sim_lease_is_cut(const struct sim *s, int from, int to)
{
    return from != to && s->scenario.split_count > 0 &&
           (is_cut(s, from, SIM_WAY_OUT) || is_cut(s, to, SIM_WAY_IN));
}

bool sim_lease_agent_is_paused(const struct sim *s, int host)
{
    return is_cut(s, host, SIM_WAY_AGENT);
}

bool sim_lease_hears_authority(const struct sim *s, int host)
{
    return !is_cut(s, host, SIM_WAY_DOWN) && !sim_lease_agent_is_paused(s, host);
}

/* ---- what can happen ---- */

bool sim_lease_is_over(const struct sim *s, int rank)
{
    return s->scenario.has_agents && ftc_lease_is_over(&s->hosts[s->host[rank]].board);
}

static void refresh_fence(struct sim *s, int rank)
{
    const struct sim_process *p = &s->process[rank];

    if (p->alive && p->stage == SIM_STAGE_LEAVING && !sim_lease_is_over(s, rank))
        sim_event_allow(s, SIM_EVENT_PUBLISH, rank, rank);
    else
        sim_event_forbid(s, SIM_EVENT_PUBLISH, rank, rank);
}

/* Time goes on as long as somebody waits for it. */
static bool depends_on_time(const struct sim *s, int host)
{
    const struct sim_host *h = &s->hosts[host];

    return !(h->is_lost && h->is_gone) && (any_is_cut(s, host) || h->lease.over > 0);
}

static void refresh_tick(struct sim *s)
{
    bool is_needed = false;

    for (int host = 0; host < s->host_count; host++)
        is_needed = is_needed || depends_on_time(s, host);
    if (is_needed && s->dead != sim_all(s))
        sim_event_allow(s, SIM_EVENT_TICK, 0, 0);
    else
        sim_event_forbid(s, SIM_EVENT_TICK, 0, 0);
}

static void refresh_end(struct sim *s, int host)
{
    const struct sim_host *h = &s->hosts[host];

    if (h->is_gone && !h->is_lost && s->dead != sim_all(s) && !is_cut(s, host, SIM_WAY_UP))
        sim_event_allow(s, SIM_EVENT_END, host, host);
    else
        sim_event_forbid(s, SIM_EVENT_END, host, host);
}

void sim_lease_refresh(struct sim *s)
{
    for (int host = 0; host < s->host_count; host++) {
        sim_host_refresh(s, host);
        refresh_end(s, host);
    }
    refresh_tick(s);
}

static void refresh_all(struct sim *s)
{
    sim_lease_refresh(s);
    sim_network_refresh(s);
    for (int rank = 0; rank < s->scenario.n; rank++) {
        refresh_fence(s, rank);
        sim_board_refresh_answers(s, rank);
    }
}

/* ---- splits ---- */

static void begin_split(struct sim *s, const struct scenario_split *split)
{
    int host = sim_host_number(s, split->host);

    sim_trace_note(s, "        host %d is cut off", split->host);
    for (int way = 0; way < SIM_WAYS; way++) {
        int *until = &s->hosts[host].lease.cut_until[way];
        int end = split->ticks > 0 ? s->tick + split->ticks : INT_MAX;

        if (split->ways >> way & 1 && end > *until)
            *until = end;
    }
    refresh_all(s);
}

void sim_lease_split(struct sim *s, int rank, bool before)
{
    int sends = s->process[rank].sends + before;

    for (int i = 0; i < s->scenario.split_count; i++) {
        const struct scenario_split *split = &s->scenario.split[i];

        if (split->rank == rank && split->sends == sends && split->before == before)
            begin_split(s, split);
    }
}

void sim_lease_begin(struct sim *s)
{
    s->tick = 0;
    set_clock(s);
    for (int host = 0; host < s->host_count; host++) {
        struct sim_host *h = &s->hosts[host];

        h->lease = (struct sim_lease){.heard_ns = simulated_ns, .awake = SIM_LEASE_TICKS};
        ftc_lease_agree(&h->board, true);
        ftc_lease_put_in_force(&h->board);
        ftc_lease_renew(&h->board, ftc_lease_until_ns(simulated_ns, SIM_UNREACHABLE_MS),
                        ftc_clock_ahead_ns());
    }
}

/* ---- the host ---- */

static void hear_answer(struct sim *s, int host)
{
    struct sim_host *h = &s->hosts[host];

    if (h->is_lost)
        ftc_lease_end(&h->board);
    else
        ftc_lease_renew(&h->board, ftc_lease_until_ns(h->lease.answered_ns, SIM_UNREACHABLE_MS),
                        ftc_clock_ahead_ns());
    h->lease.answered_ns = 0;
}

static void ask(struct sim *s, int host)
{
    struct sim_lease *l = &s->hosts[host].lease;
    bool is_asking = !s->hosts[host].is_gone && !sim_lease_agent_is_paused(s, host);

    if (is_asking)
        l->asked_ns = simulated_ns;
    if (l->asked_ns != 0 && !is_cut(s, host, SIM_WAY_UP)) {
        l->heard_ns = simulated_ns;
        l->answered_ns = l->asked_ns;
        l->asked_ns = 0;
    }
    if (l->answered_ns != 0 && is_asking && !is_cut(s, host, SIM_WAY_DOWN))
        hear_answer(s, host);
}

static void stop(struct sim *s, int host)
{
    struct sim_host *h = &s->hosts[host];

    sim_trace_note(s, "        host of p%d stops", __builtin_ctzll(h->ranks));
    sim_check_stop(s, host);
    ftc_lease_end(&h->board);
    sim_death_crash(s, h->ranks);
    h->is_gone = true;
}

static void count_ticks(struct sim *s, int host)
{
    struct sim_lease *l = &s->hosts[host].lease;
    bool is_apart = is_cut(s, host, SIM_WAY_OUT) || is_cut(s, host, SIM_WAY_IN);

    l->troubled = any_is_cut(s, host) ? l->troubled + 1 : 0;
    l->apart = is_apart && !s->hosts[host].is_gone ? l->apart + 1 : 0;
    l->over = ftc_lease_is_over(&s->hosts[host].board) ? l->over + 1 : 0;
    l->awake = sim_lease_agent_is_paused(s, host) ? 0
               : l->awake < SIM_LEASE_TICKS       ? l->awake + 1
                                                  : l->awake;
}

/* The agent ends all (shim/monitor/leaseholder.h), or the ranks themselves
 * (shim/detector/silence.h). */
static bool has_to_stop(const struct sim *s, int host)
{
    const struct sim_host *h = &s->hosts[host];
    bool by_agent =
        ftc_lease_has_ended(&h->board) || (h->lease.over > 1 && h->lease.awake == SIM_LEASE_TICKS);

    return !h->is_gone && ((by_agent && !sim_lease_agent_is_paused(s, host)) ||
                           h->lease.over > 2 * SIM_LEASE_TICKS);
}

/* ---- the authority ---- */

static bool is_borne(const struct sim *s, int host)
{
    for (int other = 0; other < s->host_count; other++)
        if (other != host && !s->hosts[other].is_lost && !s->hosts[other].is_gone)
            return true;
    return false;
}

static void end_job(struct sim *s)
{
    sim_trace_note(s, "        the job ends");
    sim_death_crash(s, sim_all(s));
}

static void declare_lost(struct sim *s, int host, enum ftc_host_loss how)
{
    struct sim_host *h = &s->hosts[host];

    if (!is_borne(s, host)) {
        end_job(s);
        return;
    }
    sim_trace_note(s, "        host of p%d is lost", __builtin_ctzll(h->ranks));
    h->is_lost = true;
    h->how = how;
    s->lost |= h->ranks;
    sim_check_loss(s, host);
    for (int other = 0; other < s->host_count; other++)
        if (other != host)
            s->hosts[other].unheard |= sim_bit(host);
}

static void look_for_loss(struct sim *s, int host)
{
    const struct sim_host *h = &s->hosts[host];

    if (!h->is_lost && ftc_lease_has_run_out(h->lease.heard_ns, SIM_UNREACHABLE_MS, simulated_ns))
        declare_lost(s, host, FTC_HOST_SILENT);
}

/* Hosts that the authority hears, but not each other (shim/monitor/agent.h). */
static void look_for_silence(struct sim *s, int host)
{
    const struct sim_host *h = &s->hosts[host];
    int patience = ftc_lease_patience_ms(&h->board, SIM_UNREACHABLE_MS);

    if (!h->is_lost && h->lease.apart * SIM_TICK_MS >= patience)
        end_job(s);
}

void sim_lease_see_end(struct sim *s, int host)
{
    declare_lost(s, host, FTC_HOST_ENDED);
    sim_lease_refresh(s);
}

void sim_lease_tick(struct sim *s)
{
    sim_event_forbid(s, SIM_EVENT_TICK, 0, 0);
    s->tick++;
    set_clock(s);
    for (int host = 0; host < s->host_count; host++) {
        ask(s, host);
        count_ticks(s, host);
        if (has_to_stop(s, host))
            stop(s, host);
    }
    for (int host = 0; host < s->host_count && s->dead != sim_all(s); host++) {
        look_for_loss(s, host);
        look_for_silence(s, host);
    }
    refresh_all(s);
}
