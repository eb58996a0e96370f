#include "segments.h"

#include "board/board.h"

#include <string.h>

struct segment {
    uint64_t to : 16, bytes : 48;
    unsigned char data[];
};
_Static_assert(FTC_BOARD_RANKS_MAX <= 1 << 16, "a segment has 16 bits for a rank");

size_t ftc_segment_bytes(size_t data_bytes)
{
    return sizeof(struct segment) + (data_bytes + 7) / 8 * 8;
}

void *ftc_segment_write(unsigned char **at, int to, size_t data_bytes)
{
    struct segment *segment = (void *)*at;

    segment->to = (uint16_t)to;
    segment->bytes = data_bytes;
    *at += ftc_segment_bytes(data_bytes);
    return segment->data;
}

size_t ftc_segments_keep(unsigned char *data, size_t *bytes, size_t at, int to)
{
    size_t next = at;

    while (*bytes - next >= sizeof(struct segment)) {
        const struct segment *segment = (const void *)(data + next);
        size_t length = ftc_segment_bytes(segment->bytes);

        if (*bytes - next < length)
            break;
        if (segment->to == (uint64_t)to) {
            memmove(data + at, segment, length);
            at += length;
        }
        next += length;
    }
    memmove(data + at, data + next, *bytes - next);
    *bytes -= next - at;
    return at;
}

struct ftc_piece ftc_segment_find(struct ftc_piece block, int to, int before)
{
    const unsigned char *data = block.data;
    size_t at = 0;

    while (block.bytes - at >= sizeof(struct segment)) {
        const struct segment *segment = (const void *)(data + at);

        if (block.bytes - at < ftc_segment_bytes(segment->bytes))
            break;
        if (segment->to == (uint64_t)to && before-- == 0)
            return (struct ftc_piece){.data = segment->data, .bytes = segment->bytes};
        at += ftc_segment_bytes(segment->bytes);
    }
    return (struct ftc_piece){0};
}
