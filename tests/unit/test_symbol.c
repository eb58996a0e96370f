/* Where calls were made, and names of functions from the symbol tables of files, which may hold
 * anything. */
#include "mpi/callsite.h"
#include "system/symbol.h"
#include "unit.h"
#include "unit_library.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) static const void *somewhere_inside(void)
{
    return __builtin_extract_return_addr(__builtin_return_address(0));
}

/* No symbol table knows it by another name. */
__attribute__((noinline)) static const void *this_function(void)
{
    const void *here = somewhere_inside();

    ck_assert_ptr_nonnull(here);
    return here;
}

START_TEST(a_function_of_this_program_is_named)
{
    char text[256], cut[24];

    ftc_callsite_name(this_function(), text, sizeof text);
    ck_assert_int_eq(strncmp(text, "test_symbol(this_function+0x", 28), 0);
    ftc_callsite_name(this_function(), cut, sizeof cut);
    ck_assert_int_eq(strncmp(cut, "test_symbol(thi", 15), 0);
    ck_assert_int_eq(cut[strlen(cut) - 1], ')');
}
END_TEST

START_TEST(other_processes_have_the_same_names)
{
    char own[256], other[256];

    ftc_callsite_name(this_function(), own, sizeof own);
    ftc_callsite_name_in((int)getpid(), (uintptr_t)this_function(), other, sizeof other);
    ck_assert_str_eq(own, other);
}
END_TEST

START_TEST(what_is_in_no_file_is_a_number)
{
    static char data[16];
    char text[64], expected[64];

    ftc_callsite_name(NULL, text, sizeof text);
    ck_assert_str_eq(text, "0x0");
    snprintf(expected, sizeof expected, "0x%lx", (unsigned long)(uintptr_t)text);
    ftc_callsite_name(text, text, sizeof text);
    ck_assert_str_eq(text, expected);
    ftc_callsite_name(data + 8, text, sizeof text); /* of the program, but no function's */
    ck_assert_ptr_null(strchr(text, '('));
}
END_TEST

/* ---- beyond a binding of MPI ---- */

static unsigned long inside_of(const char *file)
{
    return (uintptr_t)dlsym(unit_open_library(file), "here") + 1;
}

static unsigned long beyond(unsigned long return_address, const unsigned long *stack)
{
    return ftc_callsite_beyond_mpi((int)getpid(), return_address, (uintptr_t)stack);
}

/* As a binding's frame leaves it: with words of its own, of earlier calls, and no more of the
 * program than that it called. */
START_TEST(what_imports_mpi_is_who_called_it)
{
    unsigned long binding = inside_of("libmpichbinding.so"), caller = inside_of("libcaller.so");
    unsigned long other = inside_of("libgnu.so");
    unsigned long stack[256] = {caller, binding, 7, other, binding, other, caller, other};

    ck_assert_uint_eq(beyond(binding, stack), caller);
    ck_assert_uint_eq(beyond(caller, stack), caller);
    stack[6] = 0;
    ck_assert_uint_eq(beyond(binding, stack), other); /* there is nobody better */
    memset(stack + 2, 0, sizeof stack - 2 * sizeof *stack);
    ck_assert_uint_eq(beyond(binding, stack), binding);
}
END_TEST

#ifdef __x86_64__
/* A file with instructions, as the linker lays them out. */
enum {
    CODE = 4096,
    STALE = 0x20,
    DIRECT = 0x40,
    BY_TABLE = 0x60,
    BY_SLOT = 0x80,
    LINKAGE = 0xa0,
    SLOT = 0xc0
};

static void write_offset(unsigned char *code, size_t at, uintptr_t target)
{
    int64_t offset = (int64_t)(target - (uintptr_t)(code + at + 4));
    int32_t word = (int32_t)offset;

    ck_assert_int_eq(word, offset);
    memcpy(code + at, &word, sizeof word);
}

/* The return address is @at; the instruction before it is "call @target". */
static void write_call(unsigned char *code, size_t at, uintptr_t target)
{
    code[at - 5] = 0xe8;
    write_offset(code, at - 4, target);
}

static void write_code(unsigned char *code, uintptr_t called, uintptr_t other)
{
    static const unsigned char jump[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25};
    static const unsigned char call_by_slot[] = {0xff, 0x15};

    write_call(code, STALE, other);
    write_call(code, DIRECT, called);
    write_call(code, BY_TABLE, (uintptr_t)(code + LINKAGE));
    memcpy(code + BY_SLOT - 6, call_by_slot, sizeof call_by_slot);
    write_offset(code, BY_SLOT - 4, (uintptr_t)(code + SLOT));
    memcpy(code + LINKAGE, jump, sizeof jump);
    write_offset(code, LINKAGE + sizeof jump, (uintptr_t)(code + SLOT));
    memcpy(code + SLOT, &called, sizeof called);
}

/* The file's pages stay mapped until the process ends. */
static unsigned char *map_code(void)
{
    char path[] = "/tmp/ftcoll-code-XXXXXX";
    int fd = mkstemp(path);
    unsigned char *code;

    ck_assert_int_eq(ftruncate(fd, CODE), 0);
    code = mmap(NULL, CODE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(code, MAP_FAILED);
    close(fd);
    unlink(path);
    return code;
}

/* What an earlier call of another function of the binding has left comes first. */
START_TEST(who_calls_the_function_that_called_mpi_is_preferred)
{
    static const size_t callers[] = {DIRECT, BY_TABLE, BY_SLOT};
    void *binding = unit_open_library("libmpichbinding.so");
    uintptr_t called = (uintptr_t)dlsym(binding, "here");
    unsigned char *code = map_code();
    unsigned long stale = (uintptr_t)(code + STALE);

    write_code(code, called, (uintptr_t)dlsym(binding, "needs_there"));
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        unsigned long caller = (uintptr_t)(code + callers[i]);
        unsigned long stack[256] = {called + 1, stale, caller};

        ck_assert_uint_eq(beyond(called + 1, stack), caller);
        stack[2] = 0;
        ck_assert_uint_eq(beyond(called + 1, stack), stale);
    }
}
END_TEST
#endif

/* ---- files that no linker wrote ---- */

enum { SHOWN = 1 << 12 };

static size_t read_own(unsigned char *bytes)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    ssize_t length = read(fd, bytes, SHOWN);

    close(fd);
    ck_assert_int_gt(length, 256);
    return (size_t)length;
}

static void look_into(const char *path, const unsigned char *bytes, size_t length)
{
    struct ftc_symbol symbol;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    ck_assert_int_eq(write(fd, bytes, length), (ssize_t)length);
    close(fd);
    for (uint64_t offset = 0; offset < 2 * SHOWN; offset += 512)
        if (ftc_symbol_find(path, offset, &symbol))
            ck_assert_uint_lt(strlen(symbol.function), sizeof symbol.function);
}

START_TEST(cut_and_changed_files_do_no_harm)
{
    static unsigned char bytes[SHOWN], changed[SHOWN];
    char path[] = "/tmp/test_symbol.XXXXXX";
    size_t length = read_own(bytes);

    close(mkstemp(path));
    for (size_t cut = 0; cut < 1024; cut += 7)
        look_into(path, bytes, cut);
    for (size_t i = 0; i < 512; i++) { /* the header, and the parts' headers */
        memcpy(changed, bytes, length);
        changed[i] = 0xff;
        look_into(path, changed, length);
    }
    unlink(path);
}
END_TEST

START_TEST(what_is_no_such_file_has_no_functions)
{
    struct ftc_symbol symbol;

    ck_assert(!ftc_symbol_find("/nowhere", 0, &symbol));
    ck_assert(!ftc_symbol_find("/proc", 0, &symbol));
    ck_assert(!ftc_symbol_find("/dev/zero", 0, &symbol));
    ck_assert(!ftc_symbol_find("/proc/self/maps", 0, &symbol));
    ck_assert(!ftc_symbol_find("/proc/self/exe", UINT64_MAX, &symbol));
}
END_TEST

START_TEST(parameters_are_what_the_last_bracket_closes)
{
    static const struct {
        const char *name;
        size_t length;
    } c[] = {
        {"f", 1},
        {"f(int)", 1},
        {"f(void (*)(int), g()) const", 1},
        {"a::operator()(int)", 13},
        {"(anonymous namespace)::f(int)", 24},
        {"f(int).constprop.0", 1},
        {")", 1},
        {"))))", 4},
        {"", 0},
    };

    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        ck_assert_uint_eq(ftc_symbol_length_without_parameters(c[i].name), c[i].length);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("symbol");
    UNIT_TEST(a_function_of_this_program_is_named);
    UNIT_TEST(other_processes_have_the_same_names);
    UNIT_TEST(what_is_in_no_file_is_a_number);
    UNIT_TEST(what_imports_mpi_is_who_called_it);
#ifdef __x86_64__
    UNIT_TEST(who_calls_the_function_that_called_mpi_is_preferred);
#endif
    UNIT_TEST(cut_and_changed_files_do_no_harm);
    UNIT_TEST(what_is_no_such_file_has_no_functions);
    UNIT_TEST(parameters_are_what_the_last_bracket_closes);
    UNIT_END();
}
