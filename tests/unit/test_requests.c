/* The table of requests, beside an array that knows the same. */
#include "unit.h"

#include "library.h"
#include "p2p/requests.h"

#include <stdlib.h>

enum { HANDLES = 3000, DIRECT = 8, TURNS = 200000 };

struct ftc_library ftc_library;
static struct ftc_peers world, freed = {.comm = MPI_COMM_NULL};
static int releases;

struct ftc_peers *ftc_peers_get(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? &world : comm == MPI_COMM_SELF ? &freed : NULL;
}

uint64_t ftc_peers_begin(MPI_Comm comm, int peer)
{
    (void)comm;
    (void)peer;
    return 0;
}

void ftc_peers_release(struct ftc_peers *p)
{
    ck_assert_ptr_eq(p, &freed);
    releases++;
}

/* As MPICH numbers them: a few of one kind, then blocks of another. */
static MPI_Request handle_of(int i)
{
    unsigned later = (unsigned)(i - DIRECT);

    if (i < DIRECT)
        return (MPI_Request)(0xac000000u + (unsigned)i);
    return (MPI_Request)(0xec000000u + later / 1024 * 4096 + later % 1024);
}

static void expect(int i, bool known, int peer)
{
    struct ftc_p2p_request r;

    ck_assert_int_eq(ftc_requests_find(handle_of(i), &r), known);
    ck_assert_int_eq(ftc_requests_is_foreign(handle_of(i)), !known);
    if (known)
        ck_assert_int_eq(r.peer, peer);
}

START_TEST(what_is_noted_is_found_until_it_is_removed)
{
    static int peer_of[HANDLES]; /* 0: not noted */
    int known = 0;

    ck_assert_int_eq(ftc_requests_open(), 0);
    srand(1);
    for (int turn = 1; turn <= TURNS; turn++) {
        int i = rand() % HANDLES;

        if (rand() % 2) {
            ftc_requests_remove(handle_of(i));
            peer_of[i] = 0;
        } else {
            ftc_requests_add(handle_of(i), MPI_COMM_WORLD, turn, 0, true, false);
            peer_of[i] = turn;
        }
        expect(i, peer_of[i] != 0, peer_of[i]);
        expect(turn % HANDLES, peer_of[turn % HANDLES] != 0, peer_of[turn % HANDLES]);
    }
    for (int i = 0; i < HANDLES; i++)
        known += peer_of[i] != 0;
    ck_assert_int_gt(known, 0);
    ck_assert_int_eq(world.users, known);
    for (int i = 0; i < HANDLES; i++)
        ftc_requests_remove(handle_of(i));
    ck_assert_int_eq(world.users, 0);
}
END_TEST

START_TEST(the_last_request_frees_the_peers_of_a_freed_communicator)
{
    ck_assert_int_eq(ftc_requests_open(), 0);
    releases = 0;
    ftc_requests_add(handle_of(0), MPI_COMM_SELF, 1, 0, true, false);
    ftc_requests_add(handle_of(1), MPI_COMM_SELF, 1, 0, true, false);
    ftc_requests_remove(handle_of(0));
    ck_assert_int_eq(releases, 0);
    ftc_requests_add(handle_of(1), MPI_COMM_WORLD, 1, 0, true, false);
    ck_assert_int_eq(releases, 1);
}
END_TEST

/* As after a test of native MPI that has freed the handle. */
START_TEST(the_end_of_a_request_leaves_the_next_one_with_its_handle)
{
    uint32_t last;

    ck_assert_int_eq(ftc_requests_open(), 0);
    ftc_requests_add(handle_of(0), MPI_COMM_WORLD, 1, 0, true, false);
    ftc_requests_add(handle_of(1), MPI_COMM_WORLD, 1, 0, true, false);
    last = ftc_requests_last();
    ftc_requests_add(handle_of(0), MPI_COMM_WORLD, 2, 0, true, false);
    ftc_requests_remove_until(handle_of(0), last);
    ftc_requests_remove_until(handle_of(1), last);
    ftc_requests_remove_until(handle_of(2), last);
    expect(0, true, 2);
    expect(1, false, 0);
    ftc_requests_remove_until(handle_of(0), ftc_requests_last());
    expect(0, false, 0);
}
END_TEST

/* Somebody may have looked at the one before. */
START_TEST(an_update_is_of_the_request_that_was_found)
{
    struct ftc_p2p_request r;

    ck_assert_int_eq(ftc_requests_open(), 0);
    ftc_requests_add(handle_of(0), MPI_COMM_WORLD, 1, 0, true, false);
    ck_assert(ftc_requests_find(handle_of(0), &r));
    ftc_requests_add(handle_of(0), MPI_COMM_WORLD, 2, 0, true, false);
    ftc_requests_update(&r);
    expect(0, true, 2);
}
END_TEST

START_TEST(what_was_complete_at_once_needs_nobody)
{
    ck_assert(!ftc_requests_is_foreign(MPI_REQUEST_NULL));
    ck_assert(!ftc_requests_is_foreign((MPI_Request)0x6c000001));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("requests");
    UNIT_TEST(what_is_noted_is_found_until_it_is_removed);
    UNIT_TEST(the_last_request_frees_the_peers_of_a_freed_communicator);
    UNIT_TEST(the_end_of_a_request_leaves_the_next_one_with_its_handle);
    UNIT_TEST(an_update_is_of_the_request_that_was_found);
    UNIT_TEST(what_was_complete_at_once_needs_nobody);
    UNIT_END();
}
