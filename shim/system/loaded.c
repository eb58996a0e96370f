#include "loaded.h"

#include "hash.h"

#include <dlfcn.h>
#include <string.h>

/* ---- which object ---- */

struct search {
    const void *address;
    const char *name;
    struct ftc_loaded *found;
    bool is_behind; /* the object around the address has been passed */
};

static struct ftc_loaded object_of(const struct dl_phdr_info *info)
{
    return (struct ftc_loaded){
        .base = info->dlpi_addr,
        .path = info->dlpi_name,
        .header = info->dlpi_phdr,
        .headers = info->dlpi_phnum,
    };
}

static bool holds(const struct ftc_loaded *object, const void *address)
{
    for (int i = 0; i < object->headers; i++) {
        const ElfW(Phdr) *h = &object->header[i];

        if (h->p_type == PT_LOAD &&
            (uintptr_t)address - (object->base + h->p_vaddr) < (uintptr_t)h->p_memsz)
            return true;
    }
    return false;
}

static int is_around(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *s = context;
    struct ftc_loaded object = object_of(info);

    (void)size;
    if (!holds(&object, s->address))
        return 0;
    *s->found = object;
    return 1;
}

bool ftc_loaded_around(const void *address, struct ftc_loaded *object)
{
    struct search s = {.address = address, .found = object};

    return dl_iterate_phdr(is_around, &s) != 0;
}

static int defines_behind(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *s = context;
    struct ftc_loaded object = object_of(info);

    (void)size;
    if (!s->is_behind) {
        s->is_behind = holds(&object, s->address);
        return 0;
    }
    if (!ftc_loaded_function(&object, s->name))
        return 0;
    *s->found = object;
    return 1;
}

bool ftc_loaded_behind(const void *after, const char *name, struct ftc_loaded *object)
{
    struct search s = {.address = after, .name = name, .found = object};

    return dl_iterate_phdr(defines_behind, &s) != 0;
}

static int take_first(struct dl_phdr_info *info, size_t size, void *object)
{
    (void)size;
    *(struct ftc_loaded *)object = object_of(info);
    return 1;
}

bool ftc_loaded_program(struct ftc_loaded *object)
{
    return dl_iterate_phdr(take_first, object) != 0 && ftc_loaded_is_program(object);
}

uint64_t ftc_loaded_identity(const struct ftc_loaded *object)
{
    uint64_t identity =
        ftc_hash(FTC_HASH_START, object->header, (size_t)object->headers * sizeof *object->header);

    for (int i = 0; i < object->headers; i++)
        if (object->header[i].p_type == PT_NOTE)
            identity = ftc_hash(identity, (const void *)(object->base + object->header[i].p_vaddr),
                                object->header[i].p_memsz);
    return identity;
}

bool ftc_loaded_is_same(const struct ftc_loaded *a, const struct ftc_loaded *b)
{
    return a->header == b->header;
}

bool ftc_loaded_is_own(const struct ftc_loaded *object)
{
    static const char inside;

    return holds(object, &inside);
}

bool ftc_loaded_is_program(const struct ftc_loaded *object)
{
    return object->path[0] == '\0';
}

void ftc_loaded_code(const struct ftc_loaded *object, uintptr_t *start, uintptr_t *bytes)
{
    *start = *bytes = 0;
    for (int i = 0; i < object->headers; i++) {
        const ElfW(Phdr) *h = &object->header[i];

        if (h->p_type == PT_LOAD && (h->p_flags & PF_X) != 0) {
            *start = object->base + h->p_vaddr;
            *bytes = h->p_memsz;
        }
    }
}

/* ---- its dynamic section ---- */

/* Returns the dynamic section of @object (System V ABI, "Dynamic Linking"). */
static const ElfW(Dyn) * section_of(const struct ftc_loaded *object)
{
    for (int i = 0; i < object->headers; i++)
        if (object->header[i].p_type == PT_DYNAMIC)
            return (const void *)(object->base + object->header[i].p_vaddr);
    return NULL;
}

ElfW(Xword) ftc_loaded_number(const struct ftc_loaded *object, ElfW(Sxword) tag)
{
    const ElfW(Dyn) *d = section_of(object);

    while (d && d->d_tag != DT_NULL && d->d_tag != tag)
        d++;
    return d && d->d_tag == tag ? d->d_un.d_val : 0;
}

/* Relocates the address if necessary. The dynamic linker has already done that for most entries,
 * but not for all. */
const void *ftc_loaded_table(const struct ftc_loaded *object, ElfW(Sxword) tag)
{
    ElfW(Addr) address = ftc_loaded_number(object, tag);

    if (address == 0)
        return NULL;
    return (const void *)(address < object->base ? object->base + address : address);
}

/* ---- what it defines ---- */

/* Tables of an object's symbols. The GNU hash table is an extension of glibc. */
struct tables {
    const ElfW(Sym) * symbol;
    const char *string;
    const uint32_t *gnu_hash, *hash;
};

static bool read_tables(const struct ftc_loaded *object, struct tables *t)
{
    *t = (struct tables){
        .symbol = ftc_loaded_table(object, DT_SYMTAB),
        .string = ftc_loaded_table(object, DT_STRTAB),
        .gnu_hash = ftc_loaded_table(object, DT_GNU_HASH),
        .hash = ftc_loaded_table(object, DT_HASH),
    };
    return t->symbol && t->string && (t->gnu_hash || t->hash);
}

static bool is_function(const struct tables *t, uint32_t index, const char *name)
{
    const ElfW(Sym) *s = &t->symbol[index];

    return s->st_shndx != SHN_UNDEF && (s->st_info & 0xf) == STT_FUNC &&
           strcmp(t->string + s->st_name, name) == 0;
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t h = 5381;

    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

/* Finds a symbol by its hash. Each bucket is a run of symbols, whose hashes follow the buckets. The
 * last hash of a run is odd. */
static uint32_t find_by_gnu_hash(const struct tables *t, const char *name)
{
    const uint32_t buckets = t->gnu_hash[0], first = t->gnu_hash[1], words = t->gnu_hash[2];
    const uint32_t *bucket = t->gnu_hash + 4 + words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = bucket + buckets, wanted = gnu_hash_of(name);
    uint32_t i = buckets > 0 ? bucket[wanted % buckets] : 0;

    if (i < first)
        return 0;
    for (;; i++) {
        if ((chain[i - first] | 1) == (wanted | 1) && is_function(t, i, name))
            return i;
        if ((chain[i - first] & 1) != 0)
            return 0;
    }
}

/* Finds a symbol by comparing all names. Old tables are rare, and this function is not called
 * often. */
static uint32_t find_in_all(const struct tables *t, const char *name)
{
    for (uint32_t i = 1; i < t->hash[1]; i++)
        if (is_function(t, i, name))
            return i;
    return 0;
}

void *ftc_loaded_function(const struct ftc_loaded *object, const char *name)
{
    struct tables t;
    uint32_t index;

    if (!read_tables(object, &t))
        return NULL;
    index = t.gnu_hash ? find_by_gnu_hash(&t, name) : find_in_all(&t, name);
    return index == 0 ? NULL : (void *)(object->base + t.symbol[index].st_value);
}

void *ftc_loaded_next(const char *name)
{
    static const char inside;
    struct ftc_loaded next;

    return ftc_loaded_behind(&inside, name, &next) ? ftc_loaded_function(&next, name) : NULL;
}

const char *ftc_loaded_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *ftc_loaded_name(const struct ftc_loaded *object)
{
    const char *string = ftc_loaded_table(object, DT_STRTAB);
    ElfW(Xword) soname = ftc_loaded_number(object, DT_SONAME); /* offset in @string */

    return string && soname != 0 ? string + soname : ftc_loaded_file_name(object->path);
}

/* ---- the C library's dlsym() ---- */

/* Version of dlsym() that every glibc has. With a wrong version, dlvsym() would allocate memory for
 * the error, perhaps inside an allocator that calls dlsym() itself. */
#if defined(__x86_64__)
#define FIRST_GLIBC "GLIBC_2.2.5"
#else
#define FIRST_GLIBC "GLIBC_2.17"
#endif

void *ftc_loaded_native_dlsym(void)
{
    static void *_Atomic known;
    void *found = known;

    if (!found)
        known = found = dlvsym(RTLD_NEXT, "dlsym", FIRST_GLIBC);
    return found;
}

void *ftc_loaded_dlsym(void *handle, const char *name)
{
    void *(*native)(void *, const char *), *found = ftc_loaded_native_dlsym();

    memcpy(&native, &found, sizeof native);
    return native ? native(handle, name) : NULL;
}
