/* What an operation keeps of a call that has returned. */
#include "collectives/retained.h"
#include "unit.h"
#include "value/handle_reference.h"

enum { SOURCES = 3, DESTINATIONS = 1, NOTHING = 1000, SENT = 2000, RECEIVED = 3000, MOST = 16 };

static int held[MOST], count;

bool ftc_handle_hold(enum ftc_handle_kind kind, int handle)
{
    ck_assert_int_lt(count, MOST);
    if (kind == FTC_HANDLE_DATATYPE)
        held[count++] = handle;
    return true;
}

void ftc_handle_release(enum ftc_handle_kind kind, int handle)
{
    (void)kind;
    for (int i = 0; i < count; i++)
        if (held[i] == handle) {
            held[i] = held[--count];
            return;
        }
}

static bool is_held(MPI_Datatype datatype)
{
    for (int i = 0; i < count; i++)
        if (held[i] == datatype)
            return true;
    return false;
}

static const struct ftc_neighbors more_sources = {.sources = SOURCES, .destinations = DESTINATIONS},
                                  more_destinations = {.sources = DESTINATIONS,
                                                       .destinations = SOURCES};

/* Datatypes of the program's, each block another one, for as many neighbors as there may be. */
static const MPI_Datatype sent[] = {SENT, SENT + 1, SENT + 2},
                          received[] = {RECEIVED, RECEIVED + 1, RECEIVED + 2};
static const int ones[] = {1, 1, 1};

static struct ftc_call call;
static struct ftc_layouts layouts;
static struct ftc_plan plan;
static struct ftc_retained kept;

static void keep_of(const struct ftc_neighbors *neighbors)
{
    layouts = (struct ftc_layouts){
        .send = {.datatype = NOTHING, .counts = ones, .datatypes = sent},
        .receive = {.datatype = NOTHING, .counts = ones, .datatypes = received},
    };
    call = (struct ftc_call){.kind = FTC_CALL_INEIGHBOR_ALLTOALLW,
                             .datatype = NOTHING,
                             .op = NOTHING,
                             .layouts = &layouts};
    plan = (struct ftc_plan){.call = &call, .neighbors = neighbors};
    kept = (struct ftc_retained){0};
    ck_assert(ftc_retain(&kept, &plan, &layouts));
}

START_TEST(a_neighborhood_keeps_the_datatypes_of_each_block)
{
    const struct ftc_neighbors *neighbors = _i == 0 ? &more_sources : &more_destinations;

    keep_of(neighbors);
    for (int i = 0; i < SOURCES; i++) {
        ck_assert_int_eq(is_held(SENT + i), i < neighbors->destinations);
        ck_assert_int_eq(is_held(RECEIVED + i), i < neighbors->sources);
    }
    ftc_release_retained(&kept);
    ck_assert_int_eq(count, 0);
}
END_TEST

/* The program may use its arrays again. */
START_TEST(arrays_are_copied)
{
    keep_of(&more_sources);
    ck_assert_ptr_ne(layouts.receive.datatypes, received);
    ck_assert_mem_eq(layouts.receive.datatypes, received, sizeof received);
    ck_assert_mem_eq(layouts.receive.counts, ones, sizeof ones);
    ftc_release_retained(&kept);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("retained");
    tcase_add_loop_test(unit_case, a_neighborhood_keeps_the_datatypes_of_each_block, 0, 2);
    UNIT_TEST(arrays_are_copied);
    UNIT_END();
}
