/* ucx: the transports that UCX may use. If the user has set UCX_TLS, it is not changed. */
#ifndef FTC_P2P_UCX_H
#define FTC_P2P_UCX_H

#include <stdbool.h>

/* Returns the function @name of the C library or of UCX, past this library; NULL: none. */
void *ftc_ucx_find(const char *name);

/* Excludes transports of UCX that end a process because of a dead peer. @copies: UCX may copy out
 * of a peer's memory, because the library protects such copies (single_copy.h) or the settings do
 * not need it. To be called before MPI_Init. */
void ftc_ucx_choose_transports(bool copies);

#endif
