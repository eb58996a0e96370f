/* drive: moves messages, news of deaths and published results between the engine and the world
 * until an operation is done. All of it with the library's lock held. */
#ifndef FTC_PROGRESS_DRIVE_H
#define FTC_PROGRESS_DRIVE_H

#include "running.h"

enum ftc_drive_outcome {
    FTC_DRIVE_DONE = 0,  /* c->running->op.result is the outcome */
    FTC_DRIVE_MISMATCH,  /* ranks have called different operations: see mismatch.h */
    FTC_DRIVE_NO_MEMORY, /* before the first message */
};

/* The needs of an operation besides the communicator's own state. */
struct ftc_drive_request {
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

/* Begins the next operation on @c, which has none running, and numbers it c->seq; its messages
 * carry the signature of c->running->note (ftc_mismatch_enter()). False without memory for it. */
bool ftc_drive_begin(struct ftc_comm *c, const struct ftc_drive_request *request);

/* Moves the operation that runs on @c by all that is no message: its prelude, room for its sends,
 * deaths, published results. True if anything has happened. */
bool ftc_drive_look_after(struct ftc_comm *c);

bool ftc_drive_is_over(const struct ftc_comm *c);

/* After that. */
enum ftc_drive_outcome ftc_drive_end(struct ftc_comm *c);

#endif
