#include "record.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void *map(int fd, size_t size, int protection)
{
    void *p = mmap(NULL, size, protection, MAP_SHARED, fd, 0);

    close(fd);
    return p == MAP_FAILED ? NULL : p;
}

static size_t size_of(int ops)
{
    return sizeof(struct record_file) + (size_t)ops * sizeof(struct record);
}

struct record_file *record_create(int rank, int n, int ops)
{
    size_t size = size_of(ops);
    struct record_file *file = NULL;
    char name[32];
    int fd;

    snprintf(name, sizeof name, "rank.%d", rank);
    fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
        file = map(fd, size, PROT_READ | PROT_WRITE);
    if (!file) {
        perror(name);
        return NULL;
    }
    file->rank = (uint32_t)rank;
    file->n = (uint32_t)n;
    file->ops = (uint32_t)ops;
    return file;
}

const struct record_file *record_open(int rank)
{
    struct stat st;
    char name[32];
    int fd;

    snprintf(name, sizeof name, "rank.%d", rank);
    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof(struct record_file)) {
        close(fd);
        return NULL;
    }
    return map(fd, (size_t)st.st_size, PROT_READ);
}

static void await(int rank, size_t size, uint32_t number)
{
    const struct record_file *file;

    while (!(file = record_open(rank)))
        sched_yield();
    while (atomic_load(&file->reached) < number)
        sched_yield();
    munmap((void *)(uintptr_t)file, size);
}

void record_reach(struct record_file *own, int number)
{
    atomic_store(&own->reached, (uint32_t)number);
}

void record_meet(struct record_file *own, int number)
{
    size_t size = size_of((int)own->ops);

    record_reach(own, number);
    for (int rank = 0; rank < (int)own->n; rank++)
        await(rank, size, (uint32_t)number);
}

bool record_another_finished(const struct record_file *own)
{
    for (uint32_t rank = 0; rank < own->n; rank++) {
        const struct record_file *file = rank == own->rank ? NULL : record_open((int)rank);
        bool finished = file && file->finished > 0;

        if (file)
            munmap((void *)(uintptr_t)file, size_of((int)own->ops));
        if (finished)
            return true;
    }
    return false;
}
