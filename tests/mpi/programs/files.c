/* files: collective calls on files, before and after deaths. All survivors check what they read,
 * and at last the whole file.
 *
 *     files NAME [VICTIMS]...                   ranks with commas between them, which die together:
 *                                               the first when a file is open, the next when its
 *                                               view is set, and so on
 *     files --delete NAME VICTIMS               of a file that is deleted when it is closed
 *     files --finalize NAME VICTIMS             the others write and close it in MPI_Finalize
 *     files --inside NAME                       rank 0 dies inside MPI_File_write_all
 *     files --source NAME                       rank 1 dies when another takes its data
 *     files --left NAME                         rank 1 dies behind MPI_File_write_all, which rank 3
 *                                               leaves: it waits for rank 2, which is stopped
 *     files --excess NAME VICTIMS               more die at once than are tolerated
 *     files --anytime NAME SEED ROUNDS VICTIM   which dies in the middle of the calls
 *     files --steps NAME VICTIMS                a view is set in each step of one file; the victims
 *                                               die in the middle
 *     files --unlinked NAME VICTIMS             of a file whose name is gone
 *
 * Each writes its elements between those of the others, by offsets and by a view: so natively data
 * go through ranks that collect them. */
#include "casualties.h"
#include "fault.h"
#include "problem.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT = 4096 };

static int rank, n, problems, errors;
static bool dies_when_writing;
static int source; /* process of the rank that dies when another takes its data; 0: none */
static int held;   /* process that is stopped for a while when this rank writes; 0: none */
static const char *name;

#define PROBLEM(...) PROBLEM_OF("files", rank, __VA_ARGS__)

static void must(const char *what, int code)
{
    if (code != MPI_SUCCESS)
        PROBLEM("%s: error %d", what, code);
}

static void go_on(int number)
{
    (void)number;
    kill(held, SIGCONT);
    held = 0;
}

/* Longer than a rank waits before it leaves a call. */
static void hold(void)
{
    struct itimerval later = {.it_value = {.tv_usec = 500000}};

    signal(SIGALRM, go_on);
    kill(held, SIGSTOP);
    setitimer(ITIMER_REAL, &later, NULL);
}

/* MPI-IO's way to the file. */
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at)
{
    if (dies_when_writing)
        raise(SIGKILL);
    if (held != 0)
        hold();
    return syscall(SYS_pwrite64, fd, data, bytes, at);
}

/* UCX's way to data of another process. */
ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long locals,
                         const struct iovec *remote, unsigned long remotes, unsigned long flags)
{
    union {
        void *address;
        ssize_t (*call)(pid_t, const struct iovec *, unsigned long, const struct iovec *,
                        unsigned long, unsigned long);
    } next = {dlsym(RTLD_NEXT, "process_vm_readv")};

    if (source != 0 && pid == source) {
        kill(source, SIGKILL);
        while (syscall(SYS_process_vm_readv, pid, local, locals, remote, remotes, flags) >= 0)
            sched_yield();
        printf("files: rank %d takes data of a dead rank\n", rank);
        source = 0;
    }
    return next.call(pid, local, locals, remote, remotes, flags);
}

static int value(int from, int stage, int i)
{
    return 1 + from + 16 * stage + 1024 * i;
}

/* Each stage has a part of the file, of COUNT elements of each rank in turn. */
static MPI_Offset begin_of(int stage)
{
    return (MPI_Offset)stage * n * COUNT;
}

static void fill(int *data, int stage)
{
    for (int i = 0; i < COUNT; i++)
        data[i] = value(rank, stage, i);
}

static void expect(const char *what, const int *data, int from, int stage, int count)
{
    for (int i = 0; i < count; i++)
        if (data[i] != value(from, stage, i)) {
            PROBLEM("%s: element %d of rank %d in stage %d is %d, not %d", what, i, from, stage,
                    data[i], value(from, stage, i));
            return;
        }
}

static bool is_refused(int code)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(code, &class);
    return class == MPIX_ERR_PROC_FAILED;
}

static void view_between(MPI_File file, int stage)
{
    MPI_Datatype every;

    MPI_Type_vector(COUNT, 1, n, MPI_INT, &every);
    MPI_Type_commit(&every);
    must("MPI_File_set_view",
         MPI_File_set_view(file, (begin_of(stage) + rank) * (MPI_Offset)sizeof(int), MPI_INT, every,
                           "native", MPI_INFO_NULL));
    MPI_Type_free(&every);
}

static void expect_count(const char *what, const MPI_Status *status, int count)
{
    int got = -1;

    MPI_Get_count(status, MPI_INT, &got);
    if (got != count)
        PROBLEM("%s: %d elements, not %d", what, got, count);
}

static void wait_for(const char *what, int code, MPI_Request *request, int count)
{
    MPI_Status status;

    must(what, code);
    if (code != MPI_SUCCESS)
        return;
    must("MPI_Wait", MPI_Wait(request, &status));
    expect_count(what, &status, count);
}

/* In two halves, the second behind the first by the file pointer. */
static void write_between(MPI_File file, int stage)
{
    int data[COUNT];
    enum { PART = COUNT / 4 };
    MPI_Status status;
    MPI_Request request;

    fill(data, stage);
    must("MPI_File_write_all", MPI_File_write_all(file, data, COUNT / 2, MPI_INT, &status));
    expect_count("MPI_File_write_all", &status, COUNT / 2);
    must("MPI_File_write_all",
         MPI_File_write_all(file, data + COUNT / 2, PART, MPI_INT, MPI_STATUS_IGNORE));
    wait_for("MPI_File_iwrite_all",
             MPI_File_iwrite_all(file, data + COUNT - PART, PART - 1, MPI_INT, &request), &request,
             PART - 1);
    wait_for("MPI_File_iwrite_all_c",
             MPI_File_iwrite_all_c(file, data + COUNT - 1, 1, MPI_INT, &request), &request, 1);
}

static void read_between(MPI_File file, int stage)
{
    int data[COUNT] = {0};
    MPI_Request request;

    must("MPI_File_seek", MPI_File_seek(file, 0, MPI_SEEK_SET));
    must("MPI_File_read_all", MPI_File_read_all(file, data, 1, MPI_INT, MPI_STATUS_IGNORE));
    must("MPI_File_read_all",
         MPI_File_read_all(file, data + 1, COUNT / 2, MPI_INT, MPI_STATUS_IGNORE));
    wait_for("MPI_File_iread_all",
             MPI_File_iread_all(file, data + COUNT / 2 + 1, COUNT / 2 - 2, MPI_INT, &request),
             &request, COUNT / 2 - 2);
    wait_for("MPI_File_iread_all_c",
             MPI_File_iread_all_c(file, data + COUNT - 1, 1, MPI_INT, &request), &request, 1);
    expect("MPI_File_read_all", data, rank, stage, COUNT);
}

/* Blocks one behind the other, in the view that a file has from the beginning, of bytes. */
static void at_offsets(MPI_File file, int stage)
{
    int data[COUNT], back[COUNT] = {0};
    MPI_Offset at = (begin_of(stage) + (MPI_Offset)rank * COUNT) * (MPI_Offset)sizeof(int);
    MPI_Status status;

    fill(data, stage);
    must("MPI_File_write_at_all", MPI_File_write_at_all(file, at, data, COUNT, MPI_INT, &status));
    expect_count("MPI_File_write_at_all", &status, COUNT);
    must("MPI_File_read_at_all", MPI_File_read_at_all(file, at, back, COUNT, MPI_INT, &status));
    expect_count("MPI_File_read_at_all", &status, COUNT);
    expect("MPI_File_read_at_all", back, rank, stage, COUNT);
}

/* Two requests at a time, and in the large-count forms. */
static void at_offsets_later(MPI_File file, int stage)
{
    enum { HALF = COUNT / 2 };
    int data[COUNT], back[COUNT] = {0};
    MPI_Offset at = (begin_of(stage) + (MPI_Offset)rank * COUNT) * (MPI_Offset)sizeof(int);
    MPI_Offset second = at + HALF * (MPI_Offset)sizeof(int);
    MPI_Request request[2];

    fill(data, stage);
    must("MPI_File_iwrite_at_all",
         MPI_File_iwrite_at_all(file, at, data, HALF, MPI_INT, &request[0]));
    must("MPI_File_iwrite_at_all_c",
         MPI_File_iwrite_at_all_c(file, second, data + HALF, HALF, MPI_INT, &request[1]));
    for (int i = 0; i < 2; i++)
        wait_for("MPI_File_iwrite_at_all", MPI_SUCCESS, &request[i], HALF);
    must("MPI_File_iread_at_all",
         MPI_File_iread_at_all(file, at, back, HALF, MPI_INT, &request[0]));
    must("MPI_File_iread_at_all_c",
         MPI_File_iread_at_all_c(file, second, back + HALF, HALF, MPI_INT, &request[1]));
    for (int i = 0; i < 2; i++)
        wait_for("MPI_File_iread_at_all", MPI_SUCCESS, &request[i], HALF);
    expect("MPI_File_iread_at_all", back, rank, stage, COUNT);
}

static void split(MPI_File file, int stage)
{
    int data[COUNT], back[COUNT] = {0};
    MPI_Status status;

    fill(data, stage);
    must("MPI_File_seek", MPI_File_seek(file, 0, MPI_SEEK_SET));
    must("MPI_File_write_all_begin", MPI_File_write_all_begin(file, data, COUNT, MPI_INT));
    must("MPI_File_write_all_end", MPI_File_write_all_end(file, data, &status));
    expect_count("MPI_File_write_all_end", &status, COUNT);
    must("MPI_File_read_at_all_begin", MPI_File_read_at_all_begin(file, 0, back, COUNT, MPI_INT));
    must("MPI_File_read_at_all_end", MPI_File_read_at_all_end(file, back, &status));
    expect_count("MPI_File_read_at_all_end", &status, COUNT);
    expect("MPI_File_read_at_all_end", back, rank, stage, COUNT);
}

static MPI_File open_it(int mode)
{
    MPI_File file = MPI_FILE_NULL;

    must("MPI_File_open", MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file));
    if (file == MPI_FILE_NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return file;
}

static void close_it(MPI_File *file)
{
    must("MPI_File_close", MPI_File_close(file));
    if (*file != MPI_FILE_NULL)
        PROBLEM("MPI_File_close leaves a handle");
}

/* Whatever the living have closed is in the file, however they came to it. */
static void check_stage(int stage, bool between)
{
    static int all[RANKS_MAX * COUNT], data[COUNT];
    int fd = open(name, O_RDONLY);
    off_t at = (off_t)begin_of(stage) * (off_t)sizeof(int);
    size_t bytes = (size_t)n * COUNT * sizeof(int);

    memset(all, 0, sizeof all);
    if (fd < 0 || pread(fd, all, bytes, at) < 0)
        PROBLEM("the file cannot be read");
    close(fd);
    for (int from = 0; from < n; from++) {
        if (is_dead[from])
            continue;
        for (int i = 0; i < COUNT; i++)
            data[i] = between ? all[i * n + from] : all[from * COUNT + i];
        expect("the file", data, from, stage, COUNT);
    }
}

static void remove_it(void)
{
    MPI_File file = open_it(MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);

    at_offsets(file, 0);
    close_it(&file);
    casualties_meet();
    if (access(name, F_OK) == 0)
        PROBLEM("the file is still there");
    casualties_meet();
}

static void expect_no_file(void)
{
    MPI_File file = MPI_FILE_NULL;

    if (MPI_File_open(MPI_COMM_WORLD, "there is no such file", MPI_MODE_RDONLY, MPI_INFO_NULL,
                      &file) == MPI_SUCCESS)
        PROBLEM("a file that is not there is opened");
}

/* Calls that MPI-IO would carry out together with the dead; rank 0 may be one of them. */
static void change(MPI_File file, int stage)
{
    MPI_Offset end = begin_of(stage) * (MPI_Offset)sizeof(int), size = 0;
    int is_atomic = 0;

    must("MPI_File_preallocate", MPI_File_preallocate(file, end + 2000));
    must("MPI_File_set_size", MPI_File_set_size(file, end + 1000));
    must("MPI_File_get_size", MPI_File_get_size(file, &size));
    if (size != end + 1000)
        PROBLEM("the file has %lld bytes after MPI_File_set_size", (long long)size);
    casualties_meet(); /* no rank writes before all have asked for the size */
    must("MPI_File_set_atomicity", MPI_File_set_atomicity(file, 1));
    must("MPI_File_get_atomicity", MPI_File_get_atomicity(file, &is_atomic));
    if (!is_atomic)
        PROBLEM("the file is not atomic after MPI_File_set_atomicity");
    must("MPI_File_set_atomicity", MPI_File_set_atomicity(file, 0));
    must("MPI_File_set_info", MPI_File_set_info(file, MPI_INFO_NULL));
    must("MPI_File_sync", MPI_File_sync(file));
}

/* The shared file pointer belongs to the dead as well. */
static void expect_refusals(MPI_File file)
{
    int data[COUNT] = {0};

    if (!is_refused(MPI_File_seek_shared(file, 0, MPI_SEEK_SET)) ||
        !is_refused(MPI_File_write_ordered(file, data, 1, MPI_INT, MPI_STATUS_IGNORE)) ||
        !is_refused(MPI_File_read_ordered_begin(file, data, 1, MPI_INT)) ||
        !is_refused(MPI_File_write_ordered_begin(file, data, 1, MPI_INT)) ||
        !is_refused(MPI_File_write_shared(file, data, 1, MPI_INT, MPI_STATUS_IGNORE)))
        PROBLEM("a call with the shared file pointer and a dead rank is no error");
}

static void on_error(MPI_File *file, int *code, ...)
{
    (void)file;
    (void)code;
    errors++;
}

/* Errors of calls of one rank go to the handler that was set last. */
static void fail(MPI_File file)
{
    MPI_Errhandler handler;

    errors = 0;
    MPI_File_create_errhandler(on_error, &handler);
    must("MPI_File_set_errhandler", MPI_File_set_errhandler(file, handler));
    MPI_File_seek(file, -1, MPI_SEEK_SET);
    must("MPI_File_set_errhandler", MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
    MPI_Errhandler_free(&handler);
    if (errors != 1)
        PROBLEM("the error handler was called %d times", errors);
}

/* Calls of one rank use the view that was set last. */
static void read_by_itself(MPI_File file, int stage)
{
    int data[COUNT] = {0};
    MPI_Offset position = 0;

    must("MPI_File_seek", MPI_File_seek(file, 1, MPI_SEEK_SET));
    must("MPI_File_read", MPI_File_read(file, data + 1, COUNT - 1, MPI_INT, MPI_STATUS_IGNORE));
    must("MPI_File_read_at", MPI_File_read_at(file, 0, data, 1, MPI_INT, MPI_STATUS_IGNORE));
    must("MPI_File_get_position", MPI_File_get_position(file, &position));
    if (position != COUNT)
        PROBLEM("the position is %lld, not %d", (long long)position, COUNT);
    expect("MPI_File_read", data, rank, stage, COUNT);
}

/* @open: who dies once this stage's file is open; @viewed: once the view is set, too. */
static void stage(int number, const char *open, const char *viewed)
{
    MPI_File file = open_it(MPI_MODE_CREATE | MPI_MODE_RDWR);

    if (open)
        casualties_die(open, rank);
    at_offsets(file, 2 * number);
    at_offsets_later(file, 2 * number);
    change(file, 2 * number + 1);
    view_between(file, 2 * number + 1);
    if (viewed)
        casualties_die(viewed, rank);
    write_between(file, 2 * number + 1);
    read_between(file, 2 * number + 1);
    read_by_itself(file, 2 * number + 1);
    fail(file);
    split(file, 2 * number + 1);
    if (open || viewed)
        expect_refusals(file);
    close_it(&file);
    expect_no_file();
    check_stage(2 * number, false);
    check_stage(2 * number + 1, true);
    casualties_meet();
}

/* Natively such a file is deleted by one of its ranks. */
static void delete_with_dead(const char *victims)
{
    MPI_File file = open_it(MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);

    casualties_die(victims, rank);
    close_it(&file);
    casualties_meet();
    if (access(name, F_OK) == 0)
        PROBLEM("the file is still there");
    casualties_meet();
}

/* Rank 0 gathers what others have for the file, and dies when it is about to write it. */
static void inside(void)
{
    MPI_File file = open_it(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int data[COUNT];

    is_dead[0] = true;
    fill(data, 0);
    view_between(file, 0);
    dies_when_writing = rank == 0;
    must("MPI_File_write_all", MPI_File_write_all(file, data, COUNT, MPI_INT, MPI_STATUS_IGNORE));
    close_it(&file);
    check_stage(0, true);
    casualties_meet();
}

/* Rank 0 gathers what others have for the file: it reads their memory, where UCX may do so. */
static void from_source(void)
{
    MPI_File file = open_it(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int pid = (int)getpid(), data[COUNT];

    MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
    is_dead[1] = true;
    fill(data, 0);
    view_between(file, 0);
    source = rank == 1 ? 0 : pid;
    must("MPI_File_write_all", MPI_File_write_all(file, data, COUNT, MPI_INT, MPI_STATUS_IGNORE));
    if (source != 0 && kill(source, SIGKILL) == 0)
        printf("files: rank %d has read nothing\n", rank);
    source = 0;
    casualties_meet();
    close_it(&file);
    check_stage(0, true);
    casualties_meet();
}

/* Rank 0 writes, and then tells ranks 1 and 2, and rank 2 tells rank 3. */
static void left(void)
{
    MPI_File file = open_it(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int pid = (int)getpid(), data[COUNT];
    MPI_Status status = {0};

    MPI_Bcast(&pid, 1, MPI_INT, 2, MPI_COMM_WORLD);
    is_dead[1] = true;
    fill(data, 0);
    view_between(file, 0);
    held = rank == 0 ? pid : 0;
    must("MPI_File_write_all", MPI_File_write_all(file, data, COUNT, MPI_INT, &status));
    expect_count("MPI_File_write_all", &status, COUNT);
    if (rank == 1)
        PROBLEM("this rank has not died in the call");
    close_it(&file);
    check_stage(0, true);
    casualties_meet();
}

/* Of a file that is not open yet errors return, unlike those of communicators. */
static void in_excess(const char *victims)
{
    MPI_File file = MPI_FILE_NULL;

    casualties_die(victims, rank);
    if (!is_refused(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                                  MPI_INFO_NULL, &file)))
        PROBLEM("MPI_File_open with too many dead ranks is no error");
    file = open_it(MPI_MODE_CREATE | MPI_MODE_RDWR);
    at_offsets(file, 0);
    close_it(&file);
    check_stage(0, false);
    casualties_meet();
}

/* As libraries end that MPI does not tell of its end. */
static int use_and_close(MPI_Comm comm, int key, void *value, void *file)
{
    (void)comm;
    (void)key;
    (void)value;
    at_offsets(*(MPI_File *)file, 0);
    close_it(file);
    check_stage(0, false);
    printf("files: rank %d has %s in MPI_Finalize\n", rank, problems == 0 ? "closed" : "problems");
    return MPI_SUCCESS;
}

static void in_finalize(const char *victims)
{
    static MPI_File file;
    int key;

    file = open_it(MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_and_close, &key, &file);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    casualties_die(victims, rank);
}

static void at_any_time(uint64_t seed, int rounds, int victim)
{
    static const struct fault kill = {.form = FAULT_KILL};
    int last = (int)(fault_random(seed) % (uint64_t)rounds);

    is_dead[victim] = true;
    for (int i = 0; i < rounds; i++) {
        MPI_File file;

        fault_step_begin();
        if (rank == victim && i == last)
            fault_happen_in_step(&kill, seed);
        file = open_it(MPI_MODE_CREATE | MPI_MODE_RDWR);
        view_between(file, i);
        write_between(file, i);
        read_between(file, i);
        close_it(&file);
        fault_step_end();
    }
    casualties_meet();
    for (int i = 0; i < rounds; i++)
        check_stage(i, true);
}

/* The name is no longer that of the file when the handles of one rank are opened. */
static void in_steps(const char *victims)
{
    enum { STEPS = 10 };
    MPI_File file = open_it(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int directory = open(".", O_RDONLY);

    if (chdir("/") != 0)
        PROBLEM("chdir fails");
    for (int i = 0; i < STEPS; i++) {
        if (i == STEPS / 2)
            casualties_die(victims, rank);
        view_between(file, i);
        write_between(file, i);
        read_between(file, i);
    }
    close_it(&file);
    if (fchdir(directory) != 0)
        PROBLEM("fchdir fails");
    close(directory);
    for (int i = 0; i < STEPS; i++)
        check_stage(i, true);
    casualties_meet();
}

/* Nobody can open such a file again. Without the view, data would go to wrong places. */
static void without_name(const char *victims)
{
    MPI_File file = open_it(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int data[COUNT] = {0};
    MPI_Request request;

    casualties_meet();
    if (rank == 0)
        unlink(name);
    casualties_meet();
    casualties_die(victims, rank);
    at_offsets(file, 0);
    if (!is_refused(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)) ||
        !is_refused(MPI_File_write_at_all(file, 0, data, COUNT, MPI_INT, MPI_STATUS_IGNORE)) ||
        !is_refused(MPI_File_iwrite_at_all(file, 0, data, COUNT, MPI_INT, &request)) ||
        !is_refused(MPI_File_read_all_begin(file, data, 1, MPI_INT)) || request != MPI_REQUEST_NULL)
        PROBLEM("a collective call that needs the view is no error");
    request = MPI_REQUEST_NULL + 1;
    if (!is_refused(MPI_File_write(file, data, COUNT, MPI_INT, MPI_STATUS_IGNORE)) ||
        !is_refused(MPI_File_read_at(file, 0, data, COUNT, MPI_INT, MPI_STATUS_IGNORE)) ||
        !is_refused(MPI_File_write_shared(file, data, COUNT, MPI_INT, MPI_STATUS_IGNORE)) ||
        !is_refused(MPI_File_iwrite_at(file, 0, data, COUNT, MPI_INT, &request)) ||
        request != MPI_REQUEST_NULL)
        PROBLEM("a call of one rank that needs the view is no error");
    close_it(&file);
}

/* The first die when a file is open, the next when its view is set, and so on. */
static void in_order(char **victims)
{
    int number = 0;

    stage(number++, NULL, NULL);
    for (; *victims; victims++, number++)
        stage(number, number % 2 == 1 ? *victims : NULL, number % 2 == 1 ? NULL : *victims);
    stage(number, NULL, NULL);
}

int main(int argc, char **argv)
{
    bool anytime = argc == 6 && strcmp(argv[1], "--anytime") == 0;
    bool deletes = argc == 4 && strcmp(argv[1], "--delete") == 0;
    bool in_end = argc == 4 && strcmp(argv[1], "--finalize") == 0;
    bool is_inside = argc == 3 && strcmp(argv[1], "--inside") == 0;
    bool has_source = argc == 3 && strcmp(argv[1], "--source") == 0;
    bool exceeds = argc == 4 && strcmp(argv[1], "--excess") == 0;
    bool is_stepwise = argc == 4 && strcmp(argv[1], "--steps") == 0;
    bool is_nameless = argc == 4 && strcmp(argv[1], "--unlinked") == 0;
    bool is_left = argc == 3 && strcmp(argv[1], "--left") == 0;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n > RANKS_MAX || argc < 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    name = argv[1 + (strncmp(argv[1], "--", 2) == 0)];
    if (anytime)
        at_any_time(strtoull(argv[3], NULL, 10), atoi(argv[4]), atoi(argv[5]));
    else if (in_end)
        in_finalize(argv[3]);
    else if (is_inside)
        inside();
    else if (has_source)
        from_source();
    else if (exceeds)
        in_excess(argv[3]);
    else if (is_left)
        left();
    else if (is_stepwise)
        in_steps(argv[3]);
    else if (is_nameless)
        without_name(argv[3]);
    else if (deletes)
        delete_with_dead(argv[3]);
    else
        in_order(argv + 2);
    if (!deletes && !in_end && !is_nameless)
        remove_it();
    if (problems == 0)
        printf("files: rank %d is content\n", rank);
    MPI_Finalize();
    return problems > 0;
}
