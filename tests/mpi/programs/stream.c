/* stream: a long row of reductions of all kinds, some ranks of which die or stand still on the way.
 *
 *     stream [--ops N] [--calls reduce|allreduce|mixed] [--comms world|mixed] [--max-bytes N]
 *            [--seed N] [--errors-return] [--go N] [--meet N] [--abort N] [--await N:FILE]...
 *            [--fault FAULT]...
 *
 * Which operation comes when follows from the seed, on all ranks alike. Each rank writes into the
 * file rank.R of the working directory which ranks its results contain; the program `verdict`
 * judges these files after the job. FAULT is explained in fault.h; with --go N, rank 0 says "go"
 * before operation N; with --abort N, the last rank calls MPI_Abort with code 7 there.
 * With --meet N, all ranks wait for each other, without MPI, before operation N and its faults;
 * with --await N:FILE each waits there until FILE exists, and with N the number of operations,
 * before it is through: so what comes from outside finds them where it wants to. */
#include "fault.h"
#include "record.h"
#include "values.h"

#include <getopt.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_BYTES = 1 << 16,
    COMMS = 4,
    POISON = 0xa5,
    SOON_US = 3000,
    AWAITS = 2,
    AWAIT_MAX_S = 3600 /* longer than any test */
};
enum calls { CALLS_REDUCE, CALLS_ALLREDUCE, CALLS_MIXED };

static struct {
    int ops, max_bytes, go, meet, abort;
    enum calls calls;
    bool mixed_comms, errors_return;
    uint64_t seed;
    struct fault fault[FAULT_MAX];
    int faults;
    struct {
        int op;
        char file[32];
    } await[AWAITS];
    int awaits;
} option = {.ops = 40,
            .max_bytes = 4096,
            .go = -1,
            .meet = -1,
            .abort = -1,
            .calls = CALLS_MIXED,
            .seed = 1};

struct comm {
    MPI_Comm handle;
    struct values_team team;
    int rank;
};

/* One operation as everybody plans it. */
struct plan {
    bool allreduce, in_place;
    int comm, root, count; /* root: rank in the communicator */
    const struct values_kind *kind;
};

static struct comm comms[COMMS];
static int world_rank, world_size;
static struct record_file *record;
static const struct fault *armed; /* happens when the user-defined operation is next called */

/* ---- what comes when ---- */

static bool dies_inside(int number)
{
    for (int i = 0; i < option.faults; i++)
        if (option.fault[i].moment == FAULT_INSIDE && option.fault[i].op == number)
            return true;
    return false;
}

/* Small counts are as frequent as large ones. */
static int count_from(uint64_t x, size_t bytes)
{
    int most = option.max_bytes / (int)bytes, limit = 1 << (x % 10);

    if (limit > most || x % 10 == 9)
        limit = most;
    return limit < 1 ? 1 : 1 + (int)((x >> 8) % (uint64_t)limit);
}

static struct plan plan_of(int number)
{
    uint64_t x = fault_random(option.seed * 1000003u + (uint64_t)number);
    struct plan p = {0};

    p.allreduce = option.calls == CALLS_MIXED ? (x & 1) != 0 : option.calls == CALLS_ALLREDUCE;
    p.in_place = (x & 6) == 0;
    p.comm = option.mixed_comms ? (int)((x >> 3) % COMMS) : 0;
    p.root = p.allreduce ? 0 : (int)((x >> 6) % (uint64_t)comms[p.comm].team.size);
    p.kind = &values_kinds()[dies_inside(number) ? VALUES_USER : (x >> 12) % VALUES_COUNT];
    p.count = count_from(x >> 20, p.kind->bytes);
    return p;
}

/* ---- faults ---- */

static void happen_if(enum fault_moment moment)
{
    for (int i = 0; i < option.faults; i++)
        if (option.fault[i].moment == moment &&
            fault_hits(&option.fault[i], world_rank, world_size, 0))
            fault_happen(&option.fault[i]);
}

static void happen_soon_if(enum fault_moment moment)
{
    for (int i = 0; i < option.faults; i++)
        if (option.fault[i].moment == moment &&
            fault_hits(&option.fault[i], world_rank, world_size, 0))
            fault_happen_soon(&option.fault[i], SOON_US, option.seed * 31 + (uint64_t)world_rank);
}

static void on_combine(void)
{
    const struct fault *now = armed;

    armed = NULL;
    if (now)
        fault_happen(now);
}

static void meet_fault(const struct fault *fault)
{
    switch (fault->moment) {
    case FAULT_BETWEEN:
        fault_happen(fault);
        break;
    case FAULT_INSIDE:
        armed = fault;
        break;
    case FAULT_AROUND:
        fault_happen_in_step(fault, option.seed * 31 + (uint64_t)world_rank);
        break;
    default:
        break;
    }
}

static void meet_faults(int number, int root)
{
    for (int i = 0; i < option.faults; i++) {
        const struct fault *fault = &option.fault[i];

        if ((fault->moment == FAULT_BETWEEN || fault->moment == FAULT_INSIDE ||
             fault->moment == FAULT_AROUND) &&
            fault_operation(fault, world_rank, option.ops, option.seed + (uint64_t)i) == number &&
            fault_hits(fault, world_rank, world_size, root))
            meet_fault(fault);
    }
}

/* A rank that combined nothing in the operation, or was through with it before the moment came,
 * dies right after it. */
static void meet_late_fault(void)
{
    on_combine();
    fault_step_end();
}

/* ---- one operation ---- */

static uint32_t digest_of(const struct values_kind *kind, const unsigned char *buffer, int count)
{
    uint32_t h = 2166136261u;

    for (int e = 0; e < count; e++)
        for (size_t i = 0; i < kind->used; i++)
            h = (h ^ buffer[(size_t)e * kind->bytes + i]) * 16777619u;
    return h;
}

static bool is_poison(const unsigned char *buffer, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (buffer[i] != POISON)
            return false;
    return true;
}

static void describe(struct record *r, const struct plan *p)
{
    const struct comm *c = &comms[p->comm];

    r->is_allreduce = p->allreduce;
    r->comm = (uint32_t)p->comm;
    r->root = c->team.member[p->root];
    for (int i = 0; i < c->team.size; i++)
        r->members |= 1u << c->team.member[i];
    memset(r->times, RECORD_UNKNOWN, sizeof r->times);
}

static int call(const struct plan *p, const void *send, void *receive)
{
    const struct comm *c = &comms[p->comm];

    if (p->allreduce)
        return MPI_Allreduce(send, receive, p->count, p->kind->type, p->kind->op, c->handle);
    return MPI_Reduce(send, receive, p->count, p->kind->type, p->kind->op, p->root, c->handle);
}

static void judge(struct record *r, const struct plan *p, int number, const unsigned char *receive)
{
    const struct values_team *team = &comms[p->comm].team;
    const char *wrong = values_read(p->kind, receive, p->count, team, number, r->times);

    r->digest = digest_of(p->kind, receive, p->count);
    r->has_result = 1;
    if (wrong)
        snprintf(r->wrong, sizeof r->wrong, "%.60s", wrong);
}

static void tell_error(int number, int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(error, text, &length);
    fprintf(stderr, "stream: rank %d, operation %d: %s\n", world_rank, number, text);
}

static void carry_out(const struct plan *p, int number, struct record *r)
{
    static unsigned char send[MAX_BYTES], receive[MAX_BYTES], before[MAX_BYTES];
    const struct comm *c = &comms[p->comm];
    size_t bytes = (size_t)p->count * p->kind->bytes;
    bool receives = p->allreduce || c->rank == p->root, in_place = p->in_place && receives;
    int rv;

    values_fill(p->kind, send, p->count, &c->team, world_rank, number);
    memcpy(before, send, bytes);
    memset(receive, POISON, bytes);
    if (in_place)
        memcpy(receive, send, bytes);
    r->entered = 1;
    rv = call(p, in_place ? MPI_IN_PLACE : send, receive);
    MPI_Error_class(rv, &r->error_class);
    if (rv != MPI_SUCCESS)
        tell_error(number, rv);
    if (receives && rv == MPI_SUCCESS)
        judge(r, p, number, receive);
    if (!receives && !is_poison(receive, bytes))
        snprintf(r->wrong, sizeof r->wrong, "a rank that is not the root got something");
    if (memcmp(before, send, bytes) != 0)
        snprintf(r->wrong, sizeof r->wrong, "the send buffer was written");
    r->returned = 1;
}

static void await_files(int number)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    time_t start = time(NULL);

    for (int i = 0; i < option.awaits; i++)
        while (option.await[i].op == number && access(option.await[i].file, F_OK) != 0) {
            if (time(NULL) > start + AWAIT_MAX_S) {
                fprintf(stderr, "stream: rank %d: no file %s\n", world_rank, option.await[i].file);
                MPI_Abort(MPI_COMM_WORLD, 2);
            }
            nanosleep(&pause, NULL);
        }
}

static void run(struct record_file *file)
{
    for (int number = 0; number < option.ops; number++) {
        struct plan p = plan_of(number);
        int root = comms[p.comm].team.member[p.root];

        if (number == option.meet)
            record_meet(file, number);
        if (number == option.go && world_rank == 0) {
            printf("go\n");
            fflush(stdout);
        }
        if (number == option.abort && world_rank == world_size - 1)
            MPI_Abort(MPI_COMM_WORLD, 7);
        record_reach(file, number);
        await_files(number);
        describe(&file->op[number], &p);
        fault_step_begin();
        meet_faults(number, root);
        carry_out(&p, number, &file->op[number]);
        meet_late_fault();
    }
    await_files(option.ops);
    file->finished = 1;
}

/* ---- beginning and end ---- */

static void describe_comm(struct comm *c)
{
    MPI_Group own, world;
    int ranks[8];

    MPI_Comm_rank(c->handle, &c->rank);
    MPI_Comm_size(c->handle, &c->team.size);
    for (int i = 0; i < c->team.size; i++)
        ranks[i] = i;
    MPI_Comm_group(c->handle, &own);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(own, c->team.size, ranks, world, c->team.member);
    MPI_Group_free(&own);
    MPI_Group_free(&world);
}

/* The world, its duplicate, even and odd ranks, and the world backwards. */
static void make_comms(void)
{
    int used = option.mixed_comms ? COMMS : 1;

    comms[0].handle = MPI_COMM_WORLD;
    if (option.errors_return)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (option.mixed_comms) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[1].handle);
        MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &comms[2].handle);
        MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comms[3].handle);
    }
    for (int i = 0; i < used; i++)
        describe_comm(&comms[i]);
}

static bool parse_calls(const char *text)
{
    static const char *const names[] = {"reduce", "allreduce", "mixed"};

    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            option.calls = (enum calls)i;
            return true;
        }
    return false;
}

static bool add_fault(const char *text)
{
    return option.faults < FAULT_MAX && fault_parse(text, &option.fault[option.faults++]);
}

static bool add_await(const char *text)
{
    char *end;

    if (option.awaits == AWAITS)
        return false;
    option.await[option.awaits].op = (int)strtol(text, &end, 10);
    if (*end != ':' || strlen(end + 1) >= sizeof option.await[0].file)
        return false;
    strcpy(option.await[option.awaits++].file, end + 1);
    return true;
}

static bool parse_option(int letter)
{
    switch (letter) {
    case 'o':
        option.ops = atoi(optarg);
        return option.ops > 0;
    case 'c':
        return parse_calls(optarg);
    case 'm':
        option.mixed_comms = strcmp(optarg, "mixed") == 0;
        return option.mixed_comms || strcmp(optarg, "world") == 0;
    case 'b':
        option.max_bytes = atoi(optarg);
        return option.max_bytes > 0 && option.max_bytes <= MAX_BYTES;
    case 's':
        option.seed = strtoull(optarg, NULL, 10);
        return true;
    case 'e':
        option.errors_return = true;
        return true;
    case 'g':
        option.go = atoi(optarg);
        return true;
    case 'w':
        option.meet = atoi(optarg);
        return true;
    case 'a':
        option.abort = atoi(optarg);
        return true;
    case 't':
        return add_await(optarg);
    case 'f':
        return add_fault(optarg);
    default:
        return false;
    }
}

static bool parse_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"ops", required_argument, NULL, 'o'},   {"calls", required_argument, NULL, 'c'},
        {"comms", required_argument, NULL, 'm'}, {"max-bytes", required_argument, NULL, 'b'},
        {"seed", required_argument, NULL, 's'},  {"errors-return", no_argument, NULL, 'e'},
        {"go", required_argument, NULL, 'g'},    {"meet", required_argument, NULL, 'w'},
        {"abort", required_argument, NULL, 'a'}, {"await", required_argument, NULL, 't'},
        {"fault", required_argument, NULL, 'f'}, {0}};
    int letter;

    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1)
        if (!parse_option(letter))
            return false;
    return optind == argc;
}

/* Faults before MPI_Init cannot ask MPI who they hit. */
static void rank_from_launcher(void)
{
    const char *rank = getenv("PMI_RANK"), *size = getenv("PMI_SIZE");

    world_rank = rank ? atoi(rank) : 0;
    world_size = size ? atoi(size) : 1;
}

static bool others_are_through(void)
{
    return record_another_finished(record);
}

static bool is_finalized(void)
{
    int flag = 0;

    return MPI_Finalized(&flag) == MPI_SUCCESS && flag;
}

int main(int argc, char **argv)
{
    setlinebuf(stderr); /* else newer C libraries write a line in pieces, which those of other ranks
                           come between */
    if (!parse_options(argc, argv)) {
        fprintf(stderr, "stream: bad arguments; its source tells what there is\n");
        return 2;
    }
    rank_from_launcher();
    happen_if(FAULT_INIT);
    happen_soon_if(FAULT_IN_INIT);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (world_size > RECORD_MAX_RANKS ||
        !(record = record_create(world_rank, world_size, option.ops)))
        MPI_Abort(MPI_COMM_WORLD, 2);
    record->seed = option.seed;
    fault_is_over = others_are_through;
    values_on_combine = on_combine;
    make_comms();
    run(record);
    values_end();
    happen_if(FAULT_FINALIZE);
    happen_soon_if(FAULT_IN_FINALIZE);
    if (MPI_Finalize() == MPI_SUCCESS && is_finalized())
        record->finished = 2;
    happen_if(FAULT_AFTER);
    return 0;
}
