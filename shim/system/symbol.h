/* symbol: finds the function that contains an address of a program's or library's file, by the
 * symbol tables of the file.
 *
 * A stripped file has only the symbols of exported functions, and the nearest one below an address
 * usually belongs to another function. A symbol counts only if its size includes the address. */
#ifndef FTC_SYSTEM_SYMBOL_H
#define FTC_SYSTEM_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ftc_symbol {
    uint64_t address;    /* address in the file, as addr2line takes it */
    char function[1024]; /* name for the linker; empty: unknown */
    uint64_t from_start; /* bytes from the start of the function */
};

/* Finds the symbol at @offset in the file at @path, which may contain anything. Returns false if
 * the offset is not in a loaded part of an ELF file with this machine's word size. */
bool ftc_symbol_find(const char *path, uint64_t offset, struct ftc_symbol *symbol);

/* Writes the C++ name of @function to @text, if it is one and the demangler of the C++ library is
 * in this process, as it is with a C++ program. Otherwise writes @function itself. Longer names are
 * cut. */
void ftc_symbol_demangle(const char *function, char *text, size_t size);

/* Finds the demangler of the C++ library that is loaded now, for all later calls. They do not call
 * the dynamic linker, whose lock this thread may hold for good (shim/monitor/monitor.h). */
void ftc_symbol_settle(void);

/* Returns the length of a C++ name without its parameters and what follows them: 1 for "f(int)
 * const". */
size_t ftc_symbol_length_without_parameters(const char *name);

#endif
