#include "error.h"

#include "callsite.h"
#include "monitor/monitor.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = MPI_MAX_ERROR_STRING };

/* MPICH 4.0.2 garbles the text of a code that is added to a predefined class: the class itself is
 * the code, and MPI_Error_string() asks here for the text of the last error of that class. */
static struct {
    int code;
    char text[TEXT_MAX];
} last[3];

static void remember(int code, const char *text)
{
    unsigned i = 0;

    while (i < 2 && last[i].code != 0 && last[i].code != code)
        i++;
    last[i].code = code;
    snprintf(last[i].text, sizeof last[i].text, "%s", text);
}

const char *ftc_error_text(int code)
{
    for (unsigned i = 0; code != MPI_SUCCESS && i < 3; i++)
        if (last[i].code == code)
            return last[i].text;
    return NULL;
}

/* Only a program that gets the code back can ask for its text. */
static bool will_return(MPI_Comm comm)
{
    MPI_Errhandler handler;
    bool fatal;

    if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS)
        return false;
    fatal = handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
    PMPI_Errhandler_free(&handler);
    return !fatal;
}

static int raise_error(const struct ftc_call *call, int class, const char *text)
{
    remember(class, text);
    if (!will_return(call->comm))
        fprintf(stderr, "%s\n", text);
    PMPI_Comm_call_errhandler(call->comm, class);
    return class;
}

static int append_ranks(char *text, size_t size, const struct ftc_comm *c)
{
    int count = 0;

    for (int i = 0; i < c->member_count; i++) {
        size_t used = strlen(text);

        if (!c->dead[i])
            continue;
        snprintf(text + used, size - used, "%s%d", count > 0 ? ", " : "", c->member[i]);
        count++;
    }
    return count;
}

int ftc_error_excess(const struct ftc_call *call, const struct ftc_comm *c)
{
    char ranks[TEXT_MAX / 2] = "", text[TEXT_MAX];
    int count = append_ranks(ranks, sizeof ranks, c);

    snprintf(
        text, sizeof text,
        "ftcoll: %s: %d of %d processes failed (ranks %s), more than the f = %d tolerated in one "
        "operation",
        ftc_call_name(call->kind), count, c->member_count, ranks, c->topology.f);
    if (ftc_library.settings.on_excess == FTC_ON_EXCESS_ABORT) {
        fprintf(stderr, "%s; on_excess = abort ends the job\n", text);
        ftc_monitor_stand_down();
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    return raise_error(call, MPIX_ERR_PROC_FAILED, text);
}

static void describe(char *text, size_t size, enum ftc_call_kind kind, int64_t count,
                     MPI_Datatype datatype, MPI_Op op, int root)
{
    char type_name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0, used;

    PMPI_Type_get_name(datatype, type_name, &length);
    used = snprintf(text, size, "%s(count %lld, %s, op 0x%x", ftc_call_name(kind), (long long)count,
                    length > 0 ? type_name : "derived datatype", (unsigned)op);
    if ((kind == FTC_CALL_REDUCE || kind == FTC_CALL_BCAST) && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, ", root %d", root);
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ")");
}

/* What the other rank does is on the board, unless it has gone on since. */
static void describe_other(char *text, size_t size, const struct ftc_comm *c, int other)
{
    const struct ftc_board_activity *a = &ftc_library.board.shared->slot[c->slot[other]].activity;
    uint32_t kind = atomic_load(&a->call);

    if (atomic_load(&a->communicator_id) != c->id || atomic_load(&a->seq) != c->seq - 1 ||
        kind >= FTC_CALL_COUNT)
        snprintf(text, size, "a different call");
    else
        snprintf(text, size, "%s with count %lld, op 0x%x, root %d",
                 ftc_call_name((enum ftc_call_kind)kind), (long long)atomic_load(&a->count),
                 (unsigned)atomic_load(&a->op), atomic_load(&a->root));
}

int ftc_error_mismatch(const struct ftc_call *call, const struct ftc_comm *c, int other)
{
    char own[128], others[128], site[128], text[TEXT_MAX];

    describe(own, sizeof own, call->kind, call->count, call->datatype, call->op, call->root);
    describe_other(others, sizeof others, c, other);
    ftc_callsite_name(call->return_address, site, sizeof site);
    snprintf(text, sizeof text,
             "ftcoll: mismatched collective calls: rank %d called %s at %s, rank %d called %s",
             c->rank, own, site, other, others);
    return raise_error(call, MPI_ERR_OTHER, text);
}

int ftc_error_dead_root(const struct ftc_call *call)
{
    char text[TEXT_MAX];

    snprintf(text, sizeof text, "ftcoll: %s: its root, rank %d, is dead, and nobody has its data",
             ftc_call_name(call->kind), call->root);
    return raise_error(call, MPIX_ERR_PROC_FAILED, text);
}

int ftc_error_no_memory(const struct ftc_call *call)
{
    return raise_error(call, MPI_ERR_NO_MEM, "ftcoll: no memory for the operation's buffers");
}
