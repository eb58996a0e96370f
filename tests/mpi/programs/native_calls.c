/* native_calls: a library that is preloaded behind ftcoll, and tells which native collective calls
 * each rank has made by the end of its process. ftcoll takes it for the MPI library: it shows every
 * function that ftcoll calls (shim/mpi/mpi_library.def), each as a jump to MPICH's own; those that
 * are collective go through a counter first. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libmpich.so.12"

static void *mpich;
static char names[256];
static int count;

/* What marks a library of MPICH's ABI. */
int MPIR_Dup_fn(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)in, (void)out, (void)flag;
    abort();
}

static void *find(const char *name)
{
    if (!mpich)
        mpich = dlopen(LIBRARY, RTLD_LAZY);
    return mpich ? dlsym(mpich, name) : NULL;
}

static int is_collective(const char *name)
{
    static const char *const collective[] = {
        "Barrier",    "Bcast",           "Reduce",      "Allreduce",         "Gather",
        "Allgather",  "Scatter",         "Alltoall",    "Comm_dup",          "Comm_idup",
        "Comm_split", "Comm_split_type", "Comm_create", "Comm_create_group", "Comm_dup_with_info"};

    name += strlen("PMPI_");
    for (size_t i = 0; i < sizeof collective / sizeof *collective; i++)
        if (strcmp(name, collective[i]) == 0 ||
            (name[0] == 'I' && strcasecmp(name + 1, collective[i]) == 0))
            return 1;
    return 0;
}

/* A communicator that is made out of one of this rank alone needs nobody else, nor does an
 * allreduce there. */
static int is_alone(const char *name, MPI_Comm first_argument, MPI_Comm sixth_argument)
{
    int makes = strncmp(name, "PMPI_Comm_", strlen("PMPI_Comm_")) == 0;
    void *found = find("PMPI_Comm_size");
    int (*comm_size)(MPI_Comm, int *), size = 0;

    memcpy(&comm_size, &found, sizeof comm_size);
    return (makes || strcmp(name, "PMPI_Allreduce") == 0) &&
           comm_size(makes ? first_argument : sixth_argument, &size) == MPI_SUCCESS && size == 1;
}

/* Returns where function @name of MPICH is. Called by each jump. */
void *native_calls_pass(const char *name, long first_argument, long sixth_argument);
void *native_calls_pass(const char *name, long first_argument, long sixth_argument)
{
    void *function = find(name);

    if (!function) {
        fprintf(stderr, "native_calls: no %s\n", name);
        abort();
    }
    if (is_collective(name) &&
        !is_alone(name, (MPI_Comm)first_argument, (MPI_Comm)sixth_argument)) {
        count++;
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", name + 1);
    }
    return function;
}

__attribute__((destructor)) static void tell(void)
{
    if (getenv("PMI_RANK") && count > 0)
        printf("native calls of rank %s: %d:%s\n", getenv("PMI_RANK"), count, names);
}

/* All registers that can hold arguments are kept; the stack is aligned as a call wants it. */
#define JUMP(name)                                                                                 \
    __asm__(                                                                                       \
        ".globl " name "\n.type " name ", @function\n" name ":\n"                                  \
        "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\nsub $8, %rsp\n"           \
        ".pushsection .rodata.str, \"aMS\", @progbits, 1\n9: .asciz \"" name "\"\n.popsection\n"   \
        "mov %r9, %rdx\nmov %rdi, %rsi\nlea 9b(%rip), %rdi\ncall native_calls_pass@PLT\n"          \
        "add $8, %rsp\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\njmp *%rax\n");
/* Behind ftcoll nobody but the MPI library is to stand before MPI_X. */
#define FTC_INTERCEPTED(name)                                                                      \
    JUMP("PMPI_" #name)                                                                            \
    __asm__(".globl MPI_" #name "\n.set MPI_" #name ", PMPI_" #name "\n");
#define FTC_NEEDED(name)   JUMP(#name)
#define FTC_OPTIONAL(name) JUMP(#name)
#include "mpi/mpi_library.def"
