/* A broadcast in blocks that is left in the middle: the buffer is as it was. */
#include "protocols/pipelined.h"
#include "unit.h"
#include "value/datatype.h"

#include <string.h>

enum { ROOT, SELF, RANKS, BLOCKS = 3, BLOCK_MAX = 1 << 20 };
enum { OLD = 1, NEW = 2, GARBAGE = 3 }; /* bytes */

struct ftc_library ftc_library;

static unsigned char of_root[BLOCK_MAX];

unsigned char *ftc_pipelined_slot(const struct ftc_pipelined *p, int member, int slot)
{
    (void)p;
    (void)slot;
    ck_assert_int_eq(member, ROOT);
    return of_root;
}

static struct ftc_comm comm = {.size = RANKS, .rank = SELF};
static struct ftc_call call = {.kind = FTC_CALL_BCAST, .root = ROOT, .datatype = MPI_BYTE};
static struct ftc_plan plan = {.call = &call, .comm = &comm};
static struct ftc_pipelined p = {.plan = &plan};
static unsigned char *buffer;

/* The last block is not a whole one. */
static void setup(void)
{
    struct ftc_schedule *s = &p.phase.schedule;

    ck_assert(ftc_pipelined_broadcast.schedule(&plan, s));
    ck_assert_uint_le(s->block_units, BLOCK_MAX);
    plan.arguments.value_bytes = BLOCKS * s->block_units - 1;
    ck_assert(ftc_pipelined_broadcast.schedule(&plan, s));
    s->n = RANKS;
    s->self = SELF;
    s->root = ROOT;
    memset(of_root, NEW, sizeof of_root);
    buffer = malloc(s->units);
    ck_assert_ptr_nonnull(buffer);
    memset(buffer, OLD, s->units);
    call.recvbuf = buffer;
    call.count = (MPI_Count)s->units;
    plan.arguments.facts = (struct ftc_facts){.contiguous = true, .type_class = FTC_TYPE_BYTE};
    ftc_library.settings.on_dead_root = FTC_ON_DEAD_ROOT_KEEP;
    p.copy_bytes = ftc_pipelined_broadcast.copy_bytes(&p);
    ck_assert_uint_eq(p.copy_bytes, s->units);
    p.copy = malloc(p.copy_bytes);
    ck_assert_ptr_nonnull(p.copy);
    memset(p.copy, GARBAGE, p.copy_bytes);
}

static void teardown(void)
{
    free(p.copy);
    free(buffer);
}

static uint64_t bytes_of(unsigned char value)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < p.phase.schedule.units; i++)
        count += buffer[i] == value;
    return count;
}

/* The root dies behind @blocks of them. */
static void leave_after(uint64_t blocks)
{
    struct ftc_units last = {0, 0};

    for (uint64_t i = 0; i < blocks; i++) {
        ftc_pipelined_broadcast.get(&p, ftc_schedule_slot(i), i);
        last = ftc_schedule_units(&p.phase.schedule, i);
    }
    ck_assert_uint_eq(bytes_of(NEW), last.first + last.count);
    ftc_pipelined_broadcast.undo(&p);
    ck_assert_uint_eq(bytes_of(OLD), p.phase.schedule.units);
}

START_TEST(a_buffer_is_as_it_was_without_the_root)
{
    leave_after((uint64_t)_i);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("pipelined_broadcast");
    tcase_add_checked_fixture(unit_case, setup, teardown);
    tcase_add_loop_test(unit_case, a_buffer_is_as_it_was_without_the_root, 0, BLOCKS + 1);
    UNIT_END();
}
