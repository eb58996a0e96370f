/* query_reply: the query about a rank of another host, and the reply that a monitor process there
 * makes from the board.
 *
 * Queries and replies are bodies of frames (net/connection.h). Each received field is checked
 * before it is used. */
#ifndef FTC_TRANSPORT_QUERY_REPLY_H
#define FTC_TRANSPORT_QUERY_REPLY_H

#include "board/publication.h"

enum ftc_query_kind {
    FTC_QUERY_PUBLISHED = 1, /* its result of an operation */
    FTC_QUERY_ATTEMPT,       /* the attempt that it has joined */
    FTC_QUERY_CALL,          /* its call in an operation */
    FTC_QUERY_SITES,         /* a part of its call sites, as the board has them */
    FTC_QUERY_HEARTBEAT,     /* how often it has given a sign of life */
    FTC_QUERY_KILL,          /* to end it, if it has given none since it had that heartbeat */
};

/* Bytes of such a part; the last one has what is left. */
enum { FTC_QUERY_SITES_BYTES = 4096 };

/* Plain bytes. */
struct ftc_query {
    uint64_t communicator_id;
    uint32_t kind; /* enum ftc_query_kind */
    uint32_t rank; /* world rank that the query is about */
    uint32_t seq;  /* of the operation, or of the part */
    uint32_t value_bytes;
    uint64_t heartbeat;
};

/* The data of a "yes", by the query's kind. */
struct ftc_query_reply {
    struct ftc_publication *copy; /* with room for a value */
    uint32_t attempt;
    struct ftc_note note;
    uint64_t heartbeat;
    void *sites;        /* room for the part that is asked for, */
    size_t sites_bytes; /* which has so many */
};

/* Bytes of the longest reply about a rank of @board. */
size_t ftc_query_reply_bytes_max(const struct ftc_board *board);

/* Writes the reply to @q into @body, which has room for the longest; @copy has room for a value.
 * Returns the reply's bytes. A query that makes no sense gets a "no". */
size_t ftc_query_reply_write(const struct ftc_board *board, const struct ftc_query *q,
                             struct ftc_publication *copy, void *body);

/* Returns whether the @bytes of @body are a "yes" to @q, and then copies its data to @reply. */
bool ftc_query_reply_read(const struct ftc_query *q, const void *body, size_t bytes,
                          struct ftc_query_reply *reply);

#endif
