/* json: strings of RFC 8259. */
#ifndef FTC_SYSTEM_JSON_H
#define FTC_SYSTEM_JSON_H

#include <stdio.h>

/* @text with quotes around it. Valid UTF-8 stays as it is; each byte that is no part of any becomes
 * U+FFFD: JSON has no way to write bytes. */
void ftc_json_write_string(FILE *f, const char *text);

#endif
