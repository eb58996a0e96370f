/* value: what simulated processes reduce. Each original rank has a count of its contributions, so
 * that a checker sees who is in a result and how often. */
#ifndef FTC_SIM_VALUE_H
#define FTC_SIM_VALUE_H

#include <stddef.h>
#include <stdint.h>

struct sim_value {
    uint64_t expression; /* identifies the order and nesting of the combinations: stands for bits */
    uint32_t operations; /* one bit an operation: values of two operations never mix */
    uint32_t incomplete; /* somebody has not come to the end of the data phase */
    uint8_t count[];     /* by original rank */
};

/* Bytes of a value for @n ranks. */
size_t sim_value_bytes(int n);

/* The contribution of @rank to operation @seq. */
void sim_value_original(struct sim_value *v, int n, int rank, int seq);

/* For ftc_op_config; @context is the number of ranks, an int. */
void sim_value_combine(void *context, void *into, const void *from);

#endif
