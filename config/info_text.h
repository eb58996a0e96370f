/* info_text: what `ftcoll info` prints, as text for people. */
#ifndef FTC_CONFIG_INFO_TEXT_H
#define FTC_CONFIG_INFO_TEXT_H

#include <jansson.h>

/* Writes @info to standard output, in at most ten lines; its members are those of ftcoll(1). */
void ftc_info_write(const json_t *info);

/* Writes all of @info. */
void ftc_info_write_all(const json_t *info);

#endif
