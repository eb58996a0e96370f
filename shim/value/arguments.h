/* arguments: the examination of the arguments of a collective call that the library can carry out.
 *
 * A call is examined when it is planned (collectives/plan.h). It is also examined for the forecast
 * of other settings (program/forecast.h), so the examination reads no setting. It asks MPI about
 * datatypes and operations only. */
#ifndef FTC_VALUE_ARGUMENTS_H
#define FTC_VALUE_ARGUMENTS_H

#include "call/call.h"
#include "datatype.h"

/* The communicator of a call, by which its arguments are judged. */
struct ftc_arguments_comm {
    int rank, size;            /* of an intercommunicator those of the local group */
    int remote_size;           /* of the other group; 0: there is none */
    int sources, destinations; /* of this rank, in a neighborhood */
};

struct ftc_arguments {
    struct ftc_facts facts; /* of the datatype and operation */
    MPI_Count count;        /* of elements in it, if it combines any */
    bool are_valid;         /* native MPI finds nothing wrong with them */
    bool refuses;           /* native MPI is to carry it out, of which not all ranks know */
    bool packs_elements;    /* what ranks give is to be combined, and has another layout on each */
    bool keeps_blocks;      /* a reduction whose elements cannot be combined on their way */
    bool has_addresses; /* a reduction in one group, of elements at addresses of the datatype's */
    bool commutative;   /* false: a reduction in one group that is not */
    size_t value_bytes; /* of the data, of all ranks where each has a block; 0: nobody knows */
};

/* Fills @arguments, which are zero, for @call. */
void ftc_arguments_examine(struct ftc_arguments *arguments, const struct ftc_call *call,
                           const struct ftc_arguments_comm *comm);

/* Bytes of the elements that a rank gives to a reduction or scan; SIZE_MAX if there cannot be as
 * much. */
size_t ftc_arguments_given(const struct ftc_arguments *arguments);

#endif
