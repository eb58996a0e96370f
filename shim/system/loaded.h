/* loaded: the objects (program and shared libraries) that the dynamic linker has loaded into this
 * process, and what they define. Nothing here takes a reference to an object. */
#ifndef FTC_SYSTEM_LOADED_H
#define FTC_SYSTEM_LOADED_H

#include <link.h>
#include <stdbool.h>

struct ftc_loaded {
    uintptr_t base; /* what its addresses are counted from */
    const char *path;
    const ElfW(Phdr) * header;
    int headers;
};

/* The object that holds @address; false if none does. */
bool ftc_loaded_around(const void *address, struct ftc_loaded *object);

/* The program; false if there is none, which no process has seen yet. */
bool ftc_loaded_program(struct ftc_loaded *object);

/* The same in all processes that have loaded one file, and most likely in no other: from what the
 * linker has written about it, with its build ID. */
uint64_t ftc_loaded_identity(const struct ftc_loaded *object);

/* True if both are the same object. */
bool ftc_loaded_is_same(const struct ftc_loaded *a, const struct ftc_loaded *b);

/* True if @object is the one that this very code is in: the library. */
bool ftc_loaded_is_own(const struct ftc_loaded *object);

/* True if @object is the program, not a library. */
bool ftc_loaded_is_program(const struct ftc_loaded *object);

/* The function @name as @object itself defines it for others, NULL if it does not. */
void *ftc_loaded_function(const struct ftc_loaded *object, const char *name);

/* The first that defines @name, in the order of loading, behind the object that holds @after. Other
 * than with dlsym(RTLD_NEXT), objects that were loaded with RTLD_LOCAL count too. */
bool ftc_loaded_behind(const void *after, const char *name, struct ftc_loaded *object);

/* The function @name of the first that defines it behind this library; NULL if none does. */
void *ftc_loaded_next(const char *name);

/* Its name for links (DT_SONAME), else its file's name. */
const char *ftc_loaded_name(const struct ftc_loaded *object);

/* The name of the file at @path. basename() would be a symbol that a program's own may stand
 * before.
 */
const char *ftc_loaded_file_name(const char *path);

/* The code of @object: where it starts, and how many bytes it has. */
void ftc_loaded_code(const struct ftc_loaded *object, uintptr_t *start, uintptr_t *bytes);

/* Of the entry @tag of its dynamic section: what is at the address in it, NULL if there is none;
 * and the number in it, 0 if there is none. */
const void *ftc_loaded_table(const struct ftc_loaded *object, ElfW(Sxword) tag);
ElfW(Xword) ftc_loaded_number(const struct ftc_loaded *object, ElfW(Sxword) tag);

/* The C library's dlsym(), which the library stands before (wrappers/lookup.c). */
void *ftc_loaded_dlsym(void *handle, const char *name);
void *ftc_loaded_native_dlsym(void); /* its address */

#endif
