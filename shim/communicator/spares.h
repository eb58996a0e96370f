/* spares: copies of a communicator that are made while all its members live (setting communicators
 * = places).
 *
 * MPICH cannot make a communicator with a dead member. A call that copies a communicator after a
 * death takes a spare instead, which still has the ranks of the dead. The communicator and all its
 * copies share the spares. A copy that the program frees becomes a spare again, unless traces of
 * its use may be left in it. */
#ifndef FTC_COMMUNICATOR_SPARES_H
#define FTC_COMMUNICATOR_SPARES_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stdint.h>

/* Number of spares of a communicator with all ranks of the job, and of a smaller one. Each spare
 * takes one of MPICH's 2048 context ids. There are few spares because they take them from the first
 * 64 ids, which calls of MPI_Comm_create_group need as well. */
enum { FTC_SPARES_OF_WORLD = 16, FTC_SPARES_OF_PART = 4 };

struct ftc_spares;

/* Sets the callback that drops spares when a communicator is freed. Called in MPI_Init. */
void ftc_spares_open(void);

/* Makes spares of @comm natively, and waits for all its members. The caller drops them. Returns
 * NULL if MPI returns an error. Without memory the job ends. */
struct ftc_spares *ftc_spares_make(MPI_Comm comm);

/* Counts one more user of @s, which may be NULL. Returns @s. */
struct ftc_spares *ftc_spares_hold(struct ftc_spares *s);
/* Gives up one use of @s, which may be NULL. The last user frees the spares. */
void ftc_spares_drop(struct ftc_spares *s);

/* Returns the spares of @comm, which live as long as @comm, or NULL if it has none. @comm may be
 * any handle. */
struct ftc_spares *ftc_spares_of(MPI_Comm comm);

/* Lets @comm share @s until @comm is freed. Does nothing if @s is NULL or @comm has spares. Without
 * memory the job ends. */
void ftc_spares_share(struct ftc_spares *s, MPI_Comm comm);

/* Lets @to share the spares of @from, if both have the same members in the same order. @to may be
 * MPI_COMM_NULL. */
void ftc_spares_inherit(MPI_Comm from, MPI_Comm to);

/* Returns the spares that this rank cannot take, a bit for each number: those that
 * ftc_spares_keep() has marked, and those that do not exist. A spare that another call may still
 * give back is not among them. */
uint32_t ftc_spares_kept(const struct ftc_spares *s);

/* Takes spare @i as a copy that leaves out the ranks for which @dead, by rank, is not 0. Returns
 * MPI_COMM_NULL if another call has taken the spare, or without memory, which ends the job. */
MPI_Comm ftc_spares_take(struct ftc_spares *s, int i, const unsigned char *dead);

/* Notes that all ranks have taken spare @number for the same call. Until then, two calls may have
 * taken it, each on some of the ranks; both then give it back. */
void ftc_spares_keep(struct ftc_spares *s, int number);

/* Makes *@comm a spare again and sets the handle to MPI_COMM_NULL. Returns false if that is not
 * possible: the caller then frees *@comm. @comm may be NULL. */
bool ftc_spares_give_back(MPI_Comm *comm);

/* Notes that @comm gets an attribute or hints, which it would still have as a spare. */
void ftc_spares_note_change(MPI_Comm comm);

/* Returns an array by rank of @comm, with a value other than 0 for each rank that is left out
 * because it was dead when @comm was taken as a spare. The array lives as long as @comm. Returns
 * NULL if @comm was no spare. */
const unsigned char *ftc_spares_missing(MPI_Comm comm);

#endif
