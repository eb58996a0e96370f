/* What links need of UCX, between two ends in this process: that which the machine has. */
#include "net/fabric.h"
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { PATIENCE = 1000000, MANY = 600000, LENGTH = 700 };

static struct ftc_fabric *end[2];
static struct ftc_stream *stream[2]; /* to the other */

static const char *open_ends(void)
{
    const char *why = NULL;

    for (int i = 0; i < 2; i++) {
        end[i] = ftc_fabric_open(FTC_FABRIC_ANY, &why);
        if (!end[i])
            return why;
    }
    return NULL;
}

static bool connect_ends(void)
{
    unsigned char address[FTC_FABRIC_ADDRESS_MAX];
    size_t bytes;

    for (int i = 0; i < 2; i++) {
        const void *other = ftc_fabric_address(end[1 - i], &bytes);

        if (bytes == 0 || bytes > sizeof address)
            return false;
        memcpy(address, other, bytes);
        stream[i] = ftc_stream_open(end[i], address);
        if (!stream[i])
            return false;
    }
    return true;
}

static void open_streams(void)
{
    ck_assert_ptr_null(open_ends());
    ck_assert(connect_ends());
}

static void close_ends(void)
{
    for (int i = 0; i < 2; i++)
        ftc_fabric_close(end[i]);
    end[0] = end[1] = NULL;
}

static void progress(void)
{
    ftc_fabric_progress(end[0]);
    ftc_fabric_progress(end[1]);
    sched_yield();
}

static unsigned char byte(size_t at)
{
    return (unsigned char)(at * 7 + at / 251);
}

/* From @self, byte *@at of the pattern on. */
static void write_some(int self, size_t *at, size_t most)
{
    unsigned char bytes[LENGTH];
    ssize_t n;

    for (size_t i = 0; i < most; i++)
        bytes[i] = byte(*at + i);
    n = ftc_stream_send(stream[self], bytes, most);
    ck_assert(n >= 0 || errno == EAGAIN);
    *at += n > 0 ? (size_t)n : 0;
}

static void read_some(int self, size_t *at)
{
    unsigned char bytes[LENGTH / 3];
    ssize_t n = ftc_stream_receive(stream[self], bytes, sizeof bytes);

    ck_assert(n > 0 || (n < 0 && errno == EAGAIN));
    for (ssize_t i = 0; i < n; i++)
        ck_assert_uint_eq(bytes[i], byte((*at)++));
}

START_TEST(bytes_arrive_in_order_both_ways)
{
    size_t sent[2] = {0, 0}, come[2] = {0, 0};

    open_streams();
    while (come[0] < MANY || come[1] < MANY || come[0] < sent[0] || come[1] < sent[1]) {
        for (int self = 0; self < 2; self++) {
            if (sent[self] < MANY)
                write_some(self, &sent[self], 1 + sent[self] % LENGTH);
            read_some(self, &come[1 - self]);
        }
        progress();
    }
    ck_assert_uint_eq(come[0], sent[0]);
    ck_assert_uint_eq(come[1], sent[1]);
}
END_TEST

/* The network leads there: that is out in the end, though the other end reads nothing. */
START_TEST(what_is_written_gets_out)
{
    size_t sent = 0, come = 0;

    open_streams();
    write_some(0, &sent, 16);
    ck_assert_uint_eq(sent, 16);
    for (int i = 0; i < PATIENCE && !ftc_stream_is_out(stream[0]); i++)
        progress();
    ck_assert(ftc_stream_is_out(stream[0]));
    ck_assert(!ftc_stream_is_broken(stream[0]));
    while (come < sent) {
        read_some(1, &come);
        progress();
    }
}
END_TEST

START_TEST(a_closed_stream_takes_and_brings_nothing)
{
    unsigned char room[16] = {0};
    size_t sent = 0;

    open_streams();
    write_some(0, &sent, 16);
    ftc_stream_close(stream[0]);
    ck_assert(ftc_stream_is_broken(stream[0]));
    ck_assert_int_eq(ftc_stream_send(stream[0], room, 1), -1);
    ck_assert_int_eq(errno, ECONNRESET);
    ck_assert_int_eq(ftc_stream_receive(stream[0], room, 1), -1);
    ck_assert_int_eq(errno, ECONNRESET);
    ftc_stream_close(stream[0]);
    ftc_stream_close(NULL);
}
END_TEST

/* One end goes while bytes are under way in both directions; the other is told, or not, and ends.
 */
START_TEST(an_end_that_is_gone_keeps_nobody)
{
    size_t sent[2] = {0, 0};

    open_streams();
    for (int i = 0; i < 200; i++) {
        write_some(0, &sent[0], LENGTH);
        write_some(1, &sent[1], LENGTH);
        progress();
    }
    ftc_fabric_close(end[0]);
    end[0] = NULL;
    for (int i = 0; i < 200; i++) {
        unsigned char bytes[LENGTH] = {0};

        ftc_stream_send(stream[1], bytes, sizeof bytes);
        ftc_stream_receive(stream[1], bytes, sizeof bytes);
        ftc_fabric_progress(end[1]);
    }
}
END_TEST

START_TEST(where_there_is_none_it_says_why)
{
    const char *why = NULL;

    setenv("UCX_LOG_LEVEL", "fatal", 1);
    setenv("UCX_TLS", "none-of-these", 1);
    ck_assert_ptr_null(ftc_fabric_open(FTC_FABRIC_ANY, &why));
    ck_assert_ptr_nonnull(why);
    ck_assert_ptr_nonnull(strstr(why, "UCX"));
}
END_TEST

int main(void)
{
    const char *why = open_ends();

    if (!why && !connect_ends())
        why = "UCX finds no way between two ends here";
    close_ends();
    if (why) {
        printf("fabric: skipped: %s\n", why);
        return EXIT_SUCCESS;
    }
    UNIT_BEGIN("fabric");
    tcase_add_checked_fixture(unit_case, NULL, close_ends);
    UNIT_TEST(bytes_arrive_in_order_both_ways);
    UNIT_TEST(what_is_written_gets_out);
    UNIT_TEST(a_closed_stream_takes_and_brings_nothing);
    UNIT_TEST(an_end_that_is_gone_keeps_nobody);
    UNIT_TEST(where_there_is_none_it_says_why);
    UNIT_END();
}
