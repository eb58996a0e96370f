/* sim: a cluster of processes that drive the engine of shim/engine/, in one address space, without
 * clock or threads.
 *
 * What the library has around the engine is here a second time, as simple as can be: channels
 * carry encoded messages (network.c), a board shows what each process last published, a failure
 * detector tells each process of each death as an event of its own, and a program is a list of
 * operations on one communicator (process.c). Everything that the world decides is an event
 * (event.c); a chooser picks the next one, so that the same cluster is driven at random,
 * exhaustively, or by a recorded list of choices.
 */
#ifndef FTC_SIM_H
#define FTC_SIM_H

#include "data.h"
#include "host.h"
#include "rounds.h"
#include "scenario.h"
#include "segmented.h"
#include "value.h"

enum sim_event_kind {
    SIM_EVENT_START,   /* @process enters its next operation */
    SIM_EVENT_DELIVER, /* @process gets @message, of @peer */
    SIM_EVENT_NEWS,    /* @process learns that @peer is dead */
    SIM_EVENT_READ,    /* @process looks at what @peer, alive, shows on the board */
    SIM_EVENT_PUBLISH, /* @process publishes its result and leaves the operation */
    SIM_EVENT_CRASH,   /* @process dies now */
    SIM_EVENT_DATA,    /* @process has a turn in its data phase, or with what is written */
    SIM_EVENT_ANSWER,  /* @process gets what @peer, of another host, showed when it was asked */
    SIM_EVENT_LOSE, /* what is under way from @peer, dead and of another host, to @process is lost
                     */
    SIM_EVENT_TELL, /* the agent of host number @process comes to the news that @peer is dead */
    SIM_EVENT_LOSS, /* ... that host number @peer is lost */
    SIM_EVENT_END,  /* the authority sees that all processes of host number @process have ended */
    SIM_EVENT_TICK, /* time passes */
    SIM_EVENT_KINDS,
};

enum { SIM_FIRST_SENDS = 64 }; /* of so many it is known whether they are the first of a step */
enum { SIM_TOPOLOGY_NUMBERS = 11 * (SIM_MAX_N + 1) }; /* of the topology of most ranks */

/* Something that can happen next. */
struct sim_event {
    uint8_t kind, process, peer;
    int32_t message;
    uint32_t since; /* steps when it became possible */
};

/* What a process of another host was asked, and showed then: under way until SIM_EVENT_ANSWER. */
struct sim_answer {
    int32_t seq;      /* of the operation of who asked, */
    uint32_t attempt; /* and the attempt that it was in */
    bool is_under_way;
    bool is_result; /* else the attempt that the other had joined: */
    uint32_t joined;
};

/* In a channel, or kept by its receiver as too early. */
struct sim_message {
    int32_t next;  /* in its channel, in its receiver's early store, or free */
    int32_t event; /* index in sim.event; -1: cannot be delivered now */
    uint8_t from, to;
    uint16_t bytes;
};

struct sim_queue {
    int32_t first, last;
};

enum sim_stage {
    SIM_STAGE_OUTSIDE, /* between operations */
    SIM_STAGE_DATA,    /* before the vote of a large operation: in its data phase, or posting */
    SIM_STAGE_RUNNING,
    SIM_STAGE_LEAVING, /* the operation is done, its result not yet published */
    SIM_STAGE_TAKING,  /* between operations, and not yet through with what was written */
    SIM_STAGE_FINISHED,
};

/* What an operation gave a process. Ranks are original ranks, also in @failed. */
struct sim_outcome {
    uint64_t members; /* that it began with; 0: it has not begun */
    int delivered;    /* times; more than 1 is a bug */
    bool is_skipped;  /* there was nothing to do */
    enum ftc_verdict verdict;
    uint32_t attempt;
    uint64_t failed;
    bool has_value;
    uint8_t *value;
};

struct sim_process {
    bool alive;
    enum sim_stage stage;
    int seq;                /* of the operation it is in, or enters next */
    uint32_t attempt;       /* that it has joined */
    uint64_t known_dead;    /* original ranks */
    uint64_t knew_dead;     /* those when the engine was done with its operation */
    uint64_t members;       /* original ranks that no agreed list has left out */
    int published;          /* seq of its last published allreduce; -1: none */
    int sends;              /* so far */
    uint64_t first_sends;   /* of SIM_FIRST_SENDS: the first ones of a step, as bits */
    int dies_at;            /* sends, by the scenario; -1: not */
    bool dies_before;       /* the send, not after it */
    uint64_t dies_with;     /* original ranks */
    struct sim_queue early; /* messages that it has not got as far as */
    int early_count;
    struct ftc_topology own; /* of its members, once some are left out */
    int32_t host[SIM_MAX_N]; /* of these, for own */
    struct ftc_exchange_plan exchange_plan;
    void *topology_storage, *op_storage;
    struct sim_data *data; /* of large operations */
    struct sim_rounds *rounds;
    struct sim_segmented segmented;
    uint8_t member[SIM_MAX_N]; /* original rank by engine rank */
    struct ftc_op op;
    struct sim_value_kind kind; /* of its operation */
    uint8_t *original;
};

/* Sends of one operation by kind and attempt. */
enum { SIM_MAX_ATTEMPTS = SIM_MAX_N + 2, SIM_MESSAGE_KINDS = FTC_MESSAGE_BROADCAST + 1 };
typedef uint16_t sim_sent_table[SIM_MESSAGE_KINDS][SIM_MAX_ATTEMPTS];

struct sim {
    struct scenario scenario;
    size_t value_bytes;
    struct ftc_topology topology; /* of all ranks */
    int32_t topology_storage[SIM_TOPOLOGY_NUMBERS];
    int32_t host[SIM_MAX_N]; /* of all ranks, for topology */

    struct sim_host *hosts; /* by number, which is not that of the scenario */
    int host_count;
    unsigned char *boards;
    int tick;
    uint64_t
        lost; /* original ranks, of hosts declared lost: those alive return from nothing more */

    struct sim_process *process;
    struct sim_outcome *outcome;     /* [seq * n + rank] */
    uint8_t *outcome_values;         /* of each outcome */
    sim_sent_table *sent;            /* [seq] */
    uint16_t *exchanged_apart;       /* [seq]: messages of its exchange between hosts */
    uint64_t dead;                   /* original ranks */
    int free_crashes;                /* that can still happen */
    uint32_t steps;                  /* events so far */
    uint32_t deliveries, early_most; /* statistics: messages; most kept by one process at once */
    uint64_t digest;                 /* of everything that has happened so far */

    struct sim_event *event; /* possible now, in no particular order */
    int event_count, event_capacity, crash_event_count;
    int32_t *position; /* index in event by (kind, process, peer); -1: not possible */

    struct sim_answer *answer; /* [process * n + peer] */
    struct sim_queue *channel; /* [from * n + to], without overtaking */
    struct sim_message *message;
    unsigned char *wire; /* wire_stride bytes a message */
    size_t wire_stride;
    int message_count, message_capacity;
    int32_t free_message;

    struct ftc_actions actions;
    struct ftc_failure_info info; /* scratch: of the message at hand */
    FILE *trace;                  /* NULL: silent */
    char violation[512];          /* name of the broken rule, and how; empty: none */

    void *block; /* everything of fixed size that the pointers above lead to */
    size_t block_capacity;
    size_t zeroed_bytes; /* of it, at the beginning of each run */
};

/* Makes the decisions that the scenario leaves open. */
struct sim_chooser {
    /* Index in @s->event of what happens next; -1: the run ends here. */
    int (*event)(void *context, const struct sim *s);
    /* @process, which may die, is about to carry out @sends sends: after how many does it die?
     * 1..@sends; -1: it lives. */
    int (*cut)(void *context, const struct sim *s, int process, int sends);
    void *context;
};

static inline uint64_t sim_bit(int rank)
{
    return 1ull << rank;
}

static inline uint64_t sim_all(const struct sim *s)
{
    return s->scenario.n == 64 ? ~0ull : sim_bit(s->scenario.n) - 1;
}

static inline struct sim_outcome *sim_outcome_of(const struct sim *s, int seq, int rank)
{
    return &s->outcome[seq * s->scenario.n + rank];
}

/* Bytes of @value that are copied and sent, as the engine has them. */
static inline size_t sim_used_bytes(const struct sim *s, const void *value)
{
    return value && s->scenario.blocks ? sim_value_used_bytes(value) : s->value_bytes;
}

/* Zeroed memory is a closed cluster. */
void sim_close(struct sim *s);

/* A cluster at the beginning of @scenario; reuses the memory of the run before. */
void sim_begin(struct sim *s, const struct scenario *scenario);

/* Runs until nothing can happen any more or a rule is broken, and checks the end, unless the
 * chooser ends the run before. Returns true if no rule was broken. */
bool sim_run(struct sim *s, const struct sim_chooser *chooser);

/* Whether anything but a further crash can happen. */
static inline bool sim_is_active(const struct sim *s)
{
    return s->event_count > s->crash_event_count && s->violation[0] == '\0';
}

#endif
