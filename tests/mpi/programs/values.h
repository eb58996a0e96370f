/* values: contributions to a reduction that tell, from its result alone, which ranks are in it and
 * how often: powers of 8, primes, bits, or, for a maximum, one rank that stands out in each
 * element. */
#ifndef VALUES_H
#define VALUES_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct values_team {
    int size;
    int member[8]; /* world ranks */
};

struct values_kind {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    size_t bytes; /* of one element */
    size_t used;  /* of these, without the gap at the end */
    /* The contribution of @rank to element @e of operation @number. */
    void (*put)(void *at, const struct values_team *team, int rank, int e, int number);
    /* Adds to @times what element @e of a result says; 0 if that is possible at all. */
    int (*get)(const void *at, const struct values_team *team, int e, int number, int8_t times[8]);
};

/* All kinds; made at the first call, after MPI_Init. Index VALUES_USER has a user-defined
 * operation, which calls @on_combine, if that is set, each time that it combines. */
enum { VALUES_COUNT = 15, VALUES_USER = 0 };
const struct values_kind *values_kinds(void);

/* Gives back what values_kinds() made; before MPI_Finalize. */
void values_end(void);

extern void (*values_on_combine)(void);

/* Fills @count elements with @rank's contribution. */
void values_fill(const struct values_kind *kind, void *buffer, int count,
                 const struct values_team *team, int rank, int number);

/* Reads from a result how often each world rank is in it into @times. Returns NULL, or what is
 * wrong. */
const char *values_read(const struct values_kind *kind, const void *buffer, int count,
                        const struct values_team *team, int number, int8_t times[8]);

#endif
