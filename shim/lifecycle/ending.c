#include "ending.h"

#include "board/activity.h"
#include "board/death.h"
#include "communicator/communicator.h"
#include "detector/unreachable.h"
#include "job_end.h"
#include "library.h"
#include "monitor/monitor.h"
#include "mpi/inside.h"
#include "mpi/shared_files.h"
#include "outside.h"
#include "program/coverage.h"
#include "program/native_call.h"
#include "progress/execute.h"
#include "progress/link_thread.h"
#include "progress/queue.h"
#include "progress/recovery.h"
#include "progress/thread.h"
#include "progress/wait.h"
#include "reporting/report.h"
#include "system/libc.h"
#include "system/lines.h"
#include "value/datatype.h"

#include <setjmp.h>
#include <stdlib.h>

/* Keeps MPICH 5 from putting off the end of MPI until the process exits, where the library cannot
 * leave it. */
void ftc_ending_prepare(void)
{
    static const char *const names[] = {"MPIR_CVAR_FINALIZE_ATEXIT", "MPICH_FINALIZE_ATEXIT",
                                        "MPIR_PARAM_FINALIZE_ATEXIT"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ftc_library.settings.enable && getenv(names[i]))
            setenv(names[i], "0", 1);
}

static void write_report(void)
{
    const struct ftc_report_own own = {
        .calls = ftc_coverage_calls_so_far,
        .transport = &ftc_library.transport,
        .stack = ftc_recovery_site,
        .was_in_it = ftc_recovery_is_first,
    };

    ftc_report_write(&ftc_library.notice, &own);
}

static bool all_are_at_their_end;

/* Runs an allreduce without data among all survivors, after which no rank needs a message of
 * another one. Returns, alike on all survivors, whether all ranks of the job are there; false also
 * if the allreduce fails. */
static bool synchronise(void)
{
    static const struct ftc_call call = {.kind = FTC_CALL_FINALIZE};
    struct ftc_comm *world = ftc_comm_internal();
    struct ftc_loop_request request = {.call = &call, .kind = FTC_OP_ALLREDUCE, .contribution = ""};

    bool are_all = false;

    ftc_library_lock();
    ftc_activity_enter_for_good(&ftc_library.board, ftc_library.world_rank);
    ftc_queue_complete_all();
    ftc_coverage_call(&call, FTC_FALLBACK_NONE);
    if (ftc_execute(world, &request) == FTC_LOOP_DONE) {
        all_are_at_their_end = true;
        ftc_recovery_end(world, false);
        are_all = world->running->op.result.failed->count == 0;
    } else {
        ftc_lines_say("ftcoll: rank %d cannot synchronise with the others in MPI_Finalize\n",
                      ftc_library.world_rank);
    }
    ftc_library_unlock();
    ftc_thread_close();
    ftc_link_thread_close();
    return are_all;
}

/* MPICH's own MPI_Finalize waits for each rank without a bound, first in UCX and in a barrier in
 * shared memory, then in a barrier of PMI. A rank that dies there makes the others wait forever.
 * The library therefore lets MPI_Finalize begin, and leaves it before MPICH waits. First of all
 * MPI_Finalize deletes the attributes of MPI_COMM_SELF, in the reverse of their order (MPI 4.0,
 * section 11.4.1), and libraries such as HDF5 do their own end there. The library's attribute of
 * MPI_COMM_SELF was set first, so it is deleted last; protection ends there. MPICH then deletes the
 * attributes of MPI_COMM_WORLD, before it waits for any rank. The library leaves MPI_Finalize by a
 * jump when its attribute of MPI_COMM_WORLD is deleted. MPI is not used after that: MPICH holds its
 * lock of initialisation and finalisation forever, so MPI_Session_init would wait for it.
 *
 * MPICH counts sessions. MPI_Finalize with an open session only counts, and the last
 * MPI_Session_finalize does what has been described. A later MPICH may delete the attributes in
 * MPI_Finalize nevertheless. Nothing is then left to delete at the end.
 *
 * MPICH does not promise that it may be left there (mpi/inside.def, FINALIZE). With a version for
 * which that is not known, the survivors synchronise first. If all ranks are there, MPICH ends as
 * natively. If not, native MPI is not ended, and the attributes are not deleted. */
static jmp_buf end_of_native_part;
static bool may_leave; /* end_of_native_part is valid, and native MPI is at its end */
static bool world_is_finalized, attributes_are_deleted;
static _Atomic int open_sessions;

/* Completes what other ranks need of this one. The library uses nothing of MPI after that. Returns
 * whether all ranks of the job are there. */
static bool end_protection(void)
{
    bool are_all;

    ftc_recovery_keep_sites();
    are_all = synchronise();
    while (!ftc_transport_finish(&ftc_library.transport))
        ftc_unreachable_look();
    ftc_facts_close();
    return are_all;
}

static void end_state(enum ftc_library_state state)
{
    ftc_library.state = state;
    ftc_board_advance(&ftc_library.board, ftc_library.world_rank, FTC_RANK_FINALIZED);
}

/* Leaves native MPI at the deletion of MPI_COMM_WORLD's attributes, which follows the deletion of
 * MPI_COMM_SELF's. */
static int on_world_deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    if (may_leave && ftc_library.state == FTC_LIBRARY_IDLE)
        longjmp(end_of_native_part, 1);
    return MPI_SUCCESS;
}

static int on_self_deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    attributes_are_deleted = true;
    if (ftc_library.state != FTC_LIBRARY_ACTIVE)
        return MPI_SUCCESS;
    if (!may_leave && open_sessions > 0) {
        ftc_library.paused = true; /* without MPI_COMM_WORLD no rank is known */
        return MPI_SUCCESS;
    }
    end_protection();
    if (may_leave) {
        ftc_library.state = FTC_LIBRARY_IDLE;
        return MPI_SUCCESS;
    }
    ftc_wait_close(); /* PMPI_Finalize was called past the library, and runs to its end */
    write_report();
    end_state(FTC_LIBRARY_ENDED);
    return MPI_SUCCESS;
}

static bool has_attribute(MPI_Comm comm, MPI_Comm_delete_attr_function *on_deleted)
{
    int keyval;

    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_deleted, &keyval, NULL) ==
               MPI_SUCCESS &&
           PMPI_Comm_set_attr(comm, keyval, NULL) == MPI_SUCCESS;
}

bool ftc_ending_open(void)
{
    return has_attribute(MPI_COMM_SELF, on_self_deleted) &&
           has_attribute(MPI_COMM_WORLD, on_world_deleted);
}

/* Waits for the end of the job if a death ends it. A monitor process ends the job then. It may be
 * that of another rank than the dead one, and get to it only after this rank has come here. */
static void await_end_of_job(void)
{
    const struct ftc_board *board = &ftc_library.board;

    for (uint32_t i = 0; i < board->geometry.ranks && !ftc_library.suspects; i++)
        if (ftc_board_is_dead(board, i) &&
            ftc_death_ends_job(board, i, ftc_library.settings.max_failed)) {
            ftc_job_end_await(true);
            return;
        }
}

static int end_process_management(void)
{
    await_end_of_job();
    if (all_are_at_their_end)
        ftc_shared_files_remove();
    write_report();
    ftc_board_set_leaving(&ftc_library.board, ftc_library.world_rank);
    ftc_monitor_finish_pmi();
    end_state(FTC_LIBRARY_ENDED);
    return MPI_SUCCESS;
}

/* Ends MPI where the native part cannot be left in its middle. To the program MPI ends in the
 * native part, and not before. A rank that dies in it ends the job, as natively. A rank that dies
 * right before it, after the others have found all ranks there, makes them wait forever. */
static int end_before_or_after(int (*native)(MPI_Session *session), MPI_Session *session)
{
    if (open_sessions > 0)
        return native(session);
    if (!end_protection())
        return end_process_management();
    end_state(FTC_LIBRARY_IDLE);
    ftc_wait_close();
    write_report();
    return native(session);
}

/* Ends MPI by @native. Native MPI itself returns if there was an error, or if MPI goes on for a
 * session. */
static int end_with(int (*native)(MPI_Session *session), MPI_Session *session)
{
    int rv;

    if (!ftc_inside_has(FTC_INSIDE_FINALIZE))
        return end_before_or_after(native, session);
    if (setjmp(end_of_native_part) != 0) {
        may_leave = false;
        return end_process_management();
    }
    may_leave = open_sessions == 0;
    rv = native(session);
    may_leave = false;
    return rv;
}

static int finalize_world(MPI_Session *unused)
{
    (void)unused;
    return PMPI_Finalize();
}

static int finalize_session(MPI_Session *session)
{
    return PMPI_Session_finalize(session);
}

int ftc_ending_finalize(void)
{
    ftc_native_call_look_back();
    world_is_finalized = true;
    return ftc_library.state == FTC_LIBRARY_ACTIVE ? end_with(finalize_world, NULL)
                                                   : PMPI_Finalize();
}

/* ---- sessions ---- */

static bool is_fatal(MPI_Errhandler handler)
{
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
}

static int refuse_session(MPI_Errhandler handler, MPI_Session *session)
{
    ftc_lines_say(
        "ftcoll: rank %d: MPI_Session_init after MPI_Finalize is an error: MPI has been ended "
        "for good; a session that is opened before MPI_Finalize may be used and finalized after "
        "it\n",
        ftc_library.world_rank);
    if (is_fatal(handler))
        ftc_libc_exit(EXIT_FAILURE);
    if (session)
        *session = MPI_SESSION_NULL;
    return MPI_ERR_OTHER;
}

int ftc_ending_session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    int rv;

    if (ftc_library.state == FTC_LIBRARY_ENDED)
        return refuse_session(handler, session);
    rv = PMPI_Session_init(info, handler, session);
    if (rv == MPI_SUCCESS)
        open_sessions++;
    return rv;
}

static int end_with_session(MPI_Session *session)
{
    int rv = MPI_SUCCESS;

    if (attributes_are_deleted) {
        end_protection();
        rv = end_process_management();
    } else {
        rv = end_with(finalize_session, session);
    }
    if (ftc_library.state == FTC_LIBRARY_ENDED)
        *session = MPI_SESSION_NULL;
    else if (ftc_library.state == FTC_LIBRARY_ACTIVE)
        open_sessions++;
    return rv;
}

int ftc_ending_session_finalize(MPI_Session *session)
{
    int rv;

    if (!session || *session == MPI_SESSION_NULL)
        return PMPI_Session_finalize(session);
    if (--open_sessions == 0) {
        ftc_outside_say_sessions();
        if (world_is_finalized && ftc_library.state == FTC_LIBRARY_ACTIVE)
            return end_with_session(session);
    }
    rv = PMPI_Session_finalize(session);
    if (rv != MPI_SUCCESS)
        open_sessions++;
    return rv;
}
