#include "failures.h"

#include "board/aftermath.h"
#include "board/death.h"
#include "board/rank_state.h"
#include "call/call.h"

#include <unistd.h>

void ftc_failure_name(const struct ftc_board *board, uint32_t world, int timeout_ms,
                      char text[FTC_FAILURE_TEXT])
{
    char host[64] = "", death[96];

    gethostname(host, sizeof host - 1);
    ftc_death_describe(board, world, timeout_ms, death, sizeof death);
    snprintf(text, FTC_FAILURE_TEXT, "rank %d (%s, pid %d) %s", (int)world, host,
             ftc_board_pid(board, world), death);
}

static void name_operation(const struct ftc_aftermath *a, char text[FTC_FAILURE_TEXT])
{
    enum ftc_call_kind call = ftc_call_kind(a->call);

    if (call == FTC_CALL_FINALIZE) /* the library's own operation, of which there is one */
        snprintf(text, FTC_FAILURE_TEXT, "%s", ftc_call_name(call));
    else
        snprintf(text, FTC_FAILURE_TEXT, "%s #%u", ftc_call_name(call), a->seq);
}

bool ftc_failure_missed_in(const struct ftc_board *board, uint32_t world,
                           char text[FTC_FAILURE_TEXT])
{
    struct ftc_aftermath a;

    if (!ftc_aftermath_of(board, world, &a))
        return false;
    name_operation(&a, text);
    return true;
}

static double microseconds(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (double)(to_ns - from_ns) / 1e3 : 0;
}

static void write_aftermath(FILE *f, const struct ftc_board *board, uint32_t world,
                            const char *site)
{
    uint64_t death_ns = ftc_death_time_ns(board, world);
    char operation[FTC_FAILURE_TEXT];
    struct ftc_aftermath a;

    if (!ftc_aftermath_of(board, world, &a)) {
        fprintf(f, "; no operation missed it\n");
        return;
    }
    name_operation(&a, operation);
    fprintf(f, "; missed in %s%s%s, noticed by rank %d after %.0f us", operation,
            site[0] ? " at " : "", site, a.noticed_by, microseconds(death_ns, a.noticed_ns));
    if (a.recovered_ns != 0)
        fprintf(f, "; all survivors had its result after %.0f us",
                microseconds(death_ns, a.recovered_ns));
    fputc('\n', f);
}

void ftc_failure_write(FILE *f, const struct ftc_board *board, uint32_t world, int timeout_ms,
                       const char *site)
{
    char name[FTC_FAILURE_TEXT];

    ftc_failure_name(board, world, timeout_ms, name);
    fprintf(f, "ftcoll: %s", name);
    write_aftermath(f, board, world, site);
}
