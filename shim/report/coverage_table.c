/* The call sites that all ranks have described, merged. */
#include "coverage.h"
#include "coverage_sites.h"
#include "library.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* What is told in one line: the same call at the same place with the same fate, of all ranks. */
struct row {
    uint32_t call, protection, remedies, ranks;
    uint64_t calls;
    char text[FTC_COVERAGE_SITE_TEXT];
};

enum { ROWS = 4096 };

struct table {
    struct row *row;
    int count;
    void *known; /* rows by call, protection and text: a tree of tsearch() */
    uint64_t calls[FTC_SHELTERS], elsewhere[FTC_SHELTERS];
};

/* Of a text that any process may have written. */
static void copy_printable(char *to, const char *from, size_t size)
{
    size_t i = 0;

    memcpy(to, from, size);
    for (; i < size - 1 && to[i]; i++)
        if (to[i] < ' ' || to[i] > '~')
            to[i] = '?';
    memset(to + i, 0, size - i);
}

/* False if there is nothing, or nothing that a correct rank writes. */
static bool read_site(const struct ftc_coverage_site *site, struct row *row)
{
    row->call = atomic_load_explicit(&site->call, memory_order_acquire);
    row->protection = site->protection;
    row->remedies = site->remedies & FTC_REMEDY_ALL;
    row->calls = atomic_load_explicit(&site->calls, memory_order_relaxed);
    row->ranks = 1;
    copy_printable(row->text, site->text, sizeof row->text);
    return ftc_call_kind(row->call) != FTC_CALL_NONE && row->protection < FTC_PROTECTION_COUNT;
}

static int compare_identity(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    if (a->protection != b->protection)
        return a->protection < b->protection ? -1 : 1;
    return strcmp(a->text, b->text);
}

/* The row like @row: one that is known, or a new one without calls; NULL if there is no room. */
static struct row *find_or_make(struct table *t, const struct row *row)
{
    struct row **known = tfind(row, &t->known, compare_identity), *fresh = &t->row[t->count];

    if (known)
        return *known;
    if (t->count == ROWS)
        return NULL;
    *fresh = *row;
    fresh->calls = fresh->ranks = 0;
    if (!tsearch(fresh, &t->known, compare_identity))
        return NULL;
    t->count++;
    return fresh;
}

static void add(struct table *t, const struct row *row)
{
    enum ftc_shelter shelter = ftc_protection_shelter(row->protection);
    struct row *same = find_or_make(t, row);

    t->calls[shelter] += row->calls;
    if (same) {
        same->calls += row->calls;
        same->remedies |= row->remedies;
        same->ranks++;
    } else {
        t->elsewhere[shelter] += row->calls;
    }
}

static void keep(void *row)
{
    (void)row;
}

static void add_rank(struct table *t, const struct ftc_board *board, uint32_t world)
{
    const struct ftc_coverage_sites *sites = ftc_coverage_sites_of(board, world);
    uint32_t room = ftc_coverage_sites_room(board);
    struct row row;

    for (uint32_t i = 0; i < room; i++)
        if (read_site(&sites->site[i], &row))
            add(t, &row);
    for (int s = 0; s < FTC_SHELTERS; s++) {
        uint64_t calls = atomic_load_explicit(&sites->elsewhere[s], memory_order_relaxed);

        t->elsewhere[s] += calls;
        t->calls[s] += calls;
    }
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->text, ((const struct row *)b)->text);
}

/* The exposed first, then what is called most. */
static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int by_shelter =
        (int)ftc_protection_shelter(x->protection) - (int)ftc_protection_shelter(y->protection);

    if (by_shelter != 0)
        return by_shelter;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return compare_text(a, b);
}

/* Different places among the rows, which are ordered by text, of those with @shelter or worse. */
static int count_places(const struct table *t, enum ftc_shelter shelter)
{
    const char *last = NULL;
    int places = 0;

    for (int i = 0; i < t->count; i++) {
        const struct row *row = &t->row[i];

        if (ftc_protection_shelter(row->protection) > shelter)
            continue;
        places += !last || strcmp(last, row->text) != 0;
        last = row->text;
    }
    return places;
}

/* "1,234,567" */
static const char *grouped(uint64_t number, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number), n = 0;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[n++] = ',';
        text[n++] = digits[i];
    }
    text[n] = '\0';
    return text;
}

static void write_row(FILE *f, const struct row *row)
{
    static const char *const fate[FTC_SHELTERS] = {"not protected", "ends the job", "protected",
                                                   "needs nobody"};
    char calls[32];
    bool has_reason = row->protection != FTC_PASS_NONE;

    fprintf(f, "ftcoll: %12s on %4" PRIu32 "  %-18s %-13s  %s%s%s\n", grouped(row->calls, calls),
            row->ranks, ftc_call_name((enum ftc_call_kind)row->call),
            fate[ftc_protection_shelter(row->protection)], row->text, has_reason ? ": " : "",
            has_reason ? ftc_protection_text(row->protection) : "");
}

static void write_elsewhere(FILE *f, const struct table *t)
{
    uint64_t exposed = t->elsewhere[FTC_SHELTER_EXPOSED], all = 0;
    char some[32], sum[32];

    for (int s = 0; s < FTC_SHELTERS; s++)
        all += t->elsewhere[s];
    if (all > 0)
        fprintf(f, "ftcoll: and %s calls at other call sites, %s of them not protected\n",
                grouped(all, sum), grouped(exposed, some));
}

/* Rounded down: 100 % is all. */
static void write_sum(FILE *f, const struct table *t, const int places[FTC_SHELTERS])
{
    uint64_t exposed = t->calls[FTC_SHELTER_EXPOSED], fatal = t->calls[FTC_SHELTER_FATAL];
    uint64_t safe = t->calls[FTC_SHELTER_PROTECTED], all = exposed + fatal + safe;
    double percent = all > 0 ? 100.0 * ((double)safe / (double)all) : 0;
    bool waits = exposed > 0;
    char text[32];

    if (all == 0)
        fprintf(f, "ftcoll: no call needed another rank\n");
    else if (exposed == 0 && fatal == 0)
        fprintf(f,
                "ftcoll: all %s calls that need other ranks are protected: a dead rank would leave "
                "nobody waiting\n",
                grouped(all, text));
    else
        fprintf(f,
                "ftcoll: %.1f %% of %s calls that need other ranks are protected; a dead rank "
                "would %s at %d of %d call sites\n",
                (double)(int)(percent * 10) / 10, grouped(all, text),
                waits ? "leave the others waiting" : "end the job",
                places[waits ? FTC_SHELTER_EXPOSED : FTC_SHELTER_FATAL], places[FTC_SHELTER_ALONE]);
}

static void write_table(FILE *f, struct table *t)
{
    int places[FTC_SHELTERS];

    qsort(t->row, (size_t)t->count, sizeof *t->row, compare_text);
    for (int s = 0; s < FTC_SHELTERS; s++)
        places[s] = count_places(t, (enum ftc_shelter)s);
    qsort(t->row, (size_t)t->count, sizeof *t->row, compare);
    fprintf(f, "ftcoll: %12s on ranks %-17s %-13s  %s\n", "calls", "call", "", "call site");
    for (int i = 0; i < t->count; i++)
        write_row(f, &t->row[i]);
    write_elsewhere(f, t);
    write_sum(f, t, places);
}

/* ---- the verdict ---- */

/* With what helps row @row. */
static enum ftc_shelter shelter_at_best(const struct row *row)
{
    enum ftc_shelter now = ftc_protection_shelter(row->protection);

    if (now >= FTC_SHELTER_PROTECTED || (row->remedies & FTC_REMEDY_IN_VAIN) || row->remedies == 0)
        return now;
    return row->remedies & FTC_REMEDY_HALF ? FTC_SHELTER_FATAL : FTC_SHELTER_PROTECTED;
}

struct verdict {
    enum ftc_shelter shelter; /* of the call that is worst off */
    const struct row *row;    /* NULL: one of those elsewhere, or none */
};

static void take_worse(struct verdict *v, enum ftc_shelter shelter, const struct row *row)
{
    if (shelter < v->shelter)
        *v = (struct verdict){shelter, row};
}

/* As things are, and with @remedies, all that help some call. */
static void judge(const struct table *t, struct verdict *now, struct verdict *best,
                  uint32_t *remedies)
{
    *now = *best = (struct verdict){FTC_SHELTER_PROTECTED, NULL};
    *remedies = 0;
    for (int i = 0; i < t->count; i++) {
        const struct row *row = &t->row[i];
        enum ftc_shelter shelter = ftc_protection_shelter(row->protection);

        take_worse(now, shelter, row);
        take_worse(best, shelter_at_best(row), row);
        if (shelter_at_best(row) > shelter)
            *remedies |= row->remedies;
    }
    for (int s = 0; s < FTC_SHELTER_PROTECTED; s++)
        if (t->elsewhere[s] > 0) {
            take_worse(now, (enum ftc_shelter)s, NULL);
            take_worse(best, (enum ftc_shelter)s, NULL);
        }
}

static void write_verdict(FILE *f, const struct verdict *v, bool is_sure)
{
    bool ends = ftc_library.settings.on_blocked == FTC_ON_BLOCKED_ABORT &&
                ftc_library.settings.monitor != FTC_MONITOR_TIMEOUT;

    if (v->shelter >= FTC_SHELTER_PROTECTED) {
        fprintf(f, "survives%s\n", is_sure ? "" : ", if its MPI_Wait calls wait for messages only");
        return;
    }
    fprintf(f, v->shelter == FTC_SHELTER_FATAL ? "aborts"
               : ends                          ? "aborts after blocked_ms (on_blocked = abort)"
                                               : "waits for ever");
    if (v->row)
        fprintf(f, ", for example in %s at %s (%s)\n",
                ftc_call_name((enum ftc_call_kind)v->row->call), v->row->text,
                ftc_protection_text(v->row->protection));
    else
        fprintf(f, ", at a call site that is not listed\n");
}

/* As in the environment of the next run. */
static void write_remedies(FILE *f, uint32_t remedies)
{
    static const struct {
        uint32_t remedy;
        const char *text;
    } table[] = {
        {FTC_REMEDY_INTERCEPT, "FTCOLL_INTERCEPT=all"},
        {FTC_REMEDY_MAX_BYTES, "FTCOLL_MAX_BYTES=65536"},
        {FTC_REMEDY_P2P_IGNORE, "FTCOLL_P2P=ignore"},
        {FTC_REMEDY_P2P_ERROR, "FTCOLL_P2P=error"},
        {FTC_REMEDY_COMMUNICATORS, "FTCOLL_COMMUNICATORS=survivors"},
        {FTC_REMEDY_KEEP, "FTCOLL_ON_DEAD_ROOT=keep"},
        {FTC_REMEDY_F, "FTCOLL_F=1"},
    };

    if (remedies & FTC_REMEDY_P2P_IGNORE) /* which helps where an error would, too */
        remedies &= ~(uint32_t)FTC_REMEDY_P2P_ERROR;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (remedies & table[i].remedy)
            fprintf(f, " %s", table[i].text);
}

static void write_verdicts(FILE *f, const struct table *t)
{
    struct verdict now, best;
    uint32_t remedies;

    judge(t, &now, &best, &remedies);
    fprintf(f, "ftcoll: verdict: when a rank dies, this program ");
    write_verdict(f, &now, true);
    if (remedies != 0) {
        fprintf(f, "ftcoll: verdict with");
        write_remedies(f, remedies);
        fprintf(f, ": it ");
        write_verdict(f, &best, (remedies & FTC_REMEDY_IF_MESSAGE) == 0);
    } else if (now.shelter < FTC_SHELTER_PROTECTED) {
        fprintf(f, "ftcoll: no setting changes that\n");
    }
}

void ftc_coverage_write(FILE *f, const struct ftc_board *board)
{
    struct table t = {.row = malloc(ROWS * sizeof *t.row)};

    if (t.row) {
        for (uint32_t world = 0; world < board->geometry.ranks; world++)
            add_rank(&t, board, world);
        tdestroy(t.known, keep);
        write_table(f, &t);
        write_verdicts(f, &t);
    } else {
        fprintf(f, "ftcoll: no memory to tell of call sites\n");
    }
    free(t.row);
}
