#include "imports.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOBAL_DATA = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOBAL_DATA = R_AARCH64_GLOB_DAT };
#else
enum { JUMP_SLOT = -1, GLOBAL_DATA = -1 };
#endif

static int take_program(struct dl_phdr_info *info, size_t size, void *context)
{
    struct ftc_loaded *program = context;

    (void)size;
    *program = (struct ftc_loaded){.base = info->dlpi_addr,
                                   .path = info->dlpi_name,
                                   .header = info->dlpi_phdr,
                                   .headers = info->dlpi_phnum};
    return 1; /* the program comes first */
}

static struct ftc_loaded program(void)
{
    struct ftc_loaded p = {0};

    dl_iterate_phdr(take_program, &p);
    return p;
}

static bool is_equal(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

static bool begins_with(const char *name, const char *prefix)
{
    return strncasecmp(name, prefix, strlen(prefix)) == 0;
}

/* Returns where @p keeps the address of the first function for which @is_it is true, according to
 * one of its tables of relocations. Returns NULL if it is not in that table. */
static void **find_slot_in(const struct ftc_loaded *p, ElfW(Sxword) table, ElfW(Sxword) table_bytes,
                           bool (*is_it)(const char *name, const char *wanted), const char *wanted)
{
    const ElfW(Sym) *symbol = ftc_loaded_table(p, DT_SYMTAB);
    const char *string = ftc_loaded_table(p, DT_STRTAB);
    const ElfW(Rela) *row = ftc_loaded_table(p, table);
    size_t rows = ftc_loaded_number(p, table_bytes) / sizeof *row;

    for (size_t i = 0; symbol && string && row && i < rows; i++) {
        int type = (int)ELF64_R_TYPE(row[i].r_info);
        const ElfW(Sym) *s = &symbol[ELF64_R_SYM(row[i].r_info)];

        if ((type == JUMP_SLOT || type == GLOBAL_DATA) && is_it(string + s->st_name, wanted))
            return (void **)(p->base + row[i].r_offset);
    }
    return NULL;
}

static void **find_slot(const struct ftc_loaded *p, bool (*is_it)(const char *, const char *),
                        const char *wanted)
{
    void **slot = find_slot_in(p, DT_JMPREL, DT_PLTRELSZ, is_it, wanted);

    return slot ? slot : find_slot_in(p, DT_RELA, DT_RELASZ, is_it, wanted);
}

bool ftc_imports_any(const struct ftc_loaded *object, const char *prefix)
{
    return find_slot(object, begins_with, prefix) != NULL;
}

static uintptr_t page_of(uintptr_t address, uintptr_t page_bytes)
{
    return address / page_bytes * page_bytes;
}

/* Returns whether the page is protected once the program is loaded (RELRO). The C library rounds
 * both ends of that part down to a page, so the page that contains its end stays writable. */
static bool is_protected(const struct ftc_loaded *p, uintptr_t page, uintptr_t page_bytes)
{
    for (int i = 0; i < p->headers; i++) {
        uintptr_t start = p->base + p->header[i].p_vaddr;

        if (p->header[i].p_type == PT_GNU_RELRO && page >= page_of(start, page_bytes) &&
            page < page_of(start + p->header[i].p_memsz, page_bytes))
            return true;
    }
    return false;
}

static bool put(const struct ftc_loaded *p, void **slot, void *to)
{
    uintptr_t bytes = (uintptr_t)sysconf(_SC_PAGESIZE), page = page_of((uintptr_t)slot, bytes);

    if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    *slot = to;
    if (is_protected(p, page, bytes))
        mprotect((void *)page, bytes, PROT_READ);
    return true;
}

bool ftc_imports_redirect(const struct ftc_loaded *object, const char *name, void *to)
{
    struct ftc_loaded p = object ? *object : program();
    void **slot = find_slot(&p, is_equal, name);

    return slot && put(&p, slot, to);
}

bool ftc_imports_program_says(const char *text)
{
    struct ftc_loaded p = program();

    for (int i = 0; i < p.headers; i++) {
        const ElfW(Phdr) *h = &p.header[i];

        if (h->p_type == PT_LOAD && (h->p_flags & (PF_R | PF_W)) == PF_R &&
            memmem((const void *)(p.base + h->p_vaddr), h->p_memsz, text, strlen(text) + 1))
            return true;
    }
    return false;
}
