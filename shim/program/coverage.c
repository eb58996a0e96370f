#include "coverage.h"

#include "forecast.h"
#include "library.h"
#include "mpi/callsite.h"
#include "progress/crash.h"
#include "reporting/coverage_sites.h"
#include "reporting/required_sites.h"
#include "system/hash.h"

#include <string.h>

/* Entry of a hash table: where the record of a call site is on the board. Each call of the program
 * looks it up, so it must not allocate memory, as a library's table would. The table has a fixed
 * size and loses no entry, because it is never more than half full. */
struct place {
    const void *site; /* NULL: unused */
    enum ftc_call_kind call;
    uint64_t crashes; /* points of setting crash at this site */
    struct ftc_forecast forecast;
    struct ftc_coverage_site *record;
};
enum { PLACES = 2 * FTC_COVERAGE_SITES };

bool ftc_coverage_is_on;
static struct place places[PLACES];
static struct ftc_coverage_sites *sites; /* this rank's records on the board */
static uint32_t used, room;              /* numbers of records */
_Atomic uint64_t ftc_coverage_calls_so_far[FTC_CALL_COUNT][FTC_FALLBACK_COUNT];

/* Lock of the table, separate from the library's lock, which some callers hold. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ftc_coverage_open(void)
{
    room = ftc_coverage_sites_room(&ftc_library.board);
    ftc_coverage_is_on = room > 0;
    if (!ftc_coverage_is_on)
        return;
    memset(places, 0, sizeof places);
    used = 0;
    sites = ftc_coverage_sites_of(&ftc_library.board, ftc_library.world_rank);
    atomic_store(&sites->are_known, true);
}

static struct place *find_place(const void *site, enum ftc_call_kind call,
                                struct ftc_forecast forecast)
{
    uint64_t fate = (uint64_t)call << 32 ^ (uint64_t)forecast.protection << 16 ^ forecast.remedies;
    uint64_t h = ftc_hash_mix(ftc_hash_mix(FTC_HASH_START, (uintptr_t)site), fate);
    struct place *p = &places[(h >> 32) % PLACES];

    while (p->site &&
           (p->site != site || p->call != call || p->forecast.protection != forecast.protection ||
            p->forecast.remedies != forecast.remedies))
        p = p + 1 == places + PLACES ? places : p + 1;
    return p;
}

/* Fills a new record. Its field call is set last, because readers ignore a record without one. */
static void describe(struct place *p, const void *site, enum ftc_call_kind call,
                     struct ftc_forecast forecast)
{
    *p = (struct place){.site = site, .call = call, .forecast = forecast};
    p->record = &sites->site[used++];
    p->record->protection = forecast.protection;
    p->record->remedies = forecast.remedies;
    ftc_callsite_name(site, p->record->text, sizeof p->record->text);
    p->crashes = ftc_crash_points_at(p->record->text, ftc_required_sites_names);
    atomic_store_explicit(&p->record->call, call, memory_order_release);
}

static void add_one(_Atomic uint64_t *count)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static void count_at(enum ftc_call_kind call, struct ftc_forecast forecast,
                     const void *return_address)
{
    const void *site = ftc_callsite_of(return_address);
    struct place *p;

    if (ftc_library.threaded)
        pthread_mutex_lock(&lock);
    p = find_place(site, call, forecast);
    if (!p->site && used < room && used < FTC_COVERAGE_SITES)
        describe(p, site, call, forecast);
    add_one(p->site ? &p->record->calls
                    : &sites->elsewhere[ftc_protection_level(forecast.protection)]);
    if (p->crashes != 0)
        ftc_crash_at_call(p->crashes);
    if (ftc_library.threaded)
        pthread_mutex_unlock(&lock);
}

/* Counts @call at its site. Includes calls that make communicators of the survivors or access their
 * files. */
static void count_place(const struct ftc_call *call, enum ftc_fallback fallback)
{
    if (ftc_call_is_counted(call->kind))
        count_at(call->kind, ftc_forecast_of_call(call, fallback), call->return_address);
    else if (ftc_call_class(call->kind) != FTC_CLASS_OWN)
        count_at(call->kind, ftc_forecast_of_survivors(call), call->return_address);
}

void ftc_coverage_call(const struct ftc_call *call, enum ftc_fallback fallback)
{
    _Atomic uint64_t *count = &ftc_coverage_calls_so_far[call->kind][fallback];

    if (ftc_coverage_is_on)
        count_place(call, fallback);
    if (ftc_library.threaded)
        atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    else
        add_one(count);
}

void ftc_coverage_sums(unsigned long long *carried_out, unsigned long long *passed)
{
    *carried_out = *passed = 0;
    for (int k = 0; k < FTC_CALL_COUNT; k++) {
        if (!ftc_call_is_counted((enum ftc_call_kind)k))
            continue;
        *carried_out += atomic_load(&ftc_coverage_calls_so_far[k][FTC_FALLBACK_NONE]);
        for (int p = 1; p < FTC_FALLBACK_COUNT; p++)
            *passed += atomic_load(&ftc_coverage_calls_so_far[k][p]);
    }
}

void ftc_coverage_native(enum ftc_call_kind kind, MPI_Comm comm, int peer,
                         const void *return_address)
{
    if (!ftc_call_is_counted(kind) && ftc_call_class(kind) != FTC_CLASS_OWN)
        count_at(kind, ftc_forecast_of_native(kind, comm, peer), return_address);
}
