/* casualties: ranks of a test program that die together, as its command line says, and the others,
 * who go on. It knows nothing of the library under test. */
#ifndef CASUALTIES_H
#define CASUALTIES_H

#include <stdbool.h>

enum { RANKS_MAX = 16 };

/* Those who are dead, or are about to die; all ranks know it. */
extern bool is_dead[RANKS_MAX];

/* Adds @victims, ranks with commas between them. */
void casualties_add(const char *victims);

/* The same, and if @rank is dead now, it dies. */
void casualties_die(const char *victims, int rank);

/* Waits until all who live have come so far. */
void casualties_meet(void);

#endif
