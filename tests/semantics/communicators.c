/* communicators: each way to make one, and reductions on it. */
#include "output.h"

#include <stdio.h>

static int rank, n;

/* Everything there is to reduce on @comm, and then it is freed. */
static void use(const char *name, MPI_Comm *comm)
{
    int mine[2], all[2] = {-1, -1}, size, own, inter, rv;
    char what[128];

    if (*comm == MPI_COMM_NULL) {
        output_line("%s: not a member", name);
        return;
    }
    MPI_Comm_size(*comm, &size);
    MPI_Comm_rank(*comm, &own);
    MPI_Comm_test_inter(*comm, &inter);
    output_line("%s: rank %d of %d%s", name, own, size, inter ? ", intercommunicator" : "");
    mine[0] = (rank + 1) * (rank + 1);
    mine[1] = -own;
    rv = MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, *comm);
    snprintf(what, sizeof what, "%s, allreduce", name);
    output_result(what, rv, all, sizeof all);
    if (!inter)
        for (int root = 0; root < size; root++) {
            all[0] = all[1] = -1;
            rv = MPI_Reduce(mine, all, 2, MPI_INT, MPI_MAX, root, *comm);
            snprintf(what, sizeof what, "%s, reduce to %d", name, root);
            output_result(what, rv, all, sizeof all);
        }
    MPI_Barrier(*comm);
    MPI_Comm_free(comm);
}

static void copies(void)
{
    MPI_Comm comm;
    MPI_Info info;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use("dup", &comm);
    MPI_Info_create(&info);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    use("dup with info", &comm);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use("idup", &comm);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    use("dup of MPI_COMM_SELF", &comm);
}

static void parts(void)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    use("split", &comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank == n - 1 ? MPI_UNDEFINED : 0, 0, &comm);
    use("split without the last", &comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comm);
    use("split into single ranks", &comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &comm);
    use("split by memory", &comm);
}

static void groups(void)
{
    MPI_Group world, some;
    MPI_Comm comm;
    int members[] = {n - 1, 0};

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
    use("create", &comm);
    comm = MPI_COMM_NULL;
    if (rank == 0 || rank == n - 1)
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 17, &comm);
    use("create_group", &comm);
    comm = MPI_COMM_NULL;
    if (rank == 0 || rank == n - 1)
        MPI_Comm_create_from_group(some, "ends", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    use("create_from_group", &comm);
    MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "nobody", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    use("create_from_group of nobody", &comm);
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}

static void topologies(void)
{
    int dims[1] = {n}, periodic[1] = {1}, keep[1] = {0}, index[5], edges[10], next = (rank + 1) % n;
    MPI_Comm comm, sub;

    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 1, &comm);
    MPI_Cart_sub(comm, keep, &sub);
    use("cart_sub", &sub);
    use("cart", &comm);
    for (int i = 0; i < n; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 0, &comm);
    use("graph", &comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    use("dist_graph", &comm);
}

/* Rank 0 and the others */
static void intercommunicators(void)
{
    MPI_Comm side, inter, merged, copy;
    MPI_Request request;
    int mine = rank + 1, all = -1, root, rv;

    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 3, &inter);
    root = rank == 0 ? MPI_ROOT : 0;
    rv = MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, root, inter);
    output_result("reduce to the other side", rv, &all, sizeof all);
    root = rank == 0 ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    rv = MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, root, inter);
    output_result("reduce from the other side", rv, &all, sizeof all);
    MPI_Intercomm_merge(inter, rank == 0, &merged);
    use("merged", &merged);
    MPI_Comm_idup(inter, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use("idup of intercommunicator", &copy);
    MPI_Comm_idup_with_info(inter, MPI_INFO_NULL, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use("idup with info of intercommunicator", &copy);
    use("intercommunicator", &inter);
    use("side", &side);
}

/* Rank 0 and the others, each group without a communicator. */
static void between_groups(void)
{
    MPI_Group world, group[2];
    MPI_Comm inter;
    MPI_Errhandler handler;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){0}, &group[0]);
    MPI_Group_excl(world, 1, (int[]){0}, &group[1]);
    MPI_Intercomm_create_from_groups(group[rank > 0], 0, group[rank == 0], 0, "sides",
                                     MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter);
    MPI_Comm_get_errhandler(inter, &handler);
    output_line("errors return: %d", handler == MPI_ERRORS_RETURN);
    use("intercommunicator of groups", &inter);
    for (int i = 0; i < 2; i++)
        MPI_Group_free(&group[i]);
    MPI_Group_free(&world);
}

static void self(void)
{
    int mine = rank, all = -1, rv = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);

    output_result("allreduce of MPI_COMM_SELF", rv, &all, sizeof all);
    all = -1;
    rv = MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_PROD, 0, MPI_COMM_SELF);
    output_result("reduce of MPI_COMM_SELF", rv, &all, sizeof all);
}

int main(int argc, char **argv)
{
    output_init(argc, argv, &rank, &n);
    copies();
    parts();
    groups();
    topologies();
    intercommunicators();
    between_groups();
    self();
    output_close();
    MPI_Finalize();
    return 0;
}
