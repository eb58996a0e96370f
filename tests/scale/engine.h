/* engine: the library's own state machines (shim/engine/operation.h) as processes of a machine. */
#ifndef SCALE_ENGINE_H
#define SCALE_ENGINE_H

#include "engine/operation.h"
#include "machine.h"

struct engine_setup {
    enum ftc_op_kind kind;
    enum ftc_algorithm algorithm;
    enum ftc_correction correction; /* ring: to the f next ranks */
    struct ftc_tree_shape tree;
    int n, f;
    struct ftc_logp cost;
    int per_host; /* processes; 0: all are on one, with a core each */
    struct ftc_logp between;
    bool hosts_are_far;
};

struct engine_deaths {
    const int *rank; /* in the order in which the others hear of it */
    int count;
    bool known;         /* to everybody, before the operation */
    int64_t news_delay; /* else: from the beginning until all others hear of it */
};

struct engine_figures {
    int64_t latency; /* until the last live process has returned */
    int64_t messages;
};

/* Runs one operation. A process that does not return, or whose result is not that of the live
 * ones, ends the program: a figure for a wrong result is worth nothing. */
struct engine_figures engine_run(const struct engine_setup *setup,
                                 const struct engine_deaths *deaths);

#endif
