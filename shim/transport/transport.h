/* transport: messages between the ranks of one host, through rings on the board.
 *
 * One ring for each ordered pair of ranks, with one writer and one reader. A writer that dies in
 * the middle of a message leaves a slot without its stamp, which is as good as no message, and
 * disturbs nobody else; a queue that many writers share, such as those below MPI's own
 * point-to-point messages, can be left unusable for all by one death. No operation here blocks,
 * allocates or enters the kernel.
 *
 * Not thread-safe: the caller holds the library's lock.
 */
#ifndef FTC_TRANSPORT_TRANSPORT_H
#define FTC_TRANSPORT_TRANSPORT_H

#include "board/board.h"
#include "engine/message.h"

/* Private ends of the rings between this rank and one other. */
struct ftc_ring_end {
    unsigned char *out, *in;   /* rings to and from the peer */
    uint64_t sent, sent_limit; /* messages written; how many the reader had made room for */
    uint64_t received;
};

struct ftc_transport {
    const struct ftc_board *board;
    uint32_t self; /* board slot */
    struct ftc_ring_end *end;
};

/* Returns 0 or a negative errno. */
int ftc_transport_open(struct ftc_transport *t, const struct ftc_board *board, uint32_t self);
void ftc_transport_close(struct ftc_transport *t);

/* Sends @m, and @note of the call that it belongs to, to board slot @to; false while its ring is
 * full. */
bool ftc_transport_send(struct ftc_transport *t, uint32_t to, const struct ftc_message *m,
                        const struct ftc_envelope *envelope, enum ftc_failure_scheme scheme,
                        size_t value_bytes, const struct ftc_note *note);

/* The oldest message from @from, or NULL. It stays until ftc_transport_drop(). *bytes never exceeds
 * what a ring's slot holds. The other one is the note that came with it. */
const void *ftc_transport_peek(struct ftc_transport *t, uint32_t from, size_t *bytes);
const struct ftc_note *ftc_transport_note(const struct ftc_transport *t, uint32_t from);
void ftc_transport_drop(struct ftc_transport *t, uint32_t from);

/* Values of so many bytes can always be sent, however small those of the program are. */
enum { FTC_TRANSPORT_VALUE_BYTES_MIN = 64 };

/* Bytes of one slot of a ring for messages with values of up to @value_bytes. */
uint32_t ftc_transport_message_stride(size_t value_bytes);

#endif
