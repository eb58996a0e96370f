/* contributors: who is in a value. A set of ranks that stands before the data and grows where data
 * is combined: whatever way values take, also as a LOCK or from the board, it says what they are
 * made of.
 *
 * It costs bytes in each message, so it is there only if a setting needs it.
 */
#ifndef FTC_VALUE_CONTRIBUTORS_H
#define FTC_VALUE_CONTRIBUTORS_H

#include "rank_set.h"

/* That they take, of a communicator of @size ranks; a multiple of 16 bytes, so that data keep their
 * alignment. */
#define FTC_CONTRIBUTORS_WORDS(size) ((1 + FTC_RANK_SET_WORDS(size) + 1) / 2 * 2)

/* Values of reductions begin with their contributors; the same on all ranks. */
extern bool ftc_contributors_are_kept;

/* In MPI_Init. */
void ftc_contributors_open(bool are_kept);

/* Bytes before the data; 0 if contributors are not kept. */
size_t ftc_contributors_bytes(int size);

/* Fills what stands before the data of @rank alone. @required: its program does not want to go on
 * without all. */
void ftc_contributors_begin(void *value, int size, int rank, bool required);

/* The same of the ranks in @who together. */
void ftc_contributors_set(void *value, int size, const uint64_t *who, bool required);

/* @into = @into and @from; any alignment. */
void ftc_contributors_join(void *into, const void *from, int size);

bool ftc_contributors_have(const void *value, int rank);
bool ftc_contributors_are_required(const void *value);

/* Ranks that are not in @value. */
int ftc_contributors_count_missing(const void *value, int size);

#endif
