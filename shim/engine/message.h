/* message: messages between the processes of one operation, and their form on the wire.
 *
 * A message on the wire is one header of a fixed size, then the failed ranks (int32_t each), then
 * the value. Both ends run one build, so fields travel in memory order. */
#ifndef FTC_ENGINE_MESSAGE_H
#define FTC_ENGINE_MESSAGE_H

#include "failure_info.h"

#include <stddef.h>
#include <stdint.h>

enum ftc_message_kind {
    FTC_MESSAGE_EXCHANGE = 1,  /* optimistic allreduce: value of a block of ranks */
    FTC_MESSAGE_UP_CORRECTION, /* sender's original value, to its group */
    FTC_MESSAGE_TREE,          /* value and failure information, to the parent */
    FTC_MESSAGE_BROADCAST,     /* result, down the tree or as correction */
};

/* Outcome of an operation. */
enum ftc_verdict {
    FTC_VERDICT_NONE = 0, /* not decided; in a message: plain data */
    FTC_VERDICT_VALUE,
    FTC_VERDICT_EXCESS, /* more than f failures: there is no value */
};

/* Decided result, which an allreduce broadcasts, publishes on the board, and takes as a LOCK. */
struct ftc_result {
    enum ftc_verdict verdict;
    uint32_t attempt;                      /* attempt that decided it */
    const struct ftc_failure_info *failed; /* ids: ranks that all survivors leave out from now on */
    const void *value;                     /* NULL with EXCESS, and at a non-root of a reduce */
};

struct ftc_message {
    enum ftc_message_kind kind;
    enum ftc_verdict verdict; /* NONE: plain data; else a decided result (broadcast or LOCK) */
    uint32_t attempt;         /* attempt of the sender */
    uint32_t decided;         /* attempt that decided the result */
    uint32_t step;            /* step of an exchange */
    const struct ftc_failure_info *info; /* NULL: none; with a verdict: the result's failed ranks */
    const void *value;                   /* NULL: none */
};

/* Envelope: identity of the operation to which a message belongs. The engine does not use it. */
struct ftc_envelope {
    uint64_t communicator_id;
    uint32_t seq;
    uint32_t signature; /* hash of call, operation, datatype, count and root; must be equal */
};

struct ftc_message_header {
    struct ftc_envelope envelope;
    uint32_t value_bytes;
    uint16_t attempt;
    uint16_t decided;
    uint16_t step;
    uint16_t failed_count; /* length of the list, or the number of scheme count */
    uint8_t kind;
    uint8_t verdict;
    uint8_t flags;
    uint8_t id_count; /* int32_t ranks between header and value, padded to FTC_VALUE_ALIGN */
};

enum { FTC_VALUE_ALIGN = 16 };

/* Returns the bytes of @m on the wire. @value_bytes: length of its value, if it has one. */
size_t ftc_message_wire_bytes(const struct ftc_message *m, enum ftc_failure_scheme scheme,
                              size_t value_bytes);

/* Returns the most bytes that a message with a value of @value_bytes takes. */
size_t ftc_message_max_wire_bytes(size_t value_bytes);

/* Writes @m to @wire, which has room for ftc_message_wire_bytes(). */
void ftc_message_encode(const struct ftc_message *m, const struct ftc_envelope *envelope,
                        enum ftc_failure_scheme scheme, size_t value_bytes, void *wire);

/* Reads the envelope alone. Returns false if @wire is too short for one. */
bool ftc_message_read_envelope(const void *wire, size_t wire_bytes, struct ftc_envelope *envelope);

/* Reads @wire, which may hold anything and may change meanwhile. The value of @m then points into
 * @wire, and its failure information to @info. Returns 0, or -1 for a message that no correct peer
 * sends: unknown kind, verdict or flag, EXCESS with a value, too many ids, ids that @scheme does
 * not send, or a length that does not add up to @wire_bytes. Does not check the ids themselves,
 * because only the engine knows how many ranks there are. */
int ftc_message_decode(const void *wire, size_t wire_bytes, enum ftc_failure_scheme scheme,
                       struct ftc_envelope *envelope, size_t *value_bytes, struct ftc_message *m,
                       struct ftc_failure_info *info);

#endif
