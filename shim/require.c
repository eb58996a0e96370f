#include "require.h"

#include "callsite.h"
#include "library.h"

#include <string.h>

/* Sites that have been looked at, by hash; another site may take the place. */
enum { KNOWN = 256 };
static struct {
    const void *site;
    bool is_named;
} known[KNOWN];

/* "module(function+0x12)" */
static bool find_function(const char *site, const char **name, size_t *length)
{
    const char *open = strchr(site, '('), *plus = strrchr(site, '+');

    if (!open || !plus || plus < open)
        return false;
    *name = open + 1;
    *length = (size_t)(plus - *name);
    return true;
}

static bool is_function(const char *word, size_t length, const char *name, size_t name_length)
{
    size_t rest = name_length - length;

    if (name_length < length || strncmp(word, name, length) != 0)
        return false;
    return rest == 0 || name[length] == '.' || (rest == 1 && name[length] == '_');
}

static bool is_named_by(const char *word, size_t length, const char *site)
{
    const char *name;
    size_t name_length;

    if (strlen(site) == length && strncmp(word, site, length) == 0)
        return true;
    return find_function(site, &name, &name_length) && is_function(word, length, name, name_length);
}

bool ftc_require_names(const char *list, const char *site)
{
    while (*list) {
        size_t end, length;

        list += strspn(list, ", \t");
        end = length = strcspn(list, ",");
        while (length > 0 && strchr(" \t", list[length - 1]))
            length--;
        if (length > 0 && is_named_by(list, length, site))
            return true;
        list += end;
    }
    return false;
}

bool ftc_require_at(const void *return_address)
{
    const char *list = ftc_library.settings.require_all_at;
    const void *site;
    char text[256];
    unsigned i;

    if (list[0] == '\0')
        return false;
    site = ftc_callsite_of(return_address);
    i = (unsigned)((uintptr_t)site ^ (uintptr_t)site >> 8) % KNOWN;
    if (known[i].site != site) {
        ftc_callsite_name(site, text, sizeof text);
        known[i].site = site;
        known[i].is_named = ftc_require_names(list, text);
    }
    return known[i].is_named;
}
