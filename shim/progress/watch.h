/* watch: who looks on at the operations of this rank: fault injection (crash.h) and the trace
 * (trace.h). One word says that nobody does. */
#ifndef FTC_PROGRESS_WATCH_H
#define FTC_PROGRESS_WATCH_H

#include "communicator/communicator.h"
#include "engine/operation.h"

/* In MPI_Init, once there is a board; 0 or -ENOMEM. */
int ftc_watch_open(void);

/* The functions below are to be called only if this is true. */
extern bool ftc_watched;

/* The operation on @c has been prepared; its first sends have been carried out. */
void ftc_watch_begin(struct ftc_comm *c);
void ftc_watch_begun(struct ftc_comm *c);

/* It may have come into another phase. */
void ftc_watch_step(struct ftc_comm *c);

void ftc_watch_before_send(struct ftc_comm *c);
void ftc_watch_sent(struct ftc_comm *c, const struct ftc_send *s);

/* @m, from member @from, is about to be given to it. */
void ftc_watch_receive(const struct ftc_comm *c, int from, const struct ftc_message *m);

/* It has been told that @member is dead; that @member has left with the result of @attempt. */
void ftc_watch_death(const struct ftc_comm *c, int member);
void ftc_watch_published(const struct ftc_comm *c, int member, uint32_t attempt);

/* It is over, and nobody can see its result yet. */
void ftc_watch_end(struct ftc_comm *c);

#endif
