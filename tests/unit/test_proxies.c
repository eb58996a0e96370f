/* Who is a proxy, of those who connect to mpiexec, and what hosts can be lost because of that. */
#include "mpiexec/proxies.h"
#include "unit.h"

#include <sys/socket.h>
#include <unistd.h>

static struct ftc_proxy *connect_one(void)
{
    int pair[2];
    struct ftc_proxy *p;

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    close(pair[1]);
    p = ftc_proxies_add(pair[0]);
    ck_assert_ptr_nonnull(p);
    return p;
}

static void leave(struct ftc_proxy *p)
{
    int fd = p->fd;

    ftc_proxies_close(p);
    close(fd);
}

/* Its ranks have agreed that lost hosts are tolerated. */
static struct ftc_proxy *agreed_proxy(void)
{
    struct ftc_proxy *p = connect_one();

    ftc_proxies_know(p);
    p->is_agreed = true;
    return p;
}

START_TEST(a_stranger_who_says_nothing_is_no_proxy)
{
    struct ftc_proxy *one = agreed_proxy(), *stranger;

    agreed_proxy();
    stranger = connect_one();
    stranger->state = FTC_PROXY_CONNECTED;
    ck_assert_int_eq(ftc_proxies_known(), 2);
    ck_assert(ftc_proxies_agree());
    ck_assert(ftc_proxies_tolerate(one));
    leave(stranger);
    ck_assert_int_eq(ftc_proxies_known(), 2);
    ck_assert(ftc_proxies_tolerate(one));
}
END_TEST

/* Somebody whose form is not known may be a proxy while he is there. */
START_TEST(a_stranger_counts_no_more_once_it_has_left)
{
    struct ftc_proxy *one = agreed_proxy(), *stranger;

    agreed_proxy();
    stranger = connect_one();
    stranger->state = FTC_PROXY_STRANGE;
    ck_assert_int_eq(ftc_proxies_known(), 3);
    ck_assert(!ftc_proxies_tolerate(one));
    leave(stranger);
    ck_assert_int_eq(ftc_proxies_known(), 2);
    ck_assert(ftc_proxies_tolerate(one));
}
END_TEST

START_TEST(no_stranger_stands_for_a_host_that_ended_well)
{
    struct ftc_proxy *one = agreed_proxy(), *other = agreed_proxy(), *stranger = connect_one();

    leave(stranger);
    other->state = FTC_PROXY_LOST;
    ck_assert(!ftc_proxies_tolerate(one));
    other->state = FTC_PROXY_KNOWN;
    leave(other);
    ck_assert_int_eq(other->state, FTC_PROXY_ENDED);
    ck_assert(ftc_proxies_tolerate(one));
}
END_TEST

START_TEST(any_number_of_strangers_find_a_place_one_after_another)
{
    for (int i = 0; i < 3 * FTC_PROXIES_MAX; i++)
        leave(connect_one());
    ck_assert_int_eq(ftc_proxies_count(), 1);
    agreed_proxy();
    ck_assert_int_eq(ftc_proxies_known(), 1);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("proxies");
    UNIT_TEST(a_stranger_who_says_nothing_is_no_proxy);
    UNIT_TEST(a_stranger_counts_no_more_once_it_has_left);
    UNIT_TEST(no_stranger_stands_for_a_host_that_ended_well);
    UNIT_TEST(any_number_of_strangers_find_a_place_one_after_another);
    UNIT_END();
}
