/* protection: what a call can expect when ranks are dead, in words, and the settings that would
 * make it better. Which of it counts for a call, the rank that calls decides (program/forecast.h).
 */
#ifndef FTC_REPORTING_PROTECTION_H
#define FTC_REPORTING_PROTECTION_H

#include "call/policy.h"

#include <stdint.h>

/* What happens to a call when a rank is dead that it needs; the worst first. */
enum ftc_protection_level {
    FTC_LEVEL_EXPOSED, /* it, or the call that completes it, waits for ever */
    FTC_LEVEL_FATAL,   /* it is an error, and the error handler ends the job */
    FTC_LEVEL_RAISED,  /* it is an error, and the error handler returns */
    FTC_LEVEL_PROTECTED,
    FTC_LEVEL_ALONE, /* it needs nobody */
    FTC_LEVELS
};

/* The first ones are those of enum ftc_fallback. */
enum ftc_protection {
    FTC_PROTECTION_LAST_FALLBACK = FTC_FALLBACK_COUNT - 1,
#define FTC_PROTECTION(name, level, text) FTC_PROTECTION_##name,
#include "protections.def"
#undef FTC_PROTECTION
    FTC_PROTECTION_COUNT
};

enum ftc_protection_level ftc_protection_level(uint32_t protection);

/* "not protected", "ends the job", "returns error", "protected" or "needs nobody"; and why, NULL
 * for what needs no reason. */
const char *ftc_protection_fate(uint32_t protection);
const char *ftc_protection_reason(uint32_t protection);

/* Settings that together make a call a protected one. */
enum ftc_remedy {
    FTC_REMEDY_INTERCEPT = 1,
    FTC_REMEDY_MAX_BYTES = 2,
    FTC_REMEDY_P2P_ERROR = 4,
    FTC_REMEDY_P2P_IGNORE = 8,
    FTC_REMEDY_COMMUNICATORS = 16,
    FTC_REMEDY_KEEP = 32, /* on_dead_root */
    FTC_REMEDY_F = 64,
    FTC_REMEDY_IN_VAIN = 128,    /* it stays as bad as it is */
    FTC_REMEDY_HALF = 256,       /* with the others it is still one that ends the job */
    FTC_REMEDY_IF_MESSAGE = 512, /* of a wait: if it is for messages, which nobody has noted */
    FTC_REMEDY_LARGE = 1024,
    FTC_REMEDY_RAISES = 2048,   /* with the others it is still one that returns an error */
    FTC_REMEDY_SETTINGS = 1151, /* those above that are settings */

    /* Beside them, what a condition may depend on (coverage_conditions.h). */
    FTC_REMEDY_IF_ANY_SOURCE = 4096,
    FTC_REMEDY_IF_RANK_0 = 8192, /* which alone gets the result */
    FTC_REMEDY_ALL = 16383,
};

/* What is to be said wherever FTC_REMEDY_KEEP is advised. */
#define FTC_REMEDY_KEEP_WORDS "buffers keep their contents if the root is dead"

/* The settings in @remedies as they go into the environment, one by one: from @next, which is 0 at
 * first; NULL after the last. */
const char *ftc_remedy_text(uint32_t remedies, unsigned *next);

#endif
