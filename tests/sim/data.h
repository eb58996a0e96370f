/* data: the memory in which the data phases of large operations move their data, and how a process
 * goes through one (shim/engine/data_phase.h is the code of the library).
 *
 * What is reduced is a row of units; each says whose contributions it is made of, in which order,
 * and which unit of which operation it is. */
#ifndef FTC_SIM_DATA_H
#define FTC_SIM_DATA_H

#include "engine/data_phase.h"
#include "scenario.h"

enum { SIM_UNITS = 7, SIM_BLOCK_UNITS = 2 }; /* four blocks: one slot is used again */

struct sim;

struct sim_unit {
    uint64_t expression; /* order and nesting */
    uint64_t ranks;      /* whose contributions */
    int32_t number, op;
    bool is_wrong; /* twice the same contribution, or of two units or operations, or half written */
};

struct sim_data {
    struct ftc_data_phase phase;
    struct sim *sim;
    int rank;
    int shown_op; /* what it shows is of this operation; -1: of none yet */
    uint32_t shown;
    bool is_incomplete; /* the last vote has said so: the operation is to be tried again */
    int first_op;       /* that began it */
    struct sim_unit slot[FTC_SCHEDULE_SLOTS][SIM_BLOCK_UNITS];
    struct sim_unit buffer[SIM_UNITS]; /* the result; a broadcast's data */
};

/* @rank, in no operation yet. */
void sim_data_reset(struct sim *s, int rank);

/* @rank begins the data phase of its operation. */
void sim_data_begin(struct sim *s, int rank);

/* Whether a turn of @rank, which is in a data phase, would come to anything. */
bool sim_data_can_turn(const struct sim *s, int rank);

/* One turn; true: it is over, and the vote begins. */
bool sim_data_turn(struct sim *s, int rank);

/* @rank dies in a data phase, in the middle of what it would have done next. */
void sim_data_die(struct sim *s, int rank);

/* Checks what @rank has after a vote that everything is complete. */
void sim_data_check(struct sim *s, int rank);

#endif
