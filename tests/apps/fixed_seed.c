/* Preloaded into a Fortran program that seeds its random numbers from the clock and the system's
 * entropy: the seed is replaced by one of rank and call number, so that two runs can be compared
 * bit for bit. */
#include <dlfcn.h>
#include <stdlib.h>

/* How gfortran passes an integer array: what is used of it, its first element. */
struct array {
    int *first;
};

typedef void random_seed(int *size, const struct array *put, const struct array *get);

random_seed _gfortran_random_seed_i4;

static int rank_of_process(void)
{
    const char *rank = getenv("PMI_RANK");

    return rank ? atoi(rank) : 0;
}

void _gfortran_random_seed_i4(int *size, const struct array *put, const struct array *get)
{
    static int calls;
    random_seed *next = (random_seed *)dlsym(RTLD_NEXT, "_gfortran_random_seed_i4");
    int words;

    if (put) {
        next(&words, NULL, NULL);
        calls++;
        for (int i = 0; i < words; i++)
            put->first[i] = 1000003 * calls + 7919 * rank_of_process() + 104729 * i;
    }
    next(size, put, get);
}
