/* logp: L, o and g of one message of the library between two cores.
 *
 *     logp
 *
 * Two ranks, with libftcoll.so preloaded and f = 0: then an MPI_Reduce is one message of 8 bytes,
 * and what is measured are calls. Prints L:o:g in nanoseconds for `make scale`; medians over
 * rounds.
 *
 * o: half of what a call takes the sender, which need not wait, plus half of what it takes the root
 * when the message is there. L: what a call takes whose root sends in the next one, less twice o.
 * g: what a call takes in a long row to one root (Culler et al., "LogP: Towards a realistic model
 * of parallel computation"). */
#include "shared_page.h"
#include "sorted.h"

#include <mpi.h>
#include <stdio.h>

enum { RANKS = 2, ROUNDS = 2000, BURST = 8, ROW = 200, WARM_UP = 100 };

static int rank;
static struct shared_page *page;

static double reduces_ns(int calls, int turns)
{
    uint64_t start = clock_ns();
    double mine = rank, sum;

    for (int i = 0; i < calls; i++)
        MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, turns ? i % RANKS : 0, MPI_COMM_WORLD);
    return (double)(clock_ns() - start) / calls;
}

/* So few that the sender has room for all before the root takes the first. */
static double overhead_ns(void)
{
    double ns = 0;

    shared_barrier(page, RANKS);
    if (rank != 0)
        ns = reduces_ns(BURST, 0);
    shared_barrier(page, RANKS);
    if (rank == 0)
        ns = reduces_ns(BURST, 0);
    return shared_sum(page, rank, RANKS, ns) / RANKS;
}

static double latency_ns(void)
{
    shared_barrier(page, RANKS);
    return shared_max(page, rank, RANKS, reduces_ns(ROW, 1));
}

static double gap_ns(void)
{
    shared_barrier(page, RANKS);
    return shared_max(page, rank, RANKS, reduces_ns(ROW, 0));
}

static double median(double (*measure)(void))
{
    static double ns[ROUNDS];

    for (int i = -WARM_UP; i < ROUNDS; i++)
        ns[i < 0 ? 0 : i] = measure();
    sort(ns, ROUNDS);
    return ns[ROUNDS / 2];
}

static int at_least_one(double ns)
{
    return ns > 1 ? (int)(ns + 0.5) : 1;
}

int main(int argc, char **argv)
{
    double overhead, latency, gap;
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != RANKS) {
        fprintf(stderr, "logp: %d ranks instead of %d\n", ranks, RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    page = shared_page_open();
    overhead = median(overhead_ns);
    latency = median(latency_ns) - 2 * overhead;
    gap = median(gap_ns);
    if (rank == 0)
        printf("%d:%d:%d\n", at_least_one(latency), at_least_one(overhead), at_least_one(gap));
    MPI_Finalize();
    return 0;
}
