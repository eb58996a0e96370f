/* link: messages between ranks of different hosts, over TCP.
 *
 * A pair of ranks has one connection, which is opened when one of them has a message for the other.
 * If both connect at the same time, the connection of the lower rank stays. A rank listens at the
 * address of its host in the directory (board/directory.h). It accepts only peers that prove that
 * they belong to the job (net/handshake.h). At most FTC_LINK_GUESTS connections may wait for that
 * proof.
 *
 * A broken connection is no death: the monitor processes of the other host report deaths. Until
 * they do, a rank that looks after its links connects again. No message is lost or arrives twice
 * (reliable.h), and meanwhile the link takes none. If the other host does not answer for long,
 * ftc_links_lost() reports that. A rank that leaves announces it, and its peers then do not connect
 * again.
 *
 * If both ends have a faster network that UCX knows, messages take a UCX path beside the connection
 * (ucx_path.h). The connection stays open for all other frames. */
#ifndef FTC_TRANSPORT_LINK_H
#define FTC_TRANSPORT_LINK_H

#include "transport.h"

/* Sets *@links to the links of rank @self with ranks of other hosts, which connect to @listener.
 * Messages use @fabric where the peer has it too; NULL: there is none. Takes over both unless it
 * fails. Returns 0 or a negative errno. */
int ftc_links_open(struct ftc_links **links, const struct ftc_board *board, uint32_t self,
                   int listener, struct ftc_fabric *fabric);
void ftc_links_close(struct ftc_links *l);

/* Sends a message as ftc_transport_send() does. Each function from here on does what the function
 * with the matching name in transport.h does. @l must not be NULL. */
bool ftc_links_send(struct ftc_links *l, uint32_t to, const struct ftc_message *m,
                    const struct ftc_envelope *envelope, enum ftc_failure_scheme scheme,
                    size_t value_bytes, const struct ftc_note *note);
bool ftc_links_next(struct ftc_links *l, struct ftc_arrival *a);
bool ftc_links_next_from(struct ftc_links *l, uint32_t from, struct ftc_arrival *a);
void ftc_links_release(struct ftc_links *l, struct ftc_arrival *a);
bool ftc_links_look(struct ftc_links *l);
void ftc_links_await(struct ftc_links *l, bool soon);
void ftc_links_wake(const struct ftc_links *l);
bool ftc_links_are_out(const struct ftc_links *l);
int ftc_links_lost(const struct ftc_links *l, int ms);
bool ftc_links_finish(struct ftc_links *l);
struct ftc_links_count ftc_links_count(const struct ftc_links *l);

#endif
