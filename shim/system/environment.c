#include "environment.h"

#include <stdlib.h>

enum { MOST = 1 << 30 };

long ftc_environment_number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    char *end;
    long value;

    if (!text || !*text)
        return otherwise;
    value = strtol(text, &end, 10);
    return *end == '\0' && value >= 0 && value <= MOST ? value : otherwise;
}
