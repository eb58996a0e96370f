/* mapping: which ranks share a host, as process managers tell it to MPI libraries under the key
 * PMI_process_mapping. */
#ifndef FTC_MONITOR_MAPPING_H
#define FTC_MONITOR_MAPPING_H

enum ftc_mapping {
    FTC_MAPPING_UNKNOWN, /* not told, or not understood */
    FTC_MAPPING_ONE_HOST,
    FTC_MAPPING_SEVERAL_HOSTS,
};

/* Reads "(vector,(first,hosts,ranks),...)": from host number @first on, so many hosts have so many
 * ranks each, one after the other; the list begins again until each of @ranks, at least one, has a
 * host. Source: MPICH, src/util/mpir_nodemap.h. */
enum ftc_mapping ftc_mapping_parse(const char *text, int ranks);

#endif
