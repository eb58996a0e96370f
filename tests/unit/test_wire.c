/* What proxies of Hydra send to mpiexec, in each of its forms. */
#include "mpiexec/wire.h"
#include "unit.h"

#include <string.h>

enum { PID_LIST = 5, EXIT_STATUS, PMI, STDOUT, STDERR, PROCESS_TERMINATED };

/* Versions, by what mpiexec reads. */
static const struct form {
    size_t greeting, header;
    int32_t words[3]; /* the greeting of proxy 7 */
    int group, proxy; /* index in the header */
} forms[] = {
    {4, 32, {7}, 4, 5},
    {8, 32, {0x00445948, 7}, 4, 5},
    {8, 24, {0x00445948, 7}, 2, 3},
    {12, 24, {0x00445948, 0, 7}, 2, 3},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static struct ftc_wire wire_of(const struct form *f)
{
    struct ftc_wire w = {0};

    ck_assert(ftc_wire_expects_greeting(&w, f->greeting));
    ck_assert(ftc_wire_greet(&w, (const unsigned char *)f->words));
    ck_assert(ftc_wire_expects_header(&w, f->header));
    return w;
}

static enum ftc_wire_body read_header(const struct form *f, int command, int bytes, int group,
                                      size_t *body)
{
    struct ftc_wire w = wire_of(f);
    int32_t header[8] = {command, bytes};

    header[f->group] = group;
    return ftc_wire_read_header(&w, (const unsigned char *)header, body);
}

START_TEST(each_form_is_known_by_what_is_read)
{
    const struct form *f = &forms[_i];
    struct ftc_wire w = wire_of(f);

    ck_assert_int_eq(w.proxy, 7);
    ck_assert_int_eq(w.group, 0);
    ck_assert(!ftc_wire_expects_header(&w, f->header + 8));
    ck_assert(!ftc_wire_expects_header(&w, 8));
}
END_TEST

START_TEST(other_forms_are_not)
{
    static const size_t others[] = {0, 1, 5, 16, 24, 32};
    struct ftc_wire w = {0};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        ck_assert(!ftc_wire_expects_greeting(&w, others[i]));
    ck_assert(ftc_wire_expects_greeting(&w, 8));
    ck_assert(!ftc_wire_greet(&w, (const unsigned char *)"GET / HT"));
    ck_assert(ftc_wire_expects_greeting(&w, 4));
    ck_assert(!ftc_wire_greet(&w, (const unsigned char *)"\xff\xff\xff\xff"));
    ck_assert(!ftc_wire_expects_header(&w, 24)); /* not after so short a greeting */
}
END_TEST

START_TEST(messages_say_how_long_they_are)
{
    const struct form *f = &forms[_i];
    size_t body;

    ck_assert_int_eq(read_header(f, STDOUT, 100, 0, &body), FTC_WIRE_COUNTED);
    ck_assert_uint_eq(body, 100);
    ck_assert_int_eq(read_header(f, PMI, 0, -1, &body), FTC_WIRE_COUNTED);
    ck_assert_uint_eq(body, 0);
    ck_assert_int_eq(read_header(f, PROCESS_TERMINATED, 100, 0, &body), FTC_WIRE_COUNTED);
    ck_assert_uint_eq(body, 0);
    ck_assert_int_eq(read_header(f, PID_LIST, 100, 0, &body), FTC_WIRE_OF_EACH);
    ck_assert_int_eq(read_header(f, EXIT_STATUS, 100, 0, &body), FTC_WIRE_OF_EACH);
}
END_TEST

START_TEST(what_is_not_known_is_left_alone)
{
    const struct form *f = &forms[_i];
    size_t body;

    ck_assert_int_eq(read_header(f, STDERR, -1, 0, &body), FTC_WIRE_UNKNOWN);
    ck_assert_int_eq(read_header(f, STDERR, FTC_WIRE_BODY_MAX + 1, 0, &body), FTC_WIRE_UNKNOWN);
    ck_assert_int_eq(read_header(f, 0, 0, 0, &body), FTC_WIRE_UNKNOWN);
    ck_assert_int_eq(read_header(f, PROCESS_TERMINATED + 1, 0, 0, &body), FTC_WIRE_UNKNOWN);
    ck_assert_int_eq(read_header(f, STDOUT, 1, 1, &body), FTC_WIRE_UNKNOWN); /* of MPI_Comm_spawn */
}
END_TEST

START_TEST(the_end_of_a_lost_host_reads_like_a_proxys)
{
    const struct form *f = &forms[_i];
    struct ftc_wire w = wire_of(f);
    int32_t header[8];
    size_t body;

    memset(header, 0xff, sizeof header);
    ck_assert_uint_eq(ftc_wire_make_exit_header(&w, (unsigned char *)header), f->header);
    ck_assert_int_eq(header[0], EXIT_STATUS);
    ck_assert_int_eq(header[f->group], 0);
    ck_assert_int_eq(header[f->proxy], 7);
    ck_assert_int_eq(ftc_wire_read_header(&w, (unsigned char *)header, &body), FTC_WIRE_OF_EACH);
}
END_TEST

#define OF_EACH_FORM(test) tcase_add_loop_test(unit_case, test, 0, FORMS)

int main(void)
{
    UNIT_BEGIN("wire");
    OF_EACH_FORM(each_form_is_known_by_what_is_read);
    UNIT_TEST(other_forms_are_not);
    OF_EACH_FORM(messages_say_how_long_they_are);
    OF_EACH_FORM(what_is_not_known_is_left_alone);
    OF_EACH_FORM(the_end_of_a_lost_host_reads_like_a_proxys);
    UNIT_END();
}
