#include "advice.h"

#include "call/policy.h"
#include "protection.h"

#include <stdio.h>

static uint32_t of_messages(const struct ftc_settings *s)
{
    return s->p2p == FTC_P2P_NATIVE ? FTC_REMEDY_P2P_IGNORE : 0;
}

static uint32_t of_communicators(const struct ftc_settings *s)
{
    return s->communicators == FTC_COMMUNICATORS_NATIVE ? FTC_REMEDY_COMMUNICATORS : 0;
}

/* Returns the remedy for large data, which a call that is not intercepted may have as well. */
static uint32_t of_size(const struct ftc_settings *s)
{
    return s->large == FTC_LARGE_NATIVE ? FTC_REMEDY_LARGE : 0;
}

static uint32_t of_collective(const struct ftc_settings *s, enum ftc_call_kind kind,
                              uint32_t fallback)
{
    bool has_size = ftc_call_plain(kind) != FTC_CALL_BARRIER;

    switch (fallback) {
    case FTC_FALLBACK_NOT_INTERCEPTED:
    case FTC_FALLBACK_INTERCOMM:
        return FTC_REMEDY_INTERCEPT | (has_size ? of_size(s) : 0);
    case FTC_FALLBACK_ADDRESSES:
    case FTC_FALLBACK_NON_COMMUTATIVE:
    case FTC_FALLBACK_TOO_LARGE:
        return of_size(s);
    case FTC_FALLBACK_UNKNOWN_SIZE:
        return FTC_REMEDY_MAX_BYTES;
    default:
        return 0;
    }
}

/* Returns the remedies for a wait or test of requests, which may be of messages or collectives. */
static uint32_t of_requests(const struct ftc_settings *s)
{
    if ((s->intercept & FTC_INTERCEPT_NONBLOCKING) == FTC_INTERCEPT_NONBLOCKING)
        return of_messages(s) | of_size(s);
    return of_messages(s) | FTC_REMEDY_INTERCEPT | of_size(s);
}

static uint32_t of_look(const struct ftc_settings *s, enum ftc_call_kind kind)
{
    switch (kind) {
    case FTC_CALL_WIN_TEST:
        return 0;
    case FTC_CALL_IPROBE:
    case FTC_CALL_IMPROBE:
    case FTC_CALL_PARRIVED:
    case FTC_CALL_BUFFER_DETACH:
        return of_messages(s);
    default:
        return of_requests(s);
    }
}

static uint32_t of_window(const struct ftc_settings *s, enum ftc_call_kind kind)
{
    return kind == FTC_CALL_WIN_FREE && (s->intercept & FTC_INTERCEPT_WIN_FREE) == 0
               ? FTC_REMEDY_INTERCEPT
               : 0;
}

static uint32_t remedies_of(const struct ftc_settings *s, enum ftc_call_kind kind,
                            uint32_t fallback)
{
    switch (ftc_call_class(kind)) {
    case FTC_CLASS_PROTECTED:
        return of_collective(s, kind, fallback);
    case FTC_CLASS_MESSAGE:
        return of_messages(s);
    case FTC_CLASS_LOOK:
    case FTC_CLASS_WAIT:
        return of_look(s, kind);
    case FTC_CLASS_COMMUNICATOR:
    case FTC_CLASS_FILE:
        return of_communicators(s);
    default:
        return of_window(s, kind);
    }
}

bool ftc_advice_write(const struct ftc_settings *s, enum ftc_call_kind kind, uint32_t fallback,
                      char text[FTC_ADVICE_TEXT])
{
    uint32_t remedies = remedies_of(s, kind, fallback);
    const char *word;
    unsigned next = 0;
    int length = 0;

    while ((word = ftc_remedy_text(remedies, &next)))
        length += snprintf(text + length, (size_t)(FTC_ADVICE_TEXT - length), "%s%s",
                           length == 0 ? "; " : " ", word);
    snprintf(text + length, (size_t)(FTC_ADVICE_TEXT - length), "%s",
             length == 0 ? "; no setting protects it" : " would protect it");
    return length > 0;
}
