/* recovery_record: how the survivors recovered from the death of a rank. */
#ifndef FTC_BOARD_RECOVERY_RECORD_H
#define FTC_BOARD_RECOVERY_RECORD_H

#include "board.h"

/* Identifies an operation: @seq counts those of a communicator. @call comes from a board and must
 * be checked. */
struct ftc_operation_id {
    uint64_t communicator_id;
    uint32_t call, seq;
};

/* A copy; times are CLOCK_MONOTONIC. */
struct ftc_recovery_record {
    int noticed_by; /* world rank of the first that met the death in an operation */
    struct ftc_operation_id met_in;
    uint64_t noticed_ns;
    uint64_t recovered_ns; /* when that returned at the last of them; 0: not yet */
    bool is_error;         /* it returned an error, and no result */
};

/* Records that rank @by has met the death of @rank in operation @in, if it is the first. */
void ftc_recovery_record_notice(struct ftc_board *board, uint32_t rank, uint32_t by,
                                const struct ftc_operation_id *in);

/* Takes back that operation @in has met the death of @rank: it has ended with the part of @rank. */
void ftc_recovery_record_take_back(struct ftc_board *board, uint32_t rank,
                                   const struct ftc_operation_id *in);

/* Records that @in returned an error at a survivor, if it is the operation that met the death. To
 * be called before the next function. */
void ftc_recovery_record_fail(struct ftc_board *board, uint32_t rank,
                              const struct ftc_operation_id *in);

/* Records that this operation returned at a survivor at @now_ns. */
void ftc_recovery_record_recovered(struct ftc_board *board, uint32_t rank, uint64_t now_ns);

/* Sets which operation of the next call returned an error, for other hosts; its communicator is 0
 * if none did. */
void ftc_recovery_record_set_error(struct ftc_board *board, uint32_t self,
                                   const struct ftc_operation_id *in);

/* Returns what was set last. */
struct ftc_operation_id ftc_recovery_record_error(const struct ftc_board *board, uint32_t rank);

/* Records that rank @self has ended an operation, in which it knew of @deaths deaths. */
void ftc_recovery_record_settle(struct ftc_board *board, uint32_t self, uint32_t deaths,
                                uint64_t now_ns);

/* Returns whether each living rank has ended an operation with as many, or ended MPI. Then
 * *@when_ns is the time of the last of them. */
bool ftc_recovery_record_is_settled(const struct ftc_board *board, uint32_t deaths,
                                    uint64_t *when_ns);

/* Copies the record of the death of @rank. Returns false if no operation has met the death. */
bool ftc_recovery_record_read(const struct ftc_board *board, uint32_t rank,
                              struct ftc_recovery_record *copy);

/* Returns whether @in is the operation that first met the death of @rank. */
bool ftc_recovery_record_is_of(const struct ftc_board *board, uint32_t rank,
                               const struct ftc_operation_id *in);

#endif
