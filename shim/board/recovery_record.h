/* recovery_record: recovery of the survivors from the death of a rank. */
#ifndef FTC_BOARD_RECOVERY_RECORD_H
#define FTC_BOARD_RECOVERY_RECORD_H

#include "board.h"

/* Identification of an operation. @seq is its number among those of the communicator. @call comes
 * from a board and must be checked. */
struct ftc_operation_id {
    uint64_t communicator_id;
    uint32_t call, seq;
};

/* Copy of a record. Times are CLOCK_MONOTONIC. */
struct ftc_recovery_record {
    int noticed_by; /* world rank of the first that met the death in an operation */
    struct ftc_operation_id met_in;
    uint64_t noticed_ns;
    uint64_t recovered_ns; /* time when @met_in returned at the last survivor so far; 0: at none */
    bool is_error;         /* @met_in returned an error, and no result */
};

/* Records that rank @by has met the death of @rank in operation @in, if it is the first. */
void ftc_recovery_record_notice(struct ftc_board *board, uint32_t rank, uint32_t by,
                                const struct ftc_operation_id *in);

/* Removes the record that operation @in has met the death of @rank, because the operation completed
 * with the contribution of @rank. */
void ftc_recovery_record_take_back(struct ftc_board *board, uint32_t rank,
                                   const struct ftc_operation_id *in);

/* Records that @in returned an error at a survivor, if @in is the operation that met the death. To
 * be called before ftc_recovery_record_recovered(). */
void ftc_recovery_record_fail(struct ftc_board *board, uint32_t rank,
                              const struct ftc_operation_id *in);

/* Records that the operation that met the death of @rank returned at a survivor at @now_ns. */
void ftc_recovery_record_recovered(struct ftc_board *board, uint32_t rank, uint64_t now_ns);

/* Sets whether the operation of the next ftc_recovery_record_settle() returned an error, for other
 * hosts: @in is that operation, or has communicator 0 if it returned none. */
void ftc_recovery_record_set_error(struct ftc_board *board, uint32_t self,
                                   const struct ftc_operation_id *in);

/* Returns the @in of the last ftc_recovery_record_set_error() of @rank. */
struct ftc_operation_id ftc_recovery_record_error(const struct ftc_board *board, uint32_t rank);

/* Records that rank @self has ended an operation at @now_ns, in which it knew of @deaths deaths. */
void ftc_recovery_record_settle(struct ftc_board *board, uint32_t self, uint32_t deaths,
                                uint64_t now_ns);

/* Returns whether each living rank has called ftc_recovery_record_settle() for at least @deaths
 * deaths or has ended MPI, and at least one rank has called it. *@when_ns is then the end of the
 * last of these operations. */
bool ftc_recovery_record_is_settled(const struct ftc_board *board, uint32_t deaths,
                                    uint64_t *when_ns);

/* Copies the record of the death of @rank. Returns false if no operation has met the death. */
bool ftc_recovery_record_read(const struct ftc_board *board, uint32_t rank,
                              struct ftc_recovery_record *copy);

/* Returns whether @in is the operation that first met the death of @rank. */
bool ftc_recovery_record_is_of(const struct ftc_board *board, uint32_t rank,
                               const struct ftc_operation_id *in);

#endif
