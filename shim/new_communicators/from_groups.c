#include "from_groups.h"

#include "communicator/group.h"
#include "communicator/lineage.h"
#include "create.h"
#include "program/error.h"
#include "system/hash.h"
#include "value/datatype.h"

#include <string.h>

enum { TAGS = 32767 }; /* that any MPI library has */

int ftc_from_groups_tag(const char *stringtag)
{
    return stringtag ? (int)(ftc_hash(FTC_HASH_START, stringtag, strlen(stringtag)) % TAGS) : 0;
}

/* Native MPI finds what is wrong with the text, the information and the error handler before it
 * waits for anybody. */
static bool is_told(const struct ftc_creation *x)
{
    return x->stringtag && ftc_is_error_handler(x->errhandler) && ftc_is_info(x->info);
}

bool ftc_from_group_create(struct ftc_creation *x)
{
    return is_told(x) && ftc_new_communicator_create(x);
}

static bool has_rank(MPI_Group group, int rank)
{
    int size = 0;

    if (!ftc_is_group(group))
        return false;
    PMPI_Group_size(group, &size);
    return rank >= 0 && rank < size;
}

static bool is_leader(MPI_Group local, const struct ftc_two_groups *g)
{
    int rank = MPI_UNDEFINED;

    PMPI_Group_rank(local, &rank);
    return rank == g->local_leader;
}

/* The rank in @to of rank @rank of @from; MPI_UNDEFINED: it has none. */
static int rank_in(MPI_Group to, MPI_Group from, int rank)
{
    int found = MPI_UNDEFINED;

    PMPI_Group_translate_ranks(from, 1, &rank, to, &found);
    return found;
}

static int rank_in_comm(MPI_Comm comm, MPI_Group from, int rank)
{
    MPI_Group all = ftc_group_of(comm);
    int found = rank_in(all, from, rank);

    PMPI_Group_free(&all);
    return found;
}

static bool are_groups(MPI_Group local, const struct ftc_two_groups *g)
{
    return has_rank(local, g->local_leader) &&
           (!is_leader(local, g) || has_rank(g->remote, g->remote_leader));
}

MPI_Group ftc_from_groups_needed(MPI_Group local, const struct ftc_two_groups *g)
{
    MPI_Group leader, needed;

    if (!are_groups(local, g))
        return MPI_GROUP_NULL;
    if (is_leader(local, g))
        PMPI_Group_incl(g->remote, 1, &g->remote_leader, &leader);
    else
        leader = MPI_GROUP_EMPTY;
    PMPI_Group_union(local, leader, &needed);
    if (leader != MPI_GROUP_EMPTY)
        PMPI_Group_free(&leader);
    return needed;
}

/* Where the leader is not among the survivors of its group nobody tells them of the other one: the
 * call ends with that error. */
static bool bridge(struct ftc_creation *x, const struct ftc_two_groups *g, MPI_Comm local)
{
    struct ftc_bridge b = {.local_leader = rank_in_comm(local, x->group, g->local_leader),
                           .peer = MPI_COMM_WORLD,
                           .remote_leader = MPI_UNDEFINED};
    bool is_done;

    if (is_leader(x->group, g))
        b.remote_leader = rank_in_comm(MPI_COMM_WORLD, g->remote, g->remote_leader);
    x->comm = local;
    x->bridge = &b;
    is_done = ftc_new_communicator_create(x);
    x->bridge = NULL;
    return is_done;
}

bool ftc_from_groups_create(struct ftc_creation *x, const struct ftc_two_groups *g)
{
    MPI_Comm local = MPI_COMM_NULL;
    struct ftc_creation own = *x;
    bool is_done;

    own.newcomm = &local;
    if (!x->newcomm || !is_told(x) || !are_groups(x->group, g) ||
        !ftc_new_communicator_create(&own))
        return false;
    x->result = own.result;
    if (own.result != MPI_SUCCESS)
        return true;
    ftc_lineage_in_group(MPI_COMM_WORLD, x->group, x->tag, &local, MPI_SUCCESS);
    is_done = bridge(x, g, local);
    ftc_new_communicator_free(&local, PMPI_Comm_free);
    return is_done;
}
