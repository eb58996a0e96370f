/* about: the text that the library prints when it is executed, as the C library does: its version
 * and the settings that a job started here would have. */
#include "../include/ftcoll.h"
#include "config/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__)
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#define ALIGNS __attribute__((force_align_arg_pointer)) /* no caller has aligned the stack */
#elif defined(__aarch64__)
#define LOADER "/lib/ld-linux-aarch64.so.1"
#define ALIGNS
#endif

const char ftc_about_loader[] __attribute__((section(".interp"), used)) = LOADER;

_Noreturn void ftc_about(void);

/* Prints the text and exits. Entry point of the library when it is executed (Makefile). */
ALIGNS _Noreturn void ftc_about(void)
{
    struct ftc_settings settings;
    struct ftc_settings_error error;
    int rv = ftc_settings_load(&settings, &error);

    printf("libftcoll.so %s: fault-tolerant MPI reductions, for programs of MPICH and its ABI\n"
           "    LD_PRELOAD=.../libftcoll.so mpiexec.hydra -n 8 ./program\n",
           FTCOLL_VERSION);
    if (rv == 0) {
        printf("settings here:\n");
        ftc_settings_dump(&settings, stdout);
    } else {
        printf("ftcoll: %s\n", error.text);
    }
    fflush(stdout);
    _exit(rv == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
