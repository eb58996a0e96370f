/* file_limit: limit of the size of files, set by a user or a batch system (RLIMIT_FSIZE). A process
 * that reaches it gets SIGXFSZ, which ends a program that does not expect it. Between
 * ftc_file_limit_hold() and ftc_file_limit_release() the calling thread only gets error EFBIG. The
 * program's own writes are not affected. */
#ifndef FTC_SYSTEM_FILE_LIMIT_H
#define FTC_SYSTEM_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

struct ftc_file_limit {
    sigset_t mask; /* previous signal mask */
    bool was_pending;
};

/* Blocks SIGXFSZ in the calling thread. Stores in @limit what ftc_file_limit_release() needs. */
void ftc_file_limit_hold(struct ftc_file_limit *limit);

/* Restores the signal mask. Before, removes a SIGXFSZ that has come since. Preserves errno. */
void ftc_file_limit_release(const struct ftc_file_limit *limit);

#endif
