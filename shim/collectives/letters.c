#include "letters.h"

#include "board/board.h"

#include <stdint.h>
#include <string.h>

struct letter {
    uint64_t to : 16, bytes : 48;
    unsigned char data[];
};
_Static_assert(FTC_BOARD_RANKS_MAX <= 1 << 16, "a letter has 16 bits for a rank");

size_t ftc_letter_bytes(size_t data_bytes)
{
    return sizeof(struct letter) + (data_bytes + 7) / 8 * 8;
}

void *ftc_letter_write(unsigned char **at, int to, size_t data_bytes)
{
    struct letter *letter = (void *)*at;

    letter->to = (uint16_t)to;
    letter->bytes = data_bytes;
    *at += ftc_letter_bytes(data_bytes);
    return letter->data;
}

size_t ftc_letters_keep(unsigned char *data, size_t *bytes, size_t at, int to)
{
    size_t next = at;

    while (*bytes - next >= sizeof(struct letter)) {
        const struct letter *letter = (const void *)(data + next);
        size_t length = ftc_letter_bytes(letter->bytes);

        if (*bytes - next < length)
            break;
        if (letter->to == (uint64_t)to) {
            memmove(data + at, letter, length);
            at += length;
        }
        next += length;
    }
    memmove(data + at, data + next, *bytes - next);
    *bytes -= next - at;
    return at;
}

struct ftc_piece ftc_letter_find(struct ftc_piece block, int to, int before)
{
    const unsigned char *data = block.data;
    size_t at = 0;

    while (block.bytes - at >= sizeof(struct letter)) {
        const struct letter *letter = (const void *)(data + at);

        if (block.bytes - at < ftc_letter_bytes(letter->bytes))
            break;
        if (letter->to == (uint64_t)to && before-- == 0)
            return (struct ftc_piece){letter->data, letter->bytes};
        at += ftc_letter_bytes(letter->bytes);
    }
    return (struct ftc_piece){NULL, 0};
}
