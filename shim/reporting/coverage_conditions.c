#include "coverage_conditions.h"

#include "call/call.h"

#include <string.h>

static const struct {
    const char *word, *text;
} conditions[] = {
#define FTC_CONDITION(name, word, text) {word, text},
#include "coverage_conditions.def"
#undef FTC_CONDITION
};

const char *ftc_condition_word(enum ftc_condition condition)
{
    return conditions[condition].word;
}

const char *ftc_condition_text(enum ftc_condition condition)
{
    return conditions[condition].text;
}

static bool is_of_file(enum ftc_call_kind kind)
{
    return ftc_call_class(kind) == FTC_CLASS_FILE || ftc_call_class(kind) == FTC_CLASS_FILE_REFUSED;
}

/* Returns whether the call receives a message, or may: a wait or test may be for a receive. */
static bool receives(enum ftc_call_kind kind)
{
    switch (kind) {
    case FTC_CALL_SEND:
    case FTC_CALL_SSEND:
    case FTC_CALL_RSEND:
    case FTC_CALL_BSEND:
        return false;
    default:
        return ftc_call_is_message(kind);
    }
}

/* Returns whether the call puts together blocks of several ranks, as a gather or alltoall does. */
static bool takes_blocks(enum ftc_call_kind kind)
{
    return ftc_call_is_counted(kind) && !ftc_call_has_operation(kind) &&
           !ftc_call_comes_from_root(kind) && ftc_call_plain(kind) != FTC_CALL_BARRIER;
}

/* Returns whether the call makes a communicator that may be smaller after a death. */
static bool makes_smaller(const struct ftc_coverage_table *t, enum ftc_call_kind kind)
{
    bool is_copy = kind == FTC_CALL_COMM_DUP || kind == FTC_CALL_COMM_DUP_WITH_INFO;

    return ftc_call_class(kind) == FTC_CLASS_COMMUNICATOR && !(is_copy && t->copies_keep_ranks);
}

/* Returns whether the calls of @row of @t, which end as @level says, depend on @condition. */
static bool applies(const struct ftc_coverage_table *t, const struct ftc_coverage_row *row,
                    enum ftc_condition condition, enum ftc_protection_level level)
{
    enum ftc_call_kind kind = (enum ftc_call_kind)row->call;
    bool is_protected = level == FTC_LEVEL_PROTECTED;
    bool is_over = is_protected || level == FTC_LEVEL_RAISED;

    switch (condition) {
    case FTC_CONDITION_REDUCTIONS:
        return is_protected && ftc_call_has_operation(kind);
    case FTC_CONDITION_BLOCKS:
        return is_protected && takes_blocks(kind);
    case FTC_CONDITION_ANY_SOURCE:
        return is_protected && (row->remedies & FTC_REMEDY_IF_ANY_SOURCE);
    case FTC_CONDITION_RECEIVES:
        return is_protected && receives(kind) && !(row->remedies & FTC_REMEDY_IF_ANY_SOURCE);
    case FTC_CONDITION_ROOTS:
        return is_protected && ftc_call_comes_from_root(kind);
    case FTC_CONDITION_COMMUNICATORS:
        return is_over && makes_smaller(t, kind);
    case FTC_CONDITION_ERRORS:
        return level == FTC_LEVEL_RAISED && !is_of_file(kind);
    case FTC_CONDITION_FILES:
        return is_over && is_of_file(kind);
    default:
        return is_over && (row->remedies & FTC_REMEDY_IF_RANK_0);
    }
}

static bool row_applies(const struct ftc_coverage_table *t, int row, enum ftc_condition condition,
                        uint32_t remedies)
{
    return applies(t, &t->row[row], condition, ftc_coverage_level(&t->row[row], remedies));
}

const char *ftc_condition_site(const struct ftc_coverage_table *t, enum ftc_condition condition,
                               uint32_t remedies, int *next)
{
    while (*next < t->count) {
        int row = (*next)++, other = 0;

        if (!row_applies(t, row, condition, remedies))
            continue;
        while (other < row && (strcmp(t->row[other].text, t->row[row].text) != 0 ||
                               !row_applies(t, other, condition, remedies)))
            other++;
        if (other == row)
            return t->row[row].text;
    }
    return NULL;
}

bool ftc_condition_holds(const struct ftc_coverage_table *t, enum ftc_condition condition,
                         uint32_t remedies)
{
    int next = 0;

    if (condition == FTC_CONDITION_RANK_0)
        return !t->rank_0_is_critical && ftc_coverage_calls(t) > 0;
    return ftc_condition_site(t, condition, remedies, &next) != NULL;
}
