/* hosts: the optimistic allreduce beside the best hierarchical one, where a message costs more
 * between hosts than inside of them. */
#ifndef SCALE_HOSTS_H
#define SCALE_HOSTS_H

#include <stdbool.h>

/* Prints a table. Returns how many bars are not met. */
int hosts_measure(bool quick);

#endif
