/* Which hosts mpiexec takes for lost because it does not hear them. The file under test is part of
 * this one. */
#include "mpiexec/authority.c"

#include "unit.h"

enum { U_MS = 3000, HOSTS = 2 };
#define HEARD_NS 1000000000ull
#define OVER_NS  (HEARD_NS + (U_MS + FTC_LEASE_MARGIN_MS) * 1000000ull + 1)

static struct ftc_proxy *proxy[HOSTS];

/* The ranks of all hosts have agreed that lost ones are tolerated, and the agent of each asks. */
static void set_up(void)
{
    ck_assert(ftc_proxies_open());
    for (uint32_t host = 0; host < HOSTS; host++) {
        int pair[2];

        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        proxy[host] = ftc_proxies_add(pair[0]);
        ck_assert_ptr_nonnull(proxy[host]);
        ftc_proxies_know(proxy[host]);
        proxy[host]->has_host = proxy[host]->is_agreed = true;
        proxy[host]->host = host;
        proxy[host]->unreachable_ms = U_MS;
        proxy[host]->heard_ns = HEARD_NS;
        authority.client[host] =
            (struct client){.c = {.fd = -1, .state = FTC_CONNECTION_OPEN}, .proxy = proxy[host]};
    }
    authority.count = HOSTS;
}

/* Frees their places: without fork() the next test has the same ones. */
static void tear_down(void)
{
    for (int host = 0; host < HOSTS; host++)
        proxy[host]->state = FTC_PROXY_NONE;
}

/* The others have just been heard. */
static void look_at_last(uint64_t now_ns)
{
    proxy[0]->heard_ns = now_ns;
    look_for_loss(&authority, proxy[HOSTS - 1], now_ns);
}

static bool is_last_lost(void)
{
    return proxy[HOSTS - 1]->state == FTC_PROXY_LOST;
}

START_TEST(a_silent_host_is_lost)
{
    look_at_last(OVER_NS - 1);
    ck_assert(!is_last_lost());
    look_at_last(OVER_NS);
    ck_assert(is_last_lost());
}
END_TEST

/* mpiexec would wait for its proxy for ever. */
START_TEST(so_is_one_without_a_rank_in_mpi_while_its_agent_is_there)
{
    proxy[HOSTS - 1]->is_through = true;
    look_at_last(OVER_NS);
    ck_assert(is_last_lost());
}
END_TEST

/* Its proxy may have output of something in the background. */
START_TEST(one_whose_agents_have_left_may_be_silent)
{
    proxy[HOSTS - 1]->is_through = true;
    drop(&authority, HOSTS - 1);
    look_at_last(OVER_NS);
    ck_assert(!is_last_lost());
}
END_TEST

START_TEST(one_with_ranks_in_mpi_has_to_have_an_agent)
{
    drop(&authority, HOSTS - 1);
    look_at_last(OVER_NS);
    ck_assert(is_last_lost());
}
END_TEST

static void look_at_all(uint64_t now_ns)
{
    for (int i = 0; i < HOSTS; i++)
        look_for_loss(&authority, proxy[i], now_ns);
}

/* Its host has lost its network. */
START_TEST(where_all_are_silent_it_is_mpiexec_that_is_alone)
{
    look_at_all(OVER_NS);
    ck_assert_int_eq(proxy[0]->state, FTC_PROXY_KNOWN);
    ck_assert(!is_last_lost());
    look_at_last(OVER_NS); /* one comes back alone */
    ck_assert(is_last_lost());
}
END_TEST

/* A clock may run a thousandth too fast, and another too slow. */
START_TEST(the_margin_grows_with_the_lease)
{
    ck_assert_int_eq(ftc_lease_margin_ms(1), FTC_LEASE_MARGIN_MS);
    ck_assert_int_eq(ftc_lease_margin_ms(250000), FTC_LEASE_MARGIN_MS);
    ck_assert_int_eq(ftc_lease_margin_ms(3600000), 7200);
}
END_TEST

START_TEST(silence_of_all_has_an_end)
{
    look_at_all(HEARD_NS + FTC_LEASE_MPIEXEC_MS * 1000000ull);
    ck_assert(!is_last_lost());
    look_at_last(HEARD_NS + (FTC_LEASE_MPIEXEC_MS + 1) * 1000000ull);
    ck_assert(is_last_lost());
}
END_TEST

START_TEST(the_last_host_is_not_waited_for_as_all)
{
    proxy[0]->state = FTC_PROXY_ENDED;
    ck_assert(!is_alone(&authority, OVER_NS));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("authority");
    tcase_add_checked_fixture(unit_case, set_up, tear_down);
    UNIT_TEST(a_silent_host_is_lost);
    UNIT_TEST(so_is_one_without_a_rank_in_mpi_while_its_agent_is_there);
    UNIT_TEST(one_whose_agents_have_left_may_be_silent);
    UNIT_TEST(one_with_ranks_in_mpi_has_to_have_an_agent);
    UNIT_TEST(where_all_are_silent_it_is_mpiexec_that_is_alone);
    UNIT_TEST(the_margin_grows_with_the_lease);
    UNIT_TEST(silence_of_all_has_an_end);
    UNIT_TEST(the_last_host_is_not_waited_for_as_all);
    UNIT_END();
}
