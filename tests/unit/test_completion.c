/* Who tells MPI that a request is complete: the thread that asks for it, and not another one, while
 * the wait function of MPI_Waitall goes back to MPI. */
#include "communicator/lineage.h"
#include "library.h"
#include "mpi/inside.h"
#include "program/coverage.h"
#include "program/error.h"
#include "program/request.h"
#include "progress/thread.h"
#include "progress/wait.h"
#include "unit.h"
#include "value/datatype.h"

#include <string.h>

enum { REQUESTS = 6, HANDLE = 0x2c000000 };

struct ftc_library ftc_library;
bool ftc_coverage_is_on;

void ftc_queue_on_complete(void (*settle)(void))
{
    (void)settle;
}

static struct ftc_call call = {.kind = FTC_CALL_IALLREDUCE, .result = MPI_SUCCESS};

/* What MPI and the queue have of each. */
static struct {
    struct ftc_queued *queued;
    MPI_Grequest_free_function *free;
    MPIX_Grequest_poll_function *poll;
    MPIX_Grequest_wait_function *wait;
    void *state;
    int completions;
} of[REQUESTS];
static int made;

/* ---- MPI ---- */

int MPIX_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free_it,
                        MPI_Grequest_cancel_function *cancel, MPIX_Grequest_poll_function *poll,
                        MPIX_Grequest_wait_function *wait, void *state, MPI_Request *request)
{
    (void)query;
    (void)cancel;
    of[made].free = free_it;
    of[made].poll = poll;
    of[made].wait = wait;
    of[made].state = state;
    *request = HANDLE + made++;
    return MPI_SUCCESS;
}

int PMPI_Grequest_complete(MPI_Request request)
{
    of[request - HANDLE].completions++;
    return MPI_SUCCESS;
}

bool ftc_is_comm(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD;
}

struct ftc_lineage *ftc_lineage_of(MPI_Comm comm)
{
    (void)comm;
    return NULL;
}

uint64_t ftc_lineage_number(const struct ftc_lineage *lineage)
{
    (void)lineage;
    return 0;
}

int PMPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count)
{
    (void)status;
    (void)datatype;
    (void)count;
    return MPI_SUCCESS;
}

int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    (void)status;
    (void)flag;
    return MPI_SUCCESS;
}

/* ---- what is below ---- */

bool ftc_inside_has(enum ftc_inside part)
{
    (void)part;
    return true;
}

void *ftc_mpi_function(enum ftc_mpi_function function)
{
    (void)function;
    return NULL;
}

int ftc_error_take(char *text)
{
    (void)text;
    return MPI_SUCCESS;
}

void ftc_error_raise_in_request(MPI_Comm comm, int class, const char *text)
{
    (void)comm;
    (void)class;
    (void)text;
}

struct ftc_comm *ftc_comm_find(uint64_t id)
{
    (void)id;
    return NULL;
}

void ftc_queue_add(struct ftc_queued *p)
{
    of[made - 1].queued = p;
}

bool ftc_queue_turn(void)
{
    return false;
}

bool ftc_queue_is_used(void)
{
    return true;
}

void ftc_thread_wake(void)
{
}

void ftc_thread_see_program(void)
{
}

void ftc_wait_reset(struct ftc_wait *w)
{
    (void)w;
}

bool ftc_wait_turn(struct ftc_wait *w, struct ftc_comm *c)
{
    (void)w;
    (void)c;
    ck_abort_msg("it is over");
    return false;
}

void ftc_wait_between_polls(struct ftc_wait *w)
{
    (void)w;
}

/* ---- requests ---- */

static void do_nothing(struct ftc_request *r)
{
    (void)r;
}

static void begin(void)
{
    made = 0;
    memset(of, 0, sizeof of);
}

static int start(void)
{
    struct ftc_request *r = calloc(1, sizeof *r);
    MPI_Request handle;

    ftc_library.state = FTC_LIBRARY_ACTIVE;
    r->settle = r->close = do_nothing;
    r->pending.call = &call;
    ck_assert_int_eq(ftc_request_start(r, &handle), MPI_SUCCESS);
    return handle - HANDLE;
}

/* Whoever drives the queue. */
static void end_operation(int i)
{
    of[i].queued->over(of[i].queued);
}

static void poll(int i)
{
    MPI_Status status;

    of[i].poll(of[i].state, &status);
}

static void ask_for(int count, int first)
{
    MPI_Request handles[REQUESTS];

    for (int i = 0; i < count; i++)
        handles[i] = HANDLE + first + i;
    ftc_request_poll(count, handles);
}

static void wait_for(int count, int first)
{
    void *states[REQUESTS];
    MPI_Status status;

    for (int i = 0; i < count; i++)
        states[i] = of[first + i].state;
    of[first].wait(count, states, 0, &status);
}

START_TEST(who_waits_completes_it)
{
    int waited, other;

    begin();
    waited = start();
    end_operation(waited); /* and before the wait function comes by, another thread does: */
    other = start();
    poll(other);
    ask_for(1, other);
    ck_assert_int_eq(of[waited].completions, 0);
    wait_for(1, waited);
    ck_assert_int_eq(of[waited].completions, 1);
    of[waited].free(of[waited].state);
}
END_TEST

START_TEST(each_way_to_ask_completes_it)
{
    begin();
    for (int i = 0; i < REQUESTS; i++)
        start();
    for (int i = 0; i < REQUESTS; i++)
        end_operation(i);
    poll(0);
    ask_for(1, 1);
    wait_for(2, 2);
    ask_for(2, 4);
    for (int i = 0; i < REQUESTS; i++) {
        ck_assert_int_eq(of[i].completions, 1);
        of[i].free(of[i].state);
    }
}
END_TEST

/* The program does not ask for it any more. */
START_TEST(one_that_is_freed_is_completed_by_the_next_who_comes)
{
    int freed, later;

    begin();
    freed = start();
    later = start();
    of[freed].free(of[freed].state);
    end_operation(freed);
    poll(later);
    ck_assert_int_eq(of[freed].completions, 1);
    end_operation(later);
    of[later].free(of[later].state);
    start();
    ck_assert_int_eq(of[later].completions, 1);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("completion");
    UNIT_TEST(who_waits_completes_it);
    UNIT_TEST(each_way_to_ask_completes_it);
    UNIT_TEST(one_that_is_freed_is_completed_by_the_next_who_comes);
    UNIT_END();
}
