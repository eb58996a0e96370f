/* outlook: what becomes of a call when a rank dies that it needs, and which settings would make
 * that better. It depends on the settings, on the call, and on the error handler in force: an error
 * that ends the job protects nobody. */
#ifndef FTC_REPORT_OUTLOOK_H
#define FTC_REPORT_OUTLOOK_H

#include "call/call.h"
#include "call/policy.h"

#include <stdint.h>

/* What happens to a call when a rank is dead that it needs; the worst first. */
enum ftc_shelter {
    FTC_SHELTER_EXPOSED, /* it, or the call that completes it, waits for ever */
    FTC_SHELTER_FATAL,   /* it is an error, and the error handler ends the job */
    FTC_SHELTER_PROTECTED,
    FTC_SHELTER_ALONE, /* it needs nobody */
    FTC_SHELTERS
};

/* The first ones are those of enum ftc_pass. */
enum ftc_protection {
    FTC_PROTECTION_LAST_PASS = FTC_PASS_COUNT - 1,
#define FTC_PROTECTION(name, shelter, text) FTC_PROTECTION_##name,
#include "protections.def"
#undef FTC_PROTECTION
    FTC_PROTECTION_COUNT
};

enum ftc_shelter ftc_protection_shelter(uint32_t protection);
const char *ftc_protection_text(uint32_t protection);

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
    FTC_REMEDY_ALL = 1023,
};

struct ftc_outlook {
    enum ftc_protection protection;
    uint32_t remedies;
};

/* Of a call of which is decided who carries it out. */
struct ftc_outlook ftc_outlook_of_call(const struct ftc_call *call, enum ftc_pass pass);

/* Of a call of calls.def that native MPI carries out, as in ftc_coverage_native(). */
struct ftc_outlook ftc_outlook_of_native(enum ftc_call_kind kind, MPI_Comm comm, int peer);

#endif
