#include "mapping.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Ranks that have a host so far. */
struct placed {
    long *first; /* the launcher's number of the host of each */
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

/* The whole list once; false if it is not understood. */
static bool place_list(struct placed *p, const char *text)
{
    long first, count, ranks_each;
    int length = 0;

    sscanf(text, "(vector%n", &length);
    if (length == 0)
        return false;
    for (text += length; *text == ','; text += length) {
        length = 0;
        if (sscanf(text, ",(%9ld,%9ld,%9ld)%n", &first, &count, &ranks_each, &length) != 3 ||
            length == 0 || !is_sane(first, count, ranks_each))
            return false;
        place_block(p, first, count, ranks_each);
    }
    return text[0] == ')' && text[1] == '\0' && p->count > 0;
}

static bool place_all(struct placed *p, const char *text)
{
    while (place_list(p, text))
        if (p->count == p->ranks)
            return true;
    return false;
}

/* In the order of their first ranks. */
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
