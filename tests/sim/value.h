/* value: what simulated processes reduce. Each original rank has a count of its contributions, so
 * that a checker sees who is in a result and how often. Behind that there may be blocks, one a
 * rank, as shim/collectives puts values together from. */
#ifndef FTC_SIM_VALUE_H
#define FTC_SIM_VALUE_H

#include "protocols/round_status.h"
#include "value/blocks.h"

enum {
    SIM_STATUS_BYTES = offsetof(struct ftc_round_status, who) + sizeof(uint64_t)
}; /* of 64 ranks */

struct sim_value {
    uint64_t expression; /* identifies the order and nesting of the combinations: stands for bits */
    uint32_t operations; /* one bit an operation: values of two operations never mix */
    uint32_t incomplete; /* somebody has not come to the end of the data phase */
    uint32_t slices;     /* one bit a slice, of a segmented call */
    uint32_t blocks_at;  /* offset of a value of blocks; 0: there is none */
    unsigned char status[SIM_STATUS_BYTES]; /* a struct ftc_round_status as it travels: of a call in
                                             * rounds, or a segmented one */
    uint8_t count[];                        /* by original rank */
};

/* What the values of one operation have in common. */
struct sim_value_kind {
    int n;
    bool has_blocks;
    struct ftc_blocks_limit limit;
};

/* Of operation @seq. All blocks together fit in every second one, and are too large in the others:
 * by one byte. */
struct sim_value_kind sim_value_kind(int n, bool has_blocks, int seq);

/* Room for a value in any operation. */
size_t sim_value_bytes(int n, bool has_blocks);

/* The contribution of @rank to operation @seq. */
void sim_value_original(struct sim_value *v, const struct sim_value_kind *kind, int rank, int seq);

/* What @rank says in the vote of a round, or beside a slice. */
void sim_value_say(struct sim_value *v, int rank, uint64_t left);
struct ftc_round_status sim_value_status(const struct sim_value *v, int n);

/* For ftc_op_config; @context is a struct sim_value_kind. */
void sim_value_combine(void *context, void *into, const void *from);
size_t sim_value_used_bytes(const void *value); /* of one with blocks */

/* NULL if there are none. */
const void *sim_value_blocks(const struct sim_value *v);

/* Bytes in the block of @rank, and what each of them is. */
size_t sim_value_block_bytes(int rank);
uint8_t sim_value_block_content(int rank, int seq);

#endif
