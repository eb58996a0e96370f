#include "contributors.h"

#include <string.h>

/* Words of 64 bits before the data. The first is not 0 if a contributor requires all ranks. The set
 * of ranks follows. The words are in messages, with any alignment. */
enum { REQUIRED = 0, RANKS = 1 };

bool ftc_contributors_are_kept;

void ftc_contributors_open(bool are_kept)
{
    ftc_contributors_are_kept = are_kept;
}

static size_t words(int size)
{
    return RANKS + FTC_RANK_SET_WORDS(size);
}

size_t ftc_contributors_bytes(int size)
{
    return ftc_contributors_are_kept ? FTC_CONTRIBUTORS_WORDS(size) * sizeof(uint64_t) : 0;
}

static uint64_t word(const void *value, size_t number)
{
    uint64_t w;

    memcpy(&w, (const char *)value + number * sizeof w, sizeof w);
    return w;
}

static void set_word(void *value, size_t number, uint64_t w)
{
    memcpy((char *)value + number * sizeof w, &w, sizeof w);
}

void ftc_contributors_begin(void *value, int size, int rank, bool required)
{
    memset(value, 0, ftc_contributors_bytes(size));
    set_word(value, REQUIRED, required);
    set_word(value, RANKS + (size_t)rank / 64, ftc_rank_set_bit((uint32_t)rank));
}

void ftc_contributors_set(void *value, int size, const uint64_t *who, bool required)
{
    set_word(value, REQUIRED, required);
    for (size_t i = 0; i < FTC_RANK_SET_WORDS(size); i++)
        set_word(value, RANKS + i, who[i]);
}

void ftc_contributors_join(void *into, const void *from, int size)
{
    for (size_t i = 0; i < words(size); i++)
        set_word(into, i, word(into, i) | word(from, i));
}

bool ftc_contributors_have(const void *value, int rank)
{
    return (word(value, RANKS + (size_t)rank / 64) & ftc_rank_set_bit((uint32_t)rank)) != 0;
}

bool ftc_contributors_are_required(const void *value)
{
    return word(value, REQUIRED) != 0;
}

int ftc_contributors_count_missing(const void *value, int size)
{
    int missing = 0;

    for (int rank = 0; rank < size; rank++)
        missing += !ftc_contributors_have(value, rank);
    return missing;
}
