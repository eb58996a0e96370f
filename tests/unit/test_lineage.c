/* The numbers by which communicators are known, and what stays of those that were made. */
#include "communicator/attribute.h"
#include "communicator/group.h"
#include "communicator/lineage.h"
#include "job_end.h"
#include "library.h"
#include "unit.h"
#include "value/datatype.h"

#include <malloc.h>

enum { ROUNDS = 1000, FIRST = 100, MADE = 77 };

struct ftc_library ftc_library;
static void *kept;       /* of MADE */
static bool has_no_room; /* for an attribute */
static int ended;

void ftc_attribute_on_free(enum ftc_attribute_section section,
                           void (*forget)(MPI_Comm comm, void *kept))
{
    (void)section;
    (void)forget;
}

void *ftc_attribute_get(MPI_Comm comm, enum ftc_attribute_section section)
{
    (void)section;
    ck_assert_int_eq(comm, MADE);
    return kept;
}

bool ftc_attribute_keep(MPI_Comm comm, enum ftc_attribute_section section, void *lineage)
{
    (void)section;
    ck_assert_int_eq(comm, MADE);
    kept = has_no_room ? NULL : lineage;
    return !has_no_room;
}

bool ftc_is_comm(MPI_Comm comm)
{
    return comm != MPI_COMM_NULL;
}

/* Of a group whose handle is its size. */
int *ftc_group_world_ranks(MPI_Group group, int *size)
{
    int *rank = calloc((size_t)group, sizeof *rank);

    for (int i = 0; i < group; i++)
        rank[i] = i;
    *size = group;
    return rank;
}

void ftc_job_end_no_memory(const char *what)
{
    ck_assert_msg(has_no_room, "%s", what);
    ended++;
}

/* The number of a communicator that the ranks of @group make with @tag, and free again. */
static uint64_t made_by(MPI_Group group, int tag)
{
    MPI_Comm made = MADE;
    uint64_t number;

    ck_assert_int_eq(ftc_lineage_in_group(MPI_COMM_WORLD, group, tag, &made, MPI_SUCCESS),
                     MPI_SUCCESS);
    number = ftc_lineage_number(ftc_lineage_of(MADE));
    free(kept);
    return number;
}

static void begin(bool threaded)
{
    ftc_library.state = FTC_LIBRARY_ACTIVE;
    ftc_library.threaded = threaded;
}

START_TEST(each_has_a_number_of_its_own)
{
    uint64_t first, second, other, all;

    begin(false);
    first = made_by(2, 5);
    second = made_by(2, 5);
    other = made_by(3, 5);
    all = made_by(MPI_GROUP_NULL, 0);
    ck_assert_uint_ne(first, second);
    ck_assert_uint_ne(first, other);
    ck_assert_uint_ne(second, other);
    ck_assert_uint_ne(all, first);
    ck_assert_uint_ne(all, other);
}
END_TEST

/* The other ranks would count its communicators, and this one would not. */
START_TEST(a_rank_that_cannot_keep_the_number_ends_the_job)
{
    MPI_Comm made = MADE;

    begin(false);
    has_no_room = true;
    ftc_lineage_in_group(MPI_COMM_WORLD, 2, 5, &made, MPI_SUCCESS);
    ck_assert_int_eq(ended, 1);
}
END_TEST

/* What stays with a parent is for as long as it lives. */
START_TEST(rising_tags_leave_nothing_behind)
{
    size_t before;

    begin(false);
    for (int tag = 0; tag < FIRST; tag++) /* what is freed is kept to be given out again */
        made_by(2, tag);
    before = mallinfo2().uordblks;
    for (int tag = FIRST; tag < ROUNDS; tag++)
        made_by(2, tag);
    ck_assert_uint_eq(mallinfo2().uordblks, before);
}
END_TEST

/* Another rank's threads come in another order: each tag is counted by itself. */
START_TEST(tags_of_threads_are_told_apart)
{
    uint64_t first, first_of_other_tag;

    begin(true);
    first = made_by(2, 0);
    first_of_other_tag = made_by(2, 1);
    ck_assert_uint_ne(first, first_of_other_tag);
    ck_assert_uint_ne(made_by(2, 0), first);
}
END_TEST

/* Of MPICH 5.0.2, after an error that a handler of the program's was told of. */
START_TEST(success_that_made_nothing_has_no_number)
{
    MPI_Comm made = MPI_COMM_NULL;

    begin(false);
    kept = NULL;
    ck_assert_int_eq(ftc_lineage_from(MPI_COMM_NULL, &made, MPI_SUCCESS), MPI_SUCCESS);
    ck_assert_int_eq(ftc_lineage_from(MPI_COMM_WORLD, NULL, MPI_SUCCESS), MPI_SUCCESS);
    ck_assert_ptr_null(kept);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("lineage");
    UNIT_TEST(each_has_a_number_of_its_own);
    UNIT_TEST(a_rank_that_cannot_keep_the_number_ends_the_job);
    UNIT_TEST(rising_tags_leave_nothing_behind);
    UNIT_TEST(tags_of_threads_are_told_apart);
    UNIT_TEST(success_that_made_nothing_has_no_number);
    UNIT_END();
}
