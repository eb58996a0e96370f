#include "numbers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char more[] = ", ...";

static bool ends_with_more(const char *text, size_t used)
{
    return used >= 3 && strcmp(text + used - 3, "...") == 0;
}

void ftc_numbers_add(char *text, size_t size, long long number)
{
    char added[32];
    size_t used = strlen(text);
    const char *rest = used > 0 ? more : "...";

    if (ends_with_more(text, used))
        return;
    snprintf(added, sizeof added, "%s%lld", used > 0 ? ", " : "", number);
    if (used + strlen(added) + strlen(more) < size)
        rest = added;
    snprintf(text + used, size - used, "%s", rest);
}
