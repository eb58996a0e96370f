/* checkpoint: walkers that each take STEPS random steps, dealt out to the ranks. Every few steps
 * all write theirs to a file, together; where there is one, a run goes on from it, with any number
 * of ranks.
 *
 *     checkpoint FILE STEPS
 *
 * What it knows of failures: a checkpoint is written by those who are left (MPI_Comm_dup), under
 * another name. Not before all of them have come through, the first of them gives it the right one;
 * else they write it once more. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WALKERS = 240, WRITE_EACH = 10, NAME_MOST = 256 };

struct walker {
    uint64_t id, steps, place;
};

static struct walker *own;
static int count;
static const char *final_name;

static void walk(struct walker *w)
{
    w->place = w->place * 6364136223846793005u + w->id;
    w->steps++;
}

static void start_all(int rank, int n)
{
    for (int id = rank; id < WALKERS; id += n)
        own[count++] = (struct walker){.id = (uint64_t)id, .place = (uint64_t)id};
}

/* False if there is no checkpoint. */
static int read_checkpoint(int rank, int n)
{
    const MPI_Offset each = sizeof(struct walker);
    MPI_Offset bytes, first;
    MPI_File file;

    if (MPI_File_open(MPI_COMM_WORLD, final_name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) !=
        MPI_SUCCESS)
        return 0;
    MPI_File_get_size(file, &bytes);
    first = bytes / each * rank / n;
    count = (int)(bytes / each * (rank + 1) / n - first);
    MPI_File_read_at_all(file, first * each, own, count * (int)each, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    return 1;
}

static int sum(MPI_Comm comm, int mine)
{
    int all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
    return all;
}

/* Writes all walkers of @comm to file @name, each rank its own behind those before it. What an
 * earlier try has left is longer: the first removes it before the others know where they write. */
static int write_all(MPI_Comm comm, int rank, const char *name)
{
    const int each = sizeof(struct walker);
    int before = 0, rv;
    MPI_File file;

    if (rank == 0)
        remove(name);
    MPI_Exscan(&count, &before, 1, MPI_INT, MPI_SUM, comm);
    rv = MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    if (rv != MPI_SUCCESS)
        return 0;
    rv = MPI_File_write_at_all(file, (MPI_Offset)before * each, own, count * each, MPI_BYTE,
                               MPI_STATUS_IGNORE);
    return MPI_File_close(&file) == MPI_SUCCESS && rv == MPI_SUCCESS;
}

/* By those who are left; false if one of them dies meanwhile, or cannot write. */
static int try_checkpoint(void)
{
    char name[NAME_MOST];
    MPI_Comm comm;
    int rank, n, is_written, is_whole;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    snprintf(name, sizeof name, "%s.new", final_name);
    is_written = write_all(comm, rank, name);
    is_whole = sum(comm, is_written) == n;
    if (is_whole && rank == 0)
        rename(name, final_name);
    is_whole = is_whole && sum(comm, 1) == n;
    MPI_Comm_free(&comm);
    return is_whole;
}

int main(int argc, char **argv)
{
    int rank, n, steps = atoi(argv[2]);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    final_name = argv[1];
    own = malloc(WALKERS * sizeof *own);
    if (!read_checkpoint(rank, n))
        start_all(rank, n);
    while (own[0].steps < (uint64_t)steps) {
        for (int i = 0; i < count; i++)
            walk(&own[i]);
        if (own[0].steps % WRITE_EACH == 0)
            while (!try_checkpoint())
                ;
    }
    printf("checkpoint: rank %d has %d walkers at step %d\n", rank, count, steps);
    free(own);
    MPI_Finalize();
    return 0;
}
