/* machine: n processes under LogP (Culler et al. 1993), each with one processor.
 *
 * A send keeps the processor busy for o, the message travels for L, and taking it in keeps the
 * receiver busy for o: L + 2o from one process to another. Sends of one process begin at least
 * max(o, g) apart, and so do its receptions. Whoever has something to send does that first: like
 * the library, which carries out all sends of a step before it looks for the next message. News of
 * a death costs nothing: it is a load from shared memory.
 *
 * On hosts a message costs what it does inside of one or between two. What the first process of a
 * host publishes all others of it can read: it writes once (o), which they see L later, and each
 * takes it in (o).
 */
#ifndef SCALE_MACHINE_H
#define SCALE_MACHINE_H

#include "clock.h"
#include "engine/topology.h"
#include "message.h"

/* One direction of a process's network interface. */
struct port {
    struct queue queue;
    int64_t free_at; /* when the next transfer may begin */
};

struct process {
    struct port out, in;
    bool busy; /* its processor */
    bool dead;
    bool has_result;
    int64_t returned_at;
};

struct machine;

/* What the processes carry out. */
struct protocol {
    void (*start)(void *self, int rank);
    void (*take)(void *self, struct message *message); /* who frees it */
    void (*hear_of_death)(void *self, int rank, int dead);
};

struct machine {
    struct ftc_logp cost;    /* inside of a host */
    struct ftc_logp between; /* two hosts */
    int n, per_host;         /* 0: there are no hosts */
    struct clock clock;
    struct process *process;
    const struct protocol *protocol;
    void *self; /* of the protocol */
    int64_t messages;
};

void machine_init(struct machine *m, int n, struct ftc_logp cost, const struct protocol *protocol,
                  void *self);
void machine_free(struct machine *m);

/* Every @per_host processes are a host. */
void machine_set_hosts(struct machine *m, int per_host, struct ftc_logp between);

/* @rank never starts; the others hear of it @news_delay ticks later, or not from the machine if
 * that is negative. */
void machine_kill(struct machine *m, int rank, int64_t news_delay);

/* Appends a message to what @from sends; the caller writes its payload. */
struct message *machine_send(struct machine *m, int from, int to, size_t bytes);

/* What @from publishes comes as a message without content. Those of others than the first process
 * of a host nobody reads, but they take as long to write. */
void machine_publish(struct machine *m, int from);

/* @rank has its result, and returns once its sends are out. */
void machine_finish(struct machine *m, int rank);

/* Runs until nothing happens any more. Returns the tick at which the last live process returned,
 * or -1 if one never did. */
int64_t machine_run(struct machine *m);

#endif
