/* Which ranks share a host, by the text of a process manager. */
#include "unit.h"

#include "../../shim/monitor/mapping.h"

static void expect(enum ftc_mapping expected, int ranks, const char *text)
{
    ck_assert_msg(ftc_mapping_parse(text, ranks) == expected, "%d ranks, %s", ranks, text);
}

START_TEST(one_host)
{
    expect(FTC_MAPPING_ONE_HOST, 4, "(vector,(0,1,4))");
    expect(FTC_MAPPING_ONE_HOST, 4, "(vector,(0,1,1))"); /* again and again */
    expect(FTC_MAPPING_ONE_HOST, 4, "(vector,(7,1,9))");
    expect(FTC_MAPPING_ONE_HOST, 2, "(vector,(0,2,2))"); /* the second host has none of them */
    expect(FTC_MAPPING_ONE_HOST, 2, "(vector,(0,1,2),(1,1,2))");
    expect(FTC_MAPPING_ONE_HOST, 4, "(vector,(3,1,2),(3,1,2))");
    expect(FTC_MAPPING_ONE_HOST, 4, "(vector,(1,1,0),(0,1,4))");
    expect(FTC_MAPPING_ONE_HOST, 4, "(vector,(0,999999999,999999999))");
}
END_TEST

START_TEST(several_hosts)
{
    expect(FTC_MAPPING_SEVERAL_HOSTS, 2, "(vector,(0,2,1))");
    expect(FTC_MAPPING_SEVERAL_HOSTS, 4, "(vector,(0,2,1))");
    expect(FTC_MAPPING_SEVERAL_HOSTS, 4, "(vector,(0,2,3))");
    expect(FTC_MAPPING_SEVERAL_HOSTS, 3, "(vector,(0,1,2),(1,1,2))");
    expect(FTC_MAPPING_SEVERAL_HOSTS, 9, "(vector,(0,1,2),(0,1,2),(4,1,1))");
    expect(FTC_MAPPING_SEVERAL_HOSTS, 8, "(vector,(1,1,2),(0,1,2))");
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
    };

    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        expect(FTC_MAPPING_UNKNOWN, 4, text[i]);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("mapping");
    UNIT_TEST(one_host);
    UNIT_TEST(several_hosts);
    UNIT_TEST(not_understood);
    UNIT_END();
}
