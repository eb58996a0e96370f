/* What native MPI makes of the survivors below a file or topology. The file under test is part of
 * this one. */
#include "new_communicators/native_part.c"

#include "unit_board.h"

#include <signal.h>

enum { SELF, OTHER, RANKS, OF_MEMBERS = 100, FAILED = 17 };

struct ftc_library ftc_library;

static int result; /* of what is made of their communicator */
static int made;   /* communicators that are not freed */

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    (void)comm;
    (void)group;
    (void)tag;
    *newcomm = OF_MEMBERS;
    made++;
    return MPI_SUCCESS;
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    ck_assert_int_eq(*comm, OF_MEMBERS);
    *comm = MPI_COMM_NULL;
    made--;
    return MPI_SUCCESS;
}

int PMPI_File_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *file)
{
    (void)name;
    (void)amode;
    (void)info;
    (void)file;
    ck_assert_int_eq(comm, OF_MEMBERS);
    return result;
}

int ftc_topology_remap_apply(const struct ftc_topology_remap *remap, MPI_Comm comm,
                             MPI_Comm *newcomm)
{
    (void)remap;
    (void)newcomm;
    ck_assert_int_eq(comm, OF_MEMBERS);
    return result;
}

static void setup(void)
{
    ftc_library.board = unit_board(unit_geometry(RANKS, 8));
}

/* Returns how many communicators are left of a call of @kind that ends with @rv. */
static int left_of(enum ftc_call_kind kind, int rv)
{
    const struct ftc_opening opening = {.name = "file"};
    const struct ftc_creation x = {.kind = kind, .comm = MPI_COMM_WORLD, .opening = &opening};
    struct ftc_participants participants = {.size = RANKS};

    made = 0;
    result = rv;
    ck_assert_int_eq(
        create_of_members(&(struct native_part){.x = &x, .participants = &participants}), rv);
    return made;
}

static const enum ftc_call_kind kinds[] = {FTC_CALL_FILE_OPEN, FTC_CALL_CART_CREATE};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void kill_other(void)
{
    ftc_board_mark_failed(&ftc_library.board, OTHER, FTC_DEATH_SIGNAL, SIGKILL);
}

/* MPICH has about 2000 of them. */
START_TEST(a_file_or_topology_leaves_no_communicator)
{
    kill_other();
    ck_assert_int_eq(left_of(kinds[_i], MPI_SUCCESS), 0);
}
END_TEST

/* Messages of it may still come. */
START_TEST(one_that_a_death_has_cut_off_stays)
{
    ck_assert_int_eq(left_of(kinds[_i], FAILED), 0);
    kill_other();
    ck_assert_int_eq(left_of(kinds[_i], FAILED), 1);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("native_part");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    tcase_add_loop_test(unit_case, a_file_or_topology_leaves_no_communicator, 0, KINDS);
    tcase_add_loop_test(unit_case, one_that_a_death_has_cut_off_stays, 0, KINDS);
    UNIT_END();
}
