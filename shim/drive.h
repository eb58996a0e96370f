/* drive: the one loop that moves messages, news of deaths and published results between the engine
 * and the world until an operation is done. */
#ifndef FTC_DRIVE_H
#define FTC_DRIVE_H

#include "comm.h"

enum ftc_drive_outcome {
    FTC_DRIVE_DONE = 0,  /* c->op.result is the outcome */
    FTC_DRIVE_MISMATCH,  /* ranks have called different operations */
    FTC_DRIVE_NO_MEMORY, /* before the first message */
};

/* What an operation needs besides the communicator's own state. */
struct ftc_drive_request {
    enum ftc_op_kind kind;
    int root; /* of a reduce: index in member[] */
    size_t value_bytes;
    const void *contribution;
    void (*combine)(void *context, void *into, const void *from); /* NULL: nothing to combine */
    void *context;
    uint32_t signature;
};

/* Carries out the next operation on @c and numbers it c->seq. The caller holds the library's lock;
 * it is given up while there is nothing to do. @mismatched gets the user's rank that called
 * something else. */
enum ftc_drive_outcome ftc_drive(struct ftc_comm *c, const struct ftc_drive_request *request,
                                 int *mismatched);

#endif
