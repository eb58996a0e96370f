/* letters: pieces of data for ranks, one behind the other in a block, each with its receiver and
 * its length. */
#ifndef FTC_COLLECTIVES_LETTERS_H
#define FTC_COLLECTIVES_LETTERS_H

#include <stddef.h>

/* The data of one rank, or of one rank for another; without data: none. */
struct ftc_piece {
    const void *data;
    size_t bytes;
};

/* Bytes of a letter, a multiple of 8. */
size_t ftc_letter_bytes(size_t data_bytes);

/* Begins a letter at *at, which is aligned to 8 bytes and goes on behind it; returns where its data
 * belong. */
void *ftc_letter_write(unsigned char **at, int to, size_t data_bytes);

/* Takes those that are not to @to out of the *@bytes of letters, the last of which may lack its
 * end, from @at on, where one begins. Returns where the first one begins that is not whole. */
size_t ftc_letters_keep(unsigned char *data, size_t *bytes, size_t at, int to);

/* The letter to @to behind @before others to it; without data if there is none. The block may come
 * from anybody. */
struct ftc_piece ftc_letter_find(struct ftc_piece block, int to, int before);

#endif
