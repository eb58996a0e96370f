/* segments: block with data for several ranks. It has one segment for each, with the receiver's
 * rank and the length. */
#ifndef FTC_PROTOCOLS_SEGMENTS_H
#define FTC_PROTOCOLS_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

/* Data of one rank, or of one rank for another. */
struct ftc_piece {
    const void *data; /* NULL: there are none */
    size_t bytes;
    uint32_t note; /* note of the giving rank beside its block */
};

/* Returns the bytes of a segment with @data_bytes of data, a multiple of 8. */
size_t ftc_segment_bytes(size_t data_bytes);

/* Begins a segment for rank @to at *@at, which must be aligned to 8 bytes, and moves *@at to its
 * end. Returns where the @data_bytes belong. */
void *ftc_segment_write(unsigned char **at, int to, size_t data_bytes);

/* Removes the segments that are not for rank @to from the *@bytes of segments at @data, the last of
 * which may be incomplete. Starts at offset @at, where a segment must begin. Sets *@bytes to the
 * length that remains. Returns the offset of the first incomplete segment. */
size_t ftc_segments_keep(unsigned char *data, size_t *bytes, size_t at, int to);

/* Finds the segment for rank @to that follows @before others for @to. Returns a piece without data
 * if there is none. @block may have been written by any process, so its lengths are checked. */
struct ftc_piece ftc_segment_find(struct ftc_piece block, int to, int before);

#endif
