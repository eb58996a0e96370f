/* timeline_read: the events of a trace (setting trace_file), of which ftcoll timeline draws one
 * recovery.
 *
 * A recovery is one death, or several that an operation has met together, and all operations that
 * met them. */
#ifndef FTC_CONFIG_TIMELINE_READ_H
#define FTC_CONFIG_TIMELINE_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum timeline_kind {
    TIMELINE_OPERATION,
    TIMELINE_ATTEMPT,
    TIMELINE_PHASE,
    TIMELINE_MESSAGE, /* that came; a message that nobody took is LOST */
    TIMELINE_LOST,
    TIMELINE_DEATH,
    TIMELINE_NOTICED, /* peer's death */
    TIMELINE_TAKEN,   /* peer's result, in the place of a message */
    TIMELINE_RESULT,
};

struct timeline_event {
    enum timeline_kind kind;
    int rank;           /* row; of a message the sender */
    int peer;           /* -1: none */
    int64_t ns, end_ns; /* since the trace began */
    const char *communicator;
    int64_t seq;
    const char *name;
    int recovery;      /* from 0 on; -1: it is of none */
    size_t at, end_at; /* in the list of events of the file */
};

struct timeline {
    json_t *root; /* owns all text */
    struct timeline_event *event;
    size_t count;
    int ranks, recoveries;
};

/* Reads a trace. False after a message, and then nothing is to be freed. */
bool timeline_read(struct timeline *t, const char *path);
void timeline_free(struct timeline *t);

#endif
