/* link: messages between ranks of different hosts, over TCP.
 *
 * A pair of ranks has one connection, which is opened when one of them has a message for the other.
 * If both connect at the same time, that of the lower rank stays. A rank listens at the address of
 * its host in the directory (board/directory.h), and speaks to nobody who cannot prove that he is
 * of the job (net/handshake.h). How many may wait there for their turn has a bound.
 *
 * A broken link is no death: that comes from the monitor processes of the other host. Until it
 * does, whoever looks connects again, and nothing is lost or comes twice (reliable.h); meanwhile
 * the link takes nothing. If nobody answers for long, ftc_links_lost() tells. A rank that leaves
 * says so, and is not looked for.
 *
 * Where both ends have a faster network that UCX knows, messages take a path by UCX beside the
 * connection (ucx_path.h). The connection stays, for all other frames. */
#ifndef FTC_TRANSPORT_LINK_H
#define FTC_TRANSPORT_LINK_H

#include "transport.h"

/* As ftc_transport_link(). */
int ftc_links_open(struct ftc_links **links, const struct ftc_board *board, uint32_t self,
                   int listener, struct ftc_fabric *fabric);
void ftc_links_close(struct ftc_links *l);

/* As those of transport.h that have the same names; @l is not NULL. */
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
