/* control: control characters of terminals, in text that may come from anywhere. */
#ifndef FTC_SYSTEM_CONTROL_H
#define FTC_SYSTEM_CONTROL_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns the length in bytes of the control character that begins at @text; 0 if none begins
 * there. It is one of ASCII, or in UTF-8 one of U+0080 to U+009F, which terminals obey too
 * (ECMA-48, section 5.3). */
static inline size_t ftc_control_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;

    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
        return 2;
    return c[0] != '\0' && iscntrl(c[0]) ? 1 : 0;
}

static inline bool ftc_control_is_in(const char *text)
{
    for (; *text; text++)
        if (ftc_control_length(text) > 0)
            return true;
    return false;
}

/* Replaces each control character in @text by '?'. */
static inline void ftc_control_hide(char *text)
{
    char *to = text;
    size_t length;

    for (; *text; text += length > 0 ? length : 1) {
        length = ftc_control_length(text);
        *to++ = length > 0 ? '?' : *text;
    }
    *to = '\0';
}

#endif
