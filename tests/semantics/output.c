#include "output.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_BYTES = 32 };

static _Thread_local FILE *file;

void output_open(const char *directory, const char *kind, int number)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s.%d", directory, kind, number);
    file = fopen(path, "w");
    if (!file) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    setvbuf(file, NULL, _IOLBF, 0); /* what is left after a crash says where it was */
}

void output_init(int argc, char **argv, int *rank, int *n)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, n);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    output_open(argc > 1 ? argv[1] : ".", "rank", *rank);
}

/* A file that is not complete says so by its missing last line. */
void output_close(void)
{
    fputs("end\n", file);
    if (fclose(file) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

void output_line(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
}

/* FNV-1a */
static uint64_t digest(const unsigned char *bytes, size_t size)
{
    uint64_t h = 0xcbf29ce484222325ull;

    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * 0x100000001b3ull;
    return h;
}

void output_result(const char *what, int rv, const void *result, size_t size)
{
    const unsigned char *bytes = result;

    fprintf(file, "%s: ", what);
    if (rv != MPI_SUCCESS) {
        fprintf(file, "%s\n", output_class(rv));
        return;
    }
    if (size > SHOWN_BYTES)
        fprintf(file, "%zu bytes, digest %016jx", size, (uintmax_t)digest(bytes, size));
    else
        for (size_t i = 0; i < size; i++)
            fprintf(file, "%02x", bytes[i]);
    fputc('\n', file);
}

void output_blank(MPI_Status *status, int count)
{
    const char *pattern = getenv("TEST_PATTERN");

    memset(status, pattern ? atoi(pattern) : 0, (size_t)count * sizeof *status);
}

const char *output_class(int rv)
{
    static const struct {
        int class;
        const char *name;
    } known[] = {
        {MPI_SUCCESS, "MPI_SUCCESS"},           {MPI_ERR_BUFFER, "MPI_ERR_BUFFER"},
        {MPI_ERR_COUNT, "MPI_ERR_COUNT"},       {MPI_ERR_TYPE, "MPI_ERR_TYPE"},
        {MPI_ERR_COMM, "MPI_ERR_COMM"},         {MPI_ERR_RANK, "MPI_ERR_RANK"},
        {MPI_ERR_ROOT, "MPI_ERR_ROOT"},         {MPI_ERR_OP, "MPI_ERR_OP"},
        {MPI_ERR_ARG, "MPI_ERR_ARG"},           {MPI_ERR_OTHER, "MPI_ERR_OTHER"},
        {MPI_ERR_INTERN, "MPI_ERR_INTERN"},     {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN"},
        {MPI_ERR_GROUP, "MPI_ERR_GROUP"},       {MPI_ERR_TAG, "MPI_ERR_TAG"},
        {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE"},
    };
    int class;

    MPI_Error_class(rv, &class);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].class == class)
            return known[i].name;
    return "another error class";
}
