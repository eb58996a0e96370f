/* Whether native MPI finds nothing wrong with a call that moves blocks, when such calls come again:
 * what is known is not looked at twice, and whatever is another call, or may have changed since,
 * is. */
#include "unit.h"
#include "value/layout.h"

enum { N = 4, RANK = 1, BYTES = 8, DERIVED = 0x1234, ROOM = 16 * N };

static double in[ROOM], out[ROOM];
static int looks;             /* at datatypes */
static bool derived_is_freed; /* and its handle is rejected */
static size_t derived_bytes;  /* else */
static struct ftc_facts predefined;

/* ---- what is known of datatypes ---- */

const struct ftc_facts *ftc_facts_at(MPI_Datatype datatype, struct ftc_facts *room)
{
    looks++;
    predefined = (struct ftc_facts){
        .datatype = MPI_DOUBLE,
        .type_class = FTC_TYPE_FLOATING,
        .contiguous = true,
        .size_bytes = BYTES,
        .extent_bytes = BYTES,
    };
    if (datatype == MPI_DOUBLE)
        return &predefined;
    *room = predefined;
    room->datatype = datatype;
    room->type_class = FTC_TYPE_DERIVED;
    room->size_bytes = derived_bytes;
    return datatype == DERIVED && !derived_is_freed ? room : NULL;
}

size_t ftc_predefined_bytes(MPI_Datatype datatype)
{
    return datatype == MPI_DOUBLE ? BYTES : 0;
}

size_t ftc_packed_bytes(const struct ftc_facts *facts, MPI_Count count)
{
    return facts->size_bytes * (size_t)count;
}

bool ftc_is_packed(MPI_Datatype datatype)
{
    return datatype == MPI_DOUBLE;
}

int ftc_pack(void *packed, const void *buffer, MPI_Count count, const struct ftc_facts *facts)
{
    (void)packed;
    (void)buffer;
    (void)count;
    (void)facts;
    return MPI_ERR_OTHER;
}

int ftc_unpack_some(void *buffer, const void *packed, size_t bytes, MPI_Count count,
                    const struct ftc_facts *facts)
{
    (void)bytes;
    return ftc_pack(buffer, packed, count, facts);
}

/* ---- calls ---- */

static struct ftc_layouts layouts;

static struct ftc_call call_of(enum ftc_call_kind kind)
{
    const struct ftc_layout one = {.buffer = in, .count = 1, .datatype = MPI_DOUBLE};

    layouts = (struct ftc_layouts){.send = one, .receive = one};
    layouts.receive.buffer = out;
    looks = 0;
    derived_is_freed = false;
    derived_bytes = BYTES;
    return (struct ftc_call){.kind = kind, .root = RANK, .layouts = &layouts};
}

static bool is_valid(const struct ftc_call *call, size_t *bytes)
{
    return ftc_layouts_are_valid(call, RANK, N, bytes);
}

START_TEST(a_call_that_comes_again_is_known)
{
    static const enum ftc_call_kind kinds[] = {FTC_CALL_GATHER, FTC_CALL_SCATTER,
                                               FTC_CALL_ALLGATHER};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ftc_call call = call_of(kinds[i]);
        size_t bytes;

        ck_assert(is_valid(&call, &bytes));
        ck_assert_uint_eq(bytes, N * BYTES);
        looks = bytes = 0;
        ck_assert(is_valid(&call, &bytes));
        ck_assert_uint_eq(bytes, N * BYTES);
        ck_assert_int_eq(looks, 0);
    }
}
END_TEST

/* A loop of several calls. */
START_TEST(other_calls_in_between_do_not_matter)
{
    size_t bytes;

    for (int round = 0; round < 2; round++) {
        struct ftc_call call = call_of(FTC_CALL_GATHER);

        ck_assert(is_valid(&call, &bytes));
        ck_assert(round == 0 || looks == 0);
        call = call_of(FTC_CALL_SCATTER);
        ck_assert(is_valid(&call, &bytes));
        ck_assert(round == 0 || looks == 0);
    }
}
END_TEST

enum change { NO_BUFFER, OWN_PLACE, BELOW_ZERO, NO_DATATYPE, CHANGES };

static void change(struct ftc_layout *layout, enum change c)
{
    if (c == NO_BUFFER)
        layout->buffer = NULL;
    else if (c == OWN_PLACE)
        layout->buffer = layout == &layouts.send ? out + RANK : in - RANK;
    else if (c == BELOW_ZERO)
        layout->count = -1;
    else
        layout->datatype = MPI_DATATYPE_NULL;
}

START_TEST(a_call_that_differs_is_looked_at)
{
    size_t bytes;

    for (int c = 0; c < CHANGES; c++)
        for (int i = 0; i < 2; i++) {
            struct ftc_call call = call_of(FTC_CALL_GATHER);

            ck_assert(is_valid(&call, &bytes));
            change(i == 0 ? &layouts.send : &layouts.receive, (enum change)c);
            ck_assert(!is_valid(&call, &bytes));
        }
}
END_TEST

START_TEST(another_count_is_another_number_of_bytes)
{
    struct ftc_call call = call_of(FTC_CALL_GATHER);
    size_t bytes;

    ck_assert(is_valid(&call, &bytes));
    layouts.send.count = layouts.receive.count = 2;
    ck_assert(is_valid(&call, &bytes));
    ck_assert_uint_eq(bytes, 2 * N * BYTES);
}
END_TEST

/* Of no root what is received is looked at, of the root it is. */
START_TEST(the_same_arguments_at_another_root_rank_or_communicator_are_looked_at)
{
    struct ftc_call call = call_of(FTC_CALL_GATHER);
    size_t bytes;

    layouts.receive.buffer = NULL;
    call.root = RANK + 1;
    ck_assert(is_valid(&call, &bytes));
    call.root = RANK;
    ck_assert(!is_valid(&call, &bytes));
    call.root = RANK + 1;
    ck_assert(is_valid(&call, &bytes));
    ck_assert(!ftc_layouts_are_valid(&call, RANK + 1, N, &bytes));
    ck_assert(ftc_layouts_are_valid(&call, RANK, N + 1, &bytes));
    ck_assert_uint_eq(bytes, (N + 1) * BYTES);
}
END_TEST

/* Two that share a place among what is known. */
START_TEST(another_kind_of_call_is_looked_at)
{
    struct ftc_call call = call_of(FTC_CALL_GATHER);
    size_t bytes;

    layouts.receive.buffer = NULL; /* not looked at where this rank is no root */
    call.root = RANK + 1;
    for (int kind = 0; kind < FTC_CALL_COUNT; kind++) {
        enum ftc_call_kind plain = ftc_call_plain((enum ftc_call_kind)kind);

        if (plain != FTC_CALL_ALLGATHER && plain != FTC_CALL_ALLTOALL && plain != FTC_CALL_SCATTER)
            continue;
        call.kind = FTC_CALL_GATHER;
        ck_assert(is_valid(&call, &bytes));
        call.kind = (enum ftc_call_kind)kind;
        ck_assert(!is_valid(&call, &bytes));
    }
}
END_TEST

START_TEST(a_datatype_that_may_have_been_freed_is_looked_at)
{
    struct ftc_call call = call_of(FTC_CALL_ALLGATHER);
    size_t bytes;

    layouts.send.datatype = layouts.receive.datatype = DERIVED;
    ck_assert(is_valid(&call, &bytes));
    ck_assert_uint_eq(bytes, N * BYTES);
    derived_bytes = 3 * BYTES; /* another one with the same handle */
    ck_assert(is_valid(&call, &bytes));
    ck_assert_uint_eq(bytes, 3 * N * BYTES);
    derived_is_freed = true;
    ck_assert(!is_valid(&call, &bytes));
}
END_TEST

/* A view of what is rejected has places all the same, of nothing. */
START_TEST(what_is_rejected_has_no_data)
{
    const struct ftc_layout layout = {.buffer = in, .count = 0, .datatype = MPI_DATATYPE_NULL};
    struct ftc_layout_view view;
    struct ftc_layout_block place;

    ck_assert(!ftc_layout_view(&view, &layout));
    place = ftc_layout_whole(&view);
    ck_assert_uint_eq(ftc_layout_block_bytes(&place), 0);
    place = ftc_layout_block(&view, 1);
    ck_assert_uint_eq(ftc_layout_block_bytes(&place), 0);
}
END_TEST

START_TEST(counts_and_displacements_are_looked_at)
{
    int counts[N] = {1, 1, 1, 1}, displacements[N] = {0, 1, 2, 3};
    struct ftc_call call = call_of(FTC_CALL_ALLGATHERV);
    size_t bytes;

    layouts.receive.counts = counts;
    layouts.receive.displacements = displacements;
    ck_assert(is_valid(&call, &bytes));
    ck_assert_uint_eq(bytes, N * BYTES);
    counts[2] = 3;
    ck_assert(is_valid(&call, &bytes));
    ck_assert_uint_eq(bytes, (N + 2) * BYTES);
    counts[2] = -1;
    ck_assert(!is_valid(&call, &bytes));
    layouts.receive.counts = NULL;
    ck_assert(!is_valid(&call, &bytes));
    layouts.receive.displacements = NULL;
    call.kind = FTC_CALL_ALLGATHER;
    ck_assert(is_valid(&call, &bytes));
    layouts.receive.counts = counts;
    ck_assert(!is_valid(&call, &bytes));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("layouts");
    UNIT_TEST(a_call_that_comes_again_is_known);
    UNIT_TEST(other_calls_in_between_do_not_matter);
    UNIT_TEST(a_call_that_differs_is_looked_at);
    UNIT_TEST(another_count_is_another_number_of_bytes);
    UNIT_TEST(the_same_arguments_at_another_root_rank_or_communicator_are_looked_at);
    UNIT_TEST(another_kind_of_call_is_looked_at);
    UNIT_TEST(a_datatype_that_may_have_been_freed_is_looked_at);
    UNIT_TEST(what_is_rejected_has_no_data);
    UNIT_TEST(counts_and_displacements_are_looked_at);
    UNIT_END();
}
