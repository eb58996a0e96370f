/* Point-to-point calls that name their peer: the error of one that sends and receives. */
#include "p2p/dead_peer.h"
#include "p2p/p2p.h"
#include "program/error.h"
#include "unit_board.h"

enum { SELF, PEER, RANKS, SEND = 1, RECEIVE, DEAD_PEER = 31, NATIVE = 32 };

struct ftc_library ftc_library;

static int received; /* MPI error code */

/* Each request is complete. */
int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    (void)status;
    *flag = 1;
    return request == RECEIVE ? received : MPI_SUCCESS;
}

int PMPI_Request_free(MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

struct ftc_peers *ftc_peers_get(MPI_Comm comm)
{
    (void)comm;
    return NULL;
}

int ftc_dead_result(const char *name, const struct ftc_p2p_request *r, MPI_Status *status)
{
    (void)name;
    (void)status;
    ck_assert_int_eq(r->failed_by, PEER);
    return DEAD_PEER;
}

void ftc_error_raise(const struct ftc_call *call)
{
    (void)call;
}

/* Returns the error of a call that sends to a living or dead rank, and whose receive ends with
 * @receive_error. */
static int exchange(bool is_sent, int receive_error)
{
    const struct ftc_p2p_call send = {.comm = MPI_COMM_WORLD, .peer = PEER},
                              receive = {.comm = MPI_COMM_WORLD, .peer = PEER, .receives = true};
    MPI_Request half[] = {is_sent ? SEND : MPI_REQUEST_NULL, RECEIVE};
    MPI_Status status;

    ftc_library.board = unit_board(unit_geometry(RANKS, 8));
    received = receive_error;
    return ftc_p2p_finish_both(&send, &half[0], &receive, &half[1], &status);
}

START_TEST(a_call_that_sends_and_receives_has_the_error_of_either_half)
{
    ck_assert_int_eq(exchange(true, MPI_SUCCESS), MPI_SUCCESS);
    ck_assert_int_eq(exchange(false, MPI_SUCCESS), DEAD_PEER);
    ck_assert_int_eq(exchange(true, NATIVE), NATIVE);
}
END_TEST

START_TEST(of_two_errors_it_has_that_of_the_receive)
{
    ck_assert_int_eq(exchange(false, NATIVE), NATIVE);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("blocking");
    UNIT_TEST(a_call_that_sends_and_receives_has_the_error_of_either_half);
    UNIT_TEST(of_two_errors_it_has_that_of_the_receive);
    UNIT_END();
}
