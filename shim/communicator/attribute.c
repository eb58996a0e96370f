#include "attribute.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct attribute {
    void *kept[FTC_SECTIONS];
};

static int keyval = MPI_KEYVAL_INVALID;
static void (*forget[FTC_SECTIONS])(MPI_Comm comm, void *kept);

/* Lock for filling sections. Threads that fill different sections of a communicator may both find
 * that it has no attribute yet. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Gives a duplicate an empty attribute, when MPI copies attributes. Without memory the attribute is
 * made when it is first needed. */
static int copy_empty(MPI_Comm comm, int key, void *extra, void *attribute, void *copy, int *flag)
{
    struct attribute *fresh = calloc(1, sizeof *fresh);

    (void)comm;
    (void)key;
    (void)extra;
    (void)attribute;
    *(void **)copy = fresh;
    *flag = fresh != NULL;
    return MPI_SUCCESS;
}

/* Runs the callbacks of all filled sections when MPI deletes the attribute of @comm. */
static int on_delete(MPI_Comm comm, int key, void *attribute, void *extra)
{
    struct attribute *a = attribute;

    (void)key;
    (void)extra;
    for (int section = 0; section < FTC_SECTIONS; section++)
        if (a->kept[section] && forget[section])
            forget[section](comm, a->kept[section]);
    free(a);
    return MPI_SUCCESS;
}

static struct attribute *find(MPI_Comm comm)
{
    void *attribute;
    int found = 0;

    return keyval != MPI_KEYVAL_INVALID &&
                   PMPI_Comm_get_attr(comm, keyval, &attribute, &found) == MPI_SUCCESS && found
               ? attribute
               : NULL;
}

/* Gives @comm an empty attribute. Returns NULL without memory or without a key, which a job that is
 * not protected may lack. */
static struct attribute *make(MPI_Comm comm)
{
    struct attribute *fresh = keyval != MPI_KEYVAL_INVALID ? calloc(1, sizeof *fresh) : NULL;

    if (fresh && PMPI_Comm_set_attr(comm, keyval, fresh) == MPI_SUCCESS)
        return fresh;
    free(fresh);
    return NULL;
}

int ftc_attribute_open(void)
{
    if (PMPI_Comm_create_keyval(copy_empty, on_delete, &keyval, NULL) != MPI_SUCCESS)
        return -EINVAL;
    return make(MPI_COMM_WORLD) ? 0 : -ENOMEM;
}

void ftc_attribute_on_free(enum ftc_attribute_section section,
                           void (*on_free)(MPI_Comm comm, void *kept))
{
    forget[section] = on_free;
}

void *ftc_attribute_get(MPI_Comm comm, enum ftc_attribute_section section)
{
    const struct attribute *a = find(comm);

    return a ? a->kept[section] : NULL;
}

bool ftc_attribute_keep(MPI_Comm comm, enum ftc_attribute_section section, void *kept)
{
    struct attribute *a;

    pthread_mutex_lock(&lock);
    a = find(comm);
    if (!a)
        a = make(comm);
    if (a)
        a->kept[section] = kept;
    pthread_mutex_unlock(&lock);
    return a != NULL;
}

void ftc_attribute_forget(MPI_Comm comm)
{
    PMPI_Comm_delete_attr(comm, keyval);
}
