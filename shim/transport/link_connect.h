/* link_connect: how a link gets its connection, from this end or from the other. */
#ifndef FTC_TRANSPORT_LINK_CONNECT_H
#define FTC_TRANSPORT_LINK_CONNECT_H

#include "link_parts.h"

/* The link with @peer, which may have no connection yet; NULL without memory. */
struct ftc_link *ftc_link_of(struct ftc_links *l, uint32_t peer);

/* Connects to the other end, unless that is under way or the last attempt was just now. */
void ftc_link_connect(struct ftc_links *l, struct ftc_link *link);

/* Goes on with the connection that is on its way. */
void ftc_link_progress_next(struct ftc_links *l, struct ftc_link *link);

/* Lets in those that connect to this end, and listens to guest @index. */
void ftc_link_accept_guests(struct ftc_links *l);
void ftc_link_serve_guest(struct ftc_links *l, uint32_t index);

#endif
