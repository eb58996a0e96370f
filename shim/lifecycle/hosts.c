#include "hosts.h"

#include "job_end.h"
#include "library.h"
#include "monitor/mapping.h"
#include "monitor/pmi.h"
#include "net/socket.h"
#include "system/cores.h"
#include "system/lines.h"
#include "system/loaded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Message by which each rank tells all ranks where it can be reached. */
struct card {
    struct ftc_board_address board; /* made by the rank, if it is the first of its host */
    struct ftc_address address;
    struct ftc_address mpiexec; /* at which its host has reached mpiexec; family 0: not known */
    bool is_mpiexecs;           /* mpiexec is on the rank's host */
    struct ftc_cores cores;
    uint16_t link_port, query_port;
    uint64_t program, program_base;
    char name[FTC_BOARD_HOST_NAME];
};

static uint32_t *host; /* number of each rank's host */
static struct card *card;
static int link_listener = -1, query_listener = -1;

/* Returns zeroed memory for @bytes of each rank, until it is freed. Without memory the job ends:
 * the other ranks would wait for this one. */
static void *for_all_ranks(size_t bytes)
{
    void *all = calloc((size_t)ftc_library.world_size, bytes);

    if (!all)
        ftc_job_end_no_memory("the hosts of all ranks");
    return all;
}

static void make_host_of_all(void)
{
    if (!host)
        host = for_all_ranks(sizeof *host);
}

/* ---- who is where ---- */

/* Returns whether a setting of MPICH's own tests is on that makes ranks of one host count as
 * several hosts. */
static bool mpich_divides_hosts(void)
{
    static const char *const prefix[] = {"MPIR_CVAR_", "MPIR_PARAM_", "MPICH_"};
    static const char *const name[] = {"NOLOCAL", "NO_LOCAL", "ODD_EVEN_CLIQUES", "NUM_CLIQUES"};
    char variable[48];

    for (size_t p = 0; p < sizeof prefix / sizeof prefix[0]; p++)
        for (size_t n = 0; n < sizeof name / sizeof name[0]; n++) {
            snprintf(variable, sizeof variable, "%s%s", prefix[p], name[n]);
            if (getenv(variable))
                return true;
        }
    return false;
}

/* Reads the mapping that MPICH reads. A launcher that does not answer is asked nothing more. */
int ftc_hosts_by_launcher(void)
{
    char text[FTC_PMI_LINE_MAX];
    int rv = ftc_pmi_get_mapping(ftc_pmi_fd(), text, sizeof text);

    if (rv != 0 && rv != -ENOENT)
        ftc_pmi_speak(FTC_PMI_MUTE);
    if (rv != 0 || mpich_divides_hosts())
        return 0;
    make_host_of_all();
    return ftc_mapping_parse(text, ftc_library.world_size, host);
}

/* Returns the lowest world rank among those that share this host. */
static int first_here(MPI_Comm here)
{
    MPI_Group world, group;
    int first = 0, zero = 0;

    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(here, &group);
    PMPI_Group_translate_ranks(group, 1, &zero, world, &first);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return first;
}

static int number_hosts(const int *first)
{
    uint32_t hosts = 0;

    for (int rank = 0; rank < ftc_library.world_size; rank++)
        host[rank] = first[rank] == rank ? hosts++ : host[first[rank]];
    return (int)hosts;
}

int ftc_hosts_by_mpich(void)
{
    int *all = for_all_ranks(sizeof *all), first, hosts;
    MPI_Comm here;

    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    first = first_here(here);
    PMPI_Comm_free(&here);
    PMPI_Allgather(&first, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    make_host_of_all();
    hosts = number_hosts(all);
    free(all);
    return hosts;
}

void ftc_hosts_hear(void (*await)(MPI_Request *request))
{
    MPI_Request request;

    make_host_of_all();
    PMPI_Ibcast(host, ftc_library.world_size, MPI_UINT32_T, 0, MPI_COMM_WORLD, &request);
    await(&request);
}

static int first_of(uint32_t number)
{
    int first = 0;

    while (first < ftc_library.world_size - 1 && host[first] != number)
        first++;
    return first;
}

uint32_t ftc_hosts_own(void)
{
    return host[ftc_library.world_rank];
}

bool ftc_hosts_is_first(void)
{
    return first_of(ftc_hosts_own()) == ftc_library.world_rank;
}

/* ---- where each is reached ---- */

static void describe_program(struct card *own)
{
    struct ftc_loaded program;

    if (!ftc_loaded_program(&program))
        return;
    own->program = ftc_loaded_identity(&program);
    own->program_base = program.base;
}

static void open_listeners(struct card *own)
{
    own->address = ftc_socket_own_address();
    gethostname(own->name, sizeof own->name - 1);
    own->mpiexec = ftc_socket_mpiexec_address();
    own->is_mpiexecs = ftc_socket_is_mpiexecs_host();
    if (own->is_mpiexecs) {
        link_listener = ftc_socket_reserve(&own->link_port);
        query_listener = ftc_socket_reserve(&own->query_port);
    } else {
        link_listener = ftc_socket_listen(&own->address, &own->link_port);
        query_listener = ftc_socket_listen(&own->address, &own->query_port);
    }
}

/* Returns the address at which the other hosts have reached mpiexec, for a rank on its host.
 * Returns INADDR_ANY if they have used several addresses, and the rank's own address if none is
 * known. */
static struct ftc_address address_by_others(const struct card *own)
{
    struct ftc_address seen = {0};

    for (int rank = 0; rank < ftc_library.world_size; rank++) {
        const struct ftc_address *here = &card[rank].mpiexec;

        if (here->family == 0)
            continue;
        if (seen.family != 0 && memcmp(&seen, here, sizeof seen) != 0)
            return (struct ftc_address){.family = AF_INET};
        seen = *here;
    }
    return seen.family != 0 ? seen : own->address;
}

static int listen_reserved(int reserved, const struct card *own, uint16_t port)
{
    struct ftc_address address = address_by_others(own);
    int fd = ftc_socket_listen_reserved(reserved, &address, port);

    if (fd < 0) /* the address was translated on the way */
        fd = ftc_socket_listen_reserved(reserved, &own->address, port);
    close(reserved);
    return fd;
}

/* Listens at the ports that a rank on mpiexec's host has reserved. That host may have several
 * addresses, and its name may stand for one that others do not reach. Its ranks therefore reserve
 * ports first, and listen when the others have told how they reach mpiexec. Prints a line if this
 * rank does not listen. */
static void open_reserved_listeners(const struct card *own)
{
    if (own->is_mpiexecs && link_listener >= 0 && query_listener >= 0) {
        link_listener = listen_reserved(link_listener, own, own->link_port);
        query_listener = listen_reserved(query_listener, own, own->query_port);
    }
    if (link_listener < 0 || query_listener < 0)
        ftc_lines_say("ftcoll: rank %d cannot listen for other hosts: %s\n", ftc_library.world_rank,
                      strerror(link_listener < 0 ? -link_listener : -query_listener));
}

struct ftc_board_address ftc_hosts_meet(const struct ftc_board_address *board,
                                        void (*await)(MPI_Request *request))
{
    struct card own = {.board = *board, .cores = ftc_cores_own()};
    MPI_Request request;

    card = for_all_ranks(sizeof *card);
    describe_program(&own);
    open_listeners(&own);
    PMPI_Iallgather(&own, (int)sizeof own, MPI_BYTE, card, (int)sizeof own, MPI_BYTE,
                    MPI_COMM_WORLD, &request);
    await(&request);
    open_reserved_listeners(&own);
    return card[first_of(ftc_hosts_own())].board;
}

/* Returns the address at which this host reaches the host of @c. */
static const struct ftc_address *address_of(const struct card *c)
{
    const struct ftc_address *mpiexec = &card[ftc_library.world_rank].mpiexec;

    return c->is_mpiexecs && mpiexec->family != 0 ? mpiexec : &c->address;
}

void ftc_hosts_enter(struct ftc_board *board, const uint64_t key[2])
{
    ftc_directory_set_key(board, key);
    for (uint32_t rank = 0; rank < board->geometry.ranks; rank++) {
        const struct card *c = &card[rank];
        struct ftc_directory_rank entry = {
            .host = host[rank],
            .link_port = c->link_port,
            .query_port = c->query_port,
            .program = c->program,
            .program_base = c->program_base,
        };

        if (first_of(host[rank]) == (int)rank)
            ftc_directory_set_host(board, host[rank], c->name, address_of(c));
        ftc_directory_set_rank(board, rank, &entry);
    }
}

bool ftc_hosts_share_cores(void)
{
    const struct ftc_cores *own = card ? &card[ftc_library.world_rank].cores : NULL;
    uint32_t ranks = 0;

    for (int rank = 0; own && own->count > 0 && rank < ftc_library.world_size; rank++)
        ranks += card[rank].cores.identity == own->identity;
    return own && ranks > own->count;
}

bool ftc_hosts_are_one_machine(void)
{
    for (int rank = 0; card && rank < ftc_library.world_size; rank++)
        if (card[rank].cores.count == 0 || card[rank].cores.machine != card[0].cores.machine)
            return false;
    return true;
}

int ftc_hosts_link_listener(void)
{
    return link_listener;
}

int ftc_hosts_query_listener(void)
{
    return query_listener;
}
