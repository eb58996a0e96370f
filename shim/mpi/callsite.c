#include "callsite.h"

#include "system/imports.h"
#include "system/libc.h"
#include "system/loaded.h"
#include "system/symbol.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { STACK_WORDS = 256 };

static int (*backtrace_of_caller)(void **, int);

static void open_libunwind(void)
{
    void *library = dlopen("libunwind.so.8", RTLD_LAZY | RTLD_LOCAL), *found;

    if (!library)
        return;
    found = ftc_loaded_dlsym(library, "unw_backtrace");
    memcpy(&backtrace_of_caller, &found, sizeof found);
}

/* Returns whether libunwind is there. The first thread opens it, and other threads wait until it is
 * open. */
static bool has_libunwind(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, open_libunwind);
    return backtrace_of_caller != NULL;
}

void ftc_callsite_prepare(void)
{
    has_libunwind();
}

static bool is_mpich(const char *path)
{
    return strncmp(ftc_loaded_file_name(path), "libmpich", strlen("libmpich")) == 0;
}

/* Returns whether @object defines functions of MPI. An MPI library does, and so does a profiling
 * tool that interposes on some of them. */
static bool has_functions_of_mpi(const struct ftc_loaded *object)
{
    static const char *const name[] = {
#define FTC_INTERCEPTED(x) "MPI_" #x,
#define FTC_NEEDED(x)
#define FTC_OPTIONAL(x)
#include "mpi_library.def"
#undef FTC_INTERCEPTED
#undef FTC_NEEDED
#undef FTC_OPTIONAL
    };

    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (ftc_loaded_function(object, name[i]))
            return true;
    return false;
}

/* Returns whether @address lies between the program and the code that carries out its MPI calls: in
 * this library, in a tool, or in MPICH's bindings for Fortran and C++. */
static bool is_in_library(const void *address)
{
    struct ftc_loaded object;

    return ftc_loaded_around(address, &object) &&
           (ftc_loaded_is_own(&object) || is_mpich(object.path) ||
            (!ftc_loaded_is_program(&object) && has_functions_of_mpi(&object)));
}

void ftc_callsite_capture(const void *return_address, int depth, struct ftc_stack *stack)
{
    int skip = 0;

    stack->depth = 1;
    memcpy(&stack->address[0], &return_address, sizeof return_address);
    if ((depth == 1 && !is_in_library(return_address)) || !has_libunwind())
        return;
    stack->depth = backtrace_of_caller(stack->address, FTC_STACK_MAX);
    while (skip < stack->depth - 1 && is_in_library(stack->address[skip]))
        skip++;
    stack->depth -= skip;
    memmove(stack->address, stack->address + skip, (size_t)stack->depth * sizeof stack->address[0]);
    if (stack->depth > depth)
        stack->depth = depth;
}

/* Cache of call sites: asking the dynamic linker at each call would cost more than the call. */
enum { OUTSIDE_SIZE = 256 };
static _Atomic uintptr_t outside[OUTSIDE_SIZE]; /* known return addresses outside of MPI */

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

/* Line of proc_pid_maps(5) that names a file. */
struct mapping {
    unsigned long start, end, offset;
    char permissions[5], path[PATH_MAX];
};

static bool next_mapping(FILE *maps, struct mapping *m)
{
    char line[PATH_MAX + 128];
    int path = 0;

    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %n", &m->start, &m->end, m->permissions,
                   &m->offset, &path) == 4 &&
            line[path] != '\0') {
            snprintf(m->path, sizeof m->path, "%.*s", (int)strcspn(line + path, "\n"), line + path);
            return true;
        }
    return false;
}

/* Finds the first mapping of the file @path in the table @maps_of. Without @path, finds the mapping
 * around @address. Returns false if there is none. */
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

/* Copies the file's name from @path, without the " (deleted)" that Linux appends for a file that
 * was removed. */
static void take_name(const char *path, char *name, size_t size)
{
    static const char removed[] = " (deleted)";
    size_t length;

    snprintf(name, size, "%.*s", NAME_MAX, ftc_loaded_file_name(path));
    length = strlen(name);
    if (length > strlen(removed) && strcmp(name + length - strlen(removed), removed) == 0)
        name[length - strlen(removed)] = '\0';
}

/* Writes the name of a call site. If it does not fit, cuts the function's parameters, and then the
 * end of the function's name. */
static void write_site(char *text, size_t size, const char *module, const struct ftc_symbol *call)
{
    char function[2 * sizeof call->function], offset[32];
    size_t room, length;

    if (call->function[0] == '\0') {
        snprintf(text, size, "%s+0x%lx", module, (unsigned long)call->address + 1);
        return;
    }
    ftc_symbol_demangle(call->function, function, sizeof function);
    snprintf(offset, sizeof offset, "+0x%lx", (unsigned long)call->from_start + 1);
    length = strlen(module) + strlen(offset) + strlen("()") + 1;
    room = size > length ? size - length : 0;
    if (strlen(function) > room)
        function[ftc_symbol_length_without_parameters(function)] = '\0';
    snprintf(text, size, "%s(%.*s%s)", module, (int)room, function, offset);
}

/* Names a return address by the file that is mapped around it. The file is the same in all
 * processes, whatever path it was loaded by. */
static void name_by_maps(const char *maps, unsigned long return_address, char *text, size_t size)
{
    unsigned long call = return_address - 1; /* inside the call instruction, not after it */
    struct ftc_symbol symbol;
    struct mapping around;
    char module[NAME_MAX + 1];

    snprintf(text, size, "0x%lx", return_address);
    if (return_address == 0 || !find_mapping(maps, NULL, call, &around) || around.path[0] != '/')
        return;
    take_name(around.path, module, sizeof module);
    if (!ftc_symbol_find(around.path, call - around.start + around.offset, &symbol))
        symbol = (struct ftc_symbol){.address = call - around.start + around.offset};
    write_site(text, size, module, &symbol);
}

void ftc_callsite_name(const void *return_address, char *text, size_t size)
{
    name_by_maps("/proc/self/maps", (uintptr_t)return_address, text, size);
}

void ftc_callsite_name_in(int pid, unsigned long return_address, char *text, size_t size)
{
    char maps[64];

    snprintf(maps, sizeof maps, "/proc/%d/maps", pid);
    name_by_maps(maps, return_address, text, size);
}

/* ---- a stack of another process ---- */

/* Reads @bytes at @address of process @pid into @data. Returns how many could be read. */
static size_t read_there(int pid, unsigned long address, void *data, size_t bytes)
{
    struct iovec here = {data, bytes};
    struct iovec there = {(void *)(uintptr_t)address, bytes};
    ssize_t found = ftc_libc_process_vm_readv(pid, &here, &there);

    return found > 0 ? (size_t)found : 0;
}

static bool is_code(const char *maps, unsigned long address, struct mapping *around)
{
    return find_mapping(maps, NULL, address, around) && strchr(around->permissions, 'x') != NULL;
}

/* Returns whether the file at @path lies between the program and MPI. Apart from libmpich, only
 * files that this process has loaded too are recognised. */
static bool library_is_at(const char *path)
{
    struct mapping ours;

    return is_mpich(path) || (find_mapping("/proc/self/maps", path, 0, &ours) &&
                              is_in_library((const void *)(uintptr_t)ours.start));
}

/* Returns whether the file at @path imports functions of MPI. Returns true if this process has not
 * loaded the file. Fortran's names are in small letters, so case is ignored. */
static bool may_call_mpi_at(const char *path)
{
    struct mapping ours;
    struct ftc_loaded object;

    return !find_mapping("/proc/self/maps", path, 0, &ours) ||
           !ftc_loaded_around((const void *)(uintptr_t)ours.start, &object) ||
           ftc_imports_any(&object, "MPI_") || ftc_imports_any(&object, "PMPI_");
}

#ifdef __x86_64__
static unsigned long address_beyond(unsigned long next, const unsigned char *offset)
{
    int32_t bytes;

    memcpy(&bytes, offset, sizeof bytes);
    return next + (unsigned long)bytes;
}

/* Returns the address in a slot of a global offset table; 0: it cannot be read. */
static unsigned long slot_beyond(int pid, unsigned long next, const unsigned char *offset)
{
    unsigned long slot = 0;

    return read_there(pid, address_beyond(next, offset), &slot, sizeof slot) == sizeof slot ? slot
                                                                                            : 0;
}

/* Returns where an entry of a procedure linkage table jumps to: "[endbr64] [bnd] jmp *slot(%rip)".
 * Any other @target is a function itself. */
static unsigned long beyond_linkage(int pid, unsigned long target)
{
    static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    unsigned char code[16];
    size_t at = 0;

    if (read_there(pid, target, code, sizeof code) < sizeof code)
        return target;
    if (memcmp(code, endbr64, sizeof endbr64) == 0)
        at += sizeof endbr64;
    if (code[at] == 0xf2)
        at++;
    if (code[at] != 0xff || code[at + 1] != 0x25)
        return target;
    return slot_beyond(pid, target + at + 6, code + at + 2);
}

/* Returns the function that the instruction before @return_address calls: "call function" or
 * "call *slot(%rip)"; 0 for any other instruction. */
static unsigned long callee_before(int pid, unsigned long return_address)
{
    unsigned char code[6];

    if (read_there(pid, return_address - sizeof code, code, sizeof code) < sizeof code)
        return 0;
    if (code[0] == 0xff && code[1] == 0x15)
        return slot_beyond(pid, return_address, code + 2);
    return code[1] == 0xe8 ? beyond_linkage(pid, address_beyond(return_address, code + 2)) : 0;
}
#else
static unsigned long callee_before(int pid, unsigned long return_address)
{
    (void)pid;
    (void)return_address;
    return 0;
}
#endif

/* Returns the address of the function in which a call returns to @return_address; 0: the file has
 * no symbol for it. */
static unsigned long function_around(const struct mapping *around, unsigned long return_address)
{
    unsigned long call = return_address - 1;
    struct ftc_symbol symbol;

    if (!ftc_symbol_find(around->path, call - around->start + around->offset, &symbol) ||
        symbol.function[0] == '\0')
        return 0;
    return call - symbol.from_start;
}

/* Return addresses that a search for the program's call has found, best first; 0: none. */
struct found {
    unsigned long by_callee;  /* address after a call of the function that called MPI */
    unsigned long may_call;   /* address in a file that imports functions of MPI */
    unsigned long may_return; /* address in any other file */
};

/* Searches @count words of a stack for the program's call. Words that earlier calls left there look
 * like return addresses too. A word is preferred if the instruction before it calls @callee. */
static struct found search(int pid, const char *maps, const unsigned long *word, size_t count,
                           unsigned long callee)
{
    struct mapping around, own;
    struct found found = {0};

    if (!is_code("/proc/self/maps", (uintptr_t)search, &own))
        return found;
    for (size_t i = 0; i < count && found.by_callee == 0; i++) {
        bool is_callee, is_outside;

        if (!is_code(maps, word[i], &around) || strcmp(around.path, own.path) == 0)
            continue;
        is_callee = callee != 0 && callee_before(pid, word[i]) == callee;
        is_outside = !library_is_at(around.path);
        if (is_callee && is_outside)
            found.by_callee = word[i];
        else if (is_callee)
            callee = function_around(&around, word[i]);
        else if (is_outside && found.may_call == 0 && may_call_mpi_at(around.path))
            found.may_call = word[i];
        else if (is_outside && found.may_return == 0)
            found.may_return = word[i];
    }
    return found;
}

unsigned long ftc_callsite_beyond_mpi(int pid, unsigned long return_address, unsigned long stack)
{
    unsigned long word[STACK_WORDS];
    char maps[64];
    struct mapping around;
    struct found found;
    size_t count, i = 0;

    snprintf(maps, sizeof maps, "/proc/%d/maps", pid);
    if (!is_code(maps, return_address, &around) || !library_is_at(around.path))
        return return_address;
    count = read_there(pid, stack, word, sizeof word) / sizeof *word;
    while (i < count && word[i] != return_address)
        i++;
    found = search(pid, maps, word + i, count - i, function_around(&around, return_address));
    if (found.by_callee != 0)
        return found.by_callee;
    if (found.may_call != 0)
        return found.may_call;
    return found.may_return != 0 ? found.may_return : return_address;
}
