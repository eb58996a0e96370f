/* loop: the progress loop of an operation. It moves messages and peer events between the engine and
 * the other ranks until the operation is over. The caller of each function holds the library's
 * lock. */
#ifndef FTC_PROGRESS_LOOP_H
#define FTC_PROGRESS_LOOP_H

#include "running.h"

enum ftc_loop_outcome {
    FTC_LOOP_DONE = 0,  /* result in c->running->op.result */
    FTC_LOOP_MISMATCH,  /* ranks have called different operations (mismatch.h) */
    FTC_LOOP_NO_MEMORY, /* no memory; nothing has been sent */
};

/* Description of an operation, besides the state of the communicator. */
struct ftc_loop_request {
    const struct ftc_call *call; /* the program's call; valid until the operation is over */
    enum ftc_op_kind kind;
    int root;           /* root of a reduce, as an index in member[] */
    bool direct;        /* direct reduce (struct ftc_op_config) */
    size_t value_bytes; /* size of the largest value */
    const void *contribution;
    void (*combine)(void *context, void *into, const void *from); /* NULL: no data to combine */
    void *context;
    size_t (*used_bytes)(const void *value); /* bytes of a value that are in use; NULL: all */
    /* Part of the operation before its first message; NULL: none. Must stay until the part is
     * over. */
    struct ftc_prelude *prelude;
};

/* Begins the next operation on @c, with number c->seq. No operation may be running there. The
 * messages carry the signature of c->running->note, which ftc_mismatch_enter() sets. Returns false
 * if there is no memory. */
bool ftc_loop_begin(struct ftc_comm *c, const struct ftc_loop_request *request);

/* Advances the operation that runs on @c, except by messages to this rank alone: its prelude,
 * pending sends, messages to all, deaths, and published results. Returns whether it has made
 * progress. */
bool ftc_loop_look_after(struct ftc_comm *c);

/* Returns whether the operation has ended: it has its result and all its messages are out, or a
 * mismatch was found. */
bool ftc_loop_is_over(const struct ftc_comm *c);

/* Ends an operation that is over. Publishes the result of an allreduce, or reports a mismatch to
 * the other members. */
enum ftc_loop_outcome ftc_loop_end(struct ftc_comm *c);

#endif
