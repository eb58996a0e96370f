#include "trace_write.h"

#include "../include/ftcoll.h"
#include "board/death.h"
#include "board/rank_state.h"
#include "call/call.h"
#include "engine/state.h"
#include "system/clock.h"
#include "system/json.h"
#include "trace_records.h"

#include <errno.h>
#include <inttypes.h>

enum { NO_ITEM = FTC_TRACE_NO_ITEM, NAME_BYTES = 160 };

struct trace {
    const struct ftc_board *board;
    const struct ftc_trace_head *head;
    struct ftc_trace_items items;
    struct ftc_trace_records records;
    struct ftc_json json;
};

/* ---- words ---- */

static const char *const phases[] = {
    [FTC_PHASE_IDLE] = "",
    [FTC_PHASE_EXCHANGE] = "exchange",
    [FTC_PHASE_UP_CORRECTION] = "up-correction",
    [FTC_PHASE_TREE] = "tree",
    [FTC_PHASE_CONFIRMATION] = "confirmation",
    [FTC_PHASE_DISSEMINATION] = "corrected broadcast",
    [FTC_PHASE_DONE] = "",
};

static const char *const messages[] = {
    [0] = "",
    [FTC_MESSAGE_EXCHANGE] = "exchange",
    [FTC_MESSAGE_UP_CORRECTION] = "up-correction",
    [FTC_MESSAGE_TREE] = "tree",
    [FTC_MESSAGE_BROADCAST] = "broadcast",
};

static const char *const verdicts[] = {
    [FTC_VERDICT_NONE] = "none",
    [FTC_VERDICT_VALUE] = "value",
    [FTC_VERDICT_EXCESS] = "more than f failures",
};

/* Word of a table. The first one stands for numbers beyond it, which any process may have written.
 */
#define WORD(table, number) (table)[(number) < sizeof(table) / sizeof *(table) ? (number) : 0]

/* ---- writing ---- */

static void write_us(struct trace *t, const char *key, uint64_t ns)
{
    ftc_json_add_decimal(&t->json, key, (int64_t)ns, 3);
}

/* Writes the duration of a record. Readers add time and duration as floating-point numbers, so
 * spans that end together may seem to overlap. Each span therefore ends some tenths of a nanosecond
 * before the one that encloses it. */
static void write_duration(struct trace *t, const struct ftc_trace_record *r)
{
    int64_t tenths = (int64_t)r->duration_ns * 10;
    int depth = 1 + (int)r->kind - (int)FTC_RECORD_OPERATION;

    ftc_json_add_decimal(&t->json, "dur", tenths > 0 ? tenths - depth : 0, 4);
}

static void open_event(struct trace *t, const char *phase, const char *category, const char *name,
                       uint32_t rank, size_t thread)
{
    fputc('\n', t->json.f);
    ftc_json_open_object(&t->json, NULL);
    ftc_json_add_text(&t->json, "ph", phase);
    ftc_json_add_text(&t->json, "cat", category);
    ftc_json_add_text(&t->json, "name", name);
    ftc_json_add_count(&t->json, "pid", rank);
    ftc_json_add_count(&t->json, "tid", thread + 1);
}

static void open_record(struct trace *t, const struct ftc_trace_record *r, const char *phase,
                        const char *category, const char *name)
{
    uint64_t start_ns = t->items.start_ns;
    size_t thread = 0;

    if (r->item != NO_ITEM)
        thread = ftc_trace_communicator(&t->records, t->items.item[r->item].event.communicator_id);
    open_event(t, phase, category, name, r->rank, thread);
    write_us(t, "ts", r->ns > start_ns ? r->ns - start_ns : 0);
    if (phase[0] == 'X')
        write_duration(t, r);
    else if (phase[0] == 'i')
        ftc_json_add_text(&t->json, "s", r->kind == FTC_RECORD_DEATH ? "g" : "t");
}

static void close_event(struct trace *t)
{
    ftc_json_close(&t->json);
    ftc_json_close(&t->json);
}

static void open_arguments(struct trace *t, const struct ftc_trace_record *r)
{
    const struct ftc_trace_item *item = &t->items.item[r->item];
    char id[24];

    snprintf(id, sizeof id, "%016" PRIx64, item->event.communicator_id);
    ftc_json_open_object(&t->json, "args");
    ftc_json_add_text(&t->json, "communicator", id);
    ftc_json_add_count(&t->json, "seq", item->event.seq);
}

static void name_operation(const struct trace *t, int32_t begin, char name[NAME_BYTES])
{
    const struct ftc_trace_event *e = &t->items.item[begin].event;
    enum ftc_call_kind call = ftc_call_kind(e->what);

    if (call == FTC_CALL_FINALIZE) /* a process calls it once */
        snprintf(name, NAME_BYTES, "%s", ftc_call_name(call));
    else
        snprintf(name, NAME_BYTES, "%s #%" PRIu32, ftc_call_name(call), e->seq);
}

static void write_operation(struct trace *t, const struct ftc_trace_record *r)
{
    const struct ftc_trace_item *item = &t->items.item[r->item];
    char name[NAME_BYTES];

    name_operation(t, r->item, name);
    open_record(t, r, "X", "operation", name);
    open_arguments(t, r);
    ftc_json_add_count(&t->json, "bytes", item->event.number);
    ftc_json_add_count(&t->json, "members", item->event.peer);
    ftc_json_add_bool(&t->json, "over", item->partner != NO_ITEM);
    if (item->partner != NO_ITEM)
        ftc_json_add_text(&t->json, "verdict",
                          WORD(verdicts, t->items.item[item->partner].event.what));
    close_event(t);
}

static void write_attempt(struct trace *t, const struct ftc_trace_record *r)
{
    const struct ftc_trace_event *e = &t->items.item[r->item].event;
    bool is_optimistic = e->what == FTC_PHASE_EXCHANGE;
    char name[NAME_BYTES] = "optimistic attempt";

    if (!is_optimistic)
        snprintf(name, sizeof name, "attempt %d, root %d", e->attempt, e->peer);
    open_record(t, r, "X", "attempt", name);
    open_arguments(t, r);
    ftc_json_add_count(&t->json, "attempt", e->attempt);
    if (!is_optimistic)
        ftc_json_add_count(&t->json, "root", e->peer);
    close_event(t);
}

static void write_phase(struct trace *t, const struct ftc_trace_record *r)
{
    const struct ftc_trace_event *e = &t->items.item[r->item].event;

    open_record(t, r, "X", "phase", WORD(phases, e->what));
    open_arguments(t, r);
    ftc_json_add_count(&t->json, "attempt", e->attempt);
    close_event(t);
}

/* Writes one end of a message. Both ends have one name, and as id the index of the sent item. */
static void write_message(struct trace *t, const struct ftc_trace_record *r)
{
    const struct ftc_trace_item *item = &t->items.item[r->item];
    bool is_sent = item->event.kind == FTC_TRACE_SENT;
    bool is_end = r->kind == FTC_RECORD_SEND || r->kind == FTC_RECORD_RECEIVE;

    open_record(t, r, is_end ? is_sent ? "s" : "f" : "i", "message",
                WORD(messages, item->event.what));
    if (is_end)
        ftc_json_add_number(&t->json, "id", is_sent ? r->item : item->partner);
    if (r->kind == FTC_RECORD_RECEIVE)
        ftc_json_add_text(&t->json, "bp", "e");
    open_arguments(t, r);
    ftc_json_add_count(&t->json, is_sent ? "to" : "from", item->event.peer);
    ftc_json_add_count(&t->json, "attempt", item->event.attempt);
    if (item->event.what == FTC_MESSAGE_EXCHANGE)
        ftc_json_add_count(&t->json, "step", item->event.number);
    if (r->kind == FTC_RECORD_LOST)
        ftc_json_add_bool(&t->json, "taken", false);
    close_event(t);
}

static void write_death(struct trace *t, const struct ftc_trace_record *r)
{
    char how[96], name[NAME_BYTES];

    ftc_death_describe(t->board, r->rank, t->head->timeout_ms, how, sizeof how);
    snprintf(name, sizeof name, "rank %" PRIu32 " %s", r->rank, how);
    open_record(t, r, "i", "death", name);
    ftc_json_close(&t->json);
}

static void write_notice(struct trace *t, const struct ftc_trace_record *r)
{
    const struct ftc_trace_event *e = &t->items.item[r->item].event;
    char name[NAME_BYTES];

    snprintf(name, sizeof name,
             r->kind == FTC_RECORD_NOTICED ? "death of rank %d noticed" : "result of rank %d taken",
             e->peer);
    open_record(t, r, "i", r->kind == FTC_RECORD_NOTICED ? "noticed" : "taken", name);
    open_arguments(t, r);
    ftc_json_add_count(&t->json, "rank", e->peer);
    close_event(t);
}

static void write_result(struct trace *t, const struct ftc_trace_record *r)
{
    const struct ftc_trace_item *item = &t->items.item[r->item];
    char name[NAME_BYTES], operation[NAME_BYTES];

    name_operation(t, item->operation, operation);
    snprintf(name, sizeof name, "result of %.100s", operation);
    open_record(t, r, "i", "result", name);
    open_arguments(t, r);
    ftc_json_add_text(&t->json, "verdict", WORD(verdicts, item->event.what));
    ftc_json_add_count(&t->json, "attempt", item->event.attempt);
    ftc_json_add_count(&t->json, "left_out", item->event.number);
    close_event(t);
}

static void write_record(struct trace *t, const struct ftc_trace_record *r)
{
    switch (r->kind) {
    case FTC_RECORD_OPERATION:
        write_operation(t, r);
        break;
    case FTC_RECORD_ATTEMPT:
        write_attempt(t, r);
        break;
    case FTC_RECORD_PHASE:
        write_phase(t, r);
        break;
    case FTC_RECORD_SEND:
    case FTC_RECORD_RECEIVE:
    case FTC_RECORD_FAR:
    case FTC_RECORD_LOST:
        write_message(t, r);
        break;
    case FTC_RECORD_DEATH:
        write_death(t, r);
        break;
    case FTC_RECORD_NOTICED:
    case FTC_RECORD_TAKEN:
        write_notice(t, r);
        break;
    case FTC_RECORD_RESULT:
        write_result(t, r);
        break;
    }
}

/* ---- names of rows ---- */

static void write_name(struct trace *t, const char *what, uint32_t rank, size_t thread,
                       const char *name)
{
    fputc('\n', t->json.f);
    ftc_json_open_object(&t->json, NULL);
    ftc_json_add_text(&t->json, "ph", "M");
    ftc_json_add_text(&t->json, "name", what);
    ftc_json_add_count(&t->json, "pid", rank);
    ftc_json_add_count(&t->json, "tid", thread);
    ftc_json_open_object(&t->json, "args");
    ftc_json_add_text(&t->json, "name", name);
    close_event(t);
}

static void write_order(struct trace *t, uint32_t rank)
{
    fputc('\n', t->json.f);
    ftc_json_open_object(&t->json, NULL);
    ftc_json_add_text(&t->json, "ph", "M");
    ftc_json_add_text(&t->json, "name", "process_sort_index");
    ftc_json_add_count(&t->json, "pid", rank);
    ftc_json_open_object(&t->json, "args");
    ftc_json_add_count(&t->json, "sort_index", rank);
    close_event(t);
}

static void write_rows(struct trace *t)
{
    char name[NAME_BYTES];

    for (uint32_t rank = 0; rank < t->board->geometry.ranks; rank++) {
        snprintf(name, sizeof name, "rank %" PRIu32 " (pid %d)", rank,
                 ftc_board_pid_there(t->board, rank));
        write_name(t, "process_name", rank, 0, name);
        write_order(t, rank);
        for (size_t i = 0; i < t->records.communicators; i++) {
            snprintf(name, sizeof name, "communicator %zu", i + 1);
            write_name(t, "thread_name", rank, i + 1, name);
        }
    }
}

/* ---- the object ---- */

static void write_head(struct trace *t)
{
    ftc_json_add_text(&t->json, "displayTimeUnit", "ns");
    ftc_json_open_object(&t->json, "otherData");
    ftc_json_add_text(&t->json, "producer", "ftcoll " FTCOLL_VERSION);
    ftc_json_add_count(&t->json, "ranks", t->board->geometry.ranks);
    ftc_json_add_number(&t->json, "f", t->head->f);
    ftc_json_add_time(&t->json, "start", ftc_clock_utc_at(t->items.start_ns));
    ftc_json_add_time(&t->json, "written", ftc_clock_utc_at(t->items.end_ns));
    ftc_json_close(&t->json);
}

static void write_all(struct trace *t, FILE *f)
{
    ftc_json_begin(&t->json, f);
    ftc_json_open_object(&t->json, NULL);
    write_head(t);
    ftc_json_open_array(&t->json, "traceEvents");
    write_rows(t);
    for (size_t i = 0; i < t->records.count; i++)
        write_record(t, &t->records.record[i]);
    ftc_json_close(&t->json);
    ftc_json_close(&t->json);
}

/* Returns 0, or a negative errno if not all is in the file. If the disk was full for a moment, a
 * write in the middle has failed and all later ones have succeeded. Only the error flag of @f shows
 * that. */
static int error_of(FILE *f)
{
    if (!ferror(f) && fflush(f) == 0)
        return 0;
    return errno != 0 ? -errno : -EIO;
}

int ftc_trace_write(FILE *f, const struct ftc_board *board, const struct ftc_trace_head *head)
{
    struct trace t = {.board = board, .head = head};
    int rv = -ENOMEM;

    if (!ftc_trace_read_items(board, &t.items))
        return rv;
    if (ftc_trace_make_records(board, &t.items, head->is_early_end, &t.records)) {
        errno = 0;
        write_all(&t, f);
        rv = error_of(f);
    }
    ftc_trace_free_records(&t.records);
    ftc_trace_free_items(&t.items);
    return rv;
}
