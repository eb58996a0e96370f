/* Completion of several requests, some of them partitioned. Native MPI never gets these together
 * with the others. */
#include "p2p/partitioned.h"
#include "unit.h"

#include <string.h>

enum { REQUESTS = 4, FIRST = MPI_REQUEST_NULL + 1, PARTITIONED = 3 };

struct ftc_library ftc_library;

static bool is_over[REQUESTS], is_free[REQUESTS];

static bool is_partitioned(MPI_Request request)
{
    return request >= FIRST && request < FIRST + PARTITIONED;
}

/* ---- what is below ---- */

bool ftc_requests_find(MPI_Request handle, struct ftc_p2p_request *request)
{
    *request = (struct ftc_p2p_request){.handle = handle, .partitioned = is_partitioned(handle)};
    return true;
}

void ftc_requests_add(MPI_Request handle, MPI_Comm comm, int peer, int tag, bool receives,
                      bool persistent)
{
    (void)handle, (void)comm, (void)peer, (void)tag, (void)receives, (void)persistent;
}

void ftc_requests_update(const struct ftc_p2p_request *request)
{
    (void)request;
}

/* ---- MPI ---- */

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    (void)status;
    *flag = is_over[request - FIRST];
    return MPI_SUCCESS;
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    (void)status;
    *flag = is_over[*request - FIRST];
    is_free[*request - FIRST] = *flag;
    return MPI_SUCCESS;
}

int PMPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    (void)statuses;
    *flag = true;
    for (int i = 0; i < count; i++) {
        ck_assert(!is_partitioned(requests[i]));
        if (requests[i] != MPI_REQUEST_NULL)
            *flag &= is_over[requests[i] - FIRST];
    }
    for (int i = 0; *flag && i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            is_free[requests[i] - FIRST] = true;
            requests[i] = MPI_REQUEST_NULL;
        }
    return MPI_SUCCESS;
}

/* ---- tests ---- */

static void note_partitioned(void)
{
    const struct ftc_p2p_call call = {.comm = MPI_COMM_WORLD};

    for (MPI_Request r = FIRST; r < FIRST + PARTITIONED; r++)
        ck_assert_int_eq(ftc_partitioned_note(&call, &r, MPI_SUCCESS), MPI_SUCCESS);
}

static bool test_all(void)
{
    MPI_Request requests[REQUESTS];
    MPI_Status statuses[REQUESTS];
    int flag = -1;

    for (int i = 0; i < REQUESTS; i++)
        requests[i] = FIRST + i;
    ck_assert_int_eq(ftc_partitioned_test_all(REQUESTS, requests, false, &flag, statuses),
                     MPI_SUCCESS);
    return flag > 0;
}

/* Tries each set of requests that have ended. */
START_TEST(all_have_ended_when_each_has)
{
    note_partitioned();
    for (unsigned over = 0; over < 1u << REQUESTS; over++) {
        bool are_all = over + 1 == 1u << REQUESTS;

        memset(is_free, 0, sizeof is_free);
        for (int i = 0; i < REQUESTS; i++)
            is_over[i] = over >> i & 1;
        ck_assert_int_eq(test_all(), are_all);
        for (int i = 0; i < REQUESTS; i++)
            ck_assert_int_eq(is_free[i], are_all);
    }
}
END_TEST

int main(void)
{
    UNIT_BEGIN("partitioned");
    UNIT_TEST(all_have_ended_when_each_has);
    UNIT_END();
}
