/* The beginning and the end of MPI, in C and in mpi_f08, whose versions do not go through the C
 * symbols. */
#include "job_end.h"
#include "library.h"
#include "lifecycle/ending.h"
#include "lifecycle/start.h"
#include "monitor/monitor.h"
#include "program/error.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int MPI_Init(int *argc, char ***argv)
{
    int rv = PMPI_Init(argc, argv);

    if (rv == MPI_SUCCESS)
        ftc_runtime_start(MPI_THREAD_SINGLE);
    return rv;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rv = PMPI_Init_thread(argc, argv, required, provided);

    if (rv == MPI_SUCCESS)
        ftc_runtime_start(*provided);
    return rv;
}

int MPI_Abort(MPI_Comm comm, int errorcode)
{
    ftc_monitor_stand_down(); /* it is meant to end the whole job */
    return PMPI_Abort(ftc_job_end_comm(comm), errorcode);
}

/* A program may use the call for another tool, so it counts here only if setting pcontrol says so.
 */
int MPI_Pcontrol(const int level, ...)
{
    if (ftc_library.settings.pcontrol)
        ftc_library.paused = level == 0;
    return PMPI_Pcontrol(level);
}

int MPI_Finalize(void)
{
    return ftc_ending_finalize();
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    return ftc_ending_session_init(info, errhandler, session);
}

int MPI_Session_finalize(MPI_Session *session)
{
    return ftc_ending_session_finalize(session);
}

int MPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
                               MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
    ftc_ending_tell_of_sessions();
    return PMPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm);
}

int MPI_Finalized(int *flag)
{
    if (ftc_library.state != FTC_LIBRARY_ENDED)
        return PMPI_Finalized(flag);
    *flag = 1;
    return MPI_SUCCESS;
}

int MPI_Error_string(int code, char *text, int *length)
{
    const char *own = ftc_error_text(code);

    if (!own)
        return PMPI_Error_string(code, text, length);
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "%s", own);
    return MPI_SUCCESS;
}

/* Fortran's optional arguments are null when they are absent. */
void mpi_init_f08_(int *ierror);
void mpi_init_thread_f08_(const int *required, int *provided, int *ierror);
void mpi_finalize_f08_(int *ierror);
void mpi_finalized_f08_(int *flag, int *ierror);
void mpi_session_init_f08_(const MPI_Fint *info, const MPI_Fint *errhandler, MPI_Fint *session,
                           int *ierror);
void mpi_session_finalize_f08_(MPI_Fint *session, int *ierror);
void mpi_pcontrol_f08_(const int *level);
void mpi_abort_f08_(const MPI_Fint *comm, const int *errorcode, int *ierror);
void mpi_error_string_f08_(const int *errorcode, char *string, int *length, int *ierror);

static void native(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(function, &found, sizeof found);
}

void mpi_init_f08_(int *ierror)
{
    void (*init)(int *);
    int rv = MPI_ERR_OTHER;

    native("mpi_init_f08_", &init);
    if (init)
        init(&rv);
    if (rv == MPI_SUCCESS)
        ftc_runtime_start(MPI_THREAD_SINGLE);
    if (ierror)
        *ierror = rv;
}

void mpi_init_thread_f08_(const int *required, int *provided, int *ierror)
{
    void (*init)(const int *, int *, int *);
    int rv = MPI_ERR_OTHER;

    native("mpi_init_thread_f08_", &init);
    if (init)
        init(required, provided, &rv);
    if (rv == MPI_SUCCESS)
        ftc_runtime_start(*provided);
    if (ierror)
        *ierror = rv;
}

void mpi_finalize_f08_(int *ierror)
{
    int rv = ftc_ending_finalize();

    if (ierror)
        *ierror = rv;
}

void mpi_finalized_f08_(int *flag, int *ierror)
{
    int rv = MPI_Finalized(flag);

    if (ierror)
        *ierror = rv;
}

void mpi_session_init_f08_(const MPI_Fint *info, const MPI_Fint *errhandler, MPI_Fint *session,
                           int *ierror)
{
    MPI_Session made = MPI_SESSION_NULL;
    int rv = ftc_ending_session_init(PMPI_Info_f2c(*info), PMPI_Errhandler_f2c(*errhandler), &made);

    *session = MPI_Session_c2f(made);
    if (ierror)
        *ierror = rv;
}

void mpi_session_finalize_f08_(MPI_Fint *session, int *ierror)
{
    MPI_Session used = MPI_Session_f2c(*session);
    int rv = ftc_ending_session_finalize(&used);

    *session = MPI_Session_c2f(used);
    if (ierror)
        *ierror = rv;
}

void mpi_pcontrol_f08_(const int *level)
{
    MPI_Pcontrol(*level);
}

void mpi_abort_f08_(const MPI_Fint *comm, const int *errorcode, int *ierror)
{
    int rv = MPI_Abort(PMPI_Comm_f2c(*comm), *errorcode);

    if (ierror)
        *ierror = rv;
}

/* Fortran's text fills its variable with blanks. */
void mpi_error_string_f08_(const int *errorcode, char *string, int *length, int *ierror)
{
    char text[MPI_MAX_ERROR_STRING];
    int rv = MPI_Error_string(*errorcode, text, length);

    if (rv == MPI_SUCCESS) {
        memset(string, ' ', MPI_MAX_ERROR_STRING);
        memcpy(string, text, (size_t)*length);
    }
    if (ierror)
        *ierror = rv;
}
