/* A library for test_polls.c, in the place of libmpich with a libfabric of its own. Its provider
 * opens a fabric, a domain and a queue for itself below each that it opens for others. */
#include <poll.h>
#include <stddef.h>
#include <sys/types.h>

struct object;

struct table {
    size_t bytes;
    void *entry[3];
};

struct object {
    size_t class;
    void *context, *operations;
    const struct table *table;
    struct object *below;
};

int fi_fabric(void *attributes, struct object **fabric, void *context);
ssize_t wait_for_messages(void);
int wait_for_sockets(void);

static ssize_t read_queue(struct object *queue, void *entries, size_t count)
{
    typedef ssize_t reader(struct object *, void *, size_t);

    return (ssize_t)count +
           (queue->below ? ((reader *)queue->below->table->entry[0])(queue->below, entries, 1) : 0);
}

static int open_queue(struct object *of, void *attributes, struct object **opened, void *context);
static int open_domain(struct object *of, void *attributes, struct object **opened, void *context);

static const struct table queues = {sizeof queues, {(void *)read_queue}};
static const struct table domains = {sizeof domains, {NULL, (void *)open_queue}};
static const struct table fabrics = {sizeof fabrics, {(void *)open_domain}};
static struct object fabric[2], domain[2], queue[2]; /* the second is the provider's own */

typedef int opener(struct object *, void *, struct object **, void *);

static int open_below(struct object *of, int index, struct object *all, struct object **opened,
                      const struct table *table)
{
    int which = of == &fabric[1] || of == &domain[1];

    all[which] = (struct object){.table = table};
    *opened = &all[which];
    return which ? 0
                 : ((opener *)of->below->table->entry[index])(of->below, NULL, &all[0].below, NULL);
}

static int open_domain(struct object *of, void *attributes, struct object **opened, void *context)
{
    (void)attributes;
    (void)context;
    return open_below(of, 0, domain, opened, &domains);
}

static int open_queue(struct object *of, void *attributes, struct object **opened, void *context)
{
    (void)attributes;
    (void)context;
    return open_below(of, 1, queue, opened, &queues);
}

/* By the import that MPICH has, too: a call of itself need not be one. */
__attribute__((noinline)) static int open_own(void)
{
    return fi_fabric(fabric, &fabric[0].below, NULL);
}

int fi_fabric(void *attributes, struct object **opened, void *context)
{
    int which = attributes != NULL;

    (void)context;
    fabric[which] = (struct object){.table = &fabrics};
    *opened = &fabric[which];
    return which ? 0 : open_own();
}

/* As MPICH opens a queue and reads three entries; the provider reads one below that. */
ssize_t wait_for_messages(void)
{
    typedef ssize_t reader(struct object *, void *, size_t);
    struct object *f, *d, *q;

    if (fi_fabric(NULL, &f, NULL) != 0 || ((opener *)f->table->entry[0])(f, NULL, &d, NULL) != 0 ||
        ((opener *)d->table->entry[1])(d, NULL, &q, NULL) != 0)
        return -1;
    return ((reader *)q->table->entry[0])(q, NULL, 3);
}

int wait_for_sockets(void)
{
    return poll(NULL, 0, 0);
}
