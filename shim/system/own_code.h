/* own_code: addresses in the library's own code, as offsets that are the same in each process that
 * has loaded the library. Does not call the dynamic linker. */
#ifndef FTC_SYSTEM_OWN_CODE_H
#define FTC_SYSTEM_OWN_CODE_H

#include <stdint.h>

/* Start of the library in memory, defined by the linker. */
extern const char ftc_own_code_begin[] __asm__("__ehdr_start")
    __attribute__((visibility("hidden")));

static inline uint64_t ftc_own_code_offset(uintptr_t address)
{
    return address - (uintptr_t)ftc_own_code_begin;
}

static inline uintptr_t ftc_own_code_address(uint64_t offset)
{
    return (uintptr_t)ftc_own_code_begin + offset;
}

#endif
