#include "mapping.h"

#include <stdbool.h>
#include <stdio.h>

/* Hosts of ranks that have one so far. */
struct hosts {
    long first;
    bool are_several;
    int ranks_left;
};

static bool is_sane(long first, long count, long ranks_each)
{
    return first >= 0 && count >= 0 && ranks_each >= 0;
}

static void add_block(struct hosts *hosts, bool is_first, long first, long count, long ranks_each)
{
    if (hosts->ranks_left <= 0 || count == 0 || ranks_each == 0)
        return;
    if (is_first)
        hosts->first = first;
    if (first != hosts->first || (count > 1 && ranks_each < hosts->ranks_left))
        hosts->are_several = true;
    hosts->ranks_left =
        count * ranks_each >= hosts->ranks_left ? 0 : hosts->ranks_left - (int)(count * ranks_each);
}

enum ftc_mapping ftc_mapping_parse(const char *text, int ranks)
{
    struct hosts hosts = {.ranks_left = ranks};
    long first, count, ranks_each;
    int length = 0;

    sscanf(text, "(vector%n", &length);
    if (length == 0)
        return FTC_MAPPING_UNKNOWN;
    for (text += length; *text == ','; text += length) {
        length = 0;
        if (sscanf(text, ",(%9ld,%9ld,%9ld)%n", &first, &count, &ranks_each, &length) != 3 ||
            length == 0 || !is_sane(first, count, ranks_each))
            return FTC_MAPPING_UNKNOWN;
        add_block(&hosts, hosts.ranks_left == ranks, first, count, ranks_each);
    }
    if (text[0] != ')' || text[1] != '\0' || hosts.ranks_left == ranks)
        return FTC_MAPPING_UNKNOWN;
    return hosts.are_several ? FTC_MAPPING_SEVERAL_HOSTS : FTC_MAPPING_ONE_HOST;
}
