#include "program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* File in memory. Its contents are not trusted. */
struct image {
    const unsigned char *start;
    size_t bytes;
};

/* Returns the @count items of @bytes bytes at @offset. Returns NULL if the file ends before their
 * end, or if @offset is not a multiple of 8. */
static const void *at(const struct image *i, uint64_t offset, uint64_t count, size_t bytes)
{
    if (offset > i->bytes || count > (i->bytes - offset) / bytes || offset % 8 != 0)
        return NULL;
    return i->start + offset;
}

static const Elf64_Ehdr *head_of(const struct image *i)
{
    const Elf64_Ehdr *head = at(i, 0, 1, sizeof *head);

    return head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                   head->e_ident[EI_CLASS] == ELFCLASS64
               ? head
               : NULL;
}

/* Returns whether the program names a dynamic linker. Without a dynamic linker, LD_PRELOAD has no
 * effect. */
static bool has_dynamic_linker(const struct image *i, const Elf64_Ehdr *head)
{
    const Elf64_Phdr *part = at(i, head->e_phoff, head->e_phnum, sizeof *part);

    for (int n = 0; part && n < head->e_phnum; n++)
        if (part[n].p_type == PT_INTERP)
            return true;
    return false;
}

/* ---- functions ---- */

/* Returns whether the table @symbols, whose names are in @strings, defines @name. */
static bool defines(const struct image *i, const Elf64_Shdr *symbols, const Elf64_Shdr *strings,
                    const char *name)
{
    uint64_t count = symbols->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *symbol = at(i, symbols->sh_offset, count, sizeof *symbol);
    size_t bytes = strlen(name) + 1;

    if (!symbol || strings->sh_offset > i->bytes ||
        strings->sh_size > i->bytes - strings->sh_offset)
        return false;
    for (uint64_t n = 0; n < count; n++)
        if (symbol[n].st_shndx != SHN_UNDEF && strings->sh_size >= bytes &&
            symbol[n].st_name <= strings->sh_size - bytes &&
            memcmp(i->start + strings->sh_offset + symbol[n].st_name, name, bytes) == 0)
            return true;
    return false;
}

static bool has_function(const struct image *i, const Elf64_Ehdr *head, const char *name)
{
    const Elf64_Shdr *section = at(i, head->e_shoff, head->e_shnum, sizeof *section);

    for (int n = 0; section && n < head->e_shnum; n++)
        if ((section[n].sh_type == SHT_SYMTAB || section[n].sh_type == SHT_DYNSYM) &&
            section[n].sh_link < head->e_shnum &&
            defines(i, &section[n], &section[section[n].sh_link], name))
            return true;
    return false;
}

/* ---- the program ---- */

/* Returns whether the file has names of MPICH's variables, which a static program with MPICH
 * contains even without symbols. A program that is not static may contain such names without
 * MPICH. */
static bool has_texts_of_mpich(const struct image *i)
{
    static const char text[] = "MPIR_CVAR_";

    return memmem(i->start, i->bytes, text, sizeof text - 1) != NULL;
}

static const char *objection_to(const struct image *i)
{
    const Elf64_Ehdr *head = head_of(i);

    if (!head)
        return NULL;
    if (has_dynamic_linker(i, head))
        return has_function(i, head, "PMPI_Init")
                   ? "MPI is linked into it statically, so its MPI calls do not reach ftcoll"
                   : NULL;
    return head->e_type != ET_REL && (has_function(i, head, "PMPI_Init") || has_texts_of_mpich(i))
               ? "it is linked statically, so no library can be loaded into it"
               : NULL;
}

const char *ftc_program_objection(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const char *objection = NULL;
    struct image i;
    struct stat st;
    void *start;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        start = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (start != MAP_FAILED) {
            i = (struct image){start, (size_t)st.st_size};
            objection = objection_to(&i);
            munmap(start, i.bytes);
        }
    }
    close(fd);
    return objection;
}
