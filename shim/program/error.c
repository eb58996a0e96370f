#include "error.h"

#include "board/death.h"
#include "communicator/error_handler.h"
#include "job_end.h"
#include "library.h"
#include "progress/mismatch.h"
#include "system/lines.h"
#include "system/numbers.h"
#include "value/datatype.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    TEXT_MAX = MPI_MAX_ERROR_STRING,
    ERRORS = 7, /* number of error classes */
    F_MAX = 64, /* largest value of setting f */
};

/* Last error of each class, of any thread. MPICH 4.0.2 garbles the text of a code that is added to
 * a predefined class. Therefore the class itself is the code, and MPI_Error_string() gets the text
 * from here. */
static struct {
    int code;
    char text[TEXT_MAX];
} last[ERRORS];
static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER;

static void remember(int code, const char *text)
{
    unsigned i = 0;

    pthread_mutex_lock(&last_lock);
    while (i < ERRORS - 1 && last[i].code != 0 && last[i].code != code)
        i++;
    last[i].code = code;
    snprintf(last[i].text, sizeof last[i].text, "%s", text);
    pthread_mutex_unlock(&last_lock);
}

bool ftc_error_text(int code, char *text)
{
    bool found = false;

    pthread_mutex_lock(&last_lock);
    for (unsigned i = 0; code != MPI_SUCCESS && i < ERRORS && !found; i++) {
        found = last[i].code == code;
        if (found)
            snprintf(text, TEXT_MAX, "%s", last[i].text);
    }
    pthread_mutex_unlock(&last_lock);
    return found;
}

/* Error of the call that this thread is in. */
static _Thread_local struct {
    int class;
    int code; /* the class, or MPI_ERR_IN_STATUS */
    char text[TEXT_MAX];
} pending = {.class = MPI_SUCCESS};

static __attribute__((format(printf, 2, 3))) int hold(int class, const char *format, ...)
{
    va_list values;

    pending.class = pending.code = class;
    va_start(values, format);
    vsnprintf(pending.text, sizeof pending.text, format, values);
    va_end(values);
    return class;
}

int ftc_error_take(char *text)
{
    int class = pending.class;

    pending.class = MPI_SUCCESS;
    memcpy(text, pending.text, sizeof pending.text);
    return class;
}

/* Raises the error on @comm, because MPICH does not know the communicator of a generalized
 * request. */
void ftc_error_raise_in_request(MPI_Comm comm, int class, const char *text)
{
    MPI_Comm called = ftc_comm_of_errors(comm), own = ftc_comm_of_other_errors();

    remember(class, text);
    if (!ftc_comm_returns_errors(called) || !ftc_comm_returns_errors(own))
        ftc_job_end(comm, class, text);
    else if (called != own)
        PMPI_Comm_call_errhandler(called, class);
}

/* Removes this thread's error, because the handler may make calls that fail as well. Returns false
 * if there is none. */
static bool begin_to_raise(int *code)
{
    int class = pending.class;

    *code = pending.code;
    pending.class = MPI_SUCCESS;
    if (class != MPI_SUCCESS)
        remember(class, pending.text);
    return class != MPI_SUCCESS;
}

void ftc_error_keep(void)
{
    int code;

    begin_to_raise(&code);
}

void ftc_error_raise(const struct ftc_call *call)
{
    int code;

    if (!begin_to_raise(&code))
        return;
    if (ftc_comm_returns_errors(call->comm)) {
        PMPI_Comm_call_errhandler(ftc_comm_of_errors(call->comm), code);
        return;
    }
    ftc_job_end(call->comm, code, pending.text);
}

static bool file_returns_errors(MPI_File file)
{
    MPI_Errhandler handler;
    bool fatal;

    if (PMPI_File_get_errhandler(file, &handler) != MPI_SUCCESS)
        return true;
    fatal = handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
    PMPI_Errhandler_free(&handler);
    return !fatal;
}

void ftc_error_raise_on_file(const struct ftc_call *call, MPI_File file)
{
    int code;

    if (!begin_to_raise(&code))
        return;
    if (file_returns_errors(file))
        PMPI_File_call_errhandler(file, code);
    else
        ftc_job_end(call->comm, code, pending.text);
}

/* Runs @handler on a communicator made for it, because MPI calls a handler only by an object that
 * has it. */
static void call_handler(MPI_Errhandler handler, int code)
{
    MPI_Comm one = ftc_other_comm_of_this_process();

    if (one == MPI_COMM_NULL)
        return;
    PMPI_Comm_set_errhandler(one, handler);
    PMPI_Comm_call_errhandler(one, code);
    PMPI_Comm_free(&one);
}

void ftc_error_raise_by(const struct ftc_call *call, MPI_Errhandler handler)
{
    int code;

    if (!begin_to_raise(&code))
        return;
    if (handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT)
        ftc_job_end(call->comm, code, pending.text);
    else if (handler != MPI_ERRORS_RETURN)
        call_handler(handler, code);
}

static int append_ranks(char *text, size_t size, const struct ftc_comm *c)
{
    int count = 0;

    for (int i = 0; i < c->member_count; i++) {
        if (!c->dead[i])
            continue;
        ftc_numbers_add(text, size, ftc_comm_printed_rank(c, c->member[i]));
        count++;
    }
    return count;
}

static int dead_hosts(const struct ftc_comm *c)
{
    const struct ftc_hosts *hosts = &c->topology.hosts;
    int count = 0;

    for (int host = 0; host < hosts->count; host++) {
        int i = 0;

        while (i < c->member_count && !(c->dead[i] && ftc_hosts_of(hosts, i) == host))
            i++;
        count += i < c->member_count;
    }
    return count;
}

/* Names the failures that are tolerated. On at most f hosts these are all hosts but one. */
static void name_limit(const struct ftc_comm *c, char *text, size_t size)
{
    const struct ftc_topology *t = &c->topology;
    int hosts = t->hosts.count;

    if (!ftc_topology_has_classes(t) || hosts == 1)
        snprintf(text, size, ", more than the f = %d tolerated", t->f);
    else if (t->f < hosts)
        snprintf(text, size, " on %d of %d hosts, more than the f = %d host%s tolerated",
                 dead_hosts(c), hosts, t->f, t->f == 1 ? "" : "s");
    else
        snprintf(text, size,
                 " on %d of %d hosts, more than the f = %d ranks, or all hosts but one, tolerated",
                 dead_hosts(c), hosts, t->f);
}

/* Names an f that would tolerate these failures. With at most f hosts no f can tolerate more. */
static void name_sufficient_f(const struct ftc_comm *c, int dead, char *text, size_t size)
{
    const struct ftc_topology *t = &c->topology;
    bool counts_hosts = ftc_topology_has_classes(t) && t->hosts.count > 1;
    int f = counts_hosts ? dead_hosts(c) : dead;

    f = f > t->f ? f : t->f + 1; /* more, because this rank may not know all deaths */
    text[0] = '\0';
    if (f <= F_MAX && (!counts_hosts || f < t->hosts.count))
        snprintf(text, size, "; FTCOLL_F=%d would tolerate them", f);
}

static int excess(const struct ftc_call *call, const struct ftc_comm *c)
{
    char ranks[TEXT_MAX / 4] = "", limit[TEXT_MAX / 4], advice[64], text[TEXT_MAX];
    bool ends = ftc_library.settings.on_excess == FTC_ON_EXCESS_ABORT;
    int count;

    ftc_job_end_await(false);
    count = append_ranks(ranks, sizeof ranks, c);
    name_limit(c, limit, sizeof limit);
    name_sufficient_f(c, count, advice, sizeof advice);
    snprintf(text, sizeof text,
             "ftcoll: %s: %d of %d processes failed (ranks %s%s)%s in one operation%s%s",
             ftc_call_name(call->kind), count, c->member_count, ranks,
             ftc_comm_is_inter(c) ? " of MPI_COMM_WORLD" : "", limit,
             ends ? "; on_excess = abort ends the job" : "", advice);
    if (ends)
        ftc_job_end(MPI_COMM_WORLD, 1, text);
    return hold(MPIX_ERR_PROC_FAILED, "%s", text);
}

static int mismatch(const struct ftc_comm *c)
{
    char text[TEXT_MAX];

    ftc_mismatch_describe(c, text, sizeof text);
    return hold(MPI_ERR_OTHER, "%s", text);
}

int ftc_error_of(const struct ftc_call *call, const struct ftc_comm *c,
                 enum ftc_loop_outcome outcome)
{
    switch (outcome) {
    case FTC_LOOP_NO_MEMORY:
        return ftc_error_no_memory();
    case FTC_LOOP_MISMATCH:
        return mismatch(c);
    case FTC_LOOP_DONE:
        break;
    }
    return c->running->op.result.verdict == FTC_VERDICT_EXCESS ? excess(call, c) : MPI_SUCCESS;
}

int ftc_error_dead_root(const struct ftc_call *call)
{
    if (ftc_library.settings.on_dead_root == FTC_ON_DEAD_ROOT_KEEP)
        return MPI_SUCCESS;
    return hold(
        MPIX_ERR_PROC_FAILED,
        "ftcoll: %s: its root, rank %d of the communicator, is dead, and no rank has its data",
        ftc_call_name(call->kind), call->root);
}

int ftc_error_truncated(const struct ftc_call *call, int rank, size_t bytes, size_t room)
{
    return hold(MPI_ERR_TRUNCATE,
                "ftcoll: %s: rank %d has sent %zu bytes, but the buffer has room for %zu",
                ftc_call_name(call->kind), rank, bytes, room);
}

int ftc_error_plain(const struct ftc_call *call, enum ftc_plain_error error)
{
    static const struct {
        int class;
        const char *text;
    } errors[] = {
        [FTC_ERROR_TOO_MUCH] = {MPI_ERR_TRUNCATE, "the ranks have sent more data than the counts "
                                                  "of this rank allow"},
        [FTC_ERROR_REFUSED] = {MPI_ERR_ARG, "a rank has passed arguments that native MPI rejects, "
                                            "or that the other ranks do not know"},
        [FTC_ERROR_DEAD_GROUP] = {MPIX_ERR_PROC_FAILED,
                                  "all ranks of one of the two groups are dead"},
        [FTC_ERROR_DEAD_LEADER] = {MPIX_ERR_PROC_FAILED,
                                   "a leader is dead, so the two groups cannot meet"},
        [FTC_ERROR_EXHAUSTED] = {MPIX_ERR_PROC_FAILED,
                                 "a member cannot make communicators any more, because MPI's "
                                 "messages no longer reach it or two such calls in which ranks "
                                 "died had to be left"},
        [FTC_ERROR_DEAD_OPENER] = {MPIX_ERR_PROC_FAILED,
                                   "a rank that has opened the file with the others is dead, and "
                                   "MPI waits for it: close the file and open it again"},
    };

    return hold(errors[error].class, "ftcoll: %s: %s", ftc_call_name(call->kind),
                errors[error].text);
}

int ftc_error_no_room(const char *call_name, size_t bytes)
{
    return hold(
        MPI_ERR_BUFFER,
        "ftcoll: %s: no room for %zu bytes, with MPI_BSEND_OVERHEAD, in the attached buffer",
        call_name, bytes);
}

int ftc_error_incomplete(const struct ftc_call *call, int missing, int of, const char *setting)
{
    return hold(
        MPIX_ERR_PROC_FAILED,
        "ftcoll: %s with %s: the result lacks %d of %d ranks, which are dead, but setting %s "
        "requires all",
        ftc_call_name(call->kind), ftc_operation_name(call->op), missing, of, setting);
}

int ftc_error_active(const struct ftc_call *call)
{
    return hold(MPI_ERR_REQUEST,
                "ftcoll: a request of %s is started before its last start has completed",
                ftc_call_name(call->kind));
}

int ftc_error_native(const struct ftc_call *call, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;

    PMPI_Error_class(code, &class);
    PMPI_Error_string(code, text, &length);
    return hold(class, "ftcoll: %s: native MPI has made no communicator: %s",
                ftc_call_name(call->kind), text);
}

int ftc_error_dead_counted(const struct ftc_call *call, bool says)
{
    int code =
        hold(MPIX_ERR_PROC_FAILED,
             "ftcoll: %s returns an error on all survivors: the file's communicator was made by "
             "MPI_Comm_dup, one of its ranks is dead, and the code that made it may need that "
             "rank's part; a new copy has the survivors: write the file again with it",
             ftc_call_name(call->kind));

    if (says)
        ftc_lines_say("%s\n", pending.text);
    return code;
}

int ftc_error_dead_peer(const char *call_name, int rank, uint32_t world)
{
    char death[TEXT_MAX / 2];

    ftc_death_describe(&ftc_library.board, world, ftc_library.settings.timeout_ms, death,
                       sizeof death);
    return hold(MPIX_ERR_PROC_FAILED,
                "ftcoll: %s: rank %d of the communicator is dead: rank %d of MPI_COMM_WORLD, %s",
                call_name, rank, (int)world, death);
}

int ftc_error_in_status(void)
{
    pending.code = MPI_ERR_IN_STATUS;
    return MPI_ERR_IN_STATUS;
}

void ftc_error_drop(void)
{
    pending.class = MPI_SUCCESS;
}

int ftc_error_no_memory(void)
{
    return hold(MPI_ERR_NO_MEM, "ftcoll: no memory for the operation's buffers");
}

int ftc_error_no_place(void)
{
    return hold(MPI_ERR_NO_MEM,
                "ftcoll: no memory for another persistent request, or a rank has more than %u of "
                "them and of communicators",
                ftc_library.board.geometry.entries);
}

int ftc_error_large_memory(const struct ftc_call *call, int mebibytes)
{
    return hold(MPI_ERR_NO_MEM,
                "ftcoll: %s: no memory for a rank's copies of large data, or more than the %d MiB "
                "of setting large_memory",
                ftc_call_name(call->kind), mebibytes);
}

int ftc_error_too_many(const struct ftc_call *call, int most)
{
    return hold(MPI_ERR_NO_MEM, "ftcoll: %s: a rank is in more than %d large calls at once",
                ftc_call_name(call->kind), most);
}
