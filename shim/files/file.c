#include "file.h"

#include "communicator/communicator.h"
#include "communicator/lineage.h"
#include "job_end.h"
#include "new_communicators/abandonable.h"
#include "new_communicators/create.h"
#include "own_handle.h"
#include "program/coverage.h"
#include "program/error.h"
#include "program/living_members.h"
#include "program/native_call.h"
#include "progress/recovery.h"
#include "system/lines.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Record of an open file. MPI has no attributes for files. */
struct file {
    MPI_File handle;       /* the program's handle */
    MPI_File own;          /* this rank's own handle; replaces @handle once a call has needed it */
    struct ftc_comm *comm; /* communicator of the members: the ranks that opened the file */
    MPI_Group group;
    char *name;         /* path with the directory */
    bool is_of_copy;    /* opened on a communicator that MPI_Comm_dup() has made */
    int reported;       /* number of dead members for which an error was returned (is_of_copy) */
    bool is_alone;      /* a member is dead, and all survivors know: each does its part alone */
    bool has_no_own;    /* a survivor could not open its own handle */
    bool has_lost_view; /* a view could not be set, and the program got an error */
    bool has_refused;   /* refuse() was called, so the error is not printed again */
    struct file *next;
};

static struct file *files;      /* list of open files; guarded by the library's lock */
static _Atomic int own_handles; /* number of files with an own handle */
static _Atomic int lost_views;  /* number of files with has_lost_view */

/* ---- open files ---- */

static struct file *find(MPI_File handle)
{
    struct file *f;

    ftc_native_call_look_back();
    ftc_library_lock();
    for (f = files; f && f->handle != handle;)
        f = f->next;
    ftc_library_unlock();
    return f;
}

static void unlist(struct file *f)
{
    struct file **link = &files;

    while (*link && *link != f)
        link = &(*link)->next;
    if (*link)
        *link = f->next;
}

static int drop_own(struct file *f)
{
    if (f->own == MPI_FILE_NULL)
        return MPI_SUCCESS;
    own_handles--;
    return PMPI_File_close(&f->own);
}

static void forget(struct file *f)
{
    drop_own(f);
    lost_views -= f->has_lost_view;
    ftc_library_lock();
    unlist(f);
    if (f->comm)
        ftc_comm_release(f->comm);
    ftc_library_unlock();
    if (f->group != MPI_GROUP_NULL)
        PMPI_Group_free(&f->group);
    free(f->name);
    free(f);
}

/* Adds a record of @handle to the list and returns it. Returns NULL without memory. */
static struct file *describe(MPI_File handle, const char *name, uint64_t number)
{
    struct file *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->handle = handle;
    f->own = MPI_FILE_NULL;
    f->name = ftc_own_handle_path(name);
    PMPI_File_get_group(handle, &f->group);
    ftc_library_lock();
    f->comm = f->name ? ftc_comm_for_file(number, f->group) : NULL;
    if (f->comm) {
        f->next = files;
        files = f;
    }
    ftc_library_unlock();
    if (f->comm)
        return f;
    forget(f);
    return NULL;
}

/* Records @handle, which all survivors of @comm have opened, unless the library cannot protect its
 * communicator. Without memory the job ends. */
static void note(MPI_Comm comm, MPI_File handle, const char *name)
{
    uint64_t number = ftc_lineage_of_object(comm, FTC_LINEAGE_FILE);
    struct file *f = describe(handle, name, number);

    if (!f)
        ftc_job_end_no_memory("another file"); /* the other ranks will protect it */
    else if (f->comm->fallback != FTC_FALLBACK_NONE)
        forget(f);
    else
        f->is_of_copy = ftc_lineage_is_copy(comm);
}

/* ---- collective calls, in the steps of file.h ---- */

struct task {
    struct file *file;
    struct ftc_call call;
    struct ftc_death_watch watch;
    void (*native)(void *arguments); /* the native call, made by all members together */
    void *arguments;
};

static struct task task_of(struct file *f, enum ftc_call_kind kind, const void *return_address)
{
    return (struct task){
        .file = f,
        .call = {.kind = kind,
                 .comm = MPI_COMM_WORLD,
                 .datatype = MPI_DATATYPE_NULL,
                 .op = MPI_OP_NULL,
                 .return_address = return_address},
        .watch = {.comm = f->comm},
    };
}

static uint32_t count_those(struct task *t, bool is_counted, int *rv)
{
    uint32_t count = 0;

    *rv = ftc_living_members_count(&t->call, t->file->comm, is_counted, &count);
    return count;
}

/* Returns whether all members are alive and pass true as @yes. Stores the error code in *@rv. */
static bool all_say(struct task *t, bool yes, int *rv)
{
    return count_those(t, yes, rv) == (uint32_t)t->file->comm->size && *rv == MPI_SUCCESS;
}

static bool any_says(struct task *t, bool yes, int *rv)
{
    return count_those(t, yes, rv) > 0 || *rv != MPI_SUCCESS;
}

static bool all_are_there(struct task *t, int *rv)
{
    return all_say(t, true, rv);
}

/* Makes the native call. Returns false if the call was abandoned. */
static bool run(struct task *t)
{
    bool is_over;

    ftc_native_call_mark_group(t->call.kind, t->file->group, t->call.return_address);
    is_over =
        ftc_abandonable_run_on_file(t->native, t->arguments, ftc_death_watch_any_dead, &t->watch);
    ftc_native_call_leave();
    return is_over;
}

/* Returns whether all members have made the native call. Otherwise each survivor must do its part
 * alone, unless *@rv is an error. */
static bool run_together(struct task *t, int *rv)
{
    *rv = MPI_SUCCESS;
    if (t->file->is_alone)
        return false;
    if (all_are_there(t, rv) && all_say(t, run(t), rv))
        return true;
    t->file->is_alone = *rv == MPI_SUCCESS;
    return false;
}

/* ---- own handles ---- */

static MPI_File in_use(const struct file *f)
{
    return f->own != MPI_FILE_NULL ? f->own : f->handle;
}

/* Opens an own handle on each survivor, unless this was tried before. Returns whether all survivors
 * have one. */
static bool all_have_own(struct task *t, int *rv)
{
    struct file *f = t->file;

    if (f->own != MPI_FILE_NULL || f->has_no_own)
        return f->own != MPI_FILE_NULL;
    f->own = ftc_own_handle_open(f->handle, f->name);
    own_handles += f->own != MPI_FILE_NULL;
    f->has_no_own = any_says(t, f->own == MPI_FILE_NULL, rv);
    if (f->has_no_own)
        drop_own(f);
    return !f->has_no_own;
}

/* Returns the error of a call that needs all ranks that opened the file. Many programs ignore
 * errors of files, so the first survivor also prints the first error of each file. */
static int refuse(const struct task *t)
{
    struct file *f = t->file;

    if (!f->has_refused && f->comm->member[0] == f->comm->rank)
        ftc_lines_say("ftcoll: %s returns an error on all survivors: a rank that has opened file "
                      "%s with them is dead; a program that closes the file and opens it again can "
                      "go on with it\n",
                      ftc_call_name(t->call.kind), f->name);
    f->has_refused = true;
    ftc_recovery_fail(f->comm, f->comm->seq - 1); /* the operation that counted the survivors */
    return ftc_error_plain(&t->call, FTC_ERROR_DEAD_OPENER);
}

/* Returns the record of @handle; NULL if native MPI must carry out a call on it. */
static struct file *protected_file(MPI_File handle)
{
    return ftc_new_communicators_are_on() && handle != MPI_FILE_NULL ? find(handle) : NULL;
}

MPI_File ftc_file_in_use(MPI_File handle)
{
    const struct file *f = own_handles > 0 ? find(handle) : NULL;

    return f ? in_use(f) : handle;
}

/* ---- open ---- */

bool ftc_file_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *file,
                   const void *return_address, int *rv)
{
    struct ftc_opening opening = {.name = name, .amode = amode, .info = info, .file = file};
    MPI_Comm unused = MPI_COMM_NULL;
    struct ftc_creation x = {
        .kind = FTC_CALL_FILE_OPEN,
        .comm = comm,
        .newcomm = &unused,
        .opening = &opening,
        .return_address = return_address,
    };

    if (!ftc_new_communicator_create(&x))
        return false;
    *rv = x.result;
    if (*rv == MPI_SUCCESS)
        note(comm, *file, name);
    return true;
}

/* ---- read and write ---- */

/* Call of PMPI_File_@name or of its large-count form. The variable arguments are those before the
 * count. */
#define TRANSFER(t, name, ...)                                                                     \
    ((t)->is_wide ? PMPI_File_##name##_c(__VA_ARGS__, (t)->count, (t)->datatype, (t)->status)      \
                  : PMPI_File_##name(__VA_ARGS__, (int)(t)->count, (t)->datatype, (t)->status))

static void transfer_together(void *arguments)
{
    struct ftc_transfer *t = arguments;

    switch (t->kind) {
    case FTC_CALL_FILE_READ_ALL:
        t->result = TRANSFER(t, read_all, t->file, t->buffer);
        break;
    case FTC_CALL_FILE_READ_AT_ALL:
        t->result = TRANSFER(t, read_at_all, t->file, t->offset, t->buffer);
        break;
    case FTC_CALL_FILE_WRITE_ALL:
        t->result = TRANSFER(t, write_all, t->file, t->buffer);
        break;
    default:
        t->result = TRANSFER(t, write_at_all, t->file, t->offset, t->buffer);
    }
}

static int transfer_alone(const struct task *task, const struct ftc_transfer *t)
{
    if (task->file->has_lost_view)
        return refuse(task);
    switch (t->kind) {
    case FTC_CALL_FILE_READ_ALL:
        return TRANSFER(t, read, t->file, t->buffer);
    case FTC_CALL_FILE_READ_AT_ALL:
        return TRANSFER(t, read_at, t->file, t->offset, t->buffer);
    case FTC_CALL_FILE_WRITE_ALL:
        return TRANSFER(t, write, t->file, t->buffer);
    default:
        return TRANSFER(t, write_at, t->file, t->offset, t->buffer);
    }
}

/* Returns whether the call passes an offset. Other calls begin where the previous one ended. */
static bool has_offset(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_FILE_READ_AT_ALL || kind == FTC_CALL_FILE_WRITE_AT_ALL;
}

/* Returns whether the call begins at the file's position, and native MPI can return that position.
 * For a sequential file this query is an error. */
static bool has_position(const struct ftc_transfer *t)
{
    int amode = 0;

    return !has_offset(t->kind) && PMPI_File_get_amode(t->file, &amode) == MPI_SUCCESS &&
           (amode & MPI_MODE_SEQUENTIAL) == 0;
}

bool ftc_file_transfer(struct ftc_transfer *transfer)
{
    struct file *f = protected_file(transfer->file);
    MPI_Offset position = 0;
    bool moves;
    struct task t;
    int rv;

    if (!f)
        return false;
    t = task_of(f, transfer->kind, transfer->return_address);
    t.native = transfer_together;
    t.arguments = transfer;
    transfer->file = in_use(f);
    ftc_coverage_call(&t.call, FTC_FALLBACK_NONE);
    moves = has_position(transfer);
    if (moves)
        PMPI_File_get_position(transfer->file, &position);
    if (!run_together(&t, &rv)) {
        if (moves)
            PMPI_File_seek(transfer->file, position, MPI_SEEK_SET);
        transfer->result = rv == MPI_SUCCESS ? transfer_alone(&t, transfer) : rv;
    }
    ftc_error_raise_on_file(&t.call, f->handle);
    return true;
}

/* ---- read and write with a request ---- */

/* Call of PMPI_File_@name or of its large-count form. The variable arguments are those before the
 * count. */
#define BEGIN(t, request, name, ...)                                                               \
    ((t)->is_wide ? PMPI_File_##name##_c(__VA_ARGS__, (t)->count, (t)->datatype, request)          \
                  : PMPI_File_##name(__VA_ARGS__, (int)(t)->count, (t)->datatype, request))

static int begin_alone(const struct ftc_transfer *t, MPI_Request *request)
{
    switch (t->kind) {
    case FTC_CALL_FILE_IREAD_ALL:
        return BEGIN(t, request, iread, t->file, t->buffer);
    case FTC_CALL_FILE_IREAD_AT_ALL:
        return BEGIN(t, request, iread_at, t->file, t->offset, t->buffer);
    case FTC_CALL_FILE_IWRITE_ALL:
        return BEGIN(t, request, iwrite, t->file, t->buffer);
    default:
        return BEGIN(t, request, iwrite_at, t->file, t->offset, t->buffer);
    }
}

bool ftc_file_begin(struct ftc_transfer *transfer, MPI_Request *request)
{
    struct file *f = protected_file(transfer->file);
    struct task t;

    if (!f)
        return false;
    t = task_of(f, transfer->kind, transfer->return_address);
    ftc_coverage_call(&t.call, FTC_FALLBACK_NONE);
    transfer->file = in_use(f);
    if (f->has_lost_view) {
        transfer->result = refuse(&t);
        if (request)
            *request = MPI_REQUEST_NULL;
    } else {
        transfer->result = begin_alone(transfer, request);
    }
    ftc_error_raise_on_file(&t.call, f->handle);
    return true;
}

/* ---- properties of a file: view, size, atomicity, hints ---- */

static void change(void *arguments)
{
    struct ftc_change *x = arguments;

    switch (x->kind) {
    case FTC_CALL_FILE_SET_VIEW:
        x->result = PMPI_File_set_view(x->file, x->offset, x->etype, x->filetype, x->representation,
                                       x->info);
        break;
    case FTC_CALL_FILE_SET_SIZE:
        x->result = PMPI_File_set_size(x->file, x->offset);
        break;
    case FTC_CALL_FILE_PREALLOCATE:
        x->result = PMPI_File_preallocate(x->file, x->offset);
        break;
    case FTC_CALL_FILE_SET_ATOMICITY:
        x->result = PMPI_File_set_atomicity(x->file, x->flag);
        break;
    default:
        x->result = PMPI_File_set_info(x->file, x->info);
    }
}

/* Makes one rank change the file before any other rank continues and writes. If that rank dies, the
 * next one makes the change. If the change fails, the other survivors repeat it to get an error
 * too. */
static void change_by_one(struct task *t, struct ftc_change *x)
{
    const struct ftc_comm *c = t->file->comm;
    bool has_failed;
    int rv, first;

    do {
        first = c->member[0];
        x->result = MPI_SUCCESS;
        if (first == c->rank)
            change(x);
        has_failed = any_says(t, x->result != MPI_SUCCESS, &rv);
    } while (rv == MPI_SUCCESS && c->member[0] != first);
    if (rv != MPI_SUCCESS)
        x->result = rv;
    else if (has_failed && x->result == MPI_SUCCESS)
        change(x);
}

static void lose_view(struct file *f)
{
    lost_views += !f->has_lost_view;
    f->has_lost_view = true;
}

static int change_alone(struct task *t, struct ftc_change *x)
{
    int rv = MPI_SUCCESS;

    if (!all_have_own(t, &rv)) {
        if (x->kind == FTC_CALL_FILE_SET_VIEW)
            lose_view(t->file);
        return rv == MPI_SUCCESS ? refuse(t) : rv;
    }
    x->file = t->file->own;
    if (x->kind == FTC_CALL_FILE_SET_SIZE || x->kind == FTC_CALL_FILE_PREALLOCATE)
        change_by_one(t, x);
    else
        change(x);
    return x->result;
}

bool ftc_file_change(struct ftc_change *x)
{
    struct file *f = protected_file(x->file);
    struct task t;
    int rv;

    if (!f)
        return false;
    t = task_of(f, x->kind, x->return_address);
    t.native = change;
    t.arguments = x;
    ftc_coverage_call(&t.call, FTC_FALLBACK_NONE);
    if (!run_together(&t, &rv))
        x->result = rv == MPI_SUCCESS ? change_alone(&t, x) : rv;
    ftc_error_raise_on_file(&t.call, f->handle);
    return true;
}

/* ---- files of libraries ---- */

/* Returns whether a member of a file that was opened on a copied communicator has died since the
 * last error. A library that copies communicators, such as HDF5, gives each member a part of the
 * file. Without a dead member's part the file may be unreadable, so the library gets one error. */
static bool has_lost_part(struct task *t)
{
    const struct ftc_comm *c = t->file->comm;
    int rv = MPI_SUCCESS, lost;

    if (!t->file->is_of_copy)
        return false;
    all_are_there(t, &rv);
    lost = rv == MPI_SUCCESS ? c->size - c->member_count - t->file->reported : 0;
    t->file->reported += lost;
    return lost > 0;
}

static int part_is_lost(const struct task *t)
{
    const struct ftc_comm *c = t->file->comm;

    ftc_recovery_fail(c, c->seq - 1); /* the operation that counted the survivors */
    return ftc_error_dead_counted(&t->call, c->member[0] == c->rank);
}

int ftc_file_synced(MPI_File file, const void *return_address, int rv)
{
    struct file *f = protected_file(file);
    struct task t;

    if (!f)
        return rv;
    t = task_of(f, FTC_CALL_FILE_SYNC, return_address);
    if (has_lost_part(&t))
        rv = part_is_lost(&t);
    ftc_error_raise_on_file(&t.call, f->handle);
    return rv;
}

/* ---- other calls ---- */

static bool lacks_members(struct task *t, int *rv)
{
    *rv = MPI_SUCCESS;
    if (!t->file->is_alone)
        t->file->is_alone = !all_are_there(t, rv) && *rv == MPI_SUCCESS;
    return t->file->is_alone || *rv != MPI_SUCCESS;
}

bool ftc_file_refuses(const struct ftc_refusable *x, MPI_File *file, int *rv)
{
    struct file *f = protected_file(*file);
    struct task t;

    if (!f)
        return false;
    t = task_of(f, x->kind, x->return_address);
    if (!lacks_members(&t, rv))
        return false;
    if (*rv == MPI_SUCCESS && x->is_done_alone && all_have_own(&t, rv)) {
        *file = f->own;
        return false;
    }
    if (*rv == MPI_SUCCESS)
        *rv = refuse(&t);
    ftc_error_raise_on_file(&t.call, f->handle);
    return true;
}

static int refuse_one(struct file *f, enum ftc_call_kind kind, const void *return_address)
{
    struct task t = task_of(f, kind, return_address);
    int rv = refuse(&t);

    ftc_error_raise_on_file(&t.call, f->handle);
    return rv;
}

bool ftc_file_has_no_view(MPI_File file, const void *return_address, int *rv)
{
    struct file *f = lost_views > 0 ? find(file) : NULL;

    if (!f || !f->has_lost_view)
        return false;
    *rv = refuse_one(f, FTC_CALL_FILE_SET_VIEW, return_address);
    return true;
}

bool ftc_file_has_no_pointer(enum ftc_call_kind kind, MPI_File file, const void *return_address,
                             int *rv)
{
    struct file *f = own_handles > 0 ? find(file) : NULL;

    if (ftc_file_has_no_view(file, return_address, rv))
        return true;
    if (!f || f->own == MPI_FILE_NULL)
        return false;
    *rv = refuse_one(f, kind, return_address);
    return true;
}

/* ---- close ---- */

struct closing {
    MPI_File *file;
    int result;
};

static void close_together(void *arguments)
{
    struct closing *x = arguments;

    x->result = PMPI_File_close(x->file);
}

static void sync_alone(void *arguments)
{
    struct closing *x = arguments;

    x->result = PMPI_File_sync(*x->file);
}

/* Closes the file without its dead members: flushes it, closes the own handle, and leaks native
 * MPI's file. A file system may keep written data until a file is closed, hence the flush. Deletes
 * a file with MPI_MODE_DELETE_ON_CLOSE: all survivors are in this call, so no rank uses the file
 * any more. With @is_begun the native close was abandoned. */
static int abandon(struct task *t, struct closing *x, bool is_begun)
{
    const struct ftc_comm *c = t->file->comm;
    int amode = 0, own;

    PMPI_File_get_amode(*x->file, &amode);
    x->result = MPI_SUCCESS;
    t->native = sync_alone;
    if ((amode & MPI_MODE_RDONLY) == 0)
        run(t);
    own = drop_own(t->file);
    if ((amode & MPI_MODE_DELETE_ON_CLOSE) != 0 && (is_begun || c->member[0] == c->rank))
        PMPI_File_delete(t->file->name, MPI_INFO_NULL);
    *x->file = MPI_FILE_NULL;
    return is_begun || x->result == MPI_SUCCESS ? own
                                                : x->result; /* the file may be closed already */
}

static int close_by_living(struct task *t, struct closing *x)
{
    int rv = MPI_SUCCESS;

    if (all_are_there(t, &rv) && !t->file->is_alone)
        return run(t) ? x->result : abandon(t, x, true);
    return rv == MPI_SUCCESS ? abandon(t, x, false) : rv;
}

static int close_it(struct task *t, struct closing *x)
{
    int rv = close_by_living(t, x);

    return has_lost_part(t) ? part_is_lost(t) : rv;
}

bool ftc_file_close(MPI_File *file, const void *return_address, int *rv)
{
    struct file *f = file && *file != MPI_FILE_NULL ? find(*file) : NULL;
    struct closing x = {.file = file};
    struct task t;

    if (!f)
        return false;
    if (!ftc_new_communicators_are_on()) {
        forget(f); /* a later file may get this handle */
        return false;
    }
    t = task_of(f, FTC_CALL_FILE_CLOSE, return_address);
    t.native = close_together;
    t.arguments = &x;
    ftc_coverage_call(&t.call, FTC_FALLBACK_NONE);
    *rv = close_it(&t, &x);
    forget(f);
    ftc_error_raise_on_file(&t.call, *file);
    return true;
}
