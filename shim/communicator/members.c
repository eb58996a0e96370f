#include "members.h"

#include "board/directory.h"

#include <errno.h>
#include <stdlib.h>

/* Returns whether f counts hosts (failure_domain = host, and several hosts). */
static bool hosts_fail(void)
{
    return ftc_library.settings.failure_domain == FTC_FAILURE_DOMAIN_HOST &&
           ftc_board_has_other_hosts(&ftc_library.board);
}

/* Numbers the hosts in the order in which they first appear among the members. */
static struct ftc_hosts find_hosts(struct ftc_comm *c)
{
    const struct ftc_board *b = &ftc_library.board;
    struct ftc_hosts hosts = {.count = 0, .are_far = !ftc_library.is_one_machine, .of = c->host};
    int32_t number[FTC_BOARD_HOSTS_MAX];

    for (int i = 0; i < FTC_BOARD_HOSTS_MAX; i++)
        number[i] = -1;
    for (int i = 0; i < c->member_count; i++) {
        uint32_t host = ftc_board_host(b, c->world[c->member[i]]);

        if (number[host] < 0)
            number[host] = hosts.count++;
        c->host[i] = number[host];
    }
    return hosts;
}

static void shape(struct ftc_comm *c)
{
    const struct ftc_tree_shape *tree = &ftc_library.settings.tree;
    struct ftc_hosts hosts = {.count = 1};

    if (ftc_board_has_other_hosts(&ftc_library.board))
        hosts = find_hosts(c);
    if (hosts_fail()) {
        ftc_topology_init_over_hosts(&c->topology, c->member_count, c->f, tree, &hosts,
                                     c->topology_storage);
        return;
    }
    ftc_topology_init(&c->topology, c->member_count, c->f, tree, c->topology_storage);
    c->topology.hosts = hosts;
}

static void renumber(struct ftc_comm *c)
{
    for (uint32_t s = 0; s < ftc_library.board.geometry.ranks; s++)
        c->member_of_world[s] = -1;
    c->known_dead = 0;
    for (int i = 0; i < c->member_count; i++) {
        c->member_of_world[c->world[c->member[i]]] = i;
        if (c->member[i] == c->rank)
            c->own_member = i;
        c->known_dead += c->dead[i];
    }
    c->killed.next = c->own_member + 1; /* together, waiting ranks check all members in one turn */
    shape(c);
    c->numbering++;
}

int ftc_members_open(struct ftc_comm *c)
{
    size_t size = (size_t)c->size;

    c->member = malloc(size * sizeof *c->member);
    c->dead = calloc(size, sizeof *c->dead);
    c->silence = calloc(size, sizeof *c->silence);
    c->member_of_world = malloc(ftc_library.board.geometry.ranks * sizeof *c->member_of_world);
    c->topology_storage = malloc(hosts_fail() ? ftc_topology_storage_bytes_over_hosts(c->size)
                                              : ftc_topology_storage_bytes(c->size, 0));
    c->host = malloc(size * sizeof *c->host);
    return c->member && c->dead && c->silence && c->member_of_world && c->topology_storage &&
                   c->host
               ? 0
               : -ENOMEM;
}

void ftc_members_close(struct ftc_comm *c)
{
    free(c->member);
    free(c->dead);
    free(c->silence);
    free(c->member_of_world);
    free(c->topology_storage);
    free(c->host);
}

void ftc_members_take_all(struct ftc_comm *c)
{
    for (int i = 0; i < c->size; i++)
        c->member[i] = i;
    c->member_count = c->size;
    renumber(c);
}

void ftc_members_leave_out(struct ftc_comm *c, const unsigned char *missing)
{
    int kept = 0;

    for (int i = 0; i < c->size; i++)
        if (!missing[i])
            c->member[kept++] = i;
    c->member_count = kept;
    renumber(c);
}

static bool is_listed(const struct ftc_failure_info *failed, int member)
{
    for (int i = 0; i < failed->count; i++)
        if (failed->id[i] == member)
            return true;
    return false;
}

void ftc_comm_exclude(struct ftc_comm *c, const struct ftc_failure_info *failed)
{
    int kept = 0;

    if (failed->count == 0)
        return;
    for (int i = 0; i < c->member_count; i++) {
        if (is_listed(failed, i))
            continue;
        c->dead[kept] = c->dead[i];
        c->member[kept++] = c->member[i];
    }
    c->member_count = kept;
    renumber(c);
}

int ftc_comm_member(const struct ftc_comm *c, int rank)
{
    for (int i = 0; i < c->member_count; i++)
        if (c->member[i] == rank)
            return i;
    return -1;
}
