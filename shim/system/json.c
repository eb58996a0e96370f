#include "json.h"

#include <stdbool.h>
#include <stddef.h>

static bool is_continuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* Bytes of the character of more than one byte that begins at @c; 0: no valid one does (RFC 3629:
 * not the longer forms of what has a shorter one, no halves of UTF-16, nothing beyond U+10FFFF). */
static size_t character_length(const unsigned char *c)
{
    if (c[0] >= 0xc2 && c[0] <= 0xdf)
        return is_continuation(c[1]) ? 2 : 0;
    if (c[0] >= 0xe0 && c[0] <= 0xef && is_continuation(c[1]) && is_continuation(c[2]) &&
        (c[0] != 0xe0 || c[1] >= 0xa0) && (c[0] != 0xed || c[1] <= 0x9f))
        return 3;
    if (c[0] >= 0xf0 && c[0] <= 0xf4 && is_continuation(c[1]) && is_continuation(c[2]) &&
        is_continuation(c[3]) && (c[0] != 0xf0 || c[1] >= 0x90) && (c[0] != 0xf4 || c[1] <= 0x8f))
        return 4;
    return 0;
}

void ftc_json_write_string(FILE *f, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t length;

    fputc('"', f);
    for (; *c; c += length) {
        length = *c < 0x80 ? 1 : character_length(c);
        if (length == 0) {
            fputs("\\ufffd", f);
            length = 1;
        } else if (*c < ' ' || *c == 0x7f || *c == '"' || *c == '\\') {
            fprintf(f, "\\u%04x", *c);
        } else {
            fwrite(c, 1, length, f);
        }
    }
    fputc('"', f);
}
