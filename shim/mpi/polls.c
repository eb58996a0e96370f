#include "polls.h"

#include "inside.h"
#include "mpi_library.h"
#include "system/imports.h"

#include <dlfcn.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Thread_local bool ftc_polls_have_found;

static void (*each)(void);

/* ---- libfabric: objects with tables of functions ---- */

/* Positions in the tables of a fabric, of a domain and of a completion queue. */
enum { DOMAIN = 0, CQ_OPEN = 1, READ = 0 };

typedef void (*any_function)(void);

struct table {
    size_t bytes;
    any_function entry[];
};

struct object {
    size_t class;
    void *context, *operations;
    const struct table *table;
};

/* Table of this library, preceded by a pointer to the table that it replaces. */
struct replacement {
    const struct table *original;
    struct table own;
};

typedef int fabric_function(void *attributes, struct object **fabric, void *context);
typedef int open_function(struct object *of, void *attributes, struct object **opened,
                          void *context);
typedef ssize_t read_function(struct object *queue, void *entries, size_t count);

static fabric_function *native_fabric;
static bool is_opening; /* a fabric is being opened; the provider may open others for itself */

static any_function original(const struct object *object, size_t index)
{
    const char *own = (const char *)object->table;
    const struct replacement *r =
        (const struct replacement *)(own - offsetof(struct replacement, own));

    return r->original->entry[index];
}

/* Replaces the function at @index of the object's table by @by. Does nothing without memory, or if
 * an object is returned twice and has the function already. The table is never freed, because the
 * object lives as long as MPI. */
static void replace(struct object *object, size_t index, any_function by)
{
    const struct table *of = object->table;
    struct replacement *r;

    if (of->bytes < offsetof(struct table, entry) + (index + 1) * sizeof(any_function) ||
        of->entry[index] == by)
        return;
    r = malloc(offsetof(struct replacement, own) + of->bytes);
    if (!r)
        return;
    r->original = of;
    memcpy(&r->own, of, of->bytes);
    r->own.entry[index] = by;
    object->table = &r->own;
}

static ssize_t read_queue(struct object *queue, void *entries, size_t count)
{
    ssize_t found;

    each();
    found = ((read_function *)original(queue, READ))(queue, entries, count);
    ftc_polls_note(found > 0);
    return found;
}

static int open_queue(struct object *domain, void *attributes, struct object **queue, void *context)
{
    int rv = ((open_function *)original(domain, CQ_OPEN))(domain, attributes, queue, context);

    if (rv == 0)
        replace(*queue, READ, (any_function)read_queue);
    return rv;
}

static int open_domain(struct object *fabric, void *attributes, struct object **domain,
                       void *context)
{
    int rv = ((open_function *)original(fabric, DOMAIN))(fabric, attributes, domain, context);

    if (rv == 0)
        replace(*domain, CQ_OPEN, (any_function)open_queue);
    return rv;
}

/* Opens a fabric and replaces its table. A libfabric inside libmpich calls this by the same import
 * for its own fabrics, which keep their tables. */
static int open_fabric(void *attributes, struct object **fabric, void *context)
{
    bool is_of_provider = is_opening;
    int rv;

    is_opening = true;
    rv = native_fabric(attributes, fabric, context);
    is_opening = is_of_provider;
    if (rv == 0 && !is_of_provider)
        replace(*fabric, DOMAIN, (any_function)open_domain);
    return rv;
}

/* Finds a function as libmpich itself would: of several versions, the one for new programs. */
static void *find_from(const struct ftc_loaded *object, const char *name)
{
    void *handle = dlopen(object->path, RTLD_LAZY | RTLD_NOLOAD), *found = NULL;

    if (handle) {
        found = ftc_loaded_dlsym(handle, name);
        dlclose(handle);
    }
    return found;
}

static void look_after_queues(const struct ftc_loaded *mpi)
{
    void *found = find_from(mpi, "fi_fabric");

    memcpy(&native_fabric, &found, sizeof found);
    if (found)
        ftc_imports_redirect(mpi, "fi_fabric", (void *)(uintptr_t)open_fabric);
}

/* ---- sockets ---- */

static int poll_sockets(struct pollfd *sockets, nfds_t count, int timeout)
{
    int found;

    each();
    found = poll(sockets, count, timeout);
    ftc_polls_note(found > 0);
    return found;
}

/* ---- the device ---- */

void ftc_polls_open(void (*come_by)(void))
{
    const struct ftc_loaded *mpi = ftc_mpi_object();

    if (each || !ftc_inside_has(FTC_INSIDE_ABANDON))
        return;
    each = come_by;
    if (strcmp(ftc_inside_device(), "ch4:ofi") == 0)
        look_after_queues(mpi);
    else if (strcmp(ftc_inside_device(), "ch3:nemesis") == 0)
        ftc_imports_redirect(mpi, "poll", (void *)(uintptr_t)poll_sockets);
}
