/* rounds: blocks that are too large for messages. Each process writes its block into its memory, in
 * rounds, and reads the blocks of the others there (shim/protocols/rounds.h).
 *
 * The vote of each round is the engine's, and what it says is joined by the library's own code
 * (shim/protocols/round_status.h). A MODEL is what is around it, written from doc/design.md,
 * section 12: places in shared memory (shim/board/bulk.c), writing
 * (shim/protocols/rounds_memory.c), and taking (shim/protocols/rounds.c). A round's vote
 * is an operation of the scenario. There is always memory, and each process is in one call at a
 * time.
 */
#ifndef FTC_SIM_ROUNDS_H
#define FTC_SIM_ROUNDS_H

#include "scenario.h"

#include <stdint.h>

/* A block of up to two units is written at once, in all of the place, as in the library; so a
 * longer one takes three rounds at least, in halves. */
enum {
    SIM_HALF_UNITS = 1,
    SIM_PLACE_UNITS = 2 * SIM_HALF_UNITS,
    SIM_BLOCK_MOST_UNITS = 4, /* of a rank */
};

struct sim;

struct sim_rounds_unit {
    uint8_t rank, number;
    int8_t op;     /* that began the call */
    bool is_wrong; /* half written, or never */
};

/* Of a round, and of the one before. */
struct sim_rounds_head {
    uint8_t units, left; /* of the block; after them */
};

/* What the others see is the operation, has_read, heads and units. */
struct sim_place {
    int8_t op; /* that began the call which it is taken for; -1: free */
    bool has_read;
    bool is_left;     /* its owner has returned, and */
    uint64_t readers; /* these ranks may still read */
    struct sim_rounds_head head[2];
    struct sim_rounds_unit unit[SIM_PLACE_UNITS];
};

/* What a process has of one rank's block. */
struct sim_rounds_from {
    uint8_t units;
    uint8_t staying; /* units that are to be read at the end, where they are */
    bool is_whole;
    struct sim_rounds_unit unit[SIM_BLOCK_MOST_UNITS];
};

/* What a process does next; each is a turn. */
enum sim_rounds_step {
    SIM_ROUNDS_PLACE, /* waits for a place, and takes it */
    SIM_ROUNDS_WRITE,
    SIM_ROUNDS_TAKE, /* from one rank, after the vote of a round */
    SIM_ROUNDS_READ, /* from one rank, after the last round: what has stayed where it is */
    SIM_ROUNDS_LEAVE,
};

struct sim_rounds {
    struct sim_place place[SIM_MAX_PLACES];
    enum sim_rounds_step step;
    bool is_again;               /* after the vote of a round: another one follows */
    int own;                     /* its place of the call */
    int8_t first_op;             /* that began the call */
    uint8_t round, written;      /* units, of the own block */
    int at;                      /* the rank that TAKE or READ comes to */
    uint64_t who;                /* by the vote of the round: these have written */
    uint64_t whole[SIM_MAX_OPS]; /* by the operation that began a call: whose blocks it has */
    bool has_ended[SIM_MAX_OPS]; /* such a call, with blocks */
    struct sim_rounds_from from[SIM_MAX_N];
};

/* @rank, in no call yet. */
void sim_rounds_reset(struct sim *s, int rank);

/* @rank begins the next round of its call, or a call. */
void sim_rounds_begin(struct sim *s, int rank);

/* Whether a turn of @rank would come to anything: it may wait for a place. */
bool sim_rounds_can_turn(const struct sim *s, int rank);

/* One turn; true: now comes the vote of the round; or, after that vote, the next round or call. */
bool sim_rounds_turn(struct sim *s, int rank);

/* What @rank says in the vote: units that it has left. */
uint64_t sim_rounds_left(const struct sim *s, int rank);

/* It has a result. */
void sim_rounds_hear(struct sim *s, int rank);

/* @rank dies, in the middle of what it would have done next. */
void sim_rounds_die(struct sim *s, int rank);

/* At the end: what the calls gave to the survivors. */
void sim_rounds_check_end(struct sim *s);

#endif
