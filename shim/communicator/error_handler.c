#include "error_handler.h"

#include "attribute.h"
#include "library.h"
#include "mpi/inside.h"
#include "value/datatype.h"

#include <pthread.h>

enum { SELF_BEFORE_WORLD = 402 }; /* MPICH 4.2 */

static char fatal; /* data of a communicator whose own handler is MPI_ERRORS_ARE_FATAL */
static char other; /* data of a communicator whose own handler was that before */

void ftc_error_handler_note(MPI_Comm comm, MPI_Errhandler handler)
{
    bool is_fatal = handler == MPI_ERRORS_ARE_FATAL;

    if (ftc_library.state == FTC_LIBRARY_ACTIVE && ftc_is_comm(comm) &&
        (is_fatal || ftc_attribute_get(comm, FTC_SECTION_ERROR_HANDLER)))
        ftc_attribute_keep(comm, FTC_SECTION_ERROR_HANDLER, is_fatal ? &fatal : &other);
}

bool ftc_error_handler_is_fatal(MPI_Comm comm)
{
    return ftc_attribute_get(comm, FTC_SECTION_ERROR_HANDLER) == &fatal;
}

int ftc_error_handler_from(MPI_Comm parent, const MPI_Comm *made, int rv)
{
    if (rv == MPI_SUCCESS && made && *made != MPI_COMM_NULL && ftc_error_handler_is_fatal(parent))
        ftc_attribute_keep(*made, FTC_SECTION_ERROR_HANDLER, &fatal);
    return rv;
}

/* Returns no handler if @comm has none of its own, although MPI reports MPI_ERRORS_ARE_FATAL then.
 * As another communicator's own handler that could be fatal where natively the error returns. */
MPI_Errhandler ftc_error_handler_take(MPI_Comm comm)
{
    MPI_Errhandler taken = MPI_ERRHANDLER_NULL;

    if (PMPI_Comm_get_errhandler(comm, &taken) == MPI_SUCCESS && taken == MPI_ERRORS_ARE_FATAL &&
        !ftc_error_handler_is_fatal(comm))
        ftc_error_handler_drop(&taken);
    return taken;
}

void ftc_error_handler_give(MPI_Errhandler taken, MPI_Comm made)
{
    if (taken == MPI_ERRHANDLER_NULL)
        return;
    PMPI_Comm_set_errhandler(made, taken);
    ftc_error_handler_note(made, taken);
}

void ftc_error_handler_drop(MPI_Errhandler *taken)
{
    if (*taken != MPI_ERRHANDLER_NULL)
        PMPI_Errhandler_free(taken);
}

/* Returns the handler that MPI reports for @comm, which is MPI_ERRORS_ARE_FATAL also if @comm has
 * none of its own. */
static MPI_Errhandler handler_of(MPI_Comm comm)
{
    MPI_Errhandler handler, predefined;

    if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS)
        return MPI_ERRORS_ARE_FATAL;
    predefined = handler;
    PMPI_Errhandler_free(&handler);
    return predefined;
}

static bool has_handler(MPI_Comm comm)
{
    return handler_of(comm) != MPI_ERRORS_ARE_FATAL || ftc_error_handler_is_fatal(comm);
}

MPI_Comm ftc_comm_of_other_errors(void)
{
    return ftc_inside_mpich() >= SELF_BEFORE_WORLD && has_handler(MPI_COMM_SELF) ? MPI_COMM_SELF
                                                                                 : MPI_COMM_WORLD;
}

MPI_Comm ftc_comm_of_errors(MPI_Comm comm)
{
    return has_handler(comm) ? comm : ftc_comm_of_other_errors();
}

bool ftc_comm_returns_errors(MPI_Comm comm)
{
    MPI_Errhandler handler = handler_of(ftc_comm_of_errors(comm));

    return handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_ABORT;
}

static pthread_mutex_t muted_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ftc_muted *all_muted;

static struct ftc_muted *find_muted(MPI_Comm comm)
{
    struct ftc_muted *m = all_muted;

    while (m && m->comm != comm)
        m = m->next;
    return m;
}

void ftc_error_handler_mute(struct ftc_muted *m, MPI_Comm comm)
{
    const struct ftc_muted *before;

    pthread_mutex_lock(&muted_lock);
    m->is_muted = true;
    m->comm = ftc_comm_of_errors(comm);
    before = find_muted(m->comm);
    if (before) {
        m->handler = before->handler;
    } else {
        PMPI_Comm_get_errhandler(m->comm, &m->handler);
        PMPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    }
    m->next = all_muted;
    all_muted = m;
    pthread_mutex_unlock(&muted_lock);
}

void ftc_error_handler_unmute(struct ftc_muted *m, MPI_Comm comm, const MPI_Comm *made)
{
    struct ftc_muted **link = &all_muted;

    if (!m->is_muted)
        return;
    pthread_mutex_lock(&muted_lock);
    while (*link != m)
        link = &(*link)->next;
    *link = m->next;
    if (made && *made != MPI_COMM_NULL && m->comm == comm)
        PMPI_Comm_set_errhandler(*made, m->handler);
    if (!find_muted(m->comm)) {
        PMPI_Comm_set_errhandler(m->comm, m->handler);
        PMPI_Errhandler_free(&m->handler);
    }
    pthread_mutex_unlock(&muted_lock);
}
