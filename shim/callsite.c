#include "callsite.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

enum { STACK_WORDS = 256 };

/* The functions behind libunwind's unw_ macros on this machine, by name. */
#define UNW_NAME_2(x) #x
#define UNW_NAME(x)   UNW_NAME_2(x)

static int (*backtrace_of_caller)(void **, int);
static int (*get_context)(unw_context_t *);
static int (*init_local)(unw_cursor_t *, unw_context_t *);
static int (*set_register)(unw_cursor_t *, unw_regnum_t, unw_word_t);
static int (*procedure_name)(unw_cursor_t *, char *, size_t, unw_word_t *);

static void look_up(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, sizeof found);
}

static bool open_libunwind(void)
{
    static bool tried;
    void *library;

    if (tried)
        return backtrace_of_caller != NULL;
    tried = true;
    library = dlopen("libunwind.so.8", RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return false;
    look_up(library, UNW_NAME(unw_tdep_getcontext), &get_context);
    look_up(library, UNW_NAME(unw_init_local), &init_local);
    look_up(library, UNW_NAME(unw_set_reg), &set_register);
    look_up(library, UNW_NAME(unw_get_proc_name), &procedure_name);
    if (get_context && init_local && set_register && procedure_name)
        look_up(library, "unw_backtrace", &backtrace_of_caller);
    return backtrace_of_caller != NULL;
}

void ftc_callsite_prepare(void)
{
    open_libunwind();
}

static const void *module_of(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_mpich(const char *path)
{
    return strncmp(file_name(path), "libmpich", strlen("libmpich")) == 0;
}

/* This library, or MPICH's: Fortran's and C++'s calls go through bindings of theirs. */
static bool is_of_mpi(const void *address)
{
    static const char inside; /* an address in this library */
    Dl_info info;

    return dladdr(address, &info) && info.dli_fname &&
           (info.dli_fbase == module_of(&inside) || is_mpich(info.dli_fname));
}

void ftc_callsite_capture(const void *return_address, int depth, struct ftc_stack *stack)
{
    int skip = 0;

    stack->depth = 1;
    memcpy(&stack->address[0], &return_address, sizeof return_address);
    if ((depth == 1 && !is_of_mpi(return_address)) || !open_libunwind())
        return;
    stack->depth = backtrace_of_caller(stack->address, FTC_STACK_MAX);
    while (skip < stack->depth - 1 && is_of_mpi(stack->address[skip]))
        skip++;
    stack->depth -= skip;
    memmove(stack->address, stack->address + skip, (size_t)stack->depth * sizeof stack->address[0]);
    if (stack->depth > depth)
        stack->depth = depth;
}

/* To ask the dynamic linker of each call would cost more than the call. */
enum { OUTSIDE_SIZE = 256 };
static _Atomic uintptr_t outside[OUTSIDE_SIZE]; /* return addresses that are not MPI's */

const void *ftc_callsite_of(const void *return_address)
{
    uintptr_t address = (uintptr_t)return_address;
    _Atomic uintptr_t *known = &outside[(address ^ address >> 8) % OUTSIDE_SIZE];
    struct ftc_stack stack;

    if (atomic_load_explicit(known, memory_order_relaxed) == address)
        return return_address;
    ftc_callsite_capture(return_address, 1, &stack);
    if (stack.address[0] == return_address)
        atomic_store_explicit(known, address, memory_order_relaxed);
    return stack.address[0];
}

/* dladdr() knows exported functions only; libunwind reads the whole symbol table. */
static bool function_name(const void *address, char *name, size_t size, unsigned long *offset)
{
    unw_context_t context;
    unw_cursor_t cursor;
    unw_word_t from_start = 0;

    if (!open_libunwind())
        return false;
    if (get_context(&context) != 0 || init_local(&cursor, &context) != 0 ||
        set_register(&cursor, UNW_REG_IP, (unw_word_t)address) != 0 ||
        procedure_name(&cursor, name, size, &from_start) != 0)
        return false;
    *offset = (unsigned long)from_start;
    return true;
}

/* Of an address in the file at @path, which is mapped here from @start on. */
static void name_in_file(const char *path, const void *start, const void *return_address,
                         char *text, size_t size)
{
    const char *call = (const char *)return_address - 1; /* inside the call, not behind it */
    const char *module = file_name(path);
    char name[128];
    unsigned long offset;

    if (function_name(call, name, sizeof name, &offset))
        snprintf(text, size, "%s(%s+0x%lx)", module, name, offset + 1);
    else
        snprintf(text, size, "%s+0x%lx", module,
                 (unsigned long)((const char *)return_address - (const char *)start));
}

void ftc_callsite_name(const void *return_address, char *text, size_t size)
{
    Dl_info info;

    if (return_address && dladdr(return_address, &info) && info.dli_fname)
        name_in_file(info.dli_fname, info.dli_fbase, return_address, text, size);
    else
        snprintf(text, size, "%p", return_address);
}

/* A line of proc_pid_maps(5) with a file. */
struct mapping {
    unsigned long start, end;
    char permissions[5], path[256];
};

static bool next_mapping(FILE *maps, struct mapping *m)
{
    char line[512];

    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %255[^\n]", &m->start, &m->end, m->permissions,
                   m->path) == 4)
            return true;
    return false;
}

/* The first mapping of file @path, or, without one, the mapping around @address. */
static bool find_mapping(const char *maps_of, const char *path, unsigned long address,
                         struct mapping *m)
{
    FILE *maps = fopen(maps_of, "re");
    bool found = false;

    while (maps && !found && next_mapping(maps, m))
        found = path ? strcmp(m->path, path) == 0 : m->start <= address && address < m->end;
    if (maps)
        fclose(maps);
    return found;
}

void ftc_callsite_name_in(int pid, unsigned long return_address, char *text, size_t size)
{
    char maps[64];
    struct mapping around, theirs, ours;

    snprintf(text, size, "0x%lx", return_address);
    snprintf(maps, sizeof maps, "/proc/%d/maps", pid);
    if (!find_mapping(maps, NULL, return_address, &around) ||
        !find_mapping(maps, around.path, 0, &theirs))
        return;
    if (find_mapping("/proc/self/maps", around.path, 0, &ours))
        name_in_file(around.path, (const void *)(uintptr_t)ours.start,
                     (const void *)(uintptr_t)(return_address - theirs.start + ours.start), text,
                     size);
    else
        snprintf(text, size, "%s+0x%lx", file_name(around.path), return_address - theirs.start);
}

/* Part of the stack of a process, from @address upwards; returns the number of words. */
static size_t read_stack(int pid, unsigned long address, unsigned long *word, size_t count)
{
    struct iovec here = {word, count * sizeof *word};
    struct iovec there = {(void *)(uintptr_t)address, here.iov_len};
    ssize_t bytes = process_vm_readv(pid, &here, 1, &there, 1, 0);

    return bytes > 0 ? (size_t)bytes / sizeof *word : 0;
}

static bool is_code(const char *maps, unsigned long address, struct mapping *around)
{
    return find_mapping(maps, NULL, address, around) && strchr(around->permissions, 'x') != NULL;
}

unsigned long ftc_callsite_beyond_mpi(int pid, unsigned long return_address, unsigned long stack)
{
    unsigned long word[STACK_WORDS];
    char maps[64];
    struct mapping around, own;
    size_t count, i = 0;

    snprintf(maps, sizeof maps, "/proc/%d/maps", pid);
    if (!is_code(maps, return_address, &around) || !is_mpich(around.path) ||
        !is_code("/proc/self/maps", (uintptr_t)ftc_callsite_beyond_mpi, &own))
        return return_address;
    count = read_stack(pid, stack, word, STACK_WORDS);
    while (i < count && word[i] != return_address)
        i++;
    for (; i < count; i++)
        if (is_code(maps, word[i], &around) && !is_mpich(around.path) &&
            strcmp(around.path, own.path) != 0)
            return word[i];
    return return_address;
}
