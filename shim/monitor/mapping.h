/* mapping: which ranks share a host, as process managers report it to MPI libraries under the key
 * PMI_process_mapping. */
#ifndef FTC_MONITOR_MAPPING_H
#define FTC_MONITOR_MAPPING_H

#include <stdint.h>

/* Reads a mapping such as "(vector,(first,hosts,ranks),...)": so many hosts, from host number
 * "first" on, have so many ranks each, in order. The list repeats until each of the @ranks ranks,
 * at least one, has a host. Since MPICH 5.0 "first" stands for "(first,1,1)", and "[block,...]xN"
 * for these blocks N times. Returns the number of hosts with ranks, or 0 if @text has no mapping
 * that is understood. Writes the host of each rank to @host, which may be NULL. Hosts have numbers
 * in the order of their first ranks. Source: MPICH, src/util/mpir_nodemap.h; from 5.0 on the rank
 * map of its MPL. */
int ftc_mapping_parse(const char *text, int ranks, uint32_t *host);

#endif
