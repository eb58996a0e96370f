/* closed: a program without standard input, output and error. The numbers of these are those of its
 * data files, into which no other process or library may write.
 *
 *     closed early|late|found
 *
 * early  closes them before MPI_Init
 * late   closes them after it
 * found  finds them closed, and opens its files first
 *
 * Rank 1 dies. Exits with 3 if there is something else in a file than what the rank has written. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 3, OPERATIONS = 20, FATAL_OPERATION = 10 };

static const char data[] = "data\n";

static void name_of(int number, char name[64])
{
    snprintf(name, 64, "data.%s.%d", getenv("PMI_RANK"), number);
}

/* Each gets the lowest number that is free. */
static void open_files(void)
{
    char name[64];

    for (int i = 0; i < FILES; i++) {
        name_of(i, name);
        if (open(name, O_RDWR | O_CREAT | O_APPEND, 0600) != i || write(i, data, strlen(data)) < 0)
            _exit(4);
    }
}

static void replace_standard(void)
{
    for (int i = 0; i < FILES; i++)
        close(i);
    open_files();
}

static void compute(int rank)
{
    int sum = 0;

    for (int i = 0; i < OPERATIONS; i++) {
        if (rank == 1 && i == FATAL_OPERATION)
            raise(SIGKILL);
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

static int is_untouched(int number)
{
    char text[256], name[64];
    ssize_t bytes;
    int fd;

    name_of(number, name);
    fd = open(name, O_RDONLY);
    bytes = read(fd, text, sizeof text);
    return bytes == (ssize_t)strlen(data) && memcmp(text, data, (size_t)bytes) == 0;
}

int main(int argc, char **argv)
{
    const char *when = argc > 1 ? argv[1] : "";
    int rank;

    if (strcmp(when, "early") == 0)
        replace_standard();
    if (strcmp(when, "found") == 0)
        open_files();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(when, "late") == 0)
        replace_standard();
    compute(rank);
    MPI_Finalize();
    for (int i = 0; i < FILES; i++)
        if (!is_untouched(i))
            return 3;
    return 0;
}
