/* compare: with setting compare, every reduction that is carried out here is also done natively, to
 * see whether the results are the same bits and what each costs. For one's own program, before one
 * relies on the library. It gives no protection: native MPI hangs if a rank dies in it.
 */
#ifndef FTC_REPORT_COMPARE_H
#define FTC_REPORT_COMPARE_H

#include "call/call.h"
#include "communicator/communicator.h"
#include "system/json.h"
#include "value/datatype.h"

#include <stdint.h>
#include <stdio.h>

/* One call that is being compared. */
struct ftc_compare {
    unsigned char *input, *native, *own; /* spans; NULL: not compared */
    uint64_t started_ns;
};

/* Before the call is carried out here, and after. */
void ftc_compare_begin(struct ftc_compare *x, const struct ftc_call *call, const struct ftc_comm *c,
                       const struct ftc_facts *facts);
void ftc_compare_end(struct ftc_compare *x, const struct ftc_call *call, const struct ftc_comm *c,
                     const struct ftc_facts *facts);

/* Whether anything was compared. */
bool ftc_compare_is_used(void);

/* The lines of the report; nothing if nothing was compared. */
void ftc_compare_write(FILE *f);

/* The same as member "compared", null if nothing was. */
void ftc_compare_write_json(struct ftc_json *j);

#endif
