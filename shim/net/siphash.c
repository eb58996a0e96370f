#include "siphash.h"

#include <string.h>

struct state {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void rounds(struct state *s, int count)
{
    while (count-- > 0) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotate(s->v1, 13) ^ s->v0;
        s->v3 = rotate(s->v3, 16) ^ s->v2;
        s->v0 = rotate(s->v0, 32) + s->v3;
        s->v2 += s->v1;
        s->v1 = rotate(s->v1, 17) ^ s->v2;
        s->v3 = rotate(s->v3, 21) ^ s->v0;
        s->v2 = rotate(s->v2, 32);
    }
}

static void take_word(struct state *s, uint64_t word)
{
    s->v3 ^= word;
    rounds(s, 2);
    s->v0 ^= word;
}

/* Reads words as a little-endian machine does. MPICH's jobs run on such machines. */
uint64_t ftc_siphash(const uint64_t key[2], const void *data, size_t bytes)
{
    struct state s = {key[0] ^ 0x736f6d6570736575ull, key[1] ^ 0x646f72616e646f6dull,
                      key[0] ^ 0x6c7967656e657261ull, key[1] ^ 0x7465646279746573ull};
    const unsigned char *p = data;
    uint64_t word, last = (uint64_t)bytes << 56;
    size_t left;

    for (left = bytes; left >= sizeof word; left -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        take_word(&s, word);
    }
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)p[i] << 8 * i;
    take_word(&s, last);
    s.v2 ^= 0xff;
    rounds(&s, 4);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
