#include "coverage_table.h"

#include "board/directory.h"
#include "board/rank_state.h"
#include "call/call.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4096 };

/* Copies a text of @size bytes from the board, with '?' for unprintable characters and a zero at
 * the end, because any process may have written it. */
static void copy_printable(char *to, const char *from, size_t size)
{
    size_t i = 0;

    memcpy(to, from, size);
    for (; i < size - 1 && to[i]; i++)
        if (to[i] < ' ' || to[i] > '~')
            to[i] = '?';
    memset(to + i, 0, size - i);
}

/* Reads @site into @row. Returns false if @site is unused, or has a value that no correct rank
 * writes. */
static bool read_site(const struct ftc_coverage_site *site, struct ftc_coverage_row *row)
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
    const struct ftc_coverage_row *a = left, *b = right;

    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    if (a->protection != b->protection)
        return a->protection < b->protection ? -1 : 1;
    return strcmp(a->text, b->text);
}

/* Returns the row with the call, protection and text of @row: a known one, or a new one without
 * calls. NULL if there is no room. */
static struct ftc_coverage_row *find_or_make(struct ftc_coverage_table *t,
                                             const struct ftc_coverage_row *row)
{
    struct ftc_coverage_row **known = tfind(row, &t->known, compare_identity),
                            *fresh = &t->row[t->count];

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

/* Adds the calls of @row of rank @world. To be called rank by rank: several records of a rank in
 * one row count it once. */
static void add(struct ftc_coverage_table *t, const struct ftc_coverage_row *row, uint32_t world)
{
    enum ftc_protection_level level = ftc_protection_level(row->protection);
    struct ftc_coverage_row *same = find_or_make(t, row);

    t->calls[level] += row->calls;
    if (same) {
        same->calls += row->calls;
        same->remedies |= row->remedies;
        if (same->ranks == 0)
            same->first = world;
        same->ranks += same->ranks == 0 || same->last != world;
        same->last = world;
    } else {
        t->elsewhere[level] += row->calls;
    }
}

static void keep(void *row)
{
    (void)row;
}

static void add_rank(struct ftc_coverage_table *t, const struct ftc_board *board, uint32_t world)
{
    const struct ftc_coverage_sites *sites = ftc_coverage_sites_of(board, world);
    uint32_t room = ftc_coverage_sites_room(board);
    struct ftc_coverage_row row;

    t->unknown += !ftc_board_is_here(board, world) && !atomic_load(&sites->are_known);
    for (uint32_t i = 0; i < room; i++)
        if (read_site(&sites->site[i], &row))
            add(t, &row, world);
    for (int s = 0; s < FTC_LEVELS; s++) {
        uint64_t calls = atomic_load_explicit(&sites->elsewhere[s], memory_order_relaxed);

        t->elsewhere[s] += calls;
        t->calls[s] += calls;
    }
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(((const struct ftc_coverage_row *)a)->text,
                  ((const struct ftc_coverage_row *)b)->text);
}

/* Orders rows by level, the worst first, then by number of calls, the most first. */
static int compare(const void *a, const void *b)
{
    const struct ftc_coverage_row *x = a, *y = b;
    int by_level =
        (int)ftc_protection_level(x->protection) - (int)ftc_protection_level(y->protection);

    if (by_level != 0)
        return by_level;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return compare_text(a, b);
}

/* Returns the number of call sites among the rows with @level or a worse one. The rows are sorted
 * by text. */
static int count_places(const struct ftc_coverage_table *t, enum ftc_protection_level level)
{
    const char *last = NULL;
    int places = 0;

    for (int i = 0; i < t->count; i++) {
        const struct ftc_coverage_row *row = &t->row[i];

        if (ftc_protection_level(row->protection) > level)
            continue;
        places += !last || strcmp(last, row->text) != 0;
        last = row->text;
    }
    return places;
}

static void sort_rows(struct ftc_coverage_table *t)
{
    qsort(t->row, (size_t)t->count, sizeof *t->row, compare_text);
    for (int s = 0; s < FTC_LEVELS; s++)
        t->places[s] = count_places(t, (enum ftc_protection_level)s);
    qsort(t->row, (size_t)t->count, sizeof *t->row, compare);
}

bool ftc_coverage_make(struct ftc_coverage_table *t, const struct ftc_board *board,
                       const struct ftc_settings *settings)
{
    *t = (struct ftc_coverage_table){.row = malloc(ROWS * sizeof *t->row)};
    if (!t->row)
        return false;
    t->rank_0_is_critical = ftc_board_is_critical(board, 0);
    t->copies_keep_ranks = settings->communicators == FTC_COMMUNICATORS_PLACES;
    for (uint32_t world = 0; world < board->geometry.ranks; world++)
        add_rank(t, board, world);
    tdestroy(t->known, keep);
    t->known = NULL;
    sort_rows(t);
    return true;
}

void ftc_coverage_free(struct ftc_coverage_table *t)
{
    free(t->row);
}

enum ftc_protection_level ftc_coverage_level(const struct ftc_coverage_row *row, uint32_t remedies)
{
    enum ftc_protection_level now = ftc_protection_level(row->protection);

    if ((row->protection == FTC_PROTECTION_P2P_RAISED || (row->remedies & FTC_REMEDY_P2P_ERROR)) &&
        (remedies & FTC_REMEDY_P2P_IGNORE))
        return FTC_LEVEL_PROTECTED;
    if (now >= FTC_LEVEL_PROTECTED || (row->remedies & FTC_REMEDY_IN_VAIN) ||
        !(row->remedies & FTC_REMEDY_SETTINGS))
        return now;
    if (row->remedies & FTC_REMEDY_HALF)
        return FTC_LEVEL_FATAL;
    return row->remedies & FTC_REMEDY_RAISES ? FTC_LEVEL_RAISED : FTC_LEVEL_PROTECTED;
}

uint32_t ftc_coverage_remedies(const struct ftc_coverage_row *row)
{
    enum ftc_protection_level best = ftc_coverage_level(row, row->remedies);

    return best > ftc_protection_level(row->protection) ? row->remedies : 0;
}

uint64_t ftc_coverage_calls(const struct ftc_coverage_table *t)
{
    return t->calls[FTC_LEVEL_EXPOSED] + t->calls[FTC_LEVEL_FATAL] + t->calls[FTC_LEVEL_RAISED] +
           t->calls[FTC_LEVEL_PROTECTED];
}

int ftc_coverage_permille(const struct ftc_coverage_table *t)
{
    uint64_t all = ftc_coverage_calls(t);

    return all == 0 ? 0 : (int)(1000.0 * ((double)t->calls[FTC_LEVEL_PROTECTED] / (double)all));
}

/* ---- the verdict ---- */

static void take_worse(struct ftc_coverage_verdict *v, enum ftc_protection_level level,
                       const struct ftc_coverage_row *row)
{
    if (level == FTC_LEVEL_PROTECTED && (row->remedies & FTC_REMEDY_IF_ANY_SOURCE))
        v->waits_for_any_source = true;
    if (level < v->level) {
        v->level = level;
        v->row = row;
    }
}

void ftc_coverage_judge(const struct ftc_coverage_table *t, struct ftc_coverage_verdict *now,
                        struct ftc_coverage_verdict *best, uint32_t *remedies)
{
    *now = *best = (struct ftc_coverage_verdict){.level = FTC_LEVEL_PROTECTED, .is_sure = true};
    *remedies = 0;
    for (int i = 0; i < t->count; i++)
        *remedies |= ftc_coverage_remedies(&t->row[i]);
    for (int i = 0; i < t->count; i++) {
        const struct ftc_coverage_row *row = &t->row[i];

        take_worse(now, ftc_protection_level(row->protection), row);
        take_worse(best, ftc_coverage_level(row, *remedies), row);
    }
    for (int s = 0; s < FTC_LEVEL_PROTECTED; s++)
        if (t->elsewhere[s] > 0) {
            take_worse(now, (enum ftc_protection_level)s, NULL);
            take_worse(best, (enum ftc_protection_level)s, NULL);
        }
    best->is_sure = (*remedies & FTC_REMEDY_IF_MESSAGE) == 0;
}
