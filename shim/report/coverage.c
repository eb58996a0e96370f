#include "coverage.h"

#include "library.h"
#include "system/callsite.h"

#include <string.h>

/* Where the record of a call site is on the board. The table is never more than half full. */
struct place {
    const void *site; /* NULL: unused */
    enum ftc_call_kind call;
    uint32_t protection;
    struct ftc_board_site *record;
};
enum { PLACES = 2 * FTC_COVERAGE_SITES };

bool ftc_coverage_is_on;
static struct place places[PLACES];
static struct ftc_board_sites *sites; /* this rank's, on the board */
static uint32_t used;                 /* records */

/* Not the library's, which is held by some callers. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ftc_coverage_open(void)
{
    ftc_coverage_is_on = ftc_library.board.geometry.sites > 0;
    if (!ftc_coverage_is_on)
        return;
    memset(places, 0, sizeof places);
    used = 0;
    sites = ftc_board_sites(&ftc_library.board, ftc_library.self);
}

enum ftc_shelter ftc_protection_shelter(uint32_t protection)
{
    switch (protection) {
    case FTC_PASS_NONE:
        return FTC_SHELTER_PROTECTED;
    case FTC_PASS_COMM_SELF:
    case FTC_PASS_INVALID: /* an error at once */
        return FTC_SHELTER_ALONE;
#define FTC_PROTECTION(name, shelter, text)                                                        \
    case FTC_PROTECTION_##name:                                                                    \
        return FTC_SHELTER_##shelter;
#include "protections.def"
#undef FTC_PROTECTION
    default:
        return FTC_SHELTER_EXPOSED;
    }
}

const char *ftc_protection_text(uint32_t protection)
{
    static const char *const text[] = {
#define FTC_PROTECTION(name, shelter, words) words,
#include "protections.def"
#undef FTC_PROTECTION
    };

    return protection < FTC_PASS_COUNT ? ftc_pass_text((enum ftc_pass)protection)
                                       : text[protection - FTC_PASS_COUNT];
}

static struct place *find_place(const void *site, enum ftc_call_kind call, uint32_t protection)
{
    uint64_t h = ((uintptr_t)site ^ (uint64_t)call << 48 ^ (uint64_t)protection << 56) *
                 0x9e3779b97f4a7c15ull;
    struct place *p = &places[(h >> 32) % PLACES];

    while (p->site && (p->site != site || p->call != call || p->protection != protection))
        p = p + 1 == places + PLACES ? places : p + 1;
    return p;
}

/* A record without a call is one that is not complete yet. */
static void describe(struct place *p, const void *site, enum ftc_call_kind call,
                     uint32_t protection)
{
    *p = (struct place){.site = site, .call = call, .protection = protection};
    p->record = &sites->site[used++];
    p->record->protection = protection;
    ftc_callsite_name(site, p->record->text, sizeof p->record->text);
    atomic_store_explicit(&p->record->call, call, memory_order_release);
}

static void add_one(_Atomic uint64_t *count)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static void count(enum ftc_call_kind call, uint32_t protection, const void *return_address)
{
    const void *site = ftc_callsite_of(return_address);
    struct place *p;

    if (ftc_library.threaded)
        pthread_mutex_lock(&lock);
    p = find_place(site, call, protection);
    if (!p->site && used < ftc_library.board.geometry.sites && used < FTC_COVERAGE_SITES)
        describe(p, site, call, protection);
    add_one(p->site ? &p->record->calls : &sites->elsewhere[ftc_protection_shelter(protection)]);
    if (ftc_library.threaded)
        pthread_mutex_unlock(&lock);
}

static uint32_t protection_of(enum ftc_call_kind kind, MPI_Comm comm, int peer)
{
    if (peer == MPI_PROC_NULL || comm == MPI_COMM_SELF)
        return FTC_PROTECTION_NEEDS_NOBODY;
    if (ftc_call_class(kind) == FTC_CLASS_MESSAGE && comm != MPI_COMM_NULL)
        return ftc_library.settings.p2p == FTC_P2P_NATIVE ? FTC_PROTECTION_P2P_NATIVE
                                                          : FTC_PROTECTION_P2P;
    if (ftc_call_class(kind) == FTC_CLASS_COMMUNICATOR)
        return ftc_library.settings.communicators == FTC_COMMUNICATORS_NATIVE
                   ? FTC_PROTECTION_COMMUNICATORS_NATIVE
                   : FTC_PROTECTION_COMMUNICATORS;
    return FTC_PROTECTION_NO_WAY;
}

/* A call of native MPI's comes here if it makes a communicator of the survivors. */
void ftc_coverage_call(const struct ftc_call *call, enum ftc_pass pass)
{
    if (ftc_call_is_counted(call->kind))
        count(call->kind, pass, call->return_address);
    else
        ftc_coverage_native(call->kind, call->comm, MPI_ANY_SOURCE, call->return_address);
}

void ftc_coverage_native(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                         const void *return_address)
{
    if (!ftc_call_is_counted(kind) && ftc_call_class(kind) != FTC_CLASS_OWN)
        count(kind, protection_of(kind, comm, peer), return_address);
}
