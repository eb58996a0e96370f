/* link_hear: reading from a link, by its connection and its UCX path. */
#ifndef FTC_TRANSPORT_LINK_HEAR_H
#define FTC_TRANSPORT_LINK_HEAR_H

#include "link_parts.h"

/* Reads what has arrived by the connection, and advances one that is being opened. */
void ftc_link_progress(struct ftc_links *l, struct ftc_link *link);

/* Reads what has arrived by the UCX paths of all links. */
void ftc_link_check_ucx(struct ftc_links *l);

/* Reads what has arrived by the UCX path and the connection of one link. */
void ftc_link_read_all(struct ftc_links *l, struct ftc_link *link);

/* Makes messages use the connection again. The peer does the same when it reads the
 * announcement. */
void ftc_link_go_back(struct ftc_links *l, struct ftc_link *link);

/* Notes whether the peer's host has got all data of a connection on which no more are sent. */
void ftc_link_note_end(struct ftc_link *link);

#endif
