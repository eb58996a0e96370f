/* link_connect: opening of a link's connection, by this end or by the other. */
#ifndef FTC_TRANSPORT_LINK_CONNECT_H
#define FTC_TRANSPORT_LINK_CONNECT_H

#include "link_parts.h"

/* Returns the link with @peer, and makes it if there is none yet. It may have no connection.
 * Returns NULL without memory. */
struct ftc_link *ftc_link_of(struct ftc_links *l, uint32_t peer);

/* Connects to the other end. Without effect if a connection is being opened or the other host is in
 * contact, and within FTC_LINK_AGAIN_NS of the last attempt. */
void ftc_link_connect(struct ftc_links *l, struct ftc_link *link);

/* Advances the connection that is being opened. */
void ftc_link_progress_next(struct ftc_links *l, struct ftc_link *link);

/* Accepts connections as guests, which have to prove that they belong to the job. */
void ftc_link_accept_guests(struct ftc_links *l);

/* Reads from guest @index. Once the guest has proved who it is, makes it the connection of its link
 * or refuses it. */
void ftc_link_serve_guest(struct ftc_links *l, uint32_t index);

#endif
