#include "value.h"

#include <string.h>

size_t sim_value_bytes(int n)
{
    return (offsetof(struct sim_value, count) + (size_t)n + 3) / 4 * 4;
}

void sim_value_original(struct sim_value *v, int n, int rank, int seq)
{
    memset(v, 0, sim_value_bytes(n));
    v->expression = (uint64_t)rank + 1;
    v->operations = 1u << seq;
    v->count[rank] = 1;
}

static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
    return x ^ x >> 29;
}

/* Neither commutative nor associative: two orders of combination differ. */
void sim_value_combine(void *context, void *into, const void *from)
{
    const int *n = context;
    const struct sim_value *b = from;
    struct sim_value *a = into;

    a->expression = scramble(3 * scramble(a->expression) + b->expression);
    a->operations |= b->operations;
    a->incomplete |= b->incomplete;
    for (int i = 0; i < *n; i++)
        a->count[i] = (uint8_t)(a->count[i] + b->count[i]);
}
