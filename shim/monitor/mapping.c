#include "mapping.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Ranks that have a host so far. */
struct placed {
    long *first; /* launcher's number of the host of each rank */
    int ranks, count;
};

static bool is_sane(long first, long count, long ranks_each)
{
    return first >= 0 && count >= 0 && ranks_each >= 0;
}

static void place_block(struct placed *p, long first, long count, long ranks_each)
{
    for (long host = 0; host < count && ranks_each > 0 && p->count < p->ranks; host++)
        for (long i = 0; i < ranks_each && p->count < p->ranks; i++)
            p->first[p->count++] = first + host;
}

/* Places the ranks of a block: "(first,hosts,ranks)", or "first" for one host with one rank.
 * Returns the text after it, or NULL if it is not understood. */
static const char *place_one(struct placed *p, const char *text)
{
    long first, count = 1, ranks_each = 1;
    int length = 0;

    if (*text == '(')
        sscanf(text, "(%9ld,%9ld,%9ld)%n", &first, &count, &ranks_each, &length);
    else
        sscanf(text, "%9ld%n", &first, &length);
    if (length == 0 || !is_sane(first, count, ranks_each))
        return NULL;
    place_block(p, first, count, ranks_each);
    return text + length;
}

static const char *place_blocks(struct placed *p, const char *text)
{
    while ((text = place_one(p, text)) && *text == ',')
        text++;
    return text;
}

/* Places the ranks of "[block,...]xN": these blocks N times, or until all ranks have a host.
 * Returns the text after it, or NULL if it is not understood. */
static const char *place_repeated(struct placed *p, const char *text)
{
    const int before = p->count;
    const char *blocks = text + 1, *end = place_blocks(p, blocks);
    bool are_any = p->count > before;
    int length = 0;
    long times;

    if (!end || sscanf(end, "]x%9ld%n", &times, &length) != 1 || length == 0 || times < 1)
        return NULL;
    for (long i = 1; i < times && are_any && p->count < p->ranks; i++)
        place_blocks(p, blocks);
    return end + length;
}

/* Places the ranks of the whole list once. Returns false if it is not understood. */
static bool place_list(struct placed *p, const char *text)
{
    int length = 0;

    sscanf(text, "(vector%n", &length);
    if (length == 0)
        return false;
    for (text += length; text && *text == ',';)
        text = text[1] == '[' ? place_repeated(p, text + 1) : place_one(p, text + 1);
    return text && text[0] == ')' && text[1] == '\0' && p->count > 0;
}

static bool place_all(struct placed *p, const char *text)
{
    while (place_list(p, text))
        if (p->count == p->ranks)
            return true;
    return false;
}

/* Numbers the hosts in the order of their first ranks. Returns how many there are. */
static int number(const struct placed *p, uint32_t *host)
{
    uint32_t hosts = 0;

    for (int rank = 0; rank < p->ranks; rank++) {
        int same = 0;

        while (p->first[same] != p->first[rank])
            same++;
        host[rank] = same < rank ? host[same] : hosts++;
    }
    return (int)hosts;
}

int ftc_mapping_parse(const char *text, int ranks, uint32_t *host)
{
    struct placed p = {.first = calloc((size_t)ranks, sizeof *p.first), .ranks = ranks};
    uint32_t *own = host ? host : calloc((size_t)ranks, sizeof *own);
    int hosts = p.first && own && place_all(&p, text) ? number(&p, own) : 0;

    free(p.first);
    if (!host)
        free(own);
    return hosts;
}
