/* loop: the progress loop of an operation: moves messages and peer events between the engine and
 * the other ranks until the operation is over. All with the library's lock held. */
#ifndef FTC_PROGRESS_LOOP_H
#define FTC_PROGRESS_LOOP_H

#include "running.h"

enum ftc_loop_outcome {
    FTC_LOOP_DONE = 0,  /* c->running->op.result is the outcome */
    FTC_LOOP_MISMATCH,  /* ranks have called different operations: see mismatch.h */
    FTC_LOOP_NO_MEMORY, /* before the first message */
};

/* The description of an operation, besides the communicator's own state. */
struct ftc_loop_request {
    const struct ftc_call *call; /* of the program; stays until the operation is over */
    enum ftc_op_kind kind;
    int root;           /* of a reduce: index in member[] */
    bool direct;        /* likewise: struct ftc_op_config */
    size_t value_bytes; /* room for a value */
    const void *contribution;
    void (*combine)(void *context, void *into, const void *from); /* NULL: nothing to combine */
    void *context;
    size_t (*used_bytes)(const void *value); /* of a value; NULL: all of them */
    struct ftc_prelude *prelude; /* comes before all that; NULL: nothing. Stays till it is over */
};

/* Begins the next operation on @c, which has none running, and numbers it c->seq. Its messages
 * carry the signature of c->running->note (ftc_mismatch_enter()). Returns false without memory. */
bool ftc_loop_begin(struct ftc_comm *c, const struct ftc_loop_request *request);

/* Advances the operation that runs on @c by all that is no message: its prelude, room for its
 * sends, deaths, published results. Returns true if anything has happened. */
bool ftc_loop_look_after(struct ftc_comm *c);

bool ftc_loop_is_over(const struct ftc_comm *c);

/* Ends the operation once it is over. */
enum ftc_loop_outcome ftc_loop_end(struct ftc_comm *c);

#endif
