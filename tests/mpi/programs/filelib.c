/* filelib: a library that writes files as HDF5 does. It makes a copy of the program's communicator,
 * and its first rank writes what the file cannot be read without. A step that has an error is
 * written again with a new copy. What has no error on all survivors must be whole.
 *
 *     filelib NAME VICTIMS                        ranks with commas between them: the first dies in
 *                                                 the first step before the first call, the next in
 *                                                 the next step before the next call, and so on
 *     filelib --anytime NAME SEED ROUNDS VICTIM   which dies in the middle of the calls
 *     filelib --long NAME VICTIM                  which dies while a file is open */
#include "casualties.h"
#include "fault.h"
#include "problem.h"

#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 2000, HEAD = 64 };
enum call { COPY, OPEN, WRITE_HEAD, SET_VIEW, WRITE, SET_SIZE, SYNC, CLOSE, FREE, CALLS };

static int world_rank, problems;
static const char *name;
static int fatal = -1; /* the call before which this rank dies */

#define PROBLEM(...) PROBLEM_OF("filelib", world_rank, __VA_ARGS__)

static void before(enum call call)
{
    if ((int)call == fatal)
        raise(SIGKILL);
}

static int value(int rank, int step, int i)
{
    return 1 + rank + 16 * step + 1024 * i;
}

/* Returns whether all calls have succeeded. */
static bool write_parts(MPI_File file, int rank, int n, int step)
{
    int head[HEAD] = {n, step}, data[COUNT], errors = 0;
    MPI_Offset end = HEAD + (MPI_Offset)n * COUNT;
    MPI_Datatype every;

    for (int i = 0; i < COUNT; i++)
        data[i] = value(rank, step, i);
    MPI_Type_vector(COUNT, 1, n, MPI_INT, &every);
    MPI_Type_commit(&every);
    before(WRITE_HEAD);
    if (rank == 0)
        errors |= MPI_File_write_at(file, 0, head, HEAD, MPI_INT, MPI_STATUS_IGNORE);
    before(SET_VIEW);
    errors |= MPI_File_set_view(file, (HEAD + rank) * (MPI_Offset)sizeof(int), MPI_INT, every,
                                "native", MPI_INFO_NULL);
    before(WRITE);
    errors |= MPI_File_write_at_all(file, 0, data, COUNT, MPI_INT, MPI_STATUS_IGNORE);
    before(SET_SIZE);
    errors |= MPI_File_set_size(file, end * (MPI_Offset)sizeof(int));
    before(SYNC);
    errors |= MPI_File_sync(file);
    MPI_Type_free(&every);
    return errors == MPI_SUCCESS;
}

static bool write_file(MPI_Comm comm, int rank, int n, int step)
{
    MPI_File file;
    bool is_written;

    before(OPEN);
    if (MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) !=
        MPI_SUCCESS)
        return false;
    is_written = write_parts(file, rank, n, step);
    before(CLOSE);
    return MPI_File_close(&file) == MPI_SUCCESS && is_written;
}

/* Each rank that the library has counted has its part in the file, the dead too. */
static void check(MPI_Comm comm, int n, int step)
{
    static int all[HEAD + RANKS_MAX * COUNT];
    int worlds[RANKS_MAX], ranks[RANKS_MAX], fd = open(name, O_RDONLY);
    ssize_t bytes = read(fd, all, sizeof all);
    MPI_Group group, world;

    close(fd);
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < n; i++)
        ranks[i] = i;
    MPI_Group_translate_ranks(group, n, ranks, world, worlds);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    if (bytes != (ssize_t)sizeof(int) * (HEAD + n * COUNT) || all[0] != n || all[1] != step)
        PROBLEM("step %d: the file has %zd bytes, head %d %d", step, bytes, all[0], all[1]);
    for (int i = 0; i < n * COUNT; i++)
        if (all[HEAD + i] != value(i % n, step, i / n)) {
            PROBLEM("step %d: the part of rank %d is missing", step, worlds[i % n]);
            return;
        }
}

/* Returns whether this was the last try, the same on all. */
static bool try_step(int step)
{
    int rank, n, is_written, sum = 0;
    MPI_Comm comm;

    before(COPY);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    is_written = write_file(comm, rank, n, step);
    before(FREE);
    if (is_written)
        check(comm, n, step);
    MPI_Comm_free(&comm);
    MPI_Allreduce(&is_written, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum > 0 && !is_written)
        PROBLEM("step %d: there is an error on this rank, and not on all", step);
    return sum > 0;
}

static void in_order(const char *victims)
{
    int tries;

    for (int call = 0; call < CALLS && victims; call++, victims = strchr(victims, ',')) {
        victims += *victims == ',';
        fatal = atoi(victims) == world_rank ? call : -1;
        for (tries = 1; !try_step(call); tries++)
            ;
        if (tries != (call > COPY && call < FREE ? 2 : 1))
            PROBLEM("a rank has died before call %d, and a file was written %d times", call, tries);
    }
}

static void at_any_time(uint64_t seed, int rounds, int victim)
{
    static const struct fault kill = {.form = FAULT_KILL};
    int last = (int)(fault_random(seed) % (uint64_t)rounds);

    for (int i = 0; i < rounds; i++) {
        fault_step_begin();
        if (world_rank == victim && i == last)
            fault_happen_in_step(&kill, seed);
        while (!try_step(i))
            ;
        fault_step_end();
    }
}

/* The first call after the death that hands the file on has the error, and no later one. */
static void while_open(int victim)
{
    int one = 1, sum;
    MPI_Comm comm;
    MPI_File file;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    if (MPI_File_sync(file) != MPI_SUCCESS)
        PROBLEM("an error, and nobody is dead");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (world_rank == victim)
        raise(SIGKILL);
    if (MPI_File_sync(file) == MPI_SUCCESS)
        PROBLEM("no error, and a rank is dead");
    if (MPI_File_sync(file) != MPI_SUCCESS || MPI_File_close(&file) != MPI_SUCCESS)
        PROBLEM("a second error for one death");
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    bool anytime = argc == 6 && strcmp(argv[1], "--anytime") == 0;
    bool is_long = argc == 4 && strcmp(argv[1], "--long") == 0;
    int n;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n > RANKS_MAX || argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    name = argv[anytime || is_long ? 2 : 1];
    if (is_long)
        while_open(atoi(argv[3]));
    else if (anytime)
        at_any_time(strtoull(argv[3], NULL, 10), atoi(argv[4]), atoi(argv[5]));
    else
        in_order(argv[2]);
    if (problems == 0)
        printf("filelib: rank %d is content\n", world_rank);
    MPI_Finalize();
    return problems > 0;
}
