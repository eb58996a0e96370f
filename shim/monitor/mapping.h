/* mapping: which ranks share a host, as process managers tell it to MPI libraries under the key
 * PMI_process_mapping. */
#ifndef FTC_MONITOR_MAPPING_H
#define FTC_MONITOR_MAPPING_H

#include <stdint.h>

/* Reads "(vector,(first,hosts,ranks),...)": from host number @first on, so many hosts have so many
 * ranks each, one after the other; the list begins again until each of @ranks, at least one, has a
 * host. Since MPICH 5.0 "first" stands for "(first,1,1)", and "[block,...]xN" for those blocks N
 * times. Returns how many hosts have ranks, 0 if this is not told, or not understood. Numbers in
 * @host, of @ranks, the host of each rank, in the order of their first ones; NULL: not wanted.
 * Source: MPICH, src/util/mpir_nodemap.h; from 5.0 on the rank map of its MPL. */
int ftc_mapping_parse(const char *text, int ranks, uint32_t *host);

#endif
