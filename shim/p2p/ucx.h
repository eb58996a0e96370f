/* ucx: the transports that UCX may use.
 *
 * Whoever sets UCX_TLS decides alone. */
#ifndef FTC_P2P_UCX_H
#define FTC_P2P_UCX_H

#include <stdbool.h>

/* The function @name of the C library or of UCX, past this library; NULL if there is none. */
void *ftc_ucx_find(const char *name);

/* Before MPI_Init: keeps UCX from transports that end a process because of a dead peer. @copies: it
 * may copy out of a peer's memory, because that is looked after (single_copy.h) or not asked for.
 */
void ftc_ucx_choose_transports(bool copies);

#endif
