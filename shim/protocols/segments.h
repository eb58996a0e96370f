/* segments: a block whose data are for several ranks, one segment for each, with its receiver and
 * its length. */
#ifndef FTC_PROTOCOLS_SEGMENTS_H
#define FTC_PROTOCOLS_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

/* The data of one rank, or of one rank for another; without data: none. */
struct ftc_piece {
    const void *data;
    size_t bytes;
    uint32_t note; /* of that rank, beside its block */
};

/* Returns the bytes of a segment, a multiple of 8. */
size_t ftc_segment_bytes(size_t data_bytes);

/* Begins a segment at *at, which is aligned to 8 bytes, and moves *at to its end. Returns where its
 * data belong. */
void *ftc_segment_write(unsigned char **at, int to, size_t data_bytes);

/* Removes the segments that are not to @to from the *@bytes of segments, the last of which may lack
 * its end. Begins at @at, where a segment begins; returns where the first one begins that is not
 * whole. */
size_t ftc_segments_keep(unsigned char *data, size_t *bytes, size_t at, int to);

/* Finds the segment to @to that has @before others to it in front; without data if there is none.
 * The block may come from anybody. */
struct ftc_piece ftc_segment_find(struct ftc_piece block, int to, int before);

#endif
