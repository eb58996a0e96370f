/* execute: carries out a blocking operation from beginning to end. */
#ifndef FTC_PROGRESS_EXECUTE_H
#define FTC_PROGRESS_EXECUTE_H

#include "loop.h"

/* Executes @request on @c and advances the nonblocking operations meanwhile. The caller holds the
 * library's lock. The function releases the lock while it waits. */
enum ftc_loop_outcome ftc_execute(struct ftc_comm *c, const struct ftc_loop_request *request);

#endif
