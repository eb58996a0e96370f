/* buffers: what may be passed as one. Nothing at all, null pointers, MPI_IN_PLACE, read-only memory
 * to send from, memory that ends where no other begins, any root, and sizes around the largest that
 * ftcoll takes. */
#include "../mpi/programs/native.h"
#include "output.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int rank, n;
static size_t page_bytes;

/* @bytes of memory before a page that must not be touched. */
static void *before_a_wall(size_t bytes)
{
    size_t pages = (bytes + page_bytes - 1) / page_bytes;
    char *start = mmap(NULL, (pages + 1) * page_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (start == MAP_FAILED || mprotect(start + pages * page_bytes, page_bytes, PROT_NONE) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    return start + pages * page_bytes - bytes;
}

/* Writing to what is sent is a segmentation fault. */
static void make_read_only(void *memory, size_t bytes)
{
    size_t offset = (size_t)memory % page_bytes;

    if (mprotect((char *)memory - offset,
                 (bytes + offset + page_bytes - 1) / page_bytes * page_bytes, PROT_READ) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static void show(const char *call, int number, int rv, const void *result, size_t size)
{
    char what[128];

    snprintf(what, sizeof what, "%s %d", call, number);
    output_result(what, rv, result, size);
}

static void nothing(void)
{
    int untouched[2] = {rank, 77};
    MPI_Op none = MPI_SUM;

    for (int i = 0; i < 3; i++) {
        show("allreduce of nothing", i, MPI_Allreduce(NULL, NULL, 0, MPI_INT, none, MPI_COMM_WORLD),
             NULL, 0);
        show("reduce of nothing", i,
             MPI_Reduce(NULL, NULL, 0, MPI_DOUBLE, none, i % n, MPI_COMM_WORLD), NULL, 0);
        show("bcast of nothing", i, MPI_Bcast(NULL, 0, MPI_INT, i % n, MPI_COMM_WORLD), NULL, 0);
        show("allreduce of nothing in place", i,
             MPI_Allreduce(MPI_IN_PLACE, untouched, 0, MPI_INT, none, MPI_COMM_WORLD), untouched,
             sizeof untouched);
        show("allreduce of nothing, buffers", i,
             MPI_Allreduce(&rank, untouched, 0, MPI_INT, none, MPI_COMM_WORLD), untouched,
             sizeof untouched);
    }
}

/* The arguments that native MPI looks at when there is nothing to reduce, wrong ones too. */
static void arguments_of_nothing(void)
{
    static const struct {
        const char *what;
        MPI_Datatype datatype;
        MPI_Op op;
        int root;
    } call[] = {
        {"fine", MPI_INT, MPI_SUM, 0},
        {"no datatype", MPI_DATATYPE_NULL, MPI_SUM, 0},
        {"no operation", MPI_INT, MPI_OP_NULL, 0},
        {"bits of a floating type", MPI_FLOAT, MPI_BAND, 0},
        {"location of a plain type", MPI_INT, MPI_MAXLOC, 0},
        {"negative root", MPI_INT, MPI_SUM, -7},
        {"root beyond any rank", MPI_INT, MPI_SUM, 100},
    };
    int own = rank, all = 9;

    for (int i = 0; i < (int)(sizeof call / sizeof *call); i++) {
        if (call[i].datatype == MPI_DATATYPE_NULL && !native_refuses_no_datatype())
            continue;
        show(call[i].what, 1,
             MPI_Allreduce(&own, &all, 0, call[i].datatype, call[i].op, MPI_COMM_WORLD), &all,
             sizeof all);
        show(call[i].what, 2,
             MPI_Reduce(&own, &all, 0, call[i].datatype, call[i].op, call[i].root, MPI_COMM_WORLD),
             &all, sizeof all);
    }
}

/* What may not be a buffer of something may be one of nothing. */
static void buffers_of_nothing(void)
{
    int memory = 7;
    void *const buffer[] = {NULL, MPI_IN_PLACE, &memory};

    for (int i = 0; i < 9; i++) {
        MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Status status[2];
        void *in = buffer[i / 3], *out = buffer[i % 3];
        int root = i % n;

        show("allreduce from and to", i,
             MPI_Allreduce(in, out, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), &memory, sizeof memory);
        show("reduce from and to", i,
             MPI_Reduce(in, out, 0, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD), &memory,
             sizeof memory);
        show("iallreduce from and to", i,
             MPI_Iallreduce(in, out, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]), NULL, 0);
        show("ireduce from and to", i,
             MPI_Ireduce(in, out, 0, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request[1]), NULL, 0);
        show("wait for them", i, MPI_Waitall(2, request, status), &memory, sizeof memory);
    }
}

static void never(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)type;
    if (*length > 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static void user_operation_of_nothing(void)
{
    MPI_Datatype gaps;
    MPI_Op op[2];

    MPI_Type_vector(2, 1, 3, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    for (int commutative = 0; commutative < 2; commutative++) {
        MPI_Op_create(never, commutative, &op[commutative]);
        show("user operation", commutative,
             MPI_Allreduce(NULL, NULL, 0, gaps, op[commutative], MPI_COMM_WORLD), NULL, 0);
        show("user operation, root", commutative,
             MPI_Reduce(NULL, NULL, 0, gaps, op[commutative], n - 1, MPI_COMM_WORLD), NULL, 0);
        MPI_Op_free(&op[commutative]);
    }
    MPI_Type_free(&gaps);
}

/* Of elements without a size */
static void empty_datatype(void)
{
    int memory[2] = {rank, 5};
    MPI_Datatype empty;

    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    show("bcast of empty elements", 3, MPI_Bcast(memory, 3, empty, 0, MPI_COMM_WORLD), memory,
         sizeof memory);
    MPI_Type_free(&empty);
}

/* Only the root's receive buffer counts. */
static void any_root(void)
{
    int *in = before_a_wall(3 * sizeof *in), *out = before_a_wall(3 * sizeof *out);
    void *nowhere = (char *)before_a_wall(8) + 8;

    for (int i = 0; i < 3; i++)
        in[i] = (rank + 1) << i;
    make_read_only(in, 3 * sizeof *in);
    for (int root = 0; root < n; root++) {
        void *elsewhere = root % 2 ? NULL : nowhere;

        memset(out, 0, 3 * sizeof *out);
        show("reduce to", root,
             MPI_Reduce(in, rank == root ? out : elsewhere, 3, MPI_INT, MPI_SUM, root,
                        MPI_COMM_WORLD),
             out, 3 * sizeof *out);
        for (int i = 0; i < 3; i++)
            out[i] = 100 * rank + i;
        show("reduce in place to", root,
             MPI_Reduce(rank == root ? MPI_IN_PLACE : in, rank == root ? out : elsewhere, 3,
                        MPI_INT, MPI_SUM, root, MPI_COMM_WORLD),
             out, 3 * sizeof *out);
    }
}

/* The largest message that ftcoll takes has 4096 bytes, unless set otherwise. */
static void sizes(void)
{
    static const int counts[] = {1, 2, 15, 16, 17, 511, 512, 513, 1023, 1024, 1025, 5000};

    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        size_t bytes = (size_t)counts[k] * sizeof(double);
        double *in = before_a_wall(bytes), *out = before_a_wall(bytes);
        int root = (int)k % n;

        for (int i = 0; i < counts[k]; i++) {
            in[i] = rank * 3 + i;
            out[i] = rank + i;
        }
        make_read_only(in, bytes);
        show("allreduce in place of", counts[k],
             MPI_Allreduce(MPI_IN_PLACE, out, counts[k], MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), out,
             bytes);
        show("allreduce of", counts[k],
             MPI_Allreduce(in, out, counts[k], MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), out, bytes);
        show("reduce of", counts[k],
             MPI_Reduce(in, rank == root ? out : NULL, counts[k], MPI_DOUBLE, MPI_SUM, root,
                        MPI_COMM_WORLD),
             out, bytes);
        /* Not from read-only memory: in MPICH 4.0.2 a root that is not rank 0 gets its own data
         * back, into its buffer. */
        show("bcast of", counts[k], MPI_Bcast(out, counts[k], MPI_DOUBLE, root, MPI_COMM_WORLD),
             out, bytes);
    }
}

/* ---- MPI_BOTTOM, with a datatype of addresses ---- */

static struct {
    int here[2], gap, there;
} data;

static void fill(void)
{
    data.here[0] = rank;
    data.here[1] = 2 * rank;
    data.gap = 77;
    data.there = 5 + rank;
}

/* Elements of that datatype alone: what is given is as far from them as MPI_BOTTOM is. */
static void add_at_addresses(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const char *from = (const char *)in + (MPI_Aint)&data;
    char *into = (char *)inout + (MPI_Aint)&data;

    (void)type;
    for (int i = 0; i < *length; i++) {
        ((int *)into)[0] += ((const int *)from)[0];
        ((int *)into)[1] += ((const int *)from)[1];
        ((int *)into)[3] += ((const int *)from)[3];
    }
}

static void combine_at_addresses(MPI_Datatype absolute)
{
    bool is_root = rank == n - 1;
    MPI_Op op;

    MPI_Op_create(add_at_addresses, 1, &op);
    fill();
    show("allreduce at bottom", 1,
         MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, absolute, op, MPI_COMM_WORLD), &data,
         sizeof data);
    fill();
    show("reduce at bottom", 1,
         MPI_Reduce(is_root ? MPI_IN_PLACE : MPI_BOTTOM, is_root ? MPI_BOTTOM : NULL, 1, absolute,
                    op, n - 1, MPI_COMM_WORLD),
         &data, sizeof data);
    fill();
    show("scan at bottom", 1, MPI_Scan(MPI_IN_PLACE, MPI_BOTTOM, 1, absolute, op, MPI_COMM_WORLD),
         &data, sizeof data);
    MPI_Op_free(&op);
}

static void bottom(void)
{
    MPI_Aint address[2];
    MPI_Datatype absolute;
    int length[2] = {2, 1};

    fill();
    MPI_Get_address(data.here, &address[0]);
    MPI_Get_address(&data.there, &address[1]);
    MPI_Type_create_hindexed(2, length, address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    show("bcast from bottom", 1, MPI_Bcast(MPI_BOTTOM, 1, absolute, n - 1, MPI_COMM_WORLD), &data,
         sizeof data);
    combine_at_addresses(absolute);
    MPI_Type_free(&absolute);
}

/* Two numbers with much between them. */
static struct {
    int first;
    char gap[96 << 20];
    int last;
} far;

static void add_far(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const char *from = (const char *)in + (MPI_Aint)&far;
    char *into = (char *)inout + (MPI_Aint)&far;
    const MPI_Aint last = offsetof(__typeof__(far), last);

    (void)type;
    (void)length;
    *(int *)into += *(const int *)from;
    *(int *)(into + last) += *(const int *)(from + last);
}

static void far_apart(void)
{
    MPI_Aint address[2];
    MPI_Datatype absolute;
    MPI_Op op;
    int rv;

    far.first = rank;
    far.last = 10 * rank;
    MPI_Get_address(&far.first, &address[0]);
    MPI_Get_address(&far.last, &address[1]);
    MPI_Type_create_hindexed(2, (int[]){1, 1}, address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    MPI_Op_create(add_far, 1, &op);
    rv = MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, absolute, op, MPI_COMM_WORLD);
    show("allreduce far apart", 1, rv, &far.first, sizeof far.first);
    show("allreduce far apart", 1, rv, &far.last, sizeof far.last);
    rv = MPI_Reduce(rank == n - 1 ? MPI_IN_PLACE : MPI_BOTTOM, MPI_BOTTOM, 1, absolute, op, n - 1,
                    MPI_COMM_WORLD);
    if (rank == n - 1)
        show("reduce far apart", 1, rv, &far.last, sizeof far.last);
    MPI_Op_free(&op);
    MPI_Type_free(&absolute);
}

int main(int argc, char **argv)
{
    output_init(argc, argv, &rank, &n);
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    nothing();
    arguments_of_nothing();
    buffers_of_nothing();
    user_operation_of_nothing();
    empty_datatype();
    any_root();
    sizes();
    bottom();
    far_apart();
    output_close();
    MPI_Finalize();
    return 0;
}
