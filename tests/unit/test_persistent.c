/* Persistent collectives: what a request has is given back with it. */
#include "collectives/carry_out.h"
#include "collectives/persistent.h"
#include "collectives/retained.h"
#include "communicator/lineage.h"
#include "program/error.h"
#include "progress/empty_request.h"
#include "unit.h"

enum { HANDLE = 77, STARTED = 78, REQUESTS = 3 };

struct ftc_library ftc_library;

static struct ftc_comm of_program = {.id = 1}, of_request = {.id = 2};
static int identities, freed;
static bool is_kept = true;

bool ftc_nonblocking_plan(struct ftc_plan *plan, struct ftc_call *call, const MPI_Request *request)
{
    (void)request;
    *plan = (struct ftc_plan){.call = call, .comm = &of_program};
    return true;
}

int ftc_nonblocking_start(const struct ftc_plan *plan, uint64_t communicator_id,
                          MPI_Request *request)
{
    ck_assert_ptr_eq(plan->comm, &of_request);
    ck_assert_uint_eq(communicator_id, of_program.id);
    *request = STARTED;
    return MPI_SUCCESS;
}

uint64_t ftc_lineage_of_object(MPI_Comm parent, enum ftc_lineage_object object)
{
    (void)parent;
    ck_assert_int_eq(object, FTC_LINEAGE_REQUEST);
    return 5;
}

struct ftc_comm *ftc_comm_for_request(uint64_t number, const struct ftc_comm *of)
{
    (void)number;
    ck_assert_ptr_eq(of, &of_program);
    identities++;
    return &of_request;
}

void ftc_comm_release(struct ftc_comm *c)
{
    ck_assert_ptr_eq(c, &of_request);
    identities--;
}

bool ftc_retain(struct ftc_retained *kept, struct ftc_plan *plan, struct ftc_layouts *layouts)
{
    (void)kept;
    (void)plan;
    (void)layouts;
    return is_kept;
}

void ftc_release_retained(struct ftc_retained *kept)
{
    (void)kept;
}

int ftc_inactive_request(MPI_Request *request)
{
    *request = HANDLE;
    return MPI_SUCCESS;
}

int PMPI_Request_free(MPI_Request *request)
{
    freed++;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

void ftc_error_raise(const struct ftc_call *call)
{
    (void)call;
}

int ftc_error_no_memory(void)
{
    return MPI_ERR_NO_MEM;
}

static MPI_Request make(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    struct ftc_call call = {.kind = FTC_CALL_BARRIER_INIT};

    ck_assert(ftc_carry_out_persistent(&call, &request));
    ck_assert_int_eq(call.result, is_kept ? MPI_SUCCESS : MPI_ERR_NO_MEM);
    return request;
}

/* There is a limited number of them, for all communicators together. */
START_TEST(the_identity_of_a_request_is_free_when_that_is_freed)
{
    for (int i = 0; i < REQUESTS; i++) {
        MPI_Request request = make();

        ck_assert_int_eq(identities, 1);
        ck_assert_int_eq(ftc_persistent_free(ftc_persistent_find(request), &request), MPI_SUCCESS);
        ck_assert_int_eq(identities, 0);
        ck_assert_int_eq(freed, i + 1);
        ck_assert_ptr_null(ftc_persistent_find(HANDLE));
    }
}
END_TEST

START_TEST(so_it_is_when_the_request_cannot_be_made)
{
    is_kept = false;
    ck_assert_int_eq(make(), MPI_REQUEST_NULL);
    ck_assert_int_eq(identities, 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("persistent");
    UNIT_TEST(the_identity_of_a_request_is_free_when_that_is_freed);
    UNIT_TEST(so_it_is_when_the_request_cannot_be_made);
    UNIT_END();
}
