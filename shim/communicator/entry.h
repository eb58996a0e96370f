/* entry: the board entry in which this rank publishes for a communicator. */
#ifndef FTC_COMMUNICATOR_ENTRY_H
#define FTC_COMMUNICATOR_ENTRY_H

#include "communicator.h"

/* Allocates the state of the entries. Called in MPI_Init. Returns 0 or -ENOMEM. */
int ftc_entry_open(void);

/* Sets @c->entry and opens that entry for @c->id. Returns 0, or -ENOSPC if no entry is free. */
int ftc_entry_take(struct ftc_comm *c);
/* Gives back the entry of @c, which this rank has freed. The entry's content stays for ranks that
 * have not freed @c yet. */
void ftc_entry_give_back(const struct ftc_comm *c);

#endif
