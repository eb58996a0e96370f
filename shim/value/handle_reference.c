#include "handle_reference.h"

#include "datatype.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct reference {
    enum ftc_handle_kind kind;
    int handle, holders;
    bool is_freed;
    struct reference *next;
};

static struct reference *all;
static atomic_int count; /* length of the list; 0 in most programs */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Static_assert(sizeof(MPI_Datatype) == sizeof(int) && sizeof(MPI_Op) == sizeof(int), "handles");

/* Returns whether the program has made @handle. In MPICH the two top bits of a handle are 0 if it
 * is invalid and 1 if it is built in. Predefined pair datatypes have other bits. */
static bool is_the_programs(enum ftc_handle_kind kind, int handle)
{
    return (unsigned)handle >> 30 >= 2 &&
           (kind == FTC_HANDLE_OPERATION || ftc_predefined_bytes(handle) == 0);
}

/* Returns the link to the reference, or to the end of the list. */
static struct reference **find(enum ftc_handle_kind kind, int handle)
{
    struct reference **link = &all;

    while (*link && ((*link)->kind != kind || (*link)->handle != handle))
        link = &(*link)->next;
    return link;
}

static struct reference *add(enum ftc_handle_kind kind, int handle)
{
    struct reference *h = malloc(sizeof *h);

    if (!h)
        return NULL;
    *h = (struct reference){.kind = kind, .handle = handle, .next = all};
    all = h;
    count++;
    return h;
}

bool ftc_handle_hold(enum ftc_handle_kind kind, int handle)
{
    struct reference *h;

    if (!is_the_programs(kind, handle))
        return true;
    pthread_mutex_lock(&lock);
    h = *find(kind, handle);
    if (!h)
        h = add(kind, handle);
    if (h)
        h->holders++;
    pthread_mutex_unlock(&lock);
    return h != NULL;
}

static void free_handle(enum ftc_handle_kind kind, int handle)
{
    if (kind == FTC_HANDLE_DATATYPE)
        PMPI_Type_free(&handle);
    else
        PMPI_Op_free(&handle);
}

/* Frees the handle without holding the lock, because MPI may call functions of the program that
 * delete attributes. */
void ftc_handle_release(enum ftc_handle_kind kind, int handle)
{
    struct reference **link, *h = NULL;
    bool is_last;

    if (!is_the_programs(kind, handle))
        return;
    pthread_mutex_lock(&lock);
    link = find(kind, handle);
    is_last = *link && --(*link)->holders == 0;
    if (is_last) {
        h = *link;
        *link = h->next;
        count--;
    }
    pthread_mutex_unlock(&lock);
    if (h && h->is_freed)
        free_handle(kind, handle);
    free(h);
}

bool ftc_handle_free(enum ftc_handle_kind kind, int handle)
{
    struct reference *h;

    if (atomic_load_explicit(&count, memory_order_relaxed) == 0)
        return false;
    pthread_mutex_lock(&lock);
    h = *find(kind, handle);
    if (h)
        h->is_freed = true;
    pthread_mutex_unlock(&lock);
    return h != NULL;
}
