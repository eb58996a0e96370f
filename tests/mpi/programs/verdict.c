/* verdict: judges the files that a job of `stream` left in the working directory.
 *
 *     verdict FINISHED[,FINISHED]... [--excess | --maybe-excess]
 *
 * FINISHED ranks, or one of the numbers given, must have come to the end. Each result must contain
 * every rank that lived on exactly once, a rank that died at most once, and one that had died
 * before not at all; of an allreduce all survivors must have the same. With --excess a call may
 * instead return an error of class MPIX_ERR_PROC_FAILED, if it does so on all survivors of an
 * allreduce, and at least one call must; with --maybe-excess none
 * needs to. */
#include "record.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct record_file *file[RECORD_MAX_RANKS];
static int n, ops, problems;
static bool excess, maybe;

#define PROBLEM(...)                                                                               \
    do {                                                                                           \
        if (problems++ < 10) {                                                                     \
            printf("verdict: " __VA_ARGS__);                                                       \
            putchar('\n');                                                                         \
        }                                                                                          \
    } while (0)

static bool survived(int rank)
{
    return file[rank] && file[rank]->finished > 0;
}

static const struct record *record_of(int rank, int number)
{
    return file[rank] ? &file[rank]->op[number] : NULL;
}

static bool succeeded(const struct record *r)
{
    return r && r->returned && r->error_class == MPI_SUCCESS;
}

static bool is_finalized(int rank)
{
    return file[rank] && file[rank]->finished == 2;
}

/* Who has come out of a later allreduce of the same communicator, or of MPI_Finalize, lived until
 * all were through this one. */
static bool lived_through(int rank, int number)
{
    if (is_finalized(rank))
        return true;
    for (int later = number + 1; later < ops; later++) {
        const struct record *r = record_of(rank, later);

        if (succeeded(r) && r->is_allreduce && r->comm == record_of(rank, number)->comm)
            return true;
    }
    return false;
}

static bool is_member(const struct record *r, int rank)
{
    return (r->members >> rank & 1) != 0;
}

static void check_contents(int rank, int number)
{
    const struct record *r = record_of(rank, number);

    for (int other = 0; other < n; other++) {
        const struct record *o = record_of(other, number);
        int times = r->times[other];

        if (!is_member(r, other) || times == RECORD_UNKNOWN)
            continue;
        if (lived_through(other, number) && times != 1)
            PROBLEM("operation %d: the result of rank %d contains rank %d, which lives, %d times",
                    number, rank, other, times);
        else if (times > 1)
            PROBLEM("operation %d: the result of rank %d contains rank %d, which died, %d times",
                    number, rank, other, times);
        else if (times > 0 && !(o && o->entered))
            PROBLEM("operation %d: the result of rank %d contains rank %d, which died before it",
                    number, rank, other);
    }
}

static void check_error(int rank, int number)
{
    const struct record *r = record_of(rank, number);

    if (r->error_class != MPI_SUCCESS && !(excess && r->error_class == MPIX_ERR_PROC_FAILED))
        PROBLEM("operation %d: rank %d got an error of class %d", number, rank, r->error_class);
}

static void check_record(int rank, int number)
{
    const struct record *r = record_of(rank, number);

    if (!r->returned) {
        if (survived(rank))
            PROBLEM("operation %d: rank %d did not do it", number, rank);
        return;
    }
    check_error(rank, number);
    if (r->wrong[0] != '\0')
        PROBLEM("operation %d: rank %d: %s", number, rank, r->wrong);
    if (r->has_result)
        check_contents(rank, number);
    else if (succeeded(r) && (r->is_allreduce || r->root == rank))
        PROBLEM("operation %d: rank %d got no result", number, rank);
}

static bool is_same(const struct record *a, const struct record *b)
{
    return a->error_class == b->error_class && a->has_result == b->has_result &&
           a->digest == b->digest;
}

/* Of those that have to agree, the first whose record is of the same group of ranks. */
static void check_agreement(int rank, int number)
{
    const struct record *r = record_of(rank, number);

    for (int other = 0; other < rank; other++) {
        const struct record *o = record_of(other, number);

        if (o && r->returned && r->is_allreduce && r->members == o->members && o->returned &&
            lived_through(other, number) && lived_through(rank, number) && !is_same(r, o)) {
            PROBLEM("operation %d: ranks %d and %d have different results of an allreduce "
                    "(error classes %d and %d)",
                    number, other, rank, o->error_class, r->error_class);
            return;
        }
    }
}

static int load(void)
{
    for (int rank = 0; rank < RECORD_MAX_RANKS; rank++) {
        file[rank] = record_open(rank);
        if (file[rank]) {
            n = (int)file[rank]->n;
            ops = (int)file[rank]->ops;
        }
    }
    return n;
}

static int count_finished(void)
{
    int finished = 0;

    for (int rank = 0; rank < n; rank++)
        finished += is_finalized(rank);
    return finished;
}

static int count_errors(void)
{
    int errors = 0;

    for (int rank = 0; rank < n; rank++)
        for (int number = 0; file[rank] && number < ops; number++)
            errors += file[rank]->op[number].returned &&
                      file[rank]->op[number].error_class == MPIX_ERR_PROC_FAILED;
    return errors;
}

static bool is_listed(const char *list, int number)
{
    char *end;

    for (;; list = end + 1) {
        if (strtol(list, &end, 10) == number)
            return true;
        if (*end != ',')
            return false;
    }
}

int main(int argc, char **argv)
{
    const char *expected = argc > 1 ? argv[1] : "";
    int finished;

    maybe = argc > 2 && strcmp(argv[2], "--maybe-excess") == 0;
    excess = maybe || (argc > 2 && strcmp(argv[2], "--excess") == 0);
    if (load() == 0) {
        printf("verdict: no rank left a record\n");
        return 1;
    }
    finished = count_finished();
    if (!is_listed(expected, finished))
        PROBLEM("%d ranks came to the end, not %s", finished, expected);
    for (int number = 0; number < ops; number++)
        for (int rank = 0; rank < n; rank++)
            if (file[rank]) {
                check_record(rank, number);
                check_agreement(rank, number);
            }
    if (excess && !maybe && count_errors() == 0)
        PROBLEM("no call returned an error, although too many ranks died");
    printf("verdict: %d of %d ranks finished, %d operations, %d problems\n", finished, n, ops,
           problems);
    return problems == 0 ? 0 : 1;
}
