/* The files of MPI's shared memory that a rank removes at its end. */
#include "mpi/shared_files.h"
#include "unit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 4096 };

static char path[PATH_MAX];

/* Makes a file of shared memory. */
static void make(const char *name, bool is_mapped)
{
    int fd;

    snprintf(path, sizeof path, "/dev/shm/%s", name);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, BYTES), 0);
    if (is_mapped)
        ck_assert_ptr_ne(mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0), MAP_FAILED);
    close(fd);
}

/* Returns this process's number, @user and @rest, as in libfabric's names. */
static const char *name(unsigned user, const char *rest)
{
    static char text[64];

    snprintf(text, sizeof text, "%u:%u%s", (unsigned)getpid(), user, rest);
    return text;
}

/* Returns whether the library removes the file; it is gone in any case. */
static bool is_removed(void)
{
    ftc_shared_files_remove();
    return unlink(path) != 0;
}

START_TEST(files_of_ucx_and_libfabric_that_are_mapped_are_removed)
{
    make(name(getuid(), ":0"), true);
    ck_assert(is_removed());
    make("ucx_shm_posix_ftcoll_test", true);
    ck_assert(is_removed());
}
END_TEST

START_TEST(other_files_stay)
{
    make(name(getuid(), ":0"), false);
    ck_assert(!is_removed());
    make(name(getuid() + 1, ":0"), true);
    ck_assert(!is_removed());
    make(name(getuid(), ":0.data"), true);
    ck_assert(!is_removed());
    make(name(getuid(), ""), true);
    ck_assert(!is_removed());
}
END_TEST

int main(void)
{
    UNIT_BEGIN("shared_files");
    UNIT_TEST(files_of_ucx_and_libfabric_that_are_mapped_are_removed);
    UNIT_TEST(other_files_stay);
    UNIT_END();
}
