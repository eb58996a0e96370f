#include "unexpected.h"

#include "library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_FROM_ONE_SENDER = 64, RESERVE = 8, LISTS = 1024 };

/* Lists of messages, by communicator. There may be thousands of messages if other ranks have
 * started thousands of requests earlier. */
static struct list {
    struct ftc_unexpected_message *first,
        **last; /* link for the next message; unused in an empty list */
} lists[LISTS];

static struct ftc_unexpected_message *unused;
static uint32_t *kept_from;
static size_t room;

static struct list *list_of(uint64_t communicator_id)
{
    return &lists[communicator_id % LISTS];
}

static struct ftc_unexpected_message *new_message(void)
{
    struct ftc_unexpected_message *m = unused;

    if (m) {
        unused = m->next;
        return m;
    }
    return malloc(sizeof *m + room);
}

static void give_back(struct ftc_unexpected_message *m)
{
    m->next = unused;
    unused = m;
}

int ftc_unexpected_open(uint32_t senders, size_t max_bytes)
{
    room = max_bytes;
    kept_from = calloc(senders, sizeof *kept_from);
    if (!kept_from)
        return -ENOMEM;
    for (int i = 0; i < RESERVE; i++) {
        struct ftc_unexpected_message *m = malloc(sizeof *m + room);

        if (!m)
            return -ENOMEM;
        give_back(m);
    }
    return 0;
}

static void append(struct ftc_unexpected_message *m)
{
    struct list *list = list_of(m->communicator_id);

    m->next = NULL;
    if (list->first)
        *list->last = m;
    else
        list->first = m;
    list->last = &m->next;
}

bool ftc_unexpected_keep(const struct ftc_arrival *a)
{
    struct ftc_envelope envelope;
    struct ftc_unexpected_message *m;
    bool is_full = !ftc_library.interleaved && kept_from[a->from] == KEPT_FROM_ONE_SENDER;

    if (is_full || a->bytes > room || !ftc_message_read_envelope(a->wire, a->bytes, &envelope))
        return false;
    m = new_message();
    if (!m)
        return false;
    m->communicator_id = envelope.communicator_id;
    m->arrival = *a;
    m->arrival.wire = memcpy(m->wire, a->wire, a->bytes);
    m->note = *a->note;
    m->arrival.note = &m->note;
    append(m);
    kept_from[a->from]++;
    return true;
}

struct ftc_unexpected_message **ftc_unexpected_first(uint64_t communicator_id)
{
    return &list_of(communicator_id)->first;
}

void ftc_unexpected_release(struct ftc_unexpected_message **link)
{
    struct ftc_unexpected_message *m = *link;

    *link = m->next;
    if (!*link)
        list_of(m->communicator_id)->last = link;
    kept_from[m->arrival.from]--;
    give_back(m);
}

void ftc_unexpected_drop(uint64_t communicator_id)
{
    struct ftc_unexpected_message **link = ftc_unexpected_first(communicator_id);

    while (*link)
        if ((*link)->communicator_id == communicator_id)
            ftc_unexpected_release(link);
        else
            link = &(*link)->next;
}
