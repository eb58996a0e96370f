/* Where MPICH comes by in its waits: its calls, and no others, are led past what is to be called
 * then. */
#include "mpi/inside.h"
#include "mpi/mpi_library.h"
#include "mpi/polls.h"
#include "system/imports.h"
#include "unit.h"
#include "unit_library.h"
#include "unit_pages.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const char *device;
static bool is_known;
static int turns;
static struct ftc_loaded object;

const char *ftc_inside_device(void)
{
    return device;
}

bool ftc_inside_has(enum ftc_inside part)
{
    ck_assert_int_eq(part, FTC_INSIDE_ABANDON);
    return is_known;
}

const struct ftc_loaded *ftc_mpi_object(void)
{
    return &object;
}

static void come_by(void)
{
    turns++;
}

static void *open_with(const char *on, bool known, const char *function)
{
    void *library = unit_open_library("libpolling.so"), *found = dlsym(library, function);

    ck_assert_ptr_nonnull(found);
    ck_assert(ftc_loaded_around(found, &object));
    device = on;
    is_known = known;
    ftc_polls_open(come_by);
    return found;
}

/* What a provider reads below is not MPICH's. */
static void look(const char *on, bool known, int expected)
{
    ssize_t (*wait_for_messages)(void);
    void *found = open_with(on, known, "wait_for_messages");

    memcpy(&wait_for_messages, &found, sizeof found);
    for (int i = 1; i <= 2; i++) {
        ck_assert_int_eq(wait_for_messages(), 3 + 1);
        ck_assert_int_eq(turns, i * expected);
        ck_assert_int_eq(ftc_polls_have_found, expected > 0);
        ftc_polls_have_found = false;
    }
}

START_TEST(queues_of_libfabric)
{
    look("ch4:ofi", true, 1);
}
END_TEST

START_TEST(queues_of_an_unknown_version)
{
    look("ch4:ofi", false, 0);
}
END_TEST

START_TEST(queues_with_another_device)
{
    look("ch4:ucx", true, 0);
}
END_TEST

START_TEST(sockets)
{
    int (*wait_for_sockets)(void);
    void *found = open_with("ch3:nemesis", true, "wait_for_sockets");

    memcpy(&wait_for_sockets, &found, sizeof found);
    ck_assert_int_eq(wait_for_sockets(), 0);
    ck_assert_int_eq(turns, 1);
    ck_assert_int_eq(poll(NULL, 0, 0), 0); /* this program's own */
    ck_assert_int_eq(turns, 1);
}
END_TEST

/* ---- memory that the C library has protected ---- */

static uintptr_t page_of(uintptr_t address)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    return address / page * page;
}

static bool is_writable(uintptr_t page)
{
    FILE *f = fopen("/proc/self/maps", "re");
    char line[512], permissions[5] = "";
    unsigned long from, to;
    bool is = false;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %4s", &from, &to, permissions) == 3 && page >= from && page < to)
            is = permissions[1] == 'w';
    fclose(f);
    return is;
}

static ElfW(Phdr) * protection_in(ElfW(Phdr) header[], int headers)
{
    for (int i = 0; i < headers; i++)
        if (header[i].p_type == PT_GNU_RELRO)
            return &header[i];
    ck_abort_msg("the library has nothing to protect");
    return NULL;
}

enum { HEADERS_MOST = 32 };

/* Opens the library with headers that a test may change, and returns the one of that memory. */
static ElfW(Phdr) * open_protected(void)
{
    static ElfW(Phdr) header[HEADERS_MOST];

    open_with("ch3:nemesis", false, "wait_for_sockets");
    ck_assert_int_le(object.headers, HEADERS_MOST);
    memcpy(header, object.header, (size_t)object.headers * sizeof *header);
    object.header = header;
    return protection_in(header, object.headers);
}

static void redirect(void)
{
    ck_assert(ftc_imports_redirect(&object, "poll", (void *)(uintptr_t)poll));
}

/* Whether the first page of that memory can be written to after a redirection; with @cut it ends
 * before the end of that page. */
static bool stays_writable(bool cut)
{
    ElfW(Phdr) *protection = open_protected();
    uintptr_t page = page_of(object.base + protection->p_vaddr);

    if (cut) {
        protection->p_vaddr = page - object.base;
        protection->p_memsz = 1;
    }
    redirect();
    return is_writable(page);
}

START_TEST(protected_pages_are_protected_again)
{
    ck_assert(!stays_writable(false));
}
END_TEST

START_TEST(a_page_that_is_protected_in_part_stays_writable)
{
    ck_assert(stays_writable(true));
}
END_TEST

/* ---- larger pages ---- */

static struct {
    uintptr_t page;
    size_t bytes;
    int protection;
} last_change;

int __real_mprotect(void *address, size_t bytes, int protection);
int __wrap_mprotect(void *address, size_t bytes, int protection);

/* This machine has no such pages: what is asked for is noted alone. */
int __wrap_mprotect(void *address, size_t bytes, int protection)
{
    if (unit_page_bytes == 0)
        return __real_mprotect(address, bytes, protection);
    last_change.page = (uintptr_t)address;
    last_change.bytes = bytes;
    last_change.protection = protection;
    return 0;
}

/* Whether the large page of a redirected call is protected again, if the part from @from to @to of
 * it is what the C library was told to protect. */
static bool is_protected_again(size_t from, size_t to)
{
    ElfW(Phdr) *protection = open_protected();

    protection->p_memsz = 0;
    redirect(); /* from now on the memory can be written to */
    unit_page_bytes = UNIT_LARGE_PAGE;
    redirect();
    ck_assert_uint_eq(last_change.page % UNIT_LARGE_PAGE, 0);
    ck_assert_uint_eq(last_change.bytes, UNIT_LARGE_PAGE);
    protection->p_vaddr = last_change.page + from - object.base;
    protection->p_memsz = to - from;
    redirect();
    unit_page_bytes = 0;
    return last_change.protection == PROT_READ;
}

/* As _dl_protect_relro() of glibc does: both ends are rounded down. */
START_TEST(large_pages_are_protected_as_by_the_c_library)
{
    enum { LARGE = UNIT_LARGE_PAGE, SMALL = 4096 };

    ck_assert(is_protected_again(0, LARGE));
    ck_assert(is_protected_again(SMALL, LARGE));
    ck_assert(!is_protected_again(0, LARGE - SMALL));
    ck_assert(!is_protected_again(LARGE, 2 * LARGE));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("polls");
    UNIT_TEST(protected_pages_are_protected_again);
    UNIT_TEST(a_page_that_is_protected_in_part_stays_writable);
    UNIT_TEST(large_pages_are_protected_as_by_the_c_library);
    UNIT_TEST(queues_of_libfabric);
    UNIT_TEST(queues_of_an_unknown_version);
    UNIT_TEST(queues_with_another_device);
    UNIT_TEST(sockets);
    UNIT_END();
}
