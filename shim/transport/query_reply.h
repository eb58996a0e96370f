/* query_reply: query about a rank of another host, and the reply that a monitor process there makes
 * from the board.
 *
 * Queries and replies are bodies of frames (net/connection.h). Each received field is checked
 * before it is used. */
#ifndef FTC_TRANSPORT_QUERY_REPLY_H
#define FTC_TRANSPORT_QUERY_REPLY_H

#include "board/publication.h"

enum ftc_query_kind {
    FTC_QUERY_PUBLISHED = 1, /* the rank's result of an operation */
    FTC_QUERY_ATTEMPT,       /* attempt that the rank has joined */
    FTC_QUERY_CALL,          /* the rank's call in an operation */
    FTC_QUERY_SITES,         /* part of the rank's call sites, as on the board */
    FTC_QUERY_HEARTBEAT,     /* number of the rank's signs of life */
    FTC_QUERY_KILL,          /* order to kill the rank if it is still silent */
};

/* Bytes of a part of the call sites; the last part has the rest. */
enum { FTC_QUERY_SITES_BYTES = 4096 };

/* Query, which is sent as plain bytes. */
struct ftc_query {
    uint64_t communicator_id;
    uint32_t kind; /* enum ftc_query_kind */
    uint32_t rank; /* world rank that the query is about */
    uint32_t seq;  /* number of the operation, or of the part */
    uint32_t value_bytes;
    uint64_t heartbeat; /* of FTC_QUERY_KILL: number of signs of life that the sender knows */
};

/* Data of a "yes", depending on the kind of the query. */
struct ftc_query_reply {
    struct ftc_publication *copy; /* copy of a result, with room for a value */
    uint32_t attempt;
    struct ftc_note note;
    uint64_t heartbeat;
    void *sites;        /* room for a part of the call sites */
    size_t sites_bytes; /* bytes of that part */
};

/* Returns the bytes of the longest reply about a rank of @board. */
size_t ftc_query_reply_bytes_max(const struct ftc_board *board);

/* Writes the reply to @q into @body, which must have room for the longest reply. @copy must have
 * room for a value. Returns the reply's bytes. The reply to an invalid query is a "no". */
size_t ftc_query_reply_write(const struct ftc_board *board, const struct ftc_query *q,
                             struct ftc_publication *copy, void *body);

/* Returns whether the @bytes at @body are a "yes" to @q. If they are, copies the data to @reply. */
bool ftc_query_reply_read(const struct ftc_query *q, const void *body, size_t bytes,
                          struct ftc_query_reply *reply);

#endif
