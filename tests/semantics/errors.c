/* errors: arguments that MPI rejects, in each call. The class of the error must be native MPI's,
 * and come to the error handler of the same communicator; what is called after that must go well.
 */
#include "../mpi/programs/native.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

static int rank, n, handled;
static MPI_Comm handled_comm;
static int in[4], out[4];

static void note(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    handled++;
    handled_comm = *comm;
}

static const char *name_of(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD  ? "MPI_COMM_WORLD"
           : comm == MPI_COMM_SELF ? "MPI_COMM_SELF"
                                   : "another";
}

static void show(const char *call, const char *wrong, int rv)
{
    output_line("%s, %s: %s, handler called %d times%s%s", call, wrong, output_class(rv), handled,
                handled ? " for " : "", handled ? name_of(handled_comm) : "");
    handled = 0;
}

static void allreduce(const char *wrong, const void *from, void *to, int count,
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    show("allreduce", wrong, MPI_Allreduce(from, to, count, datatype, op, comm));
}

static void reduce(const char *wrong, const void *from, void *to, int count, MPI_Datatype datatype,
                   MPI_Op op, int root, MPI_Comm comm)
{
    show("reduce", wrong, MPI_Reduce(from, to, count, datatype, op, root, comm));
}

static void bcast(const char *wrong, void *buffer, int count, MPI_Datatype datatype, int root,
                  MPI_Comm comm)
{
    show("bcast", wrong, MPI_Bcast(buffer, count, datatype, root, comm));
}

static void still_works(MPI_Comm comm)
{
    int mine = rank + 1, all = -1, rv = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);

    output_result("a right call", rv, &all, sizeof all);
    show("allreduce", "nothing wrong", rv);
}

/* Only what all ranks see: if one went into the call, it would wait for the others. */
static void wrong_calls(MPI_Comm comm)
{
    MPI_Datatype uncommitted;

    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    if (native_refuses_no_datatype()) {
        allreduce("no datatype", in, out, 1, MPI_DATATYPE_NULL, MPI_SUM, comm);
        reduce("no datatype", in, out, 1, MPI_DATATYPE_NULL, MPI_SUM, 0, comm);
        bcast("no datatype", in, 1, MPI_DATATYPE_NULL, 0, comm);
    }
    allreduce("datatype not committed", in, out, 1, uncommitted, MPI_SUM, comm);
    allreduce("no operation", in, out, 1, MPI_INT, MPI_OP_NULL, comm);
    allreduce("operation for windows", in, out, 1, MPI_INT, MPI_REPLACE, comm);
    allreduce("bits of a floating type", in, out, 1, MPI_FLOAT, MPI_BAND, comm);
    allreduce("one buffer for both", in, in, 1, MPI_INT, MPI_SUM, comm);
    allreduce("null send buffer", NULL, out, 1, MPI_INT, MPI_SUM, comm);
    allreduce("null receive buffer", in, NULL, 1, MPI_INT, MPI_SUM, comm);
    allreduce("receive in place", in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm);
    still_works(comm);
    reduce("no operation", in, out, 1, MPI_INT, MPI_OP_NULL, 0, comm);
    reduce("location of a plain type", in, out, 1, MPI_INT, MPI_MAXLOC, 0, comm);
    reduce("negative root", in, out, 1, MPI_INT, MPI_SUM, -7, comm);
    reduce("root beyond the last rank", in, out, 1, MPI_INT, MPI_SUM, n, comm);
    reduce("root of an intercommunicator", in, out, 1, MPI_INT, MPI_SUM, MPI_ROOT, comm);
    reduce("null send buffer", NULL, out, 1, MPI_INT, MPI_SUM, 0, comm);
    still_works(comm);
    bcast("root beyond the last rank", in, 1, MPI_INT, n, comm);
    bcast("null buffer", NULL, 1, MPI_INT, 0, comm);
    still_works(comm);
    MPI_Type_free(&uncommitted);
}

static void wrong_creations(MPI_Comm comm)
{
    MPI_Comm made;
    MPI_Group all, freed;

    MPI_Comm_group(comm, &all);
    show("dup", "no place for the new one", MPI_Comm_dup(comm, NULL));
    show("split", "no place for the new one", MPI_Comm_split(comm, 0, 0, NULL));
    show("create", "no group", MPI_Comm_create(comm, MPI_GROUP_NULL, &made));
    show("create", "not a group", MPI_Comm_create(comm, (MPI_Group)MPI_INT, &made));
    show("create", "foreign group", MPI_Comm_create(MPI_COMM_SELF, all, &made));
    show("create_group", "no group", MPI_Comm_create_group(comm, MPI_GROUP_NULL, 1, &made));
    show("create_group", "negative tag", MPI_Comm_create_group(comm, all, -1, &made));
    show("create_group", "tag too large", MPI_Comm_create_group(comm, all, 1 << 30, &made));
    freed = all;
    MPI_Group_free(&all);
    show("create", "freed group", MPI_Comm_create(comm, freed, &made));
    still_works(comm);
}

static void no_communicator(void)
{
    MPI_Comm made, copy, freed;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    freed = copy;
    MPI_Comm_free(&copy);
    show("iallreduce", "freed communicator",
         MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, freed, &request));
    show("ibarrier", "freed communicator", MPI_Ibarrier(freed, &request));
    show("ibarrier", "not a communicator", MPI_Ibarrier((MPI_Comm)MPI_INT, &request));
    show("ibarrier", "no communicator", MPI_Ibarrier(MPI_COMM_NULL, &request));
    show("dup", "freed communicator", MPI_Comm_dup(freed, &made));
    allreduce("freed communicator", in, out, 1, MPI_INT, MPI_SUM, freed);
    show("barrier", "freed communicator", MPI_Barrier(freed));
    show("dup", "not a communicator", MPI_Comm_dup((MPI_Comm)MPI_INT, &made));
    show("dup", "no communicator", MPI_Comm_dup(MPI_COMM_NULL, &made));
    show("split", "no communicator", MPI_Comm_split(MPI_COMM_NULL, 0, 0, &made));
    allreduce("no communicator", in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL);
    reduce("no communicator", in, out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_NULL);
    bcast("no communicator", in, 1, MPI_INT, 0, MPI_COMM_NULL);
    show("barrier", "no communicator", MPI_Barrier(MPI_COMM_NULL));
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    MPI_Comm copy;

    output_init(argc, argv, &rank, &n);
    output_line("errors return");
    wrong_calls(MPI_COMM_WORLD);
    wrong_creations(MPI_COMM_WORLD);
    no_communicator();
    output_line("errors are handled");
    MPI_Comm_create_errhandler(note, &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    wrong_calls(MPI_COMM_WORLD);
    wrong_creations(MPI_COMM_WORLD);
    no_communicator();
    wrong_calls(copy); /* whose errors return */
    MPI_Comm_set_errhandler(copy, handler);
    wrong_calls(copy);
    wrong_creations(copy);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&copy);
    output_close();
    MPI_Finalize();
    return 0;
}
