/* latency: times MPI collectives, native and rerouted in turns, in one process set.
 *
 *     latency [--sides both|one|passed] [--calls allreduce,reduce,...] [--bytes 8,64,...]
 *             [--seconds S] [--block-ms M] [--time block|call]
 *
 * A plain MPI program in the manner of the OSU latency tests. Preloaded with libftcoll.so it
 * switches between rerouted and native calls through MPI_Pcontrol(level), level 0 being native, and
 * --sides both measures them in pairs of blocks whose order changes from pair to pair (native,
 * ours, ours, native, ...). --sides one measures whatever MPI_Allreduce and the others are, with
 * any MPI library.
 *
 * Prints one line of CSV a block: call,ranks,bytes,pair,side,us,iterations,messages. us is the mean
 * latency of the rank where it was longest; messages is what a process sent on average for one
 * call, empty if unknown.
 *
 * --time call times as the OSU programs do: each call alone, with an MPI_Barrier after it that is
 * not timed, and us is the mean of all ranks. */
#include "measured.h"
#include "shared_page.h"

#include "../../include/ftcoll.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum side { NATIVE, OURS, PLAIN, DIRECT, PASSED, NO_SIDE };
static const char *const side_name[] = {"native", "ours", "plain", "direct", "passed"};

/* What is measured in turns. */
static const struct comparison {
    const char *name;
    enum side side[2];
} comparisons[] = {
    {"both", {NATIVE, OURS}}, {"one", {PLAIN, NO_SIDE}}, {"passed", {DIRECT, PASSED}}};

enum {
    MIN_ITERATIONS = 4,
    CALIBRATIONS = 3,
    MAX_ITERATIONS = 200000,
    MIN_PAIRS = 4,
    MAX_PAIRS = 2000,
    MAX_BYTES = 1 << 26
};

static struct options {
    const struct comparison *comparison;
    char calls[1024], bytes[256];
    double seconds;  /* for one call and size */
    double block_ms; /* wanted length of a block */
    bool times_call; /* alone, as the OSU programs do */
} options = {&comparisons[0], "allreduce,reduce", "8,64,1024,4096", 1.0, 5.0, false};

static struct shared_page *page;
static struct buffers buffers;

static int decide(int decision)
{
    return shared_decision(page, buffers.rank, buffers.ranks, decision);
}

/* Nanoseconds in the call, summed over the iterations. The barriers are not timed. */
static uint64_t run_separated(const struct measured_call *call, int iterations)
{
    uint64_t sum = 0, before;

    for (int i = 0; i < iterations; i++) {
        buffers.iteration++;
        buffers_change(&buffers);
        if (!options.times_call)
            shared_barrier(page, buffers.ranks);
        before = clock_ns();
        call->call(&buffers);
        sum += clock_ns() - before;
        buffers_check(&buffers, call);
        if (options.times_call)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    return sum;
}

static uint64_t run_back_to_back(const struct measured_call *call, int iterations)
{
    uint64_t before = clock_ns();

    for (int i = 0; i < iterations; i++) {
        buffers.iteration++;
        buffers_change(&buffers);
        call->call(&buffers);
        buffers_check(&buffers, call);
    }
    return clock_ns() - before;
}

static double run(const struct measured_call *call, int iterations)
{
    uint64_t ns;

    shared_barrier(page, buffers.ranks);
    ns = call->separated || options.times_call ? run_separated(call, iterations)
                                               : run_back_to_back(call, iterations);
    return (double)ns / 1e3 / iterations;
}

/* What one block has shown. */
struct block {
    double us;       /* mean latency of the slowest rank, or of all if the call is timed alone */
    double messages; /* that a process sent for a call, on average; negative if unknown */
};

/* False without the library. */
static bool count(struct ftcoll_counters *counters)
{
    *counters = (struct ftcoll_counters){0};
    return ftcoll_get_counters && ftcoll_get_counters(counters) == 0;
}

/* A block is worth nothing if the calls went another way than the table says. */
static void check_way(const struct measured_call *call, enum side side, unsigned long long rerouted,
                      int iterations)
{
    unsigned long long calls = (unsigned long long)iterations * (options.times_call ? 2 : 1);
    unsigned long long right = side == OURS ? calls : 0;

    if (side == PLAIN || rerouted == right || measured_is_kept(call))
        return;
    fprintf(stderr, "latency: %s of %d bytes: %llu of %llu calls were rerouted on the %s side\n",
            call->name, buffers.count * (int)sizeof(double), rerouted, calls, side_name[side]);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static struct block measure_block(const struct measured_call *call, enum side side, int iterations)
{
    struct ftcoll_counters before, after;
    struct block block = {.messages = -1};
    double us, sent;

    if (side == NATIVE || side == OURS)
        MPI_Pcontrol(side == OURS);
    buffers.is_ours = side == OURS;
    buffers.direct = side == DIRECT;
    run(call, iterations / 8 + 1); /* warm-up after the switch */
    count(&before);
    us = run(call, iterations);
    if (count(&after)) {
        check_way(call, side, after.protected_calls - before.protected_calls, iterations);
        sent = (double)(after.messages - before.messages) / iterations / buffers.ranks;
        block.messages = shared_sum(page, buffers.rank, buffers.ranks, sent);
    }
    block.us = options.times_call
                   ? shared_sum(page, buffers.rank, buffers.ranks, us) / buffers.ranks
                   : shared_max(page, buffers.rank, buffers.ranks, us);
    return block;
}

static int limit(double iterations)
{
    if (iterations > MAX_ITERATIONS)
        return MAX_ITERATIONS;
    return iterations < MIN_ITERATIONS ? MIN_ITERATIONS : (int)iterations;
}

/* Iterations that take about one block, the same on all ranks. The quickest of some tries counts,
 * because the first calls of a job are slow. */
static int calibrate(const struct measured_call *call, enum side side)
{
    int iterations = MIN_ITERATIONS, most = MIN_ITERATIONS;

    for (int tries = CALIBRATIONS; tries > 0;) {
        double ms = measure_block(call, side, iterations).us * iterations / 1e3;
        int wanted = limit(iterations * options.block_ms / (ms + 1e-6));

        if (decide(wanted > iterations * 10)) {
            iterations *= 10;
            continue;
        }
        most = decide(wanted > most ? wanted : most);
        tries--;
    }
    return most;
}

static void measure_and_print(const struct measured_call *call, int pair, enum side side,
                              int iterations)
{
    struct block block = measure_block(call, side, iterations);

    if (buffers.rank != 0)
        return;
    printf("%s,%d,%d,%d,%s,%.4f,%d,", call->name, buffers.ranks,
           buffers.count * (int)sizeof(double), pair, side_name[side], block.us, iterations);
    if (side == OURS && block.messages >= 0 && !options.times_call)
        printf("%.2f", block.messages);
    printf("\n");
}

static void measure_pair(const struct measured_call *call, int pair, const int iterations[])
{
    for (int i = 0; i < 2; i++) {
        int turn = (pair + i) % 2;
        enum side side = options.comparison->side[turn];

        if (side != NO_SIDE)
            measure_and_print(call, pair, side, iterations[turn]);
    }
}

static void measure(const struct measured_call *call, int bytes)
{
    uint64_t start = clock_ns();
    int iterations[2] = {0};
    int pair = 0;

    buffers.count = call->takes_bytes ? bytes / (int)sizeof(double) : 0;
    for (int i = 0; i < buffers.count; i++)
        buffers.send[i] = buffers.rank;
    for (int i = 0; i < 2; i++)
        if (options.comparison->side[i] != NO_SIDE)
            iterations[i] = calibrate(call, options.comparison->side[i]);
    do
        measure_pair(call, pair++, iterations);
    while (decide(pair < MIN_PAIRS ||
                  (pair < MAX_PAIRS && (double)(clock_ns() - start) < options.seconds * 1e9)));
}

static bool parse_comparison(const char *name)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (strcmp(comparisons[i].name, name) == 0) {
            options.comparison = &comparisons[i];
            return true;
        }
    return false;
}

static bool parse_option(const char *key, const char *value)
{
    if (strcmp(key, "--sides") == 0)
        return parse_comparison(value);
    else if (strcmp(key, "--calls") == 0)
        snprintf(options.calls, sizeof options.calls, "%s", value);
    else if (strcmp(key, "--bytes") == 0)
        snprintf(options.bytes, sizeof options.bytes, "%s", value);
    else if (strcmp(key, "--seconds") == 0)
        options.seconds = atof(value);
    else if (strcmp(key, "--block-ms") == 0)
        options.block_ms = atof(value);
    else if (strcmp(key, "--time") == 0)
        options.times_call = strcmp(value, "call") == 0;
    else
        return false;
    return true;
}

static void fail(const char *what, const char *value)
{
    if (buffers.rank == 0)
        fprintf(stderr, "latency: %s: %s\n", what, value);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void measure_sizes(const struct measured_call *call)
{
    char list[sizeof options.bytes], *rest = NULL;

    snprintf(list, sizeof list, "%s", options.bytes);
    for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        int bytes = atoi(word);

        if (bytes < (int)sizeof(double) || bytes > MAX_BYTES)
            fail("not a size", word);
        measure(call, bytes);
        if (!call->takes_bytes)
            break;
    }
}

static size_t most_bytes(void)
{
    char list[sizeof options.bytes], *rest = NULL;
    size_t most = sizeof(double);

    snprintf(list, sizeof list, "%s", options.bytes);
    for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        most = (size_t)atoi(word) > most ? (size_t)atoi(word) : most;
    return most < MAX_BYTES ? (most + 63) / 64 * 64 : MAX_BYTES;
}

static bool any_has_blocks(void)
{
    char list[sizeof options.calls], *rest = NULL;
    bool any = false;

    snprintf(list, sizeof list, "%s", options.calls);
    for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        any |= measured_find(name) && measured_find(name)->has_blocks;
    return any;
}

static void allocate(void)
{
    size_t bytes = most_bytes() * (any_has_blocks() ? (size_t)buffers.ranks : 1);

    buffers.send = aligned_alloc(64, bytes);
    buffers.recv = aligned_alloc(64, bytes);
    if (!buffers.send || !buffers.recv)
        fail("no memory", "buffers");
    memset(buffers.send, 0, bytes);
    memset(buffers.recv, 0, bytes);
}

int main(int argc, char **argv)
{
    char *rest = NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &buffers.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &buffers.ranks);
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || !parse_option(argv[i], argv[i + 1]))
            fail("unknown option or value", argv[i]);
    if (options.comparison->side[0] != PLAIN && !ftcoll_version)
        fail("two sides need", "libftcoll.so, preloaded");
    page = shared_page_open();
    measured_open(buffers.ranks);
    allocate();
    for (char *name = strtok_r(options.calls, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest)) {
        const struct measured_call *call = measured_find(name);

        if (!call)
            fail("unknown call", name);
        measure_sizes(call);
    }
    MPI_Finalize();
    free(buffers.send);
    free(buffers.recv);
    return 0;
}
