#include "failures.h"

#include "board/death.h"
#include "board/directory.h"
#include "board/failure_site.h"
#include "board/recovery_record.h"
#include "call/call.h"
#include "system/clock.h"

#include <string.h>

enum { SITE_TEXT = 256 };
_Static_assert((int)SITE_TEXT >= (int)FTC_BOARD_SITE_TEXT, "what is on the board has room");

void ftc_failure_name(const struct ftc_board *board, uint32_t world, int timeout_ms,
                      char text[FTC_FAILURE_TEXT])
{
    char host[FTC_BOARD_HOST_NAME], death[96];

    ftc_directory_host_name(board, world, host);
    ftc_death_describe(board, world, timeout_ms, death, sizeof death);
    snprintf(text, FTC_FAILURE_TEXT, "rank %d (%s, pid %d) %s", (int)world, host,
             ftc_board_pid_there(board, world), death);
}

/* Returns whether the operation has a number. MPI_Finalize, called once, has none. */
static bool is_numbered(const struct ftc_recovery_record *a)
{
    return ftc_call_kind(a->met_in.call) != FTC_CALL_FINALIZE;
}

static void name_operation(const struct ftc_recovery_record *a, char text[FTC_FAILURE_TEXT])
{
    const char *call = ftc_call_name(ftc_call_kind(a->met_in.call));

    if (is_numbered(a))
        snprintf(text, FTC_FAILURE_TEXT, "%s #%u", call, a->met_in.seq);
    else
        snprintf(text, FTC_FAILURE_TEXT, "%s", call);
}

bool ftc_failure_missed_in(const struct ftc_board *board, uint32_t world,
                           char text[FTC_FAILURE_TEXT])
{
    struct ftc_recovery_record a;

    if (!ftc_recovery_record_read(board, world, &a))
        return false;
    name_operation(&a, text);
    return true;
}

/* ---- where that was called ---- */

/* Finds the name of the call site from the address that a survivor has left. Returns false if no
 * living rank has left one, or if only the number is known because that rank's process has gone. */
static bool ask_survivor(const struct ftc_board *board, uint32_t world, char site[SITE_TEXT])
{
    struct ftc_site_address place;

    if (!ftc_failure_site_address(board, world, &place))
        return false;
    ftc_callsite_name_in(place.pid, place.address, site, SITE_TEXT);
    return strncmp(site, "0x", 2) != 0;
}

void ftc_failure_find_site(const struct ftc_board *board, uint32_t world)
{
    struct ftc_site_address place;
    char site[SITE_TEXT];

    if (ftc_failure_site_address(board, world, &place) && ftc_failure_site_claim(board, world) &&
        ask_survivor(board, world, site))
        ftc_failure_site_keep(board, world, site);
}

static bool has_stack(const struct ftc_failure *failure)
{
    return failure->stack && failure->stack->depth > 0;
}

/* Writes the call site of the operation that first met the death; "" if it is not known. */
static void name_site(const struct ftc_failure *failure, char site[SITE_TEXT])
{
    if (failure->was_in_it && has_stack(failure))
        ftc_callsite_name(failure->stack->address[0], site, SITE_TEXT);
    else if (!ftc_failure_site_name(failure->board, failure->world, site) &&
             !ask_survivor(failure->board, failure->world, site))
        site[0] = '\0';
}

/* Returns whether the stack of this process is reported with @site. The process may have met the
 * death in a later operation. Its stack shows how the program came to @site only if that operation
 * was called from there as well. */
static bool is_printed_in_full(const struct ftc_failure *failure, const char *site)
{
    char own[SITE_TEXT];

    if (!failure->is_full || !has_stack(failure))
        return false;
    ftc_callsite_name(failure->stack->address[0], own, sizeof own);
    return strcmp(own, site) == 0;
}

static uint64_t elapsed_ns(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* ---- as text ---- */

static double microseconds(uint64_t from_ns, uint64_t to_ns)
{
    return (double)elapsed_ns(from_ns, to_ns) / 1e3;
}

static void write_stack(FILE *f, const struct ftc_stack *stack)
{
    char site[SITE_TEXT];

    for (int i = 0; i < stack->depth; i++) {
        ftc_callsite_name(stack->address[i], site, sizeof site);
        fprintf(f, "ftcoll:     #%d %s\n", i, site);
    }
}

static void write_recovery(FILE *f, const struct ftc_failure *failure)
{
    uint64_t death_ns = ftc_death_time_ns(failure->board, failure->world);
    char operation[FTC_FAILURE_TEXT], site[SITE_TEXT];
    struct ftc_recovery_record a;

    if (!ftc_recovery_record_read(failure->board, failure->world, &a)) {
        fprintf(f, "; no operation missed it\n");
        return;
    }
    name_operation(&a, operation);
    name_site(failure, site);
    fprintf(f, "; missed in %s%s%s, noticed by rank %d after %.0f us", operation,
            site[0] ? " at " : "", site, a.noticed_by, microseconds(death_ns, a.noticed_ns));
    if (a.recovered_ns != 0)
        fprintf(f, "; %s after %.0f us",
                a.is_error ? "it returned the error" : "all survivors had the result",
                microseconds(death_ns, a.recovered_ns));
    fputc('\n', f);
    if (is_printed_in_full(failure, site))
        write_stack(f, failure->stack);
}

void ftc_failure_write(FILE *f, const struct ftc_failure *failure)
{
    char name[FTC_FAILURE_TEXT];

    ftc_failure_name(failure->board, failure->world, failure->timeout_ms, name);
    fprintf(f, "ftcoll: %s", name);
    write_recovery(f, failure);
}

/* ---- as JSON ---- */

static void add_number_or_null(struct ftc_json *j, const char *key, bool is_known, int64_t number)
{
    if (is_known)
        ftc_json_add_number(j, key, number);
    else
        ftc_json_add_null(j, key);
}

static void add_cause(struct ftc_json *j, const struct ftc_failure *failure)
{
    enum ftc_death_cause cause = ftc_death_cause(failure->board, failure->world);
    int value = ftc_death_value(failure->board, failure->world);
    int suspect = ftc_death_suspected_by(failure->board, failure->world);
    char death[96];

    ftc_death_describe(failure->board, failure->world, failure->timeout_ms, death, sizeof death);
    ftc_json_add_text(j, "death", death);
    add_number_or_null(j, "signal", cause == FTC_DEATH_SIGNAL, value);
    add_number_or_null(j, "exit_status", cause == FTC_DEATH_EXIT, value);
    add_number_or_null(j, "suspected_by", cause == FTC_DEATH_SUSPECTED && suspect >= 0, suspect);
}

static void add_duration(struct ftc_json *j, const char *key, uint64_t from_ns, uint64_t to_ns)
{
    if (to_ns == 0)
        ftc_json_add_null(j, key);
    else
        ftc_json_add_decimal(j, key, (int64_t)elapsed_ns(from_ns, to_ns), 3);
}

static void add_stack(struct ftc_json *j, const struct ftc_failure *failure, const char *site)
{
    int depth = is_printed_in_full(failure, site) ? failure->stack->depth : 0;
    char place[SITE_TEXT];

    ftc_json_open_array(j, "stack");
    for (int i = 0; i < depth; i++) {
        ftc_callsite_name(failure->stack->address[i], place, sizeof place);
        ftc_json_add_text(j, NULL, place);
    }
    ftc_json_close(j);
}

static void add_recovery(struct ftc_json *j, const struct ftc_failure *failure)
{
    uint64_t death_ns = ftc_death_time_ns(failure->board, failure->world);
    char site[SITE_TEXT];
    struct ftc_recovery_record a;

    if (!ftc_recovery_record_read(failure->board, failure->world, &a)) {
        ftc_json_add_null(j, "missed_in");
        return;
    }
    name_site(failure, site);
    ftc_json_open_object(j, "missed_in");
    ftc_json_add_text(j, "call", ftc_call_name(ftc_call_kind(a.met_in.call)));
    add_number_or_null(j, "operation", is_numbered(&a), a.met_in.seq);
    ftc_json_add_text(j, "site", site[0] ? site : NULL);
    add_stack(j, failure, site);
    ftc_json_add_number(j, "noticed_by", a.noticed_by);
    add_duration(j, "noticed_after_us", death_ns, a.noticed_ns);
    add_duration(j, "result_after_us", death_ns, a.is_error ? 0 : a.recovered_ns);
    add_duration(j, "error_after_us", death_ns, a.is_error ? a.recovered_ns : 0);
    ftc_json_close(j);
}

void ftc_failure_write_json(struct ftc_json *j, const struct ftc_failure *failure)
{
    char host[FTC_BOARD_HOST_NAME];

    ftc_directory_host_name(failure->board, failure->world, host);
    ftc_json_open_object(j, NULL);
    ftc_json_add_number(j, "rank", failure->world);
    ftc_json_add_text(j, "host", host);
    ftc_json_add_number(j, "pid", ftc_board_pid_there(failure->board, failure->world));
    ftc_json_add_time(j, "time",
                      ftc_clock_utc_at(ftc_death_time_ns(failure->board, failure->world)));
    add_cause(j, failure);
    add_recovery(j, failure);
    ftc_json_close(j);
}
