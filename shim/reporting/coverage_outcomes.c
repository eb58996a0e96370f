#include "coverage_outcomes.h"

#define RUN         "(at the call sites and message sizes of this run)"
#define NO_WAIT     "no MPI call waits for the dead rank " RUN
#define ANY_SOURCE  "MPI calls wait only in receives and probes from any source " RUN
#define IF_MESSAGES ", if MPI_Wait calls wait for messages only"

const struct ftc_outcome_words ftc_outcomes[] = {
    [FTC_OUTCOME_NO_WAIT] = {"does not wait", NO_WAIT, true},
    [FTC_OUTCOME_NO_WAIT_IF_MESSAGES] = {"does not wait if MPI_Wait is for messages",
                                         NO_WAIT IF_MESSAGES, true},
    [FTC_OUTCOME_ANY_SOURCE] = {"waits only for any source", ANY_SOURCE, true},
    [FTC_OUTCOME_ANY_SOURCE_IF_MESSAGES] = {"waits only for any source if MPI_Wait is for messages",
                                            ANY_SOURCE IF_MESSAGES, true},
    [FTC_OUTCOME_ERRORS] = {"returns errors", "some MPI calls return errors", true},
    [FTC_OUTCOME_ABORTS] = {"aborts", "the program aborts", false},
    [FTC_OUTCOME_ABORTS_BLOCKED] = {"aborts after blocked_ms",
                                    "the program aborts after blocked_ms (on_blocked = abort)",
                                    false},
    [FTC_OUTCOME_WAITS] = {"waits", "the program waits for ever", false},
};
