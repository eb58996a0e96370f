#include "classes.h"

#include <assert.h>
#include <string.h>

/* Arrays that are needed only while ranks are assigned. They have an entry for each host, except
 * for load. Three of them use the memory of arrays that are filled later. */
struct scratch {
    int32_t *size;  /* ranks of the host */
    int32_t *parts; /* number of its classes */
    int32_t *class; /* first of its classes */
    int32_t *load;  /* by class: ranks so far */
};

enum { ARRAYS = 6 }; /* of n + 1 numbers each: five of struct ftc_classes, one for scratch */

size_t ftc_classes_storage_bytes(int n)
{
    return ARRAYS * ((size_t)n + 1) * sizeof(int32_t);
}

/* Sorts 0..n-1 by @key into @sorted, and keeps the order of equal keys. Sets @first to the index in
 * @sorted at which each of the @keys keys begins. */
static void sort_by_key(int n, const int32_t *key, int keys, int32_t *first, int32_t *sorted)
{
    memset(first, 0, ((size_t)keys + 1) * sizeof *first);
    for (int i = 0; i < n; i++)
        first[key[i] + 1]++;
    for (int k = 0; k < keys; k++)
        first[k + 1] += first[k];
    for (int i = 0; i < n; i++)
        sorted[first[key[i]]++] = i;
    memmove(first + 1, first, (size_t)keys * sizeof *first); /* each is where the next key begins */
    first[0] = 0;
}

static int least_loaded(const int32_t *load, int count)
{
    int least = 0;

    for (int k = 1; k < count; k++)
        if (load[k] < load[least])
            least = k;
    return least;
}

/* Returns the largest host that has no class yet. */
static int next_host(const struct scratch *s, int hosts)
{
    int next = -1;

    for (int h = 0; h < hosts; h++)
        if (s->parts[h] == 0 && (next < 0 || s->size[h] > s->size[next]))
            next = h;
    return next;
}

/* Gives each host, largest first, to the class with the fewest ranks. */
static void deal_hosts(struct scratch *s, int hosts, int count)
{
    memset(s->load, 0, (size_t)count * sizeof *s->load);
    memset(s->parts, 0, (size_t)hosts * sizeof *s->parts);
    for (int i = 0; i < hosts; i++) {
        int host = next_host(s, hosts), class = least_loaded(s->load, count);

        s->parts[host] = 1;
        s->class[host] = class;
        s->load[class] += s->size[host];
    }
}

/* Gives each host one or more classes, if there are fewer hosts than classes. Each further class
 * goes to the host that has the most ranks per class. */
static void split_hosts(struct scratch *s, int hosts, int count)
{
    int class = 0;

    for (int h = 0; h < hosts; h++)
        s->parts[h] = 1;
    for (int i = hosts; i < count; i++) {
        int most = 0;

        for (int h = 1; h < hosts; h++)
            if (s->size[h] * s->parts[most] > s->size[most] * s->parts[h])
                most = h;
        s->parts[most]++;
    }
    for (int h = 0; h < hosts; h++) {
        s->class[h] = class;
        class += s->parts[h];
    }
}

static void classify(struct ftc_classes *c, int n, const struct ftc_hosts *hosts, struct scratch *s)
{
    memset(s->size, 0, (size_t)hosts->count * sizeof *s->size);
    for (int rank = 0; rank < n; rank++)
        s->size[ftc_hosts_of(hosts, rank)]++;
    if (hosts->count >= c->count)
        deal_hosts(s, hosts->count, c->count);
    else
        split_hosts(s, hosts->count, c->count);
    for (int rank = n - 1; rank >= 0; rank--) {
        int host = ftc_hosts_of(hosts, rank);

        c->of[rank] = s->class[host] + --s->size[host] % s->parts[host];
    }
}

/* Sets the candidates. @round is scratch: for each rank the number of ranks of its host before
 * it. */
static void set_candidates(struct ftc_classes *c, int n, const struct ftc_hosts *hosts,
                           int32_t *round, int32_t *first)
{
    int32_t *seen = first; /* by host; sort_by_key() then reuses it */

    memset(seen, 0, (size_t)hosts->count * sizeof *seen);
    for (int rank = 0; rank < n; rank++)
        round[rank] = seen[ftc_hosts_of(hosts, rank)]++;
    sort_by_key(n, round, n, first, c->candidate);
}

void ftc_classes_share_out(struct ftc_classes *c, int n, int count, const struct ftc_hosts *hosts,
                           void *storage)
{
    int32_t *array[ARRAYS];

    assert(count >= 1);
    assert(count <= n);
    for (int i = 0; i < ARRAYS; i++)
        array[i] = (int32_t *)storage + (size_t)i * ((size_t)n + 1);
    *c = (struct ftc_classes){.count = count,
                              .of = array[0],
                              .place = array[1],
                              .first = array[2],
                              .member = array[3],
                              .candidate = array[4]};
    set_candidates(c, n, hosts, c->place, array[5]);
    classify(c, n, hosts, &(struct scratch){array[1], array[2], array[3], array[5]});
    sort_by_key(n, c->of, count, c->first, c->member);
    c->smallest = n;
    for (int k = 0; k < count; k++) {
        int size = ftc_classes_size(c, k);

        for (int i = 0; i < size; i++)
            c->place[c->member[c->first[k] + i]] = i;
        c->smallest = size < c->smallest ? size : c->smallest;
        c->largest = size > c->largest ? size : c->largest;
    }
}

int ftc_classes_groups(const struct ftc_classes *c, int root)
{
    int of_root = ftc_classes_size_without(c, c->of[root], root);

    return of_root < c->smallest ? of_root : c->smallest;
}

int ftc_classes_place(const struct ftc_classes *c, int root, int rank)
{
    int class = c->of[rank];
    bool is_moved = class == c->of[root] && c->place[rank] == ftc_classes_size(c, class) - 1;

    return c->place[is_moved ? root : rank];
}

int ftc_classes_rank(const struct ftc_classes *c, int root, int class, int place)
{
    if (place >= ftc_classes_size_without(c, class, root))
        return -1;
    if (class == c->of[root] && place == c->place[root])
        place = ftc_classes_size(c, class) - 1;
    return c->member[c->first[class] + place];
}

bool ftc_classes_is_carrier(const struct ftc_classes *c, int root, int rank)
{
    return ftc_classes_place(c, root, rank) < ftc_classes_groups(c, root);
}

void ftc_classes_walk(struct ftc_group_walk *w, const struct ftc_classes *c, int root, int rank)
{
    int groups = ftc_classes_groups(c, root), place = ftc_classes_place(c, root, rank);

    *w = (struct ftc_group_walk){.classes = c,
                                 .root = root,
                                 .own_class = c->of[rank],
                                 .groups = groups,
                                 .class = -1,
                                 .place = place % groups,
                                 .end = place < groups ? c->largest : groups};
}

int ftc_classes_next(struct ftc_group_walk *w)
{
    while (w->place < w->end) {
        int rank;

        if (++w->class == w->classes->count) {
            w->class = -1;
            w->place += w->groups;
            continue;
        }
        rank = ftc_classes_rank(w->classes, w->root, w->class, w->place);
        if (rank >= 0 && w->class != w->own_class)
            return rank;
    }
    return -1;
}

/* Assumes that the root is in the smallest class: groups then are fewest and largest. */
int ftc_classes_max_group(const struct ftc_classes *c)
{
    int groups = c->smallest - 1, members = 1, n = c->first[c->count];

    if (groups == 0)
        return n; /* all ranks are one group */
    for (int k = 0; k < c->count; k++)
        members += (ftc_classes_size(c, k) + groups - 1) / groups;
    return members < n ? members : n;
}
