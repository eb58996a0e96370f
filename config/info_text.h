/* info_text: what `ftcoll info` tells, as text for people. */
#ifndef FTC_CONFIG_INFO_TEXT_H
#define FTC_CONFIG_INFO_TEXT_H

#include <jansson.h>

/* Writes all of @info to standard output; its members are those of ftcoll(1). */
void ftc_info_write(const json_t *info);

#endif
