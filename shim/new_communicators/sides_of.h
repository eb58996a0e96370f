/* sides_of: the two groups of an intercommunicator, or of one in the making. */
#ifndef FTC_NEW_COMMUNICATORS_SIDES_OF_H
#define FTC_NEW_COMMUNICATORS_SIDES_OF_H

#include <mpi.h>
#include <stdbool.h>

struct ftc_sides_of {
    MPI_Group side[2]; /* the one with the lowest rank first */
    MPI_Group leaders; /* of one in the making */
    bool is_second;    /* this rank's side */
};

#define FTC_SIDES_OF_NONE                                                                          \
    (struct ftc_sides_of)                                                                          \
    {                                                                                              \
        .side = {MPI_GROUP_NULL, MPI_GROUP_NULL}, .leaders = MPI_GROUP_NULL                        \
    }

/* Of this rank's group and the other one, which are @sides' from now on. */
void ftc_sides_of_place(struct ftc_sides_of *sides, MPI_Group local, MPI_Group remote);

/* Those of @intercomm. */
void ftc_sides_of_find(struct ftc_sides_of *sides, MPI_Comm intercomm);

/* Also those that are none. */
void ftc_sides_of_free(struct ftc_sides_of *sides);

#endif
