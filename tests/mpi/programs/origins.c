/* origins: communicators of the same members, of which only where they come from tells one from the
 * other. Each operation has a result of its own.
 *
 *     origins merged    of MPI_Intercomm_merge; nonblocking ones begin in another order on odd
 *                       ranks, and rank 0 alone asks for the failed ranks of one
 *     origins threaded  the same with threads
 *     origins unseen    the same of intercommunicators that are made of groups
 *     origins copied    the same of MPI_Comm_idup
 *     origins waiting   a nonblocking call on such a communicator waits for nobody, with threads
 *     origins pending   one is made while operations on its parent are under way
 *     origins parents   threads make two with one group and one tag, of different parents
 *     origins callback  an attribute's delete callback uses the communicator that is being freed
 *     origins halves    likewise, of a duplicate's copy; the next one has the same handle, and
 *                       other members
 */
#include "halves.h"

#include <ftcoll.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 50 };

static int rank, n;
static bool is_wrong;

static void expect_sum_of(int size, int each, int sum)
{
    if (sum == size * each)
        return;
    is_wrong = true;
    printf("origins: rank %d: %d instead of %d\n", rank, sum, size * each);
}

static void expect_sum(int each, int sum)
{
    expect_sum_of(n, each, sum);
}

static void reduce(int mine, MPI_Comm comm)
{
    int sum = 0, size;

    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect_sum_of(size, mine, sum);
}

static MPI_Comm merged(void)
{
    MPI_Comm half, both, made;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, (rank + 1) % 2, 0, &both);
    MPI_Intercomm_merge(both, rank % 2, &made);
    return made;
}

static MPI_Comm merged_of_groups(void)
{
    MPI_Comm both = between_halves("origins"), made;

    MPI_Intercomm_merge(both, rank % 2, &made);
    return made;
}

static MPI_Comm copied(void)
{
    MPI_Comm made;
    MPI_Request request;

    MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return made;
}

static void use_in_other_order(const MPI_Comm comm[2])
{
    MPI_Request request[2];
    MPI_Status status[2];
    int in[2] = {1, 100}, sum[2], failed;

    if (rank == 0 && ftcoll_failed_ranks && ftcoll_failed_ranks(comm[1], 1, &failed) != 0)
        is_wrong = true;
    for (int i = 0; i < 2; i++) {
        int which = (i + rank) % 2;

        MPI_Iallreduce(&in[which], &sum[which], 1, MPI_INT, MPI_SUM, comm[which], &request[which]);
    }
    MPI_Waitall(2, request, status);
    for (int i = 0; i < 2; i++) {
        expect_sum(in[i], sum[i]);
        reduce(in[i] + 1, comm[i]);
    }
}

static void use_merged(void)
{
    use_in_other_order((MPI_Comm[]){merged(), merged()});
}

static void use_merged_of_groups(void)
{
    use_in_other_order((MPI_Comm[]){merged_of_groups(), merged_of_groups()});
}

static void use_copied(void)
{
    use_in_other_order((MPI_Comm[]){copied(), copied()});
}

/* Rank 0 calls only when the others have come out of the same call. */
static void wait_for_nobody(void)
{
    MPI_Comm comm = merged();
    MPI_Request request;
    int one = 1, sum, token = 0;

    for (int other = 1; rank == 0 && other < n; other++)
        MPI_Recv(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    if (rank != 0)
        MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_sum(one, sum);
}

static void make_meanwhile(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        int in[2] = {1, 100}, sum[2];
        MPI_Request request[2];
        MPI_Status status[2];
        MPI_Comm made;

        for (int i = 0; i < 2; i++)
            MPI_Iallreduce(&in[i], &sum[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]);
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
        MPI_Waitall(2, request, status);
        for (int i = 0; i < 2; i++)
            expect_sum(in[i], sum[i]);
        reduce(round, made);
        MPI_Comm_free(&made);
    }
}

struct pair {
    MPI_Comm parent, made;
};

static void *make(void *argument)
{
    struct pair *p = argument;
    MPI_Group group;

    MPI_Comm_group(p->parent, &group);
    MPI_Comm_create_group(p->parent, group, 7, &p->made);
    MPI_Group_free(&group);
    return NULL;
}

/* Rank 0 makes one after the other, the others both at once. */
static void make_of_two_parents(void)
{
    struct pair pair[2];
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &pair[i].parent);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 1; i >= 0; i--) {
            pthread_create(&thread[i], NULL, make, &pair[i]);
            if (rank == 0)
                pthread_join(thread[i], NULL);
        }
        for (int i = 0; i < 2; i++) {
            if (rank != 0)
                pthread_join(thread[i], NULL);
        }
        for (int i = 0; i < 2; i++) {
            reduce(round + 100 * i, pair[i].made);
            MPI_Comm_free(&pair[i].made);
        }
    }
}

static int on_delete(MPI_Comm comm, int key, void *attribute, void *extra)
{
    (void)key;
    (void)attribute;
    (void)extra;
    reduce(3, comm);
    return MPI_SUCCESS;
}

static void use_in_callback(void)
{
    int key;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm made;

        MPI_Comm_dup(MPI_COMM_WORLD, &made);
        MPI_Comm_set_attr(made, key, NULL);
        reduce(round, made);
        MPI_Comm_free(&made);
    }
}

static void use_in_callback_of_copy(void)
{
    MPI_Comm first, copy, half;
    int key;

    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, on_delete, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_set_attr(first, key, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm_dup(first, &copy);
        reduce(round, copy);
        MPI_Comm_free(&copy);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
        reduce(round + 1, half);
        MPI_Comm_free(&half);
    }
    MPI_Comm_free(&first);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
        int level;
    } scene[] = {{"unseen", use_merged_of_groups, MPI_THREAD_MULTIPLE},
                 {"threaded", use_merged, MPI_THREAD_MULTIPLE},
                 {"merged", use_merged, MPI_THREAD_SINGLE},
                 {"copied", use_copied, MPI_THREAD_SINGLE},
                 {"waiting", wait_for_nobody, MPI_THREAD_MULTIPLE},
                 {"pending", make_meanwhile, MPI_THREAD_SINGLE},
                 {"parents", make_of_two_parents, MPI_THREAD_MULTIPLE},
                 {"callback", use_in_callback, MPI_THREAD_SINGLE},
                 {"halves", use_in_callback_of_copy, MPI_THREAD_SINGLE}};
    int which = 0, provided;

    while (which < (int)(sizeof scene / sizeof *scene) - 1 &&
           !(argc > 1 && strcmp(argv[1], scene[which].name) == 0))
        which++;
    MPI_Init_thread(&argc, &argv, scene[which].level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    scene[which].run();
    MPI_Finalize();
    if (!is_wrong)
        printf("origins: rank %d is content\n", rank);
    return is_wrong;
}
