/* loaded: the objects (program and shared libraries) that the dynamic linker has loaded into this
 * process, and what they define. No function takes a reference to an object. */
#ifndef FTC_SYSTEM_LOADED_H
#define FTC_SYSTEM_LOADED_H

#include <link.h>
#include <stdbool.h>

struct ftc_loaded {
    uintptr_t base; /* difference between addresses in memory and in the file */
    const char *path;
    const ElfW(Phdr) * header;
    int headers;
};

/* Finds the object that contains @address. Returns false if there is none. */
bool ftc_loaded_around(const void *address, struct ftc_loaded *object);

/* Finds the program. Returns false if the first object is not the program, which has never been
 * seen. */
bool ftc_loaded_program(struct ftc_loaded *object);

/* Returns a number that is the same in all processes that have loaded one file, and most likely no
 * other. It is computed from the linker's description of the file, which contains its build ID. */
uint64_t ftc_loaded_identity(const struct ftc_loaded *object);

/* Returns whether both are the same object. */
bool ftc_loaded_is_same(const struct ftc_loaded *a, const struct ftc_loaded *b);

/* Returns whether @object is this library. */
bool ftc_loaded_is_own(const struct ftc_loaded *object);

/* Returns whether @object is the program, not a library. */
bool ftc_loaded_is_program(const struct ftc_loaded *object);

/* Returns the function @name that @object itself defines and exports; NULL if it does not. */
void *ftc_loaded_function(const struct ftc_loaded *object, const char *name);

/* Finds the first object that defines @name, in the order of loading, after the object that
 * contains @after. Unlike dlsym(RTLD_NEXT), considers objects that were loaded with RTLD_LOCAL too.
 * Returns false if there is none. */
bool ftc_loaded_behind(const void *after, const char *name, struct ftc_loaded *object);

/* Returns the function @name of the first object after this library that defines it; NULL if there
 * is none. */
void *ftc_loaded_next(const char *name);

/* Returns the name of @object for links (DT_SONAME), else the name of its file. */
const char *ftc_loaded_name(const struct ftc_loaded *object);

/* Returns the name of the file at @path. basename() is not used, because a program's function of
 * that name would be called. */
const char *ftc_loaded_file_name(const char *path);

/* Stores the start of the code of @object and its size in bytes; 0 and 0 if it has none. */
void ftc_loaded_code(const struct ftc_loaded *object, uintptr_t *start, uintptr_t *bytes);

/* Returns what is at the address in the entry @tag of the dynamic section of @object; NULL if there
 * is no such entry. */
const void *ftc_loaded_table(const struct ftc_loaded *object, ElfW(Sxword) tag);

/* Returns the number in the entry @tag; 0 if there is no such entry. */
ElfW(Xword) ftc_loaded_number(const struct ftc_loaded *object, ElfW(Sxword) tag);

/* Calls the dlsym() of the C library. This library interposes on dlsym() (wrappers/lookup.c). */
void *ftc_loaded_dlsym(void *handle, const char *name);

/* Returns the address of that dlsym(). */
void *ftc_loaded_native_dlsym(void);

#endif
