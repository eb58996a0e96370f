/* link_send: what goes out by a link, and that a link is missing. */
#ifndef FTC_TRANSPORT_LINK_SEND_H
#define FTC_TRANSPORT_LINK_SEND_H

#include "link_parts.h"

bool ftc_link_has_unsent(const struct ftc_link *link);

/* Sends what there is, as far as the other end takes it. */
void ftc_link_push(struct ftc_links *l, struct ftc_link *link);

/* Notes that there is no connection, again or still; */
void ftc_link_miss(struct ftc_links *l, struct ftc_link *link);

/* and that it is broken, if it is. */
void ftc_link_note_break(struct ftc_links *l, struct ftc_link *link);

#endif
