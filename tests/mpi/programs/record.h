/* record: what each rank of a test job writes down about each operation. The file is mapped, so
 * that what a rank has written stays there when it is killed, and writing costs no system call. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stdint.h>

enum { RECORD_MAX_RANKS = 8, RECORD_UNKNOWN = -1 };

struct record {
    uint32_t entered, returned; /* 0 or 1 */
    uint32_t is_allreduce;
    uint32_t comm;                  /* which communicator: 0 is MPI_COMM_WORLD */
    uint32_t members;               /* of that communicator, as a bit mask of world ranks */
    int32_t root;                   /* world rank; of an allreduce 0 */
    int32_t has_result;             /* this rank got one */
    int32_t error_class;            /* what the call returned */
    uint32_t digest;                /* of all bytes of the result */
    int8_t times[RECORD_MAX_RANKS]; /* how often each rank is in it, or RECORD_UNKNOWN */
    char wrong[64];                 /* what is wrong with the values, or "" */
};

struct record_file {
    uint32_t rank, n, ops;
    uint32_t finished; /* 1: all operations, 2: MPI_Finalize too */
    uint64_t seed;
    _Atomic uint32_t reached; /* the operation that this rank has come to */
    struct record op[];
};

/* Creates the file rank.RANK in the working directory. NULL after a message. */
struct record_file *record_create(int rank, int n, int ops);

/* Maps an existing one for reading. NULL, silently, if there is none. */
const struct record_file *record_open(int rank);

/* This rank comes to operation @number. */
void record_reach(struct record_file *own, int number);

/* Returns when all ranks, which must all live, have come to operation @number. Uses no MPI: it does
 * not depend on what is tested. */
void record_meet(struct record_file *own, int number);

/* True if another rank than @own is through with all its operations. */
bool record_another_finished(const struct record_file *own);

#endif
