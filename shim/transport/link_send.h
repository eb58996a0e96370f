/* link_send: sending by a link, and noting that its connection is missing or broken. */
#ifndef FTC_TRANSPORT_LINK_SEND_H
#define FTC_TRANSPORT_LINK_SEND_H

#include "link_parts.h"

bool ftc_link_has_unsent(const struct ftc_link *link);

/* Sends what is due, as far as the connection takes it. */
void ftc_link_push(struct ftc_links *l, struct ftc_link *link);

/* Notes that the link has no connection, from now on or still. */
void ftc_link_miss(struct ftc_links *l, struct ftc_link *link);

/* Notes that the connection is broken, if it is. */
void ftc_link_note_break(struct ftc_links *l, struct ftc_link *link);

#endif
