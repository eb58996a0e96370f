#include "required_sites.h"

#include "board/require_all.h"
#include "mpi/callsite.h"
#include "system/symbol.h"

#include <stdio.h>
#include <string.h>

/* Call sites that have been compared with the setting, by hash. A new site may replace another. */
enum { KNOWN = 256, SITE_TEXT = 2048 };
static struct {
    const void *site;
    uint64_t named; /* bits of the setting's words that name it */
} known[KNOWN];

/* Finds the name of the function in @site, which is "module(function+0x12)". Returns false if it
 * has none. */
static bool find_function(const char *site, const char **name, size_t *length)
{
    const char *open = strchr(site, '('), *plus = strrchr(site, '+');

    if (!open || !plus || plus < open)
        return false;
    *name = open + 1;
    *length = (size_t)(plus - *name);
    return true;
}

/* Returns whether @rest is empty, or is what compilers append to a function's name. */
static bool is_appendix(const char *rest, size_t length)
{
    return length == 0 || rest[0] == '.' || (length == 1 && rest[0] == '_');
}

/* Returns whether @word names the function @name. A C++ name may be given without its parameters,
 * and so without what follows them. */
static bool is_function(const char *word, size_t length, const char *name, size_t name_length)
{
    char copy[SITE_TEXT];

    if (name_length < length || strncmp(word, name, length) != 0)
        return false;
    if (is_appendix(name + length, name_length - length))
        return true;
    snprintf(copy, sizeof copy, "%.*s", (int)name_length, name);
    return name[length] == '(' && length == ftc_symbol_length_without_parameters(copy);
}

static bool is_named_by(const char *word, size_t length, const char *site)
{
    const char *name;
    size_t name_length;

    if (strlen(site) == length && strncmp(word, site, length) == 0)
        return true;
    return find_function(site, &name, &name_length) && is_function(word, length, name, name_length);
}

/* Returns the length of the first word of @list, which ends before the first comma that is not
 * inside a C++ name such as f<a, b>(c, d). The characters < and > in operator< and operator-> are
 * no brackets. */
static size_t word_length(const char *list)
{
    static const char operator[] = "operator";
    size_t i = 0;
    int depth = 0;

    for (; list[i] && (list[i] != ',' || depth > 0); i++) {
        if (strncmp(list + i, operator, strlen(operator)) == 0) {
            i += strlen(operator);
            i += strspn(list + i, "<>=-") - 1;
        } else {
            depth += list[i] == '(' || list[i] == '<'   ? 1
                     : list[i] == ')' || list[i] == '>' ? -1
                                                        : 0;
        }
    }
    return i;
}

/* Takes the next word from @list. Returns false if there is none. */
static bool next_word(const char **list, const char **word, size_t *length)
{
    while (**list) {
        size_t end;

        *list += strspn(*list, ", \t");
        *word = *list;
        end = *length = word_length(*list);
        while (*length > 0 && strchr(" \t", (*word)[*length - 1]))
            --*length;
        *list += end;
        if (*length > 0)
            return true;
    }
    return false;
}

uint64_t ftc_required_sites_names(const char *list, const char *site)
{
    uint64_t named = 0;
    const char *word;
    size_t length;

    for (int i = 0; next_word(&list, &word, &length); i++)
        if (is_named_by(word, length, site))
            named |= 1ull << (i < FTC_REQUIRE_WORDS ? i : FTC_REQUIRE_WORDS - 1);
    return named;
}

static uint64_t look_up(const struct ftc_notice *n, const void *site)
{
    char text[SITE_TEXT];

    ftc_callsite_name(site, text, sizeof text);
    return ftc_required_sites_names(n->settings->require_all_at, text);
}

/* Returns which words of the setting name the call site of @return_address, as bits. */
static uint64_t find(const struct ftc_notice *n, const void *return_address)
{
    const void *site;
    unsigned i;

    if (n->settings->require_all_at[0] == '\0')
        return 0;
    site = ftc_callsite_of(return_address);
    i = (unsigned)((uintptr_t)site ^ (uintptr_t)site >> 8) % KNOWN;
    if (known[i].site != site) {
        known[i].site = site;
        known[i].named = look_up(n, site);
    }
    return known[i].named;
}

bool ftc_required_sites_have(const struct ftc_notice *n, const void *return_address)
{
    return find(n, return_address) != 0;
}

bool ftc_required_sites_meet(const struct ftc_notice *n, const void *return_address)
{
    uint64_t named = find(n, return_address);

    if ((named & ~ftc_require_all_matches(n->board)) != 0)
        ftc_require_all_add(n->board, named);
    return named != 0;
}

/* Iteration over the setting's words that have named no call. It ends before the last bit's word,
 * which stands for all words that follow. */
struct unnamed {
    uint64_t named;
    const char *rest, *word;
    size_t length;
    int number; /* words passed so far */
};

static struct unnamed begin_unnamed(const struct ftc_notice *n)
{
    return (struct unnamed){.named = ftc_require_all_matches(n->board),
                            .rest = n->settings->require_all_at};
}

/* Goes on to the next word that has named no call. Returns false if there is none. */
static bool next_unnamed(struct unnamed *u)
{
    while (u->number < FTC_REQUIRE_WORDS - 1 && next_word(&u->rest, &u->word, &u->length))
        if ((u->named >> u->number++ & 1) == 0)
            return true;
    return false;
}

int ftc_required_sites_unnamed(const struct ftc_notice *n)
{
    struct unnamed u = begin_unnamed(n);
    int count = 0;

    while (next_unnamed(&u))
        count++;
    return count;
}

void ftc_required_sites_write(FILE *f, const struct ftc_notice *n)
{
    struct unnamed u = begin_unnamed(n);

    while (next_unnamed(&u))
        fprintf(f, "ftcoll: require_all_at: no rank called a protected reduction from '%.*s'\n",
                (int)u.length, u.word);
}

void ftc_required_sites_write_json(struct ftc_json *j, const struct ftc_notice *n)
{
    struct unnamed u = begin_unnamed(n);
    char word[sizeof n->settings->require_all_at];

    ftc_json_open_array(j, "require_all_at_unnamed");
    while (next_unnamed(&u)) {
        snprintf(word, sizeof word, "%.*s", (int)u.length, u.word);
        ftc_json_add_text(j, NULL, word);
    }
    ftc_json_close(j);
}
