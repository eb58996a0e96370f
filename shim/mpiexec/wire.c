#include "wire.h"

#include <string.h>

/* Commands of Hydra that a proxy sends. */
enum command {
    PID_LIST = 5,
    EXIT_STATUS,
    PMI,
    STDOUT,
    STDERR,
    PROCESS_TERMINATED,
};

static const char signature[4] = "HYD";

static int32_t word(const unsigned char *bytes, size_t index)
{
    int32_t value;

    memcpy(&value, bytes + index * sizeof value, sizeof value);
    return value;
}

bool ftc_wire_expects_greeting(struct ftc_wire *w, size_t bytes)
{
    if (bytes != 4 && bytes != 8 && bytes != 12)
        return false;
    w->greeting_bytes = bytes;
    return true;
}

bool ftc_wire_expects_header(struct ftc_wire *w, size_t bytes)
{
    if (w->header_bytes == 0 &&
        ((bytes == 32 && w->greeting_bytes < 12) || (bytes == 24 && w->greeting_bytes > 4)))
        w->header_bytes = bytes;
    return bytes == w->header_bytes;
}

bool ftc_wire_greet(struct ftc_wire *w, const unsigned char *greeting)
{
    size_t words = w->greeting_bytes / sizeof(int32_t);

    if (words > 1 && memcmp(greeting, signature, sizeof signature) != 0)
        return false;
    w->proxy = word(greeting, words - 1);
    w->group = words == 3 ? word(greeting, 1) : 0;
    return w->proxy >= 0 && w->group >= 0;
}

enum ftc_wire_body ftc_wire_read_header(const struct ftc_wire *w, const unsigned char *header,
                                        size_t *body_bytes)
{
    int32_t bytes = word(header, 1);

    *body_bytes = 0;
    if (word(header, w->header_bytes == 24 ? 2 : 4) > w->group)
        return FTC_WIRE_UNKNOWN;
    switch (word(header, 0)) {
    case PID_LIST:
    case EXIT_STATUS:
        return FTC_WIRE_OF_EACH;
    case PROCESS_TERMINATED:
        return FTC_WIRE_COUNTED;
    case PMI:
    case STDOUT:
    case STDERR:
        *body_bytes = (size_t)bytes;
        return bytes >= 0 && bytes <= FTC_WIRE_BODY_MAX ? FTC_WIRE_COUNTED : FTC_WIRE_UNKNOWN;
    default:
        return FTC_WIRE_UNKNOWN;
    }
}

static void put(unsigned char *bytes, size_t index, int32_t value)
{
    memcpy(bytes + index * sizeof value, &value, sizeof value);
}

size_t ftc_wire_make_exit_header(const struct ftc_wire *w, unsigned char *header)
{
    bool is_short = w->header_bytes == 24;

    memset(header, 0, w->header_bytes);
    put(header, 0, EXIT_STATUS);
    put(header, is_short ? 2 : 4, w->group);
    put(header, is_short ? 3 : 5, w->proxy);
    return w->header_bytes;
}
