/* forms: the calls of one collective that differ in how it is completed. */
#ifndef FORMS_H
#define FORMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Of the call that is in the making: its argument. */
extern MPI_Request form_request;

/* The rest of a plain call that has returned @rv. */
int form_ended(int rv);

/* The rest of a nonblocking call that has returned @rv. */
int form_waited(int rv);

/* Likewise of one that has made a persistent request, which is started @times times, and freed. */
int form_started(int rv, int times);

/* Whether persistent requests of a communicator of @n ranks can be asked for: of ftcoll, while it
 * is active. MPICH 4.0.2 rejects its MPI_Scatter_init, and some of the others wait for ever: what
 * they must give natively is what the plain call gives. */
bool form_persistent_is_sane(int n);

/* A copy of @array, which is no pointer, that the program takes back once the call has returned:
 * the rest of the call begins by overwriting and freeing it. MPICH has read it by then. */
#define LENT(array) ((__typeof__(&*(array)))form_lend(array, sizeof(array)))
void *form_lend(const void *array, size_t bytes);

/* Arguments of a macro that are those of a call. */
#define LIST(...) __VA_ARGS__

/* The call on @comm, of @n ranks, in its form: 0 plain, 1 for large counts, 2 nonblocking, 3
 * persistent, which is started twice: the second time from where the first has left what it
 * received. */
#define FORM_CALL(form, comm, n, name, Iname, arguments, wide_arguments)                           \
    (form == 0   ? form_ended(MPI_##name(LIST arguments, comm))                                    \
     : form == 1 ? form_ended(MPI_##name##_c(LIST wide_arguments, comm))                           \
     : form == 2 ? form_waited(MPI_##Iname(LIST arguments, comm, &form_request))                   \
     : form_persistent_is_sane(n)                                                                  \
         ? form_started(MPI_##name##_init(LIST arguments, comm, MPI_INFO_NULL, &form_request), 2)  \
         : (form_ended(MPI_##name(LIST arguments, comm)),                                          \
            form_ended(MPI_##name(LIST arguments, comm))))

#endif
