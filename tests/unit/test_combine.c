/* Facts, spans and kernels against the MPI library at hand: every predefined operation on every
 * predefined datatype, and derived datatypes. Runs as one process without mpiexec. */
#include "value/datatype.h"
#include "value/kernels.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        checks++;                                                                                  \
        if (!(condition))                                                                          \
            fail(__LINE__, #condition);                                                            \
    } while (0)

struct named_type {
    const char *name;
    MPI_Datatype datatype;
    enum ftc_type_class type_class;
};

struct named_op {
    const char *name;
    MPI_Op op;
    enum ftc_operator index;
};

static const struct named_type types[] = {
#define FTC_DATATYPE(handle, class) {#handle, handle, FTC_TYPE_##class},
#include "value/datatypes.def"
#undef FTC_DATATYPE
};

static const struct named_op ops[] = {
#define FTC_OPERATOR(name) {"MPI_" #name, MPI_##name, FTC_OPERATOR_##name},
#include "value/operators.def"
#undef FTC_OPERATOR
};

enum { TYPE_COUNT = sizeof types / sizeof *types, OP_COUNT = sizeof ops / sizeof *ops };
enum { ELEMENTS_MAX = 4096, BUFFER_BYTES = 32 * ELEMENTS_MAX + 64, GAP = 0xa5 };

static long checks, failures;
static char subject[128]; /* what is being checked */
static int handler_calls; /* of the program's error handler */
static MPI_Op user_op;    /* commutative */

static void fail(int line, const char *condition)
{
    failures++;
    fprintf(stderr, "test_combine.c:%d: %s: not so: %s\n", line, subject, condition);
}

static void count_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handler_calls++;
}

static void catch_errors(void)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Errhandler_free(&handler);
}

static void add_first(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t random_state = 0x123456789abcdefull;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dull;
}

static const long double edges[] = {
    0.0L,        -0.0L,        1.0L,     -1.0L,     2.0L,        -2.0L,   0.5L,     3.0L,    100.0L,
    1e30L,       -1e30L,       FLT_MAX,  -FLT_MAX,  FLT_MIN,     DBL_MAX, -DBL_MAX, DBL_MIN, 1e-40L,
    (double)NAN, -(double)NAN, INFINITY, -INFINITY, 1.0L / 3.0L, 1e-310L, LDBL_MAX};
enum { EDGE_COUNT = sizeof edges / sizeof *edges };

static long double some_number(void)
{
    if (random_bits() % 3 == 0)
        return (long double)(int64_t)random_bits() / 65536;
    return edges[random_bits() % EDGE_COUNT];
}

static void put_number(unsigned char *to, size_t bytes)
{
    long double number = some_number();
    float as_float = (float)number;
    double as_double = (double)number;

    if (bytes == sizeof(float))
        memcpy(to, &as_float, bytes);
    else if (bytes == sizeof(double))
        memcpy(to, &as_double, bytes);
    else
        *(long double *)(void *)to = number; /* leaves its padding as it is */
}

/* Few different values, so that ties occur, among them the extreme ones. */
static void put_integer(unsigned char *to, size_t bytes)
{
    static const uint64_t edge[] = {0, 1, 2, 3, UINT64_MAX, UINT64_MAX - 1, 127, 128, 0xff};
    uint64_t value = random_bits();

    switch (value % 4) {
    case 0:
        value = edge[value / 4 % (sizeof edge / sizeof *edge)];
        break;
    case 1:
        value = 1ull << (bytes * CHAR_BIT - 1); /* the lowest signed value */
        break;
    case 2:
        value = (1ull << (bytes * CHAR_BIT - 1)) - 1;
        break;
    default:
        break;
    }
    memcpy(to, &value, bytes);
}

static void put_element(unsigned char *to, const struct ftc_facts *type)
{
    size_t size = type->size_bytes, half = size / 2;

    switch (type->type_class) {
    case FTC_TYPE_FLOATING:
        put_number(to, size);
        break;
    case FTC_TYPE_COMPLEX:
    case FTC_TYPE_REAL_PAIR:
        put_number(to, half);
        put_number(to + half, half);
        break;
    case FTC_TYPE_BOOL: /* others are no bool */
        *to = random_bits() % 2;
        break;
    case FTC_TYPE_SIGNED_PAIR:
        put_integer(to, size - sizeof(int));
        put_integer(to + type->true_extent_bytes - sizeof(int), sizeof(int));
        break;
    case FTC_TYPE_FLOATING_PAIR:
        put_number(to, size - sizeof(int));
        put_integer(to + type->true_extent_bytes - sizeof(int), sizeof(int));
        break;
    default:
        for (size_t i = 0; i < size; i += sizeof(uint64_t))
            put_integer(to + i, size - i < sizeof(uint64_t) ? size - i : sizeof(uint64_t));
        break;
    }
}

static void put_elements(unsigned char *to, size_t count, const struct ftc_facts *type)
{
    for (size_t i = 0; i < count; i++)
        put_element(to + i * (size_t)type->extent_bytes, type);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool is_nan(const unsigned char *number, size_t bytes)
{
    float as_float;
    double as_double;

    if (bytes == sizeof(float)) {
        memcpy(&as_float, number, bytes);
        return isnan(as_float);
    }
    if (bytes == sizeof(double)) {
        memcpy(&as_double, number, bytes);
        return isnan(as_double);
    }
    return isnan(*(const long double *)(const void *)number);
}

/* Bytes of one number, where the operation is arithmetic on numbers that may be NaN; else 0. */
static size_t number_bytes(const struct ftc_facts *type, enum ftc_operator op)
{
    if (op != FTC_OPERATOR_SUM && op != FTC_OPERATOR_PROD)
        return 0;
    if (type->type_class == FTC_TYPE_COMPLEX)
        return type->size_bytes / 2;
    return type->type_class == FTC_TYPE_FLOATING ? type->size_bytes : 0;
}

/* Which of two NaNs an arithmetic operation gives is the compiler's choice of operand order: there,
 * native's result is put in place of @ours, which must be a NaN too. */
static void allow_either_nan(unsigned char *ours, const unsigned char *native,
                             const unsigned char *from, const unsigned char *before, size_t bytes,
                             size_t number)
{
    for (size_t i = 0; number > 0 && i < bytes; i += number)
        if (is_nan(from + i, number) && is_nan(before + i, number)) {
            CHECK(is_nan(ours + i, number));
            memcpy(ours + i, native + i, number);
        }
}

static void compare_with_native(const struct named_type *t, const struct ftc_facts *type,
                                const struct named_op *o, ftc_combine_fn kernel, size_t count)
{
    static _Alignas(64) unsigned char from[BUFFER_BYTES], before[BUFFER_BYTES];
    static _Alignas(64) unsigned char native[BUFFER_BYTES], ours[BUFFER_BYTES];
    static unsigned char shifted[BUFFER_BYTES + 1], shifted_from[BUFFER_BYTES + 1];
    size_t bytes = count * (size_t)type->extent_bytes;

    memset(from, GAP, sizeof from);
    memset(before, GAP, sizeof before);
    put_elements(from, count, type);
    put_elements(before, count, type);
    memcpy(native, before, sizeof native);
    memcpy(ours, before, sizeof ours);
    memcpy(shifted + 1, before, sizeof before);
    memcpy(shifted_from + 1, from, sizeof from);
    CHECK(PMPI_Reduce_local(from, native, (int)count, t->datatype, o->op) == MPI_SUCCESS);
    kernel(ours, from, count);
    kernel(shifted + 1, shifted_from + 1, count);
    CHECK(memcmp(ours, shifted + 1, sizeof ours) == 0);
    allow_either_nan(ours, native, from, before, bytes, number_bytes(type, o->index));
    CHECK(memcmp(ours, native, sizeof ours) == 0);
}

static void check_kernel(const struct named_type *t, const struct ftc_facts *type,
                         const struct named_op *o, ftc_combine_fn kernel)
{
    static const size_t counts[] = {0, 1, 2, 3, 5, 7, 15, 16, 17, 33, 127, ELEMENTS_MAX - 1};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        compare_with_native(t, type, o, kernel, counts[i]);
    for (int i = 0; i < 20; i++)
        compare_with_native(t, type, o, kernel, ELEMENTS_MAX);
}

static bool native_accepts(MPI_Datatype datatype, MPI_Op op)
{
    static _Alignas(64) unsigned char from[64], into[64];
    MPI_Comm comm;
    int rv;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    rv = MPI_Allreduce(from, into, 1, datatype, op, comm);
    MPI_Comm_free(&comm);
    return rv == MPI_SUCCESS;
}

/* What MPI forbids and MPICH accepts, to abort later on some of them. */
static bool is_left_to_native(enum ftc_type_class type_class, enum ftc_operator op)
{
    return type_class == FTC_TYPE_HALF ||
           ((type_class == FTC_TYPE_FLOATING || type_class == FTC_TYPE_QUAD) &&
            op >= FTC_OPERATOR_LAND && op <= FTC_OPERATOR_LXOR);
}

static bool native_minimum_is_right(MPI_Datatype datatype)
{
    uint64_t zero = 0, most = UINT64_MAX;

    PMPI_Reduce_local(&zero, &most, 1, datatype, MPI_MIN);
    return (most & 0xff) == 0;
}

/* The library may drop a kernel that differs from native MPI: only where that is known to happen.
 */
static bool needs_kernel(const struct named_type *t, enum ftc_operator op)
{
    bool loc = op == FTC_OPERATOR_MINLOC || op == FTC_OPERATOR_MAXLOC;

    switch (t->type_class) {
    case FTC_TYPE_UNSIGNED:
        if (op == FTC_OPERATOR_MIN || op == FTC_OPERATOR_MAX)
            return native_minimum_is_right(t->datatype);
        return true;
    case FTC_TYPE_COMPLEX:
        return op == FTC_OPERATOR_SUM;
    case FTC_TYPE_SIGNED_PAIR:
    case FTC_TYPE_FLOATING_PAIR:
    case FTC_TYPE_REAL_PAIR:
        return loc;
    case FTC_TYPE_SIGNED:
    case FTC_TYPE_FLOATING:
    case FTC_TYPE_BOOL:
    case FTC_TYPE_LOGICAL:
    case FTC_TYPE_BYTE:
        return true;
    default:
        return false;
    }
}

static struct {
    int kernel, reduce_local, rejected, left;
} combinations;

static void check_operation(const struct named_type *t, const struct named_op *o)
{
    bool accepted = native_accepts(t->datatype, o->op), carried_out;
    struct ftc_facts facts;

    snprintf(subject, sizeof subject, "%s on %s", o->name, t->name);
    carried_out = ftc_facts(t->datatype, o->op, &facts);
    if (accepted && is_left_to_native(t->type_class, o->index)) {
        CHECK(!carried_out);
        combinations.left++;
        return;
    }
    CHECK(carried_out == accepted);
    if (!carried_out) {
        combinations.rejected++;
        return;
    }
    CHECK(facts.commutative);
    CHECK(facts.type_class == t->type_class);
    CHECK(!!facts.kernel == needs_kernel(t, o->index));
    if (facts.kernel) {
        combinations.kernel++;
        check_kernel(t, &facts, o, facts.kernel);
    } else {
        combinations.reduce_local++;
    }
}

static void check_operations(void)
{
    for (const struct named_type *t = types; t < types + TYPE_COUNT; t++)
        if (t->datatype != MPI_DATATYPE_NULL)
            for (const struct named_op *o = ops; o < ops + OP_COUNT; o++)
                check_operation(t, o);
    printf("operation x datatype: %d with a kernel, %d by PMPI_Reduce_local, %d rejected by MPI, "
           "%d forbidden but accepted by MPI\n",
           combinations.kernel, combinations.reduce_local, combinations.rejected,
           combinations.left);
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void check_facts_of(MPI_Datatype datatype, bool contiguous)
{
    struct ftc_facts facts;
    MPI_Aint lb, extent;
    MPI_Count size;

    CHECK(ftc_facts(datatype, user_op, &facts));
    CHECK(facts.datatype == datatype);
    CHECK(facts.commutative && !facts.kernel);
    MPI_Type_size_x(datatype, &size);
    CHECK(facts.size_bytes == (size_t)size);
    MPI_Type_get_extent(datatype, &lb, &extent);
    CHECK(facts.extent_bytes == extent);
    MPI_Type_get_true_extent(datatype, &lb, &extent);
    CHECK(facts.true_lb_bytes == lb);
    CHECK(facts.true_extent_bytes == (size_t)extent);
    CHECK(facts.contiguous == contiguous);
}

static void check_predefined_facts(void)
{
    for (const struct named_type *t = types; t < types + TYPE_COUNT; t++) {
        int size;
        MPI_Aint lb, extent;

        snprintf(subject, sizeof subject, "%s", t->name);
        if (t->datatype == MPI_DATATYPE_NULL) {
            printf("%s: not in this MPI library\n", t->name);
            continue;
        }
        MPI_Type_size(t->datatype, &size);
        MPI_Type_get_extent(t->datatype, &lb, &extent);
        check_facts_of(t->datatype, size == extent);
    }
}

static void check_ordered_operation(void)
{
    struct ftc_facts facts;
    MPI_Op ordered;
    MPI_Datatype derived;

    snprintf(subject, sizeof subject, "user operation that does not commute");
    MPI_Op_create(add_first, 0, &ordered);
    MPI_Type_vector(2, 1, 2, MPI_INT, &derived);
    MPI_Type_commit(&derived);
    CHECK(ftc_facts(MPI_INT, ordered, &facts) && !facts.commutative && !facts.kernel);
    CHECK(ftc_facts(derived, ordered, &facts) && !facts.commutative && !facts.kernel);
    MPI_Type_free(&derived);
    MPI_Op_free(&ordered);
}

static void check_invalid_arguments(void)
{
    static const MPI_Op bad_ops[] = {MPI_OP_NULL, MPI_REPLACE, MPI_NO_OP, (MPI_Op)0};
    const MPI_Datatype bad_types[] = {MPI_DATATYPE_NULL, 0, -1, (MPI_Datatype)MPI_COMM_WORLD};
    struct ftc_facts facts;
    MPI_Datatype derived;

    snprintf(subject, sizeof subject, "invalid arguments");
    handler_calls = 0;
    for (size_t i = 0; i < sizeof bad_types / sizeof *bad_types; i++) {
        CHECK(!ftc_facts(bad_types[i], MPI_SUM, &facts));
        CHECK(!ftc_facts(bad_types[i], user_op, &facts));
    }
    MPI_Type_vector(2, 1, 2, MPI_INT, &derived);
    CHECK(!ftc_facts(derived, user_op, &facts)); /* not committed */
    MPI_Type_commit(&derived);
    CHECK(ftc_facts(derived, user_op, &facts));
    for (size_t i = 0; i < sizeof bad_ops / sizeof *bad_ops; i++) {
        CHECK(!ftc_facts(derived, bad_ops[i], &facts));
        CHECK(!ftc_facts(MPI_INT, bad_ops[i], &facts));
    }
    CHECK(!ftc_facts(derived, MPI_SUM, &facts));
    CHECK(!ftc_facts(MPI_INT, MPI_MINLOC, &facts));
    CHECK(!ftc_facts(MPI_2INT, MPI_SUM, &facts));
    MPI_Type_free(&derived);
    CHECK(handler_calls == 0);
}

/* ---- spans ----------------------------------------------------------------------------------- */

enum { FIELD = 32768, ORIGIN = FIELD / 2 }; /* a buffer starts at ORIGIN, for types that go down */

struct field {
    _Alignas(64) unsigned char byte[FIELD];
};

/* Which bytes around a buffer belong to its elements: MPI's own answer, by receiving ones into it.
 */
static void mark_elements(struct field *mask, MPI_Datatype datatype, int count)
{
    static unsigned char packed[FIELD];
    int position = 0, bytes;

    memset(mask, 0, sizeof *mask);
    memset(packed, 1, sizeof packed);
    MPI_Pack_size(count, datatype, MPI_COMM_SELF, &bytes);
    CHECK(bytes <= FIELD);
    MPI_Unpack(packed, bytes, &position, mask->byte + ORIGIN, count, datatype, MPI_COMM_SELF);
}

static void check_span(MPI_Datatype datatype, int count)
{
    static struct field mask, source, target, span;
    struct ftc_facts facts;
    ptrdiff_t start;
    size_t bytes, first = FIELD, end = 0;

    CHECK(ftc_facts(datatype, user_op, &facts));
    start = ftc_span_start(&facts, count);
    bytes = ftc_span_bytes(&facts, count);
    CHECK(start % 16 == 0);
    CHECK(bytes + 64 < FIELD);
    mark_elements(&mask, datatype, count);
    for (size_t i = 0; i < FIELD; i++) {
        source.byte[i] = mask.byte[i] ? (unsigned char)random_bits() : GAP;
        if (mask.byte[i]) {
            first = first < i ? first : i;
            end = i + 1;
        }
    }
    if (end) {
        CHECK((ptrdiff_t)first - ORIGIN - start >= 0 && (ptrdiff_t)first - ORIGIN - start < 16);
        CHECK((ptrdiff_t)end - ORIGIN - start == (ptrdiff_t)bytes);
    } else {
        CHECK(bytes == 0);
    }
    memset(&span, ~GAP, sizeof span);
    memset(&target, GAP, sizeof target);
    CHECK(ftc_span_read(span.byte, source.byte + ORIGIN, count, &facts) == MPI_SUCCESS);
    for (size_t i = 0; i < bytes; i++)
        CHECK(span.byte[i] == (mask.byte[(size_t)(ORIGIN + start) + i]
                                   ? source.byte[(size_t)(ORIGIN + start) + i]
                                   : 0));
    for (size_t i = bytes; i < FIELD; i++)
        CHECK(span.byte[i] == (unsigned char)~GAP);
    CHECK(ftc_span_write(target.byte + ORIGIN, span.byte, count, &facts) == MPI_SUCCESS);
    CHECK(memcmp(&source, &target, sizeof source) == 0);
}

static void check_spans(const char *name, MPI_Datatype datatype)
{
    snprintf(subject, sizeof subject, "span of %s", name);
    for (int count = 1; count <= 9; count++)
        check_span(datatype, count);
}

static MPI_Datatype commit(MPI_Datatype datatype)
{
    MPI_Type_commit(&datatype);
    return datatype;
}

static MPI_Datatype make_vector(void)
{
    MPI_Datatype t;

    MPI_Type_vector(3, 2, 5, MPI_SHORT, &t);
    return commit(t);
}

static MPI_Datatype make_resized(MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype vector = make_vector(), t;

    MPI_Type_create_resized(vector, lb, extent, &t);
    MPI_Type_free(&vector);
    return commit(t);
}

static MPI_Datatype make_struct(MPI_Aint first, MPI_Aint second)
{
    int lengths[] = {1, 2};
    MPI_Aint displacements[] = {first, second};
    MPI_Datatype members[] = {MPI_DOUBLE, MPI_INT}, t;

    MPI_Type_create_struct(2, lengths, displacements, members, &t);
    return commit(t);
}

static MPI_Datatype make_contiguous(int count, MPI_Datatype old)
{
    MPI_Datatype t;

    MPI_Type_contiguous(count, old, &t);
    return commit(t);
}

static void check_derived(const char *name, MPI_Datatype datatype, bool contiguous)
{
    snprintf(subject, sizeof subject, "%s", name);
    check_facts_of(datatype, contiguous);
    check_spans(name, datatype);
    MPI_Type_free(&datatype);
}

static void check_derived_types(void)
{
    check_derived("vector with gaps", make_vector(), false);
    check_derived("contiguous", make_contiguous(3, MPI_DOUBLE), true);
    check_derived("contiguous pairs with gaps", make_contiguous(3, MPI_DOUBLE_INT), false);
    check_derived("nothing", make_contiguous(0, MPI_INT), false);
    check_derived("resized, negative lower bound", make_resized(-24, 96), false);
    check_derived("resized, elements interleaved", make_resized(0, 4), false);
    check_derived("resized, negative extent", make_resized(40, -40), false);
    check_derived("struct", make_struct(0, 8), true);
    check_derived("struct, members in reverse order", make_struct(8, 0), true);
    check_derived("struct, negative displacement", make_struct(-40, 20), false);
    check_derived("struct, starting at 4", make_struct(12, 4), false);
    check_derived("struct, starting at 32", make_struct(32, 40), true);
}

static void check_predefined_spans(void)
{
    for (const struct named_type *t = types; t < types + TYPE_COUNT; t++)
        if (t->datatype != MPI_DATATYPE_NULL)
            check_spans(t->name, t->datatype);
}

static void check_span_limits(void)
{
    struct ftc_facts facts;

    snprintf(subject, sizeof subject, "span limits");
    CHECK(ftc_facts(MPI_DOUBLE, MPI_SUM, &facts));
    CHECK(ftc_span_bytes(&facts, 0) == 0);
    CHECK(ftc_span_bytes(&facts, 3) == 24);
    CHECK(ftc_span_bytes(&facts, INT_MAX) == (size_t)INT_MAX * 8);
    CHECK(ftc_span_bytes(&facts, (MPI_Count)1 << 40) == (size_t)8 << 40);
    CHECK(ftc_packed_bytes(&facts, (MPI_Count)1 << 40) == (size_t)8 << 40);
    CHECK(ftc_packed_bytes(&facts, (MPI_Count)1 << 60) == SIZE_MAX);
    facts.extent_bytes = PTRDIFF_MAX / 2;
    CHECK(ftc_span_bytes(&facts, 1) == 8);
    CHECK(ftc_span_bytes(&facts, 3) == SIZE_MAX);
    CHECK(ftc_span_bytes(&facts, 100) == SIZE_MAX);
    facts.extent_bytes = -PTRDIFF_MAX / 2;
    CHECK(ftc_span_bytes(&facts, 3) == SIZE_MAX);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    catch_errors();
    MPI_Op_create(add_first, 1, &user_op);
    CHECK(ftc_facts_open() == MPI_SUCCESS);
    check_predefined_facts();
    check_operations();
    check_ordered_operation();
    check_invalid_arguments();
    check_predefined_spans();
    check_derived_types();
    check_span_limits();
    ftc_facts_close();
    MPI_Op_free(&user_op);
    snprintf(subject, sizeof subject, "the whole");
    CHECK(handler_calls == 0);
    MPI_Finalize();
    printf("%ld checks, %ld failures\n", checks, failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
