/* native_part: native MPI makes a communicator, of all or of the survivors, and may be left when it
 * would wait for a dead one for ever. */
#ifndef FTC_NEW_COMMUNICATORS_NATIVE_PART_H
#define FTC_NEW_COMMUNICATORS_NATIVE_PART_H

#include "creation.h"
#include "roll.h"

/* An intercommunicator in the making, of members of two sides. */
struct ftc_between {
    MPI_Group members; /* of both, one side behind the other */
    int first;         /* so many of them are the one in front */
    bool is_second;    /* this rank's side */
    int tag;
    MPI_Comm both, own; /* on the way to it: all members, and this rank's side */
};

/* Makes what @x is for: of @members alone, or with MPI_GROUP_NULL, when nobody is dead, by the call
 * itself. A rank that is none of the members gets nothing. Once @roll is agreed on; @rv is an MPI
 * error code. What @x has to give a communicator beside its members it gets here. */
enum ftc_native_end ftc_native_part(const struct ftc_creation *x, struct ftc_roll *roll,
                                    MPI_Group members, int *rv);

/* Of a call that makes a copy, once somebody is dead: whether there is a spare that no survivor has
 * taken (communicator/spares.h), and takes it. MPI_COMM_NULL: another call has taken it here. */
bool ftc_native_part_has_spare(enum ftc_call_kind kind, const struct ftc_roll *roll);
MPI_Comm ftc_native_part_take_spare(struct ftc_roll *roll);

/* In place of the native part. */
enum ftc_native_end ftc_native_part_by_spare(const struct ftc_creation *x, struct ftc_roll *roll,
                                             int *rv);

/* @made gets the hints of @info, which may be MPI_INFO_NULL. Returns an MPI error code. */
int ftc_native_give_hints(MPI_Info info, MPI_Comm made);

/* The tag with which the survivors make a communicator after the last operation on @c: no other
 * message of MPICH has it. */
int ftc_native_tag(const struct ftc_comm *c);

/* By native MPI, with all members, in two steps, the second of which is the communicator itself and
 * comes whatever the first has returned, as @rv. Both return an MPI error code. */
int ftc_native_gather_sides(struct ftc_between *b);
int ftc_native_bridge_sides(struct ftc_between *b, int rv, MPI_Comm *made);

#endif
