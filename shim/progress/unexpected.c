#include "unexpected.h"

#include "library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_FROM_ONE_SENDER = 64, RESERVE = 8 };

static struct ftc_unexpected_message *first, **last = &first, *unused;
static uint32_t *kept_from;
static size_t room;

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

bool ftc_unexpected_keep(const struct ftc_arrival *a)
{
    struct ftc_unexpected_message *m;
    bool is_full = !ftc_library.interleaved && kept_from[a->from] == KEPT_FROM_ONE_SENDER;

    if (is_full || a->bytes > room)
        return false;
    m = new_message();
    if (!m)
        return false;
    m->next = NULL;
    m->arrival = *a;
    m->arrival.wire = memcpy(m->wire, a->wire, a->bytes);
    m->note = *a->note;
    m->arrival.note = &m->note;
    *last = m;
    last = &m->next;
    kept_from[a->from]++;
    return true;
}

struct ftc_unexpected_message **ftc_unexpected_first(void)
{
    return &first;
}

void ftc_unexpected_release(struct ftc_unexpected_message **link)
{
    struct ftc_unexpected_message *m = *link;

    *link = m->next;
    if (!*link)
        last = link;
    kept_from[m->arrival.from]--;
    give_back(m);
}
