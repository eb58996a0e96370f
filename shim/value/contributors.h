/* contributors: the set of ranks whose contributions are in a value. It stands before the data and
 * grows where data are combined. So a value states its contributors whichever way it has travelled,
 * also as a LOCK or from the board.
 *
 * The set costs bytes in each message, so it is there only if a setting needs it. */
#ifndef FTC_VALUE_CONTRIBUTORS_H
#define FTC_VALUE_CONTRIBUTORS_H

#include "rank_set.h"

/* Number of 64-bit words before the data, for a communicator of @size ranks. They take a multiple
 * of 16 bytes, so that data keep their alignment. */
#define FTC_CONTRIBUTORS_WORDS(size) ((1 + FTC_RANK_SET_WORDS(size) + 1) / 2 * 2)

/* Whether values of reductions begin with their contributors; the same on all ranks. */
extern bool ftc_contributors_are_kept;

/* Sets whether contributors are kept, in MPI_Init. */
void ftc_contributors_open(bool are_kept);

/* Returns the bytes before the data; 0 if contributors are not kept. */
size_t ftc_contributors_bytes(int size);

/* Writes the words before the data of @rank alone. @required: this rank's program requires the
 * contributions of all ranks. */
void ftc_contributors_begin(void *value, int size, int rank, bool required);

/* As above, but for the ranks in @who together. */
void ftc_contributors_set(void *value, int size, const uint64_t *who, bool required);

/* Adds the contributors of @from to those of @into. Both may have any alignment. */
void ftc_contributors_join(void *into, const void *from, int size);

bool ftc_contributors_have(const void *value, int rank);

/* Returns whether the program of any contributor requires the contributions of all ranks. */
bool ftc_contributors_are_required(const void *value);

/* Returns the number of ranks that are not in @value. */
int ftc_contributors_count_missing(const void *value, int size);

#endif
