/* file_limit: the limit that a user or a batch system sets to the size of files, RLIMIT_FSIZE. Who
 * comes to it gets SIGXFSZ, which ends a program that does not expect it. Between
 * ftc_file_limit_hold() and ftc_file_limit_release() the calling thread gets error EFBIG alone; the
 * program's own writes are not touched. */
#ifndef FTC_SYSTEM_FILE_LIMIT_H
#define FTC_SYSTEM_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

struct ftc_file_limit {
    sigset_t mask; /* before */
    bool was_pending;
};

void ftc_file_limit_hold(struct ftc_file_limit *limit);

/* Keeps errno. */
void ftc_file_limit_release(const struct ftc_file_limit *limit);

#endif
