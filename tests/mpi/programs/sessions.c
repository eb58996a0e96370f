/* sessions: MPI sessions beside MPI_Init and MPI_Finalize. The first argument says when one is
 * opened and finalized:
 *     only     without MPI_Init
 *     around   before MPI_Init, until after MPI_Finalize
 *     across   after MPI_Init, until after MPI_Finalize
 *     within   after MPI_Init, until before MPI_Finalize, and used in between
 *     after    after MPI_Finalize (with a second argument "fatal": with a fatal error handler)
 * With the second argument "die" the last rank dies before MPI_Finalize, with "late" after it. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static MPI_Session session = MPI_SESSION_NULL;
static int rank, n, problems, deleted;
static const char *mode, *death;

static void expect(bool condition, const char *what)
{
    if (condition)
        return;
    printf("sessions: rank %d: wrong: %s\n", rank, what);
    problems++;
}

static int on_deletion(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void set_attribute(void)
{
    int keyval;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_deletion, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
}

static void sum_up(MPI_Comm comm)
{
    int one = 1, sum = 0, size = 0;

    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum == size, "the sum");
}

/* Communicates through a communicator of the session. */
static void use_session(void)
{
    MPI_Group group;
    MPI_Comm comm;

    expect(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS, "group");
    expect(MPI_Comm_create_from_group(group, "sessions", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
               MPI_SUCCESS,
           "communicator");
    sum_up(comm);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
}

/* An intercommunicator of two of its groups. */
static void use_groups(void)
{
    MPI_Group all, half[2];
    MPI_Comm comm;
    int one = 1, sum = 0, size = 0;

    expect(MPI_Group_from_session_pset(session, "mpi://WORLD", &all) == MPI_SUCCESS, "group");
    for (int i = 0; i < 2; i++)
        MPI_Group_range_incl(all, 1, (int[1][3]){{i, n - 1, 2}}, &half[i]);
    expect(MPI_Intercomm_create_from_groups(half[rank % 2], 0, half[1 - rank % 2], 0, "halves",
                                            MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS,
           "intercommunicator");
    MPI_Comm_remote_size(comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum == size, "the sum of the others");
    MPI_Comm_free(&comm);
    for (int i = 0; i < 2; i++)
        MPI_Group_free(&half[i]);
    MPI_Group_free(&all);
}

static void open_session(void)
{
    expect(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS, "session");
}

static void close_session(void)
{
    expect(MPI_Session_finalize(&session) == MPI_SUCCESS, "end of the session");
    expect(session == MPI_SESSION_NULL, "handle of the session");
}

static void die_if(const char *when)
{
    if (strcmp(death, when) == 0 && rank == n - 1)
        raise(SIGKILL);
}

static void run_world(int *argc, char ***argv)
{
    int flag = 0;

    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    set_attribute();
    sum_up(MPI_COMM_WORLD);
    if (strcmp(mode, "across") == 0 || strcmp(mode, "within") == 0)
        open_session();
    if (strcmp(mode, "within") == 0) {
        use_session();
        use_groups();
        close_session();
    }
    die_if("die");
    expect(MPI_Finalize() == MPI_SUCCESS, "MPI_Finalize");
    MPI_Finalized(&flag);
    expect(flag, "MPI_Finalized");
    die_if("late");
}

static void open_too_late(void)
{
    MPI_Errhandler handler = strcmp(death, "fatal") == 0 ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN;

    expect(MPI_Session_init(MPI_INFO_NULL, handler, &session) == MPI_ERR_OTHER, "the error");
    expect(session == MPI_SESSION_NULL, "no session");
}

int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1] : "";
    death = argc > 2 ? argv[2] : "";
    if (strcmp(mode, "only") == 0 || strcmp(mode, "around") == 0) {
        open_session();
        use_session();
    }
    if (strcmp(mode, "only") != 0)
        run_world(&argc, &argv);
    if (strcmp(mode, "after") == 0)
        open_too_late();
    else if (strcmp(death, "") == 0 && strcmp(mode, "within") != 0)
        use_session();
    if (session != MPI_SESSION_NULL)
        close_session();
    expect(deleted == (strcmp(mode, "only") != 0), "attributes of MPI_COMM_SELF");
    printf("sessions: rank %d: %s\n", rank, problems == 0 ? "well" : "wrong");
    return problems > 0;
}
