/* arguments: the examination of the arguments of a collective call that the library can carry out.
 *
 * A call is examined when it is planned (collectives/plan.h). It is also examined for the forecast
 * of other settings (program/forecast.h), so the examination reads no setting. It asks MPI about
 * datatypes and operations only. */
#ifndef FTC_VALUE_ARGUMENTS_H
#define FTC_VALUE_ARGUMENTS_H

#include "call/call.h"
#include "datatype.h"

/* Facts of a call's communicator, against which its arguments are checked. */
struct ftc_arguments_comm {
    int rank, size;            /* of the local group, on an intercommunicator */
    int remote_size;           /* of the remote group; 0: not an intercommunicator */
    int sources, destinations; /* of this rank, in a neighborhood collective */
};

struct ftc_arguments {
    struct ftc_facts facts; /* of the datatype and operation */
    MPI_Count count;        /* elements that the call combines, if any */
    bool are_valid;         /* native MPI accepts the arguments */
    bool refuses;           /* native MPI must carry the call out, which not all ranks know */
    bool packs_elements;    /* elements to combine travel packed: each rank has another layout */
    bool keeps_blocks;      /* reduction whose elements cannot be combined on their way */
    bool has_addresses;     /* reduction in one group; the datatype has the elements' addresses */
    bool commutative;       /* false: reduction in one group that is not */
    size_t value_bytes;     /* of the data, of all ranks if each has a block; 0: not all know */
};

/* Fills @arguments for @call. All fields of @arguments must be zero before. */
void ftc_arguments_examine(struct ftc_arguments *arguments, const struct ftc_call *call,
                           const struct ftc_arguments_comm *comm);

/* Returns the bytes of the elements that a rank gives to a reduction or scan; SIZE_MAX if no memory
 * can hold as much. */
size_t ftc_arguments_given(const struct ftc_arguments *arguments);

#endif
