/* info_text: the output of `ftcoll info` as text, on standard output. */
#ifndef FTC_CONFIG_INFO_TEXT_H
#define FTC_CONFIG_INFO_TEXT_H

#include <jansson.h>

/* Writes a summary of @info in about ten lines. The members of @info are those of `ftcoll info
 * --json` in ftcoll(1). */
void ftc_info_write(const json_t *info);

/* Writes all of @info. */
void ftc_info_write_all(const json_t *info);

#endif
