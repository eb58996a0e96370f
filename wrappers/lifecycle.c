/* Wrappers of the calls that begin and end MPI. */
#include "job_end.h"
#include "library.h"
#include "lifecycle/ending.h"
#include "lifecycle/start.h"
#include "program/error.h"

#include "entries.h"

#include <string.h>

int MPI_Init(int *argc, char ***argv)
{
    int rv;

    ftc_start_prepare();
    rv = PMPI_Init(argc, argv);
    if (rv == MPI_SUCCESS)
        ftc_start();
    return rv;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rv;

    ftc_start_prepare();
    rv = PMPI_Init_thread(argc, argv, required, provided);
    if (rv == MPI_SUCCESS)
        ftc_start();
    return rv;
}

int MPI_Abort(MPI_Comm comm, int errorcode)
{
    ftc_job_end_prepare();
    return PMPI_Abort(ftc_job_end_comm(comm), errorcode);
}

/* Pauses and resumes the library only if setting pcontrol says so, because a program may use this
 * call for another tool. */
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
    ftc_start_prepare();
    return ftc_ending_session_init(info, errhandler, session);
}

int MPI_Session_finalize(MPI_Session *session)
{
    return ftc_ending_session_finalize(session);
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
    if (!ftc_error_text(code, text))
        return PMPI_Error_string(code, text, length);
    *length = (int)strlen(text);
    return MPI_SUCCESS;
}
