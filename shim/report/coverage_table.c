/* The call sites that all ranks have described, merged. */
#include "coverage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is told in one line: the same call at the same place with the same fate, of all ranks. */
struct row {
    uint32_t call, protection, ranks;
    uint64_t calls;
    char text[FTC_BOARD_SITE_TEXT];
};

enum { ROWS = 4096, INDEX = 2 * ROWS };

struct table {
    struct row *row;
    int count;
    int *index; /* place in row[] plus one, found by hash; 0: unused */
    uint64_t calls[FTC_BOARD_SHELTERS], elsewhere[FTC_BOARD_SHELTERS];
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
static bool read_site(const struct ftc_board_site *site, struct row *row)
{
    row->call = atomic_load_explicit(&site->call, memory_order_acquire);
    row->protection = site->protection;
    row->calls = atomic_load_explicit(&site->calls, memory_order_relaxed);
    row->ranks = 1;
    copy_printable(row->text, site->text, sizeof row->text);
    return ftc_call_kind(row->call) != FTC_CALL_NONE && row->protection < FTC_PROTECTION_COUNT;
}

static bool is_same(const struct row *a, const struct row *b)
{
    return a->call == b->call && a->protection == b->protection && strcmp(a->text, b->text) == 0;
}

static uint32_t hash(const struct row *row)
{
    uint32_t h = row->call * 31 + row->protection;

    for (const char *c = row->text; *c; c++)
        h = h * 16777619u ^ (unsigned char)*c;
    return h;
}

static int *find(const struct table *t, const struct row *row)
{
    uint32_t i = hash(row) % INDEX;

    while (t->index[i] != 0 && !is_same(&t->row[t->index[i] - 1], row))
        i = (i + 1) % INDEX;
    return &t->index[i];
}

static void add(struct table *t, const struct row *row)
{
    enum ftc_shelter shelter = ftc_protection_shelter(row->protection);
    int *found = find(t, row);

    t->calls[shelter] += row->calls;
    if (*found != 0) {
        t->row[*found - 1].calls += row->calls;
        t->row[*found - 1].ranks++;
    } else if (t->count < ROWS) {
        t->row[t->count++] = *row;
        *found = t->count;
    } else {
        t->elsewhere[shelter] += row->calls;
    }
}

static void add_rank(struct table *t, const struct ftc_board *board, uint32_t slot)
{
    const struct ftc_board_sites *sites = ftc_board_sites(board, slot);
    struct row row;

    for (uint32_t i = 0; i < board->geometry.sites; i++)
        if (read_site(&sites->site[i], &row))
            add(t, &row);
    for (int s = 0; s < FTC_BOARD_SHELTERS; s++) {
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

/* Different places among the rows, which are ordered by text; only of those that are exposed. */
static int count_places(const struct table *t, bool exposed)
{
    const char *last = NULL;
    int places = 0;

    for (int i = 0; i < t->count; i++) {
        const struct row *row = &t->row[i];

        if (exposed && ftc_protection_shelter(row->protection) != FTC_SHELTER_EXPOSED)
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
    static const char *const fate[FTC_BOARD_SHELTERS] = {"not protected", "protected",
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

    for (int s = 0; s < FTC_BOARD_SHELTERS; s++)
        all += t->elsewhere[s];
    if (all > 0)
        fprintf(f, "ftcoll: and %s calls at other call sites, %s of them not protected\n",
                grouped(all, sum), grouped(exposed, some));
}

/* Rounded down: 100 % is all. */
static void write_sum(FILE *f, const struct table *t, int exposed_places, int places)
{
    uint64_t exposed = t->calls[FTC_SHELTER_EXPOSED], safe = t->calls[FTC_SHELTER_PROTECTED];
    uint64_t all = exposed + safe;
    double percent = all > 0 ? 100.0 * ((double)safe / (double)all) : 0;
    char text[32];

    if (all == 0)
        fprintf(f, "ftcoll: no call needed another rank\n");
    else if (exposed == 0)
        fprintf(f,
                "ftcoll: all %s calls that need other ranks are protected: a dead rank would leave "
                "nobody waiting\n",
                grouped(all, text));
    else
        fprintf(f,
                "ftcoll: %.1f %% of %s calls that need other ranks are protected; a dead rank "
                "would leave the others waiting at %d of %d call sites\n",
                (double)(int)(percent * 10) / 10, grouped(all, text), exposed_places, places);
}

static void write_table(FILE *f, struct table *t)
{
    int exposed_places, places;

    qsort(t->row, (size_t)t->count, sizeof *t->row, compare_text);
    places = count_places(t, false);
    exposed_places = count_places(t, true);
    qsort(t->row, (size_t)t->count, sizeof *t->row, compare);
    fprintf(f, "ftcoll: %12s on ranks %-17s %-13s  %s\n", "calls", "call", "", "call site");
    for (int i = 0; i < t->count; i++)
        write_row(f, &t->row[i]);
    write_elsewhere(f, t);
    write_sum(f, t, exposed_places, places);
}

void ftc_coverage_write(FILE *f, const struct ftc_board *board)
{
    struct table t = {.row = malloc(ROWS * sizeof *t.row), .index = calloc(INDEX, sizeof *t.index)};

    if (t.row && t.index) {
        for (uint32_t slot = 0; slot < board->geometry.slots; slot++)
            add_rank(&t, board, slot);
        write_table(f, &t);
    } else {
        fprintf(f, "ftcoll: no memory to tell of call sites\n");
    }
    free(t.row);
    free(t.index);
}
