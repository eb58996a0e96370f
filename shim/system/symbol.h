/* symbol: the function that an address of a program's or library's file belongs to, by the file's
 * own symbol tables.
 *
 * A stripped file has the symbols of exported functions only, and the nearest one below an address
 * is most often that of another function: a symbol counts if its size holds the address. */
#ifndef FTC_SYSTEM_SYMBOL_H
#define FTC_SYSTEM_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ftc_symbol {
    uint64_t address;    /* as the file numbers them: what addr2line takes */
    char function[1024]; /* as the linker knows it; empty: none is known */
    uint64_t from_start; /* of the function, in bytes */
};

/* For what is at @offset in the file at @path, which may hold anything. False if that is no code of
 * an ELF file of this machine's kind. */
bool ftc_symbol_find(const char *path, uint64_t offset, struct ftc_symbol *symbol);

/* The C++ name of @function, if it is one, and if the demangler of the C++ library is in this
 * process, as it is with a program of C++: else @function itself. Longer ones are cut. */
void ftc_symbol_demangle(const char *function, char *text, size_t size);

/* From now on the C++ library is the one that is loaded now, and the dynamic linker is not asked
 * any more: its lock may be held for ever by the thread that calls this (shim/monitor/monitor.h).
 */
void ftc_symbol_settle(void);

/* Length of a C++ name without its parameters, and what follows them: of "f(int) const" 1. */
size_t ftc_symbol_length_without_parameters(const char *name);

#endif
