/* execute: a blocking operation from its beginning to its end. */
#ifndef FTC_PROGRESS_EXECUTE_H
#define FTC_PROGRESS_EXECUTE_H

#include "loop.h"

/* Executes @request on @c, with the library's lock held, and goes on with the nonblocking
 * operations meanwhile. Gives the lock up while there is nothing to do. */
enum ftc_loop_outcome ftc_execute(struct ftc_comm *c, const struct ftc_loop_request *request);

#endif
