/* Comparison of an output with the same output of two undisturbed runs, as far as these runs
 * agree. */
#include "rehearsal.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sets of numbers in a line: bit i stands for number i, the last bit for all later numbers as
 * well. */
enum { NUMBERS = 64 };
#define ALL_NUMBERS UINT64_MAX

/* ---- lines ---- */

struct line {
    const char *text;
    char *shape; /* text with # for each number */
};

struct lines {
    char *text;
    struct line *line;
    size_t count;
};

static bool begins_number(const char *line, const char *at)
{
    bool is_inside = at > line && isalnum((unsigned char)at[-1]);

    return isdigit((unsigned char)*at) ||
           (*at == '-' && !is_inside && isdigit((unsigned char)at[1]));
}

/* Returns whether a number continues at @at, as in 12, -1.5e-3, 0x7fff, 12:30:59. */
static bool continues_number(const char *at)
{
    if (isalnum((unsigned char)*at))
        return true;
    if (*at == '\0' || !isdigit((unsigned char)at[1]))
        return false;
    return *at == '.' || *at == ':' || ((*at == '+' || *at == '-') && (at[-1] | ' ') == 'e');
}

static const char *end_of_number(const char *at)
{
    for (at++; continues_number(at); at++)
        ;
    return at;
}

/* Returns a copy of @line, which the caller frees, with # in place of the numbers in the set
 * @hidden. */
static char *hide(const char *line, uint64_t hidden)
{
    char *copy = malloc(strlen(line) + 1), *to = copy;
    int number = 0;

    if (!copy)
        abort();
    for (const char *at = line; *at;) {
        const char *end = begins_number(line, at) ? end_of_number(at) : at + 1;
        bool is_number = end > at + 1 || isdigit((unsigned char)*at);

        if (is_number && (hidden >> (number < NUMBERS ? number : NUMBERS - 1) & 1))
            *to++ = '#';
        else
            to = mempcpy(to, at, (size_t)(end - at));
        number += is_number;
        at = end;
    }
    *to = '\0';
    return copy;
}

static int by_shape(const void *a, const void *b)
{
    return strcmp(((const struct line *)a)->shape, ((const struct line *)b)->shape);
}

static struct lines split(const struct rehearse_output *o)
{
    struct lines l = {.text = strndup(o->text, o->bytes)};
    char *rest = l.text;

    l.line = calloc(o->bytes + 1, sizeof *l.line);
    if (!l.text || !l.line)
        abort();
    for (const char *text; (text = strsep(&rest, "\n"));)
        if (*text)
            l.line[l.count++] = (struct line){text, hide(text, ALL_NUMBERS)};
    qsort(l.line, l.count, sizeof *l.line, by_shape);
    return l;
}

static void free_lines(struct lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->line[i].shape);
    free(l->line);
    free(l->text);
}

/* ---- lines of one shape ---- */

struct group {
    const struct line *line;
    size_t count;
};

/* Returns the lines that have the same shape as the one at @at, from that one on. */
static struct group group_at(const struct lines *l, size_t at)
{
    struct group g = {.line = l->line + at};

    while (at + g.count < l->count && strcmp(g.line[g.count].shape, g.line[0].shape) == 0)
        g.count++;
    return g;
}

static struct group find(const struct lines *l, const char *shape)
{
    size_t low = 0, high = l->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(l->line[middle].shape, shape) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == l->count || strcmp(l->line[low].shape, shape) != 0)
        return (struct group){NULL, 0};
    return group_at(l, low);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **sorted(struct group g, uint64_t hidden)
{
    char **text = calloc(g.count + 1, sizeof *text);

    if (!text)
        abort();
    for (size_t i = 0; i < g.count; i++)
        text[i] = hide(g.line[i].text, hidden);
    qsort(text, g.count, sizeof *text, by_text);
    return text;
}

static void free_texts(char **text)
{
    for (size_t i = 0; text[i]; i++)
        free(text[i]);
    free(text);
}

/* Returns whether both groups have the same lines, in any order, without the numbers in @hidden. */
static bool are_same(struct group a, struct group b, uint64_t hidden)
{
    char **x = sorted(a, hidden), **y = sorted(b, hidden);
    bool are = a.count == b.count;

    for (size_t i = 0; are && i < a.count; i++)
        are = strcmp(x[i], y[i]) == 0;
    free_texts(x);
    free_texts(y);
    return are;
}

static int count_numbers(const char *shape)
{
    int count = 0;

    for (; (shape = strchr(shape, '#')); shape++)
        count++;
    return count < NUMBERS ? count : NUMBERS;
}

/* Returns the set of the numbers that differ between @a and @b, or ALL_NUMBERS if the lines also
 * differ without these numbers. */
static uint64_t differing(struct group a, struct group b)
{
    uint64_t hidden = 0;

    if (are_same(a, b, 0))
        return 0;
    for (int i = 0; i < count_numbers(a.line[0].shape); i++)
        if (!are_same(a, b, ~(1ull << i)))
            hidden |= 1ull << i;
    return are_same(a, b, hidden) ? hidden : ALL_NUMBERS;
}

/* ---- outputs ---- */

/* Returns how many lines of @a have a shape that @b does not have equally often. */
static size_t count_peculiar(const struct lines *a, const struct lines *b)
{
    size_t count = 0;

    for (size_t i = 0; i < a->count;) {
        struct group g = group_at(a, i);

        if (find(b, g.line[0].shape).count != g.count)
            count += g.count;
        i += g.count;
    }
    return count;
}

/* Returns whether @c has the lines that @a and @b have in common. */
static bool has_common(const struct lines *a, const struct lines *b, const struct lines *c)
{
    for (size_t i = 0; i < a->count;) {
        struct group x = group_at(a, i), y = find(b, x.line[0].shape);

        if (x.count == y.count && !are_same(x, find(c, x.line[0].shape), differing(x, y)))
            return false;
        i += x.count;
    }
    return true;
}

/* Returns how many lines of @c have a shape that neither @a nor @b has. */
static size_t count_new(const struct lines *a, const struct lines *b, const struct lines *c)
{
    size_t count = 0;

    for (size_t i = 0; i < c->count; i++)
        count += !find(a, c->line[i].shape).line && !find(b, c->line[i].shape).line;
    return count;
}

static bool equal(const struct rehearse_output *a, const struct rehearse_output *b)
{
    return a->bytes == b->bytes && memcmp(a->text, b->text, a->bytes) == 0;
}

static bool is_text(const struct rehearse_output *o)
{
    return !memchr(o->text, '\0', o->bytes);
}

static bool are_lines_same(const struct rehearse_output *a, const struct rehearse_output *b,
                           const struct rehearse_output *c)
{
    struct lines x = split(a), y = split(b), z = split(c);
    size_t of_x = count_peculiar(&x, &y), of_y = count_peculiar(&y, &x);
    bool same = has_common(&x, &y, &z) && count_new(&x, &y, &z) <= (of_x > of_y ? of_x : of_y);

    free_lines(&x);
    free_lines(&y);
    free_lines(&z);
    return same;
}

bool rehearse_is_same(const struct rehearse_output *a, const struct rehearse_output *b,
                      const struct rehearse_output *c)
{
    if (equal(a, c) || equal(b, c))
        return true;
    if (!is_text(a) || !is_text(b) || !is_text(c))
        return !equal(a, b); /* if @a and @b differ, @c cannot be judged */
    return are_lines_same(a, b, c);
}
