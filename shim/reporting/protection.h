/* protection: what happens to a call when ranks are dead, in words, and the settings that would
 * improve that. The calling rank decides which protection a call has (program/forecast.h). */
#ifndef FTC_REPORTING_PROTECTION_H
#define FTC_REPORTING_PROTECTION_H

#include "call/policy.h"

#include <stdint.h>

/* Fate of a call when a rank that it needs is dead; the worst first. */
enum ftc_protection_level {
    FTC_LEVEL_EXPOSED, /* the call, or the one that completes it, waits forever */
    FTC_LEVEL_FATAL,   /* the call fails, and the error handler ends the job */
    FTC_LEVEL_RAISED,  /* the call fails, and the error handler returns */
    FTC_LEVEL_PROTECTED,
    FTC_LEVEL_ALONE, /* the call needs no other rank */
    FTC_LEVELS
};

/* Protection of a call, or the reason why it has none. The first values are those of enum
 * ftc_fallback. */
enum ftc_protection {
    FTC_PROTECTION_LAST_FALLBACK = FTC_FALLBACK_COUNT - 1,
#define FTC_PROTECTION(name, level, text) FTC_PROTECTION_##name,
#include "protections.def"
#undef FTC_PROTECTION
    FTC_PROTECTION_COUNT
};

enum ftc_protection_level ftc_protection_level(uint32_t protection);

/* Returns "not protected", "ends the job", "returns error", "protected" or "needs nobody". */
const char *ftc_protection_fate(uint32_t protection);

/* Returns the reason for the fate of @protection; NULL if it needs none. */
const char *ftc_protection_reason(uint32_t protection);

/* Settings that together protect a call, and what limits them. */
enum ftc_remedy {
    FTC_REMEDY_INTERCEPT = 1,
    FTC_REMEDY_MAX_BYTES = 2,
    FTC_REMEDY_P2P_ERROR = 4,
    FTC_REMEDY_P2P_IGNORE = 8,
    FTC_REMEDY_COMMUNICATORS = 16,
    FTC_REMEDY_KEEP = 32, /* on_dead_root = keep */
    FTC_REMEDY_F = 64,
    FTC_REMEDY_IN_VAIN = 128,    /* no setting helps: the call keeps its level */
    FTC_REMEDY_HALF = 256,       /* with these settings the call still ends the job */
    FTC_REMEDY_IF_MESSAGE = 512, /* helps a wait only if it is for messages (not recorded) */
    FTC_REMEDY_LARGE = 1024,
    FTC_REMEDY_RAISES = 2048,   /* with these settings the call still returns an error */
    FTC_REMEDY_SETTINGS = 1151, /* the bits above that are settings */

    /* Facts on which a condition may depend (coverage_conditions.h). */
    FTC_REMEDY_IF_ANY_SOURCE = 4096,
    FTC_REMEDY_IF_RANK_0 = 8192, /* rank 0 alone gets the result */
    FTC_REMEDY_ALL = 16383,
};

/* Words that follow wherever FTC_REMEDY_KEEP is advised. */
#define FTC_REMEDY_KEEP_WORDS "buffers keep their contents if the root is dead"

/* Returns the next setting in @remedies as it goes into the environment, such as "FTCOLL_F=1"; NULL
 * after the last. *@next is 0 at first, and is advanced. */
const char *ftc_remedy_text(uint32_t remedies, unsigned *next);

#endif
