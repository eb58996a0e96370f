/* message: what travels between the processes of a machine, and queues of it. */
#ifndef SCALE_MESSAGE_H
#define SCALE_MESSAGE_H

#include <stddef.h>
#include <stdlib.h>

struct message {
    struct message *next; /* in a queue */
    int from, to;
    size_t bytes;
    _Alignas(16) unsigned char payload[];
};

struct queue {
    struct message *first, *last;
};

static inline void queue_append(struct queue *q, struct message *message)
{
    message->next = NULL;
    if (q->first)
        q->last->next = message;
    else
        q->first = message;
    q->last = message;
}

static inline struct message *queue_remove_first(struct queue *q)
{
    struct message *message = q->first;

    q->first = message->next;
    return message;
}

static inline void queue_empty(struct queue *q)
{
    while (q->first)
        free(queue_remove_first(q));
}

#endif
