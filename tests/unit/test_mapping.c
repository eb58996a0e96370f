/* Which ranks share a host, by the text of a process manager. */
#include "unit.h"

#include "../../shim/monitor/mapping.h"

#include <string.h>

static void expect(int hosts, int ranks, const char *text)
{
    ck_assert_msg(ftc_mapping_parse(text, ranks, NULL) == hosts, "%d ranks, %s", ranks, text);
}

START_TEST(one_host)
{
    expect(1, 4, "(vector,(0,1,4))");
    expect(1, 4, "(vector,(0,1,1))"); /* again and again */
    expect(1, 4, "(vector,(7,1,9))");
    expect(1, 2, "(vector,(0,2,2))"); /* the second host has none of them */
    expect(1, 2, "(vector,(0,1,2),(1,1,2))");
    expect(1, 4, "(vector,(3,1,2),(3,1,2))");
    expect(1, 4, "(vector,(1,1,0),(0,1,4))");
    expect(1, 4, "(vector,(0,999999999,999999999))");
}
END_TEST

/* @hosts has a digit for each rank. */
static void expect_hosts(const char *hosts, const char *text)
{
    uint32_t host[16];
    int ranks = (int)strlen(hosts), most = 0;

    for (int rank = 0; rank < ranks; rank++)
        most = hosts[rank] > most ? hosts[rank] : most;
    ck_assert_msg(ftc_mapping_parse(text, ranks, host) == most - '0' + 1, "%s", text);
    for (int rank = 0; rank < ranks; rank++)
        ck_assert_msg((int)host[rank] == hosts[rank] - '0', "rank %d, %s", rank, text);
}

START_TEST(several_hosts)
{
    expect_hosts("01", "(vector,(0,2,1))");
    expect_hosts("0101", "(vector,(0,2,1))"); /* round robin */
    expect_hosts("0001", "(vector,(0,2,3))");
    expect_hosts("001", "(vector,(0,1,2),(1,1,2))");
    expect_hosts("000011112", "(vector,(0,1,2),(0,1,2),(4,1,4),(1,1,9))");
    expect_hosts("0000100002", "(vector,(0,1,4),(9,1,1),(0,1,4),(2,1,1))");
    expect_hosts("00110011", "(vector,(1,1,2),(0,1,2))");
    expect_hosts("00000", "(vector,(5,1,2))");
}
END_TEST

/* As MPICH 5.0 tells it. */
START_TEST(repeated_blocks)
{
    expect_hosts("0101", "(vector,[(0,2,1)]x2)");
    expect_hosts("010123", "(vector,[(0,2,1)]x2,(2,2,1))");
    expect_hosts("001001", "(vector,[(0,1,2),(1,1,1)]x2)");
    expect_hosts("0121", "(vector,0,1,2,1)");
    expect_hosts("01010", "(vector,[7,9]x2,(7,1,1))");
    expect_hosts("0101", "(vector,[(0,2,1)]x999999999)");
    expect_hosts("0000", "(vector,[(0,1,0)]x999999999,(0,1,4))");
    expect_hosts("0000", "(vector,(0,1,1),[(0,1,0)]x999999999,(0,1,4))");
    expect_hosts("01010101", "(vector,[(0,2,1)]x2)"); /* again and again */
}
END_TEST

START_TEST(not_understood)
{
    static const char *const text[] = {
        "",
        "(",
        "vector",
        "(vector",
        "(vector)",
        "(vector,",
        "(vector,(0,1,4)",
        "(vector,(0,1,4)) ",
        "(vector,(0,1,4)),",
        "(vector,(0,1))",
        "(vector,(0,1,4,5))",
        "(vector,(0,1,x))",
        "(vector,(0,-1,4))",
        "(vector,(-1,1,4))",
        "(vector,(0,1,0))",
        "(vector,(0,1,9999999999))",
        "(matrix,(0,1,4))",
        "(vector,(0,1,4),(0,1,)",
        "(vector,[(0,2,1)])",
        "(vector,[(0,2,1)]x)",
        "(vector,[(0,2,1)]x0)",
        "(vector,[(0,2,1)]x-1)",
        "(vector,[(0,2,1)x2)",
        "(vector,[]x2)",
        "(vector,[[(0,2,1)]x2]x2)",
        "(vector,x)",
        "(vector,)",
    };

    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        expect(0, 4, text[i]);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("mapping");
    UNIT_TEST(one_host);
    UNIT_TEST(several_hosts);
    UNIT_TEST(repeated_blocks);
    UNIT_TEST(not_understood);
    UNIT_END();
}
