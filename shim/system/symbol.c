#include "symbol.h"

#include "loaded.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OWN_CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32 };

/* ELF file. It is read and not mapped, because a file that is truncated meanwhile must not end the
 * program. */
struct file {
    int fd;
    uint64_t bytes;
    ElfW(Ehdr) header;
};

/* Returns a copy of @size bytes at @offset, followed by a zero byte. Returns NULL if the file does
 * not have them, or without memory. The caller frees it. */
static void *read_part(const struct file *f, uint64_t offset, uint64_t size)
{
    char *part;

    if (size > f->bytes || offset > f->bytes - size)
        return NULL;
    part = malloc(size + 1);
    if (part && pread(f->fd, part, size, (off_t)offset) != (ssize_t)size) {
        free(part);
        return NULL;
    }
    if (part)
        part[size] = '\0';
    return part;
}

static bool open_file(const char *path, struct file *f)
{
    const ElfW(Ehdr) *h = &f->header;
    struct stat st;

    f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (f->fd < 0)
        return false;
    if (fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) &&
        pread(f->fd, &f->header, sizeof f->header, 0) == (ssize_t)sizeof f->header &&
        memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_ident[EI_CLASS] == OWN_CLASS &&
        h->e_phentsize == sizeof(ElfW(Phdr)) &&
        (h->e_shnum == 0 || h->e_shentsize == sizeof(ElfW(Shdr)))) {
        f->bytes = (uint64_t)st.st_size;
        return true;
    }
    close(f->fd);
    return false;
}

static bool find_address(const struct file *f, uint64_t offset, uint64_t *address)
{
    unsigned count = f->header.e_phnum;
    ElfW(Phdr) *part = read_part(f, f->header.e_phoff, count * sizeof *part);
    bool found = false;

    for (unsigned i = 0; part && !found && i < count; i++) {
        found = part[i].p_type == PT_LOAD && offset >= part[i].p_offset &&
                offset - part[i].p_offset < part[i].p_filesz;
        if (found)
            *address = offset - part[i].p_offset + part[i].p_vaddr;
    }
    free(part);
    return found;
}

static bool holds(const ElfW(Sym) * symbol, uint64_t address)
{
    int type = symbol->st_info & 0xf;

    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
           address >= symbol->st_value && address - symbol->st_value < symbol->st_size;
}

/* Searches one table, whose names are in section @names. */
static bool find_in_table(const struct file *f, const ElfW(Shdr) * table, const ElfW(Shdr) * names,
                          struct ftc_symbol *symbol)
{
    size_t count = table->sh_size / sizeof(ElfW(Sym));
    ElfW(Sym) *row = read_part(f, table->sh_offset, count * sizeof *row);
    char *name = read_part(f, names->sh_offset, names->sh_size);
    bool found = false;

    for (size_t i = 0; row && name && !found && i < count; i++) {
        found = holds(&row[i], symbol->address) && row[i].st_name < names->sh_size &&
                name[row[i].st_name] != '\0';
        if (!found)
            continue;
        snprintf(symbol->function, sizeof symbol->function, "%s", name + row[i].st_name);
        symbol->from_start = symbol->address - row[i].st_value;
    }
    free(row);
    free(name);
    return found;
}

/* Searches the full table, which a stripped file lacks, then that of the exported functions. */
static void find_function(const struct file *f, struct ftc_symbol *symbol)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    unsigned count = f->header.e_shnum;
    ElfW(Shdr) *section = read_part(f, f->header.e_shoff, count * sizeof *section);
    bool found = false;

    for (unsigned t = 0; section && t < 2; t++)
        for (unsigned i = 0; !found && i < count; i++)
            if (section[i].sh_type == types[t] && section[i].sh_link < count)
                found = find_in_table(f, &section[i], &section[section[i].sh_link], symbol);
    free(section);
}

bool ftc_symbol_find(const char *path, uint64_t offset, struct ftc_symbol *symbol)
{
    struct file f;
    bool found;

    *symbol = (struct ftc_symbol){0};
    if (!open_file(path, &f))
        return false;
    found = find_address(&f, offset, &symbol->address);
    if (found)
        find_function(&f, symbol);
    close(f.fd);
    return found;
}

/* ---- C++ ---- */

typedef char *demangler(const char *, char *, size_t *, int *);

/* Finds the demangler in the C++ library that the program has loaded. Does not load one. */
static demangler *find_demangler(void)
{
    void *library, *found = ftc_loaded_dlsym(RTLD_DEFAULT, "__cxa_demangle");
    demangler *function;

    if (!found) { /* perhaps in a module that the program opened itself */
        library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
        found = library ? ftc_loaded_dlsym(library, "__cxa_demangle") : NULL;
        if (library)
            dlclose(library);
    }
    memcpy(&function, &found, sizeof function);
    return function;
}

static demangler *settled;
static bool is_settled;

void ftc_symbol_settle(void)
{
    settled = find_demangler();
    is_settled = true;
}

static demangler *demangler_for(const char *function)
{
    if (strncmp(function, "_Z", 2) != 0)
        return NULL;
    return is_settled ? settled : find_demangler();
}

void ftc_symbol_demangle(const char *function, char *text, size_t size)
{
    demangler *demangle = demangler_for(function);
    const char *suffix = strchr(function, '.'); /* suffix of a copy that the optimiser made */
    char *mangled = strndup(function, suffix ? (size_t)(suffix - function) : strlen(function));
    char *name = demangle && mangled ? demangle(mangled, NULL, NULL, NULL) : NULL;

    if (name)
        snprintf(text, size, "%s%s", name, suffix ? suffix : "");
    else
        snprintf(text, size, "%s", function);
    free(name);
    free(mangled);
}

size_t ftc_symbol_length_without_parameters(const char *name)
{
    const char *end = strrchr(name, ')');
    int depth = 0;

    for (; end && end > name; end--) {
        depth += *end == ')' ? 1 : *end == '(' ? -1 : 0;
        if (depth == 0)
            return (size_t)(end - name);
    }
    return strlen(name);
}
