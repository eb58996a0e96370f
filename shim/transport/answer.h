/* answer: what one asks of a rank on another host, and what its monitor process answers from the
 * board there.
 *
 * Questions and answers are the bodies of frames (net/connection.h). Nothing of what comes is used
 * before it is checked. */
#ifndef FTC_TRANSPORT_ANSWER_H
#define FTC_TRANSPORT_ANSWER_H

#include "board/publication.h"

enum ftc_question_kind {
    FTC_ASK_PUBLISHED = 1, /* its result of an operation */
    FTC_ASK_ATTEMPT,       /* the attempt that it has joined */
    FTC_ASK_CALL,          /* its call in an operation */
    FTC_ASK_SITES,         /* a part of its call sites, as the board has them */
    FTC_ASK_HEARTBEAT,     /* how often it has given a sign of life */
    FTC_ASK_END,           /* to end it, if it has given none since it had that heartbeat */
};

/* Bytes of such a part; the last one has what is left. */
enum { FTC_ANSWER_SITES_BYTES = 4096 };

/* Plain bytes. */
struct ftc_question {
    uint64_t communicator_id;
    uint32_t kind; /* enum ftc_question_kind */
    uint32_t rank; /* world rank that it is about */
    uint32_t seq;  /* of the operation, or of the part */
    uint32_t value_bytes;
    uint64_t heartbeat;
};

/* The data of a yes, by its kind. */
struct ftc_answer {
    struct ftc_publication *copy; /* with room for a value */
    uint32_t attempt;
    struct ftc_note note;
    uint64_t heartbeat;
    void *sites;        /* room for the part that is asked for, */
    size_t sites_bytes; /* which has so many */
};

/* Bytes of the longest answer about a rank of @board. */
size_t ftc_answer_bytes_max(const struct ftc_board *board);

/* Answers @q into @body, which has room for the longest; @copy has room for a value. Returns its
 * bytes: of "no" also for what cannot be asked. */
size_t ftc_answer_write(const struct ftc_board *board, const struct ftc_question *q,
                        struct ftc_publication *copy, void *body);

/* Whether the @bytes of @body say yes to @q: then @answer has it. */
bool ftc_answer_read(const struct ftc_question *q, const void *body, size_t bytes,
                     struct ftc_answer *answer);

#endif
