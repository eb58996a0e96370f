/* entry: the place on the board in which this rank publishes for a communicator. */
#ifndef FTC_COMMUNICATOR_ENTRY_H
#define FTC_COMMUNICATOR_ENTRY_H

#include "communicator.h"

/* In MPI_Init; 0 or -ENOMEM. */
int ftc_entry_open(void);

/* Sets @c->entry and opens it for @c->id; 0, or -ENOSPC if none is free. */
int ftc_entry_take(struct ftc_comm *c);
void ftc_entry_give_back(const struct ftc_comm *c);

#endif
