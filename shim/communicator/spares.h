/* spares: copies of a communicator that are made while all its members live (setting communicators
 * = places).
 *
 * MPICH makes no communicator with a member that is dead. So a call that copies a communicator
 * after a death takes a spare, which has the ranks of the dead, too. The communicator and all its
 * copies share the spares. A copy that the program frees becomes a spare again, unless something of
 * its use may be left in it. */
#ifndef FTC_COMMUNICATOR_SPARES_H
#define FTC_COMMUNICATOR_SPARES_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stdint.h>

/* How many. Each takes one of MPICH's 2048 numbers of communicators, the first 64 of which also
 * calls of MPI_Comm_create_group need. */
enum { FTC_SPARES_OF_WORLD = 16, FTC_SPARES_OF_PART = 4 };

struct ftc_spares;

/* In MPI_Init. */
void ftc_spares_open(void);

/* Makes spares of @comm natively, and waits for all its members. The caller drops them. Returns
 * NULL without memory, or if MPI refuses. */
struct ftc_spares *ftc_spares_make(MPI_Comm comm);

/* Count a user of @s, which may be NULL. The last user that drops the spares frees them. */
struct ftc_spares *ftc_spares_hold(struct ftc_spares *s);
void ftc_spares_drop(struct ftc_spares *s);

/* Returns the spares of @comm, which live as long as @comm, or NULL if it has none. */
struct ftc_spares *ftc_spares_of(MPI_Comm comm);

/* Lets @comm share @s, which may be NULL, until @comm is freed. Without memory the job ends. */
void ftc_spares_share(struct ftc_spares *s, MPI_Comm comm);

/* Lets @to share the spares of @from, if both have the same members in the same order. */
void ftc_spares_inherit(MPI_Comm from, MPI_Comm to);

/* Returns a bit for each spare that this rank cannot take for long. */
uint32_t ftc_spares_kept(const struct ftc_spares *s);

/* Takes spare @i as a copy without the ranks that @dead names. Returns MPI_COMM_NULL if another
 * call has taken it. */
MPI_Comm ftc_spares_take(struct ftc_spares *s, int i, const unsigned char *dead);

/* All ranks have taken @number for one call. Before, two calls may have it on some ranks each; both
 * give it back then. */
void ftc_spares_keep(struct ftc_spares *s, int number);

/* Makes *@comm a spare again, and MPI_COMM_NULL; false: the caller is to free it. */
bool ftc_spares_give_back(MPI_Comm *comm);

/* @comm gets an attribute or hints, which it would still have as a spare. */
void ftc_spares_note_change(MPI_Comm comm);

/* The dead whose ranks @comm has kept, by rank; NULL: none. */
const unsigned char *ftc_spares_missing(MPI_Comm comm);

#endif
