/* forms: the calls of one collective that differ in how it is completed. */
#ifndef FORMS_H
#define FORMS_H

#include <mpi.h>
#include <stdbool.h>

/* Of the call that is in the making: its argument. */
extern MPI_Request form_request;

/* The rest of a nonblocking call that has returned @rv. */
int form_waited(int rv);

/* Likewise of one that has made a persistent request, which is started @times times, and freed. */
int form_started(int rv, int times);

/* Whether persistent requests of a communicator of @n ranks can be asked for: of ftcoll, while it
 * is active. MPICH 4.0.2 rejects its MPI_Scatter_init, and some of the others wait for ever: what
 * they must give natively is what the plain call gives. */
bool form_persistent_is_sane(int n);

/* Arguments of a macro that are those of a call. */
#define LIST(...) __VA_ARGS__

#endif
