#include "inside.h"

#include "mpi_library.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum product { PRODUCT_MPICH, PRODUCT_UCX, PRODUCT_PMI };

static const char *const product_name[] = {
    [PRODUCT_MPICH] = "MPICH", [PRODUCT_UCX] = "UCX", [PRODUCT_PMI] = "PMI"};

static const struct part {
    const char *name;
    enum product product;
    unsigned first, last;
    const char *device, *lost;
} parts[] = {
#define FTC_INSIDE(part, name, product, first, last, tested, device, where, relies, lost)          \
    {name, PRODUCT_##product, first, last, device, lost},
#include "inside.def"
#undef FTC_INSIDE
};

/* Other devices, and versions with them, for which a part of MPICH's is known (FTC_INSIDE_ALSO). */
static const struct other {
    enum ftc_inside part;
    unsigned first, last;
    const char *device;
} others[] = {
#define FTC_INSIDE(...)
#define FTC_INSIDE_ALSO(part, first, last, tested, device) {FTC_INSIDE_##part, first, last, device},
#include "inside.def"
#undef FTC_INSIDE
};

enum { OTHERS = sizeof others / sizeof others[0] };

static _Atomic bool trusts_all, is_wanted[FTC_INSIDE_PARTS], is_out_of_reach[FTC_INSIDE_PARTS];
static _Atomic unsigned pmi; /* version in which the launcher has answered; 0: none */

/* ---- what is loaded ---- */

/* Copies the value of a line such as "MPICH Device: ch4:ucx" to @value. The value ends at a blank
 * or at the line's end. Returns false if there is none or it does not fit. */
static bool read_line(const char *text, const char *name, char *value, size_t size)
{
    const char *found = strstr(text, name);
    size_t length;

    if (!found)
        return false;
    found += strlen(name);
    found += strspn(found, ": \t");
    length = strcspn(found, " \t\n");
    snprintf(value, size, "%.*s", (int)length, found);
    return length > 0 && length < size;
}

void ftc_inside_read(const char *library_version, struct ftc_inside_mpi *mpi)
{
    char version[32];
    unsigned major, minor;

    *mpi = (struct ftc_inside_mpi){0};
    read_line(library_version, "MPICH Device", mpi->device, sizeof mpi->device);
    if (read_line(library_version, "MPICH Version", version, sizeof version) &&
        sscanf(version, "%4u.%2u", &major, &minor) == 2) {
        mpi->version = 100 * major + minor;
        snprintf(mpi->name, sizeof mpi->name, "MPICH %s (%s)", version,
                 mpi->device[0] ? mpi->device : "of no known device");
        return;
    }
    snprintf(mpi->name, sizeof mpi->name, "%.*s", (int)strcspn(library_version, "\n"),
             library_version);
}

/* Returns what the loaded MPI library reports, and reads it only once. Two threads that read it at
 * the same time get the same result. */
static const struct ftc_inside_mpi *loaded_mpi(void)
{
    static struct ftc_inside_mpi mpi;
    static _Atomic bool is_read;
    char text[FTC_MPI_VERSION_MAX];

    if (!is_read && ftc_mpi_version(text)) {
        ftc_inside_read(text, &mpi);
        is_read = true;
    }
    return &mpi;
}

unsigned ftc_inside_mpich(void)
{
    return loaded_mpi()->version;
}

const char *ftc_inside_device(void)
{
    return loaded_mpi()->device;
}

unsigned ftc_inside_ucx(void)
{
    void (*get_version)(unsigned *, unsigned *, unsigned *);
    void *found = ftc_loaded_next("ucp_get_version");
    unsigned major, minor, release;

    if (!found)
        return 0;
    memcpy(&get_version, &found, sizeof found);
    get_version(&major, &minor, &release);
    return 100 * major + minor;
}

/* ---- which parts are known ---- */

void ftc_inside_heard(unsigned version)
{
    pmi = version;
}

static unsigned version_of(enum product product)
{
    switch (product) {
    case PRODUCT_UCX:
        return ftc_inside_ucx();
    case PRODUCT_PMI:
        return pmi;
    default:
        return loaded_mpi()->version;
    }
}

static bool fits(unsigned version, unsigned first, unsigned last, const char *device)
{
    return version >= first && version <= last &&
           (!device || strcmp(device, loaded_mpi()->device) == 0);
}

static bool is_known(enum ftc_inside part)
{
    const struct part *p = &parts[part];
    unsigned version = version_of(p->product);
    bool known = fits(version, p->first, p->last, p->device);

    for (int i = 0; i < OTHERS && !known; i++)
        known = others[i].part == part &&
                fits(version, others[i].first, others[i].last, others[i].device);
    return known;
}

bool ftc_inside_has(enum ftc_inside part)
{
    return !is_out_of_reach[part] && (trusts_all || is_known(part));
}

bool ftc_inside_want(enum ftc_inside part)
{
    is_wanted[part] = true;
    return ftc_inside_has(part);
}

void ftc_inside_miss(enum ftc_inside part)
{
    is_out_of_reach[part] = true;
}

void ftc_inside_trust(bool all)
{
    trusts_all = all;
}

/* ---- the text ---- */

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, "%s", more);
}

static void append_loaded(char *text, size_t size)
{
    unsigned ucx = ftc_inside_ucx();
    char version[32];

    append(text, size, loaded_mpi()->name);
    snprintf(version, sizeof version, " with UCX %u.%u", ucx / 100, ucx % 100);
    if (ucx > 0)
        append(text, size, version);
}

/* Appends a range of versions, such as "4.0 to 5.0 with device ch4:ucx". */
static void append_range(char *text, size_t size, unsigned first, unsigned last, const char *device)
{
    char range[32];

    snprintf(range, sizeof range, "%u.%u to %u.%u", first / 100, first % 100, last / 100,
             last % 100);
    append(text, size, range);
    if (device) {
        append(text, size, " with device ");
        append(text, size, device);
    }
}

static void append_ranges(char *text, size_t size, const struct part *p)
{
    append(text, size, ", known for ");
    append(text, size, product_name[p->product]);
    append(text, size, " ");
    append_range(text, size, p->first, p->last, p->device);
    for (int i = 0; i < OTHERS; i++)
        if (&parts[others[i].part] == p) {
            append(text, size, ", ");
            append_range(text, size, others[i].first, others[i].last, others[i].device);
        }
}

/* Appends the description of a part, such as "finalize, known for MPICH 4.0 to 5.0 (without it
 * ...)". */
static void append_part(char *text, size_t size, const struct part *p)
{
    append(text, size, p->name);
    if (is_out_of_reach[p - parts])
        append(text, size, ", out of reach in this build of it");
    else
        append_ranges(text, size, p);
    append(text, size, " (without it ");
    append(text, size, p->lost);
    append(text, size, ")");
}

bool ftc_inside_describe_missing(char *text, size_t size)
{
    int missing = 0;

    text[0] = '\0';
    append_loaded(text, size);
    for (int i = 0; i < FTC_INSIDE_PARTS; i++) {
        if (!is_wanted[i] || ftc_inside_has(i))
            continue;
        append(text, size, missing++ == 0 ? " is used without the parts " : "; ");
        append_part(text, size, &parts[i]);
    }
    append(text, size, "; untested = on uses them all the same");
    return missing > 0;
}
