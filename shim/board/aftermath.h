/* aftermath: how the survivors took the death of a rank. */
#ifndef FTC_BOARD_AFTERMATH_H
#define FTC_BOARD_AFTERMATH_H

#include "board.h"

/* Of an operation: @seq counts those of a communicator. @call, as it is on a board, is to be
 * checked.
 */
struct ftc_operation_id {
    uint64_t communicator_id;
    uint32_t call, seq;
};

/* A copy; times are CLOCK_MONOTONIC. */
struct ftc_aftermath {
    int noticed_by; /* world rank of the first that met the death in an operation */
    struct ftc_operation_id met_in;
    uint64_t noticed_ns;
    uint64_t recovered_ns; /* when that returned at the last of them; 0: not yet */
    bool is_error;         /* it returned an error, and no result */
};

/* Rank @by has met the death of @rank in operation @in: kept if it is the first. */
void ftc_aftermath_notice(struct ftc_board *board, uint32_t rank, uint32_t by,
                          const struct ftc_operation_id *in);

/* At a survivor the operation that met the death returned an error. Said before the next. */
void ftc_aftermath_fail(struct ftc_board *board, uint32_t rank);

/* At a survivor that operation returned at @now_ns. */
void ftc_aftermath_recovered(struct ftc_board *board, uint32_t rank, uint64_t now_ns);

/* Sets whether the operation of the next call returned an error: for other hosts. */
static inline void ftc_aftermath_set_error(struct ftc_board *board, uint32_t self, bool is_error)
{
    atomic_store(&board->shared->rank[self].is_in_error, is_error);
}

/* Rank @self has ended an operation, and knew of @deaths deaths in it. */
void ftc_aftermath_settle(struct ftc_board *board, uint32_t self, uint32_t deaths, uint64_t now_ns);

/* Whether each rank that lives has done so with as many, or ended MPI; *@when_ns is then when the
 * last of them did. */
bool ftc_aftermath_is_settled(const struct ftc_board *board, uint32_t deaths, uint64_t *when_ns);

/* False: no operation has met it. */
bool ftc_aftermath_of(const struct ftc_board *board, uint32_t rank, struct ftc_aftermath *copy);

/* Whether @in is the operation that first met the death of @rank. */
bool ftc_aftermath_is_of(const struct ftc_board *board, uint32_t rank,
                         const struct ftc_operation_id *in);

#endif
