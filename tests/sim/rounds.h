/* rounds: blocks that are too large for messages. Each process writes its block into its memory, in
 * rounds, and reads the blocks of the others there (shim/protocols/rounds.h).
 *
 * The library's own code decides what a process does next, what it writes and where, from whom it
 * takes, which blocks it has, and when a place is free (shim/engine/rounds.h). It also joins what
 * the votes say (shim/protocols/round_status.h). Here is the memory that these decisions are about.
 * A round's vote is an operation of the scenario. There is always memory, and each process is in
 * one call at a time.
 */
#ifndef FTC_SIM_ROUNDS_H
#define FTC_SIM_ROUNDS_H

#include "engine/rounds.h"
#include "scenario.h"

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

/* What the others see is the operation, the word, heads and units. */
struct sim_place {
    int8_t op; /* that began the call which it was taken for last; -1: none */
    uint32_t shown;
    struct ftc_rounds_region use;
    uint32_t reader[SIM_MAX_N]; /* for use */
    struct sim_rounds_head head[2];
    struct sim_rounds_unit unit[SIM_PLACE_UNITS];
};

/* What a process has of one rank's block. */
struct sim_rounds_from {
    struct ftc_rounds_source source;
    uint8_t units;
    uint8_t staying; /* units that are to be read at the end, where they are */
    struct sim_rounds_unit unit[SIM_BLOCK_MOST_UNITS];
};

/* Each step is a turn. To take and to read is a turn for each rank. */
struct sim_rounds {
    struct sim_place place[SIM_MAX_PLACES];
    struct ftc_rounds_progress progress;
    int own;                     /* its place of the call */
    int8_t first_op;             /* that began the call */
    int at;                      /* the rank that it takes or reads from next */
    uint64_t who;                /* by the vote of the round: these have written */
    uint64_t whole[SIM_MAX_OPS]; /* by the operation that began a call: whose blocks it has */
    bool has_ended[SIM_MAX_OPS]; /* such a call, with blocks */
    struct sim_rounds_from from[SIM_MAX_N];
};

/* @rank, in no call yet. */
void sim_rounds_reset(struct sim *s, int rank);

/* @rank begins the next round of its call, or a call. */
void sim_rounds_begin(struct sim *s, int rank);

/* Whether the call goes on with another round. */
static inline bool sim_rounds_is_again(const struct sim_rounds *p)
{
    return p->progress.step == FTC_ROUNDS_WRITE;
}

/* Whether a turn of @rank would come to anything: it may wait for a place. */
bool sim_rounds_can_turn(const struct sim *s, int rank);

/* One turn; true: now comes the vote of the round; or, after that vote, the next round or call. */
bool sim_rounds_turn(struct sim *s, int rank);

/* The vote of @rank has a result. */
void sim_rounds_hear(struct sim *s, int rank);

/* @rank dies, in the middle of what it would have done next. */
void sim_rounds_die(struct sim *s, int rank);

/* At the end: what the calls gave to the survivors. */
void sim_rounds_check_end(struct sim *s);

#endif
