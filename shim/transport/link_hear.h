/* link_hear: what comes in by a link, by its connection and by its lane. */
#ifndef FTC_TRANSPORT_LINK_HEAR_H
#define FTC_TRANSPORT_LINK_HEAR_H

#include "link_parts.h"

/* Reads what has come by the connection, also by one that is on its way; */
void ftc_link_progress(struct ftc_links *l, struct ftc_link *link);

/* by the lanes of all links; and by the lane and the connection of one. */
void ftc_link_see_lanes(struct ftc_links *l);
void ftc_link_read_all(struct ftc_links *l, struct ftc_link *link);

/* Has messages go by the connection again; they come by it when the other end has heard so. */
void ftc_link_go_back(struct ftc_links *l, struct ftc_link *link);

/* Notes whether the other end has all, after nothing more is sent. */
void ftc_link_note_end(struct ftc_link *link);

#endif
