/* link_hear: reading from a link, by its connection and by its UCX path. */
#ifndef FTC_TRANSPORT_LINK_HEAR_H
#define FTC_TRANSPORT_LINK_HEAR_H

#include "link_parts.h"

/* Reads what has come by the connection, also by one that is on its way. */
void ftc_link_progress(struct ftc_links *l, struct ftc_link *link);

/* Reads what has come by the UCX paths of all links. */
void ftc_link_check_ucx(struct ftc_links *l);

/* Reads what has come by the UCX path and the connection of one link. */
void ftc_link_read_all(struct ftc_links *l, struct ftc_link *link);

/* Sends messages by the connection again. The peer does so when it has read the announcement. */
void ftc_link_go_back(struct ftc_links *l, struct ftc_link *link);

/* Notes whether the peer's host has all data of a connection on which nothing more is sent. */
void ftc_link_note_end(struct ftc_link *link);

#endif
