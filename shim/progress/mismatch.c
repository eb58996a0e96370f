#include "mismatch.h"

#include "board/activity.h"
#include "board/directory.h"
#include "board/mark.h"
#include "board/publication.h"
#include "board/rank_state.h"
#include "mpi/callsite.h"
#include "running.h"
#include "system/clock.h"
#include "system/lines.h"
#include "system/loaded.h"
#include "transport/remote_query.h"
#include "unexpected.h"
#include "value/datatype.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    /* Root of a call whose arguments are not printed, because not all ranks of two groups have
     * them. */
    UNSAID = INT32_MIN,
    SPREAD_TRIES = 1000, /* attempts to send to a full ring */
    LINK_NS = 1000000,
    NATIVE_CHECKS = 10, /* checks within blocked_ms */
    NS_OF_MS = 1000000,
    CALL_TEXT = 224, /* size of a call's text; MPI's texts have room for two */
};

/* Value of a message that reports a mismatch. The note that comes with the message is the
 * sender's. */
struct mismatch_report {
    struct ftc_note note;
    int32_t rank; /* user's rank of the other call */
};
_Static_assert(sizeof(struct mismatch_report) <= FTC_TRANSPORT_VALUE_BYTES_MIN, "can be sent");

/* ---- the call of this rank ---- */

void ftc_mismatch_enter_with_data(const struct ftc_call *call, struct ftc_comm *c,
                                  uint32_t signature, size_t element_bytes, size_t value_bytes)
{
    struct ftc_running *r = c->running;

    r->note = (struct ftc_note){
        .kind = call->kind,
        .signature = signature,
        .count = call->count,
        .datatype = call->datatype,
        .op = call->op,
        .root = ftc_comm_is_inter(c) ? UNSAID : call->root,
        .element_bytes = (uint32_t)element_bytes,
        .value_bytes = (uint32_t)value_bytes,
        .return_address = (uintptr_t)call->return_address,
    };
    ftc_activity_enter(&ftc_library.board, ftc_library.world_rank, c->id);
}

void ftc_mismatch_enter(const struct ftc_call *call, struct ftc_comm *c, uint32_t signature)
{
    ftc_mismatch_enter_with_data(call, c, signature, 0, 0);
}

void ftc_mismatch_leave(void)
{
    ftc_activity_leave(&ftc_library.board, ftc_library.world_rank);
}

/* ---- calls of others ---- */

/* Copies the call of the user's @rank in operation @seq to *@note. Returns whether it is known. */
static bool find_call(const struct ftc_comm *c, int rank, uint32_t seq, struct ftc_note *note)
{
    return ftc_published_call(&ftc_library.board, c->world[rank], c->id, seq, note);
}

static void meet(struct ftc_comm *c, int rank, const struct ftc_note *note)
{
    struct ftc_running *r = c->running;

    r->mismatched = rank;
    r->mismatched_seq = c->seq;
    r->other = *note;
}

/* Notes a mismatch with @rank in operation @seq, the current one or an earlier one, in which this
 * rank called @own. */
static void meet_in(struct ftc_comm *c, uint32_t seq, const struct ftc_note *own, int rank,
                    const struct ftc_note *note)
{
    struct ftc_running *r = c->running;

    meet(c, rank, note);
    r->mismatched_seq = seq;
    r->note = *own;
}

/* Notes the mismatch of the two calls that @from reports. At least one of them differs from this
 * rank's call. If their operation is over here, they are compared with this rank's call of that
 * operation. If that call is no longer known, the text says how many operations ago it was. */
static void meet_reported(struct ftc_comm *c, int from, const struct ftc_note *note,
                          const struct mismatch_report *report)
{
    uint32_t seq = c->seq + (uint32_t)note->ahead;
    struct ftc_note own;
    bool is_over = note->ahead < 0, is_known = is_over && find_call(c, c->rank, seq, &own);

    if (!is_known) {
        seq = c->seq;
        own = c->running->note;
    }
    if (note->signature == own.signature && report->rank >= 0 && report->rank < c->size)
        meet_in(c, seq, &own, report->rank, &report->note);
    else
        meet_in(c, seq, &own, from, note);
    if (is_over)
        c->running->other.ahead = is_known ? 0 : note->ahead;
}

void ftc_mismatch_meet(struct ftc_comm *c, int from, uint32_t signature,
                       const struct ftc_note *note, const struct ftc_message *m, size_t value_bytes)
{
    struct mismatch_report report;

    if (signature != FTC_SIGNATURE_NONE || value_bytes != sizeof report || !m->value) {
        meet(c, from, note);
        return;
    }
    memcpy(&report, m->value, sizeof report);
    meet_reported(c, from, note, &report);
}

void ftc_mismatch_begin(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;

    if (!r->late.is_there)
        return;
    r->late.is_there = false;
    if (r->mismatched < 0)
        meet_in(c, r->late.seq, &r->late.own, r->late.rank, &r->late.other);
}

/* Returns whether a mismatch of operation @seq has been reported. An error reports its own
 * operation or an earlier one, and ends the reports for these. */
static bool is_reported(const struct ftc_running *r, uint32_t seq)
{
    return r->reported.is_there && (int32_t)(seq - r->reported.seq) <= 0;
}

void ftc_mismatch_meet_late(struct ftc_comm *c, int from, uint32_t seq, uint32_t signature,
                            const struct ftc_note *note)
{
    struct ftc_running *r = c->running;
    struct ftc_note own;

    if (signature == FTC_SIGNATURE_NONE || is_reported(r, seq) || r->late.is_there ||
        r->mismatched >= 0 || !find_call(c, c->rank, seq, &own) || own.signature == signature)
        return;
    r->late.is_there = true;
    r->late.rank = from;
    r->late.seq = seq;
    r->late.own = own;
    r->late.other = *note;
    r->late.other.ahead = 0;
    if (r->active)
        ftc_mismatch_begin(c);
}

/* ---- reports to other members ---- */

/* Waits 1 ms for room in a link to @to. Between two hosts the link may not exist yet, or stay full
 * until this rank has received what the other side sends. */
static void await_room(uint32_t to)
{
    const struct ftc_board *b = &ftc_library.board;

    if (ftc_board_is_here(b, to) || ftc_board_state(b, to) >= FTC_RANK_FINALIZED)
        return;
    ftc_transport_look_at_links(&ftc_library.transport);
    nanosleep(&(struct timespec){.tv_nsec = LINK_NS}, NULL);
}

static void send(const struct ftc_comm *c, const struct ftc_message *m, uint32_t signature,
                 size_t value_bytes, const struct ftc_note *own)
{
    struct ftc_library *l = &ftc_library;
    struct ftc_envelope envelope = {
        .communicator_id = c->id, .seq = c->seq, .signature = signature};

    for (int i = 0; i < c->member_count; i++)
        for (int tries = 0; i != c->own_member && tries < SPREAD_TRIES; tries++) {
            uint32_t to = c->world[c->member[i]];

            if (ftc_transport_send(&l->transport, to, m, &envelope, l->settings.failure_info,
                                   value_bytes, own))
                break;
            await_room(to);
        }
}

/* Sends a message to each member if the operation sends to all at once. Ranks in the operation find
 * what was sent to all. A rank that has left it, in a call that does not wait, needs a message of
 * its own, which the engine ignores. */
static void send_to_those_who_left(const struct ftc_comm *c)
{
    static const struct ftc_message nothing = {.kind = FTC_MESSAGE_EXCHANGE, .step = UINT16_MAX};
    const struct ftc_running *r = c->running;

    if (r->mismatched_seq == c->seq && ftc_op_multicasts(&r->op))
        send(c, &nothing, r->note.signature, 0, &r->note);
}

void ftc_mismatch_spread(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    struct mismatch_report report = {.note = r->other, .rank = r->mismatched};
    struct ftc_note own = r->note;
    struct ftc_message m = {.kind = FTC_MESSAGE_UP_CORRECTION, .value = &report};

    own.ahead = (int32_t)(r->mismatched_seq - c->seq);
    r->reported.is_there = true;
    r->reported.seq = c->seq;
    send_to_those_who_left(c);
    send(c, &m, FTC_SIGNATURE_NONE, sizeof report, &own);
    /* The link thread sends what is not out yet, because no rank waits here. */
    ftc_transport_wake_links(&ftc_library.transport);
}

/* ---- words ---- */

static bool has_data(enum ftc_call_kind kind)
{
    return ftc_call_is_counted(kind) && ftc_call_plain(kind) != FTC_CALL_BARRIER &&
           !ftc_call_is_uneven(kind);
}

/* Writes count and datatype. A user-defined datatype is described by its sizes, because its handle
 * means nothing to other ranks. */
static void write_data(char *text, size_t size, const struct ftc_note *note)
{
    if (ftc_predefined_bytes(note->datatype) > 0)
        snprintf(text, size, "count %lld, %s", (long long)note->count,
                 ftc_datatype_name(note->datatype));
    else
        snprintf(text, size, "count %lld, %s of %u bytes, %u in all", (long long)note->count,
                 ftc_datatype_name(note->datatype), note->element_bytes, note->value_bytes);
}

static void write_arguments(char *text, size_t size, const struct ftc_note *note,
                            enum ftc_call_kind kind)
{
    char data[128] = "", op[32] = "", root[32] = "";

    if (has_data(kind))
        write_data(data, sizeof data, note);
    if (ftc_call_has_operation(kind))
        snprintf(op, sizeof op, ", %s", ftc_operation_name(note->op));
    if (ftc_call_has_root(kind))
        snprintf(root, sizeof root, ", root %d", note->root);
    snprintf(text, size, "(%s%s%s)", data, op, root);
}

/* Writes a call with its arguments and @site. Any process may have written @note. */
static void write_call(char *text, size_t size, const struct ftc_note *note, const char *site)
{
    enum ftc_call_kind kind = ftc_call_kind(note->kind);
    bool is_native = note->signature == FTC_SIGNATURE_NONE;
    char arguments[192] = "", ahead[48] = "";

    if (!is_native && note->root != UNSAID)
        write_arguments(arguments, sizeof arguments, note, kind);
    if (note->ahead > 0)
        snprintf(ahead, sizeof ahead, ", %d operations later", note->ahead);
    else if (note->ahead < 0)
        snprintf(ahead, sizeof ahead, ", %u operations earlier", -(uint32_t)note->ahead);
    snprintf(text, size, "%s%s at %s%s", ftc_call_name(kind), arguments, site,
             is_native ? ", which native MPI carries out" : ahead);
}

static void write_own(char *text, size_t size, const struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    char site[96];

    ftc_callsite_name((const void *)(uintptr_t)r->note.return_address, site, sizeof site);
    write_call(text, size, &r->note, site);
}

/* Returns the address in this process that corresponds to @address in a rank of another host. Most
 * ranks run the same program. Returns NULL if that rank runs another one, or the address is in a
 * library there. */
static const void *counterpart(uint32_t world, unsigned long address)
{
    struct ftc_directory_rank there = ftc_directory_rank(&ftc_library.board, world);
    struct ftc_loaded program, object;
    const void *here;

    if (!ftc_loaded_program(&program) || ftc_loaded_identity(&program) != there.program)
        return NULL;
    here = (const void *)(address - there.program_base + program.base);
    return ftc_loaded_around(here, &object) && ftc_loaded_is_program(&object) ? here : NULL;
}

static void name_site(uint32_t world, unsigned long address, char *text, size_t size)
{
    const struct ftc_board *board = &ftc_library.board;
    const void *here = ftc_board_is_here(board, world) ? NULL : counterpart(world, address);

    if (here)
        ftc_callsite_name(here, text, size);
    else
        ftc_callsite_name_in(ftc_board_pid(board, world), address, text, size);
}

static void write_other(char *text, size_t size, const struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    char site[96];

    name_site(c->world[r->mismatched], r->other.return_address, site, sizeof site);
    write_call(text, size, &r->other, site);
}

void ftc_mismatch_describe(const struct ftc_comm *c, char *text, size_t size)
{
    char own[CALL_TEXT], other[CALL_TEXT];

    write_own(own, sizeof own, c);
    write_other(other, sizeof other, c);
    snprintf(text, size,
             "ftcoll: mismatched collective calls: rank %d called %s, rank %d called %s",
             ftc_comm_printed_rank(c, c->rank), own,
             ftc_comm_printed_rank(c, c->running->mismatched), other);
}

/* ---- checks for another call ---- */

enum { ASK_EVERY_NS = 500000000, ASK_FOR_NS = 100000000 };

/* Copies the call of member @i in the current operation to *@note. Returns false if @i is on this
 * host, or if no message of @i is missing. Else asks its monitor process during the last 0.1 s of
 * each half second of waiting, and returns whether the call is known. */
static bool ask_call(struct ftc_comm *c, int i, struct ftc_note *note)
{
    struct ftc_running *r = c->running;
    uint32_t world = c->world[c->member[i]];
    uint64_t now_ns;

    if (ftc_board_is_here(&ftc_library.board, world) || !ftc_running_expects(c, i))
        return false;
    now_ns = ftc_clock_ns();
    if (r->idle.since_ns == 0 || r->idle.seq != c->seq) {
        r->idle.seq = c->seq;
        r->idle.since_ns = now_ns;
    }
    return (now_ns - r->idle.since_ns) % ASK_EVERY_NS >= ASK_EVERY_NS - ASK_FOR_NS &&
           ftc_remote_query_call(&ftc_library.transport, world, c->id, c->seq, note);
}

static bool find_other_call(struct ftc_comm *c)
{
    for (int left = ftc_comm_check_count(c); left > 0; left--) {
        int i = ftc_comm_next_member(c, &c->mismatched);
        struct ftc_note note;

        if (i == c->own_member ||
            !(find_call(c, c->member[i], c->seq, &note) || ask_call(c, i, &note)) ||
            note.signature == c->running->note.signature)
            continue;
        meet(c, c->member[i], &note);
        return true;
    }
    return false;
}

/* ---- ranks that have gone on ---- */

static bool awaits(const struct ftc_comm *c, int member)
{
    const struct ftc_running *r = c->running;

    return r->active && r->mismatched < 0 && r->actions.count == 0 && !r->prelude &&
           r->op.config.kind == FTC_OP_REDUCE && ftc_op_expects(&r->op, member);
}

/* Finds the operation that @member has begun last, and returns whether it is later than this one.
 * All messages of earlier ones are in the ring by then. */
static bool has_begun_later(const struct ftc_comm *c, int member, uint32_t *seq)
{
    uint32_t world = c->world[c->member[member]];

    return ftc_board_is_here(&ftc_library.board, world) &&
           ftc_published_joined(&ftc_library.board, world, c->id, seq) &&
           (int32_t)(*seq - c->seq) > 0;
}

/* Returns whether this rank knows all deaths on the board. @member may have ended its own reduce
 * without a message because of a death. It knows no death that is not on the board, and a death is
 * entered there before it is counted. */
static bool knows_all_deaths(const struct ftc_comm *c)
{
    const struct ftc_board *board = &ftc_library.board;

    for (int i = 0; i < c->member_count; i++)
        if (!c->dead[i] && ftc_board_is_dead(board, c->world[c->member[i]]))
            return false;
    return ftc_board_deaths(board) == c->deaths_seen;
}

static bool is_of_later(const struct ftc_comm *c, const struct ftc_arrival *a)
{
    struct ftc_envelope envelope;

    return ftc_message_read_envelope(a->wire, a->bytes, &envelope) &&
           envelope.communicator_id == c->id && (int32_t)(envelope.seq - c->seq) > 0;
}

static bool keeps_later(const struct ftc_comm *c, uint32_t world)
{
    for (const struct ftc_unexpected_message *m = *ftc_unexpected_first(c->id); m; m = m->next)
        if (m->arrival.from == world && is_of_later(c, &m->arrival))
            return true;
    return false;
}

/* Returns whether no message of this operation can still come from @world. A message of a later
 * operation has come, and none overtakes another, or all messages that exist have been processed.
 * If there is no room to keep them, the expected one may still be in the ring. */
static bool has_sent_all(const struct ftc_comm *c, uint32_t world, ftc_mismatch_take *take_from)
{
    struct ftc_arrival a;

    take_from(world);
    return keeps_later(c, world) || !ftc_transport_next_from(&ftc_library.transport, world, &a) ||
           is_of_later(c, &a);
}

static bool is_ahead(struct ftc_comm *c, int member, ftc_mismatch_take *take_from)
{
    uint32_t world = c->world[c->member[member]], seq;
    struct ftc_note note;

    if (!awaits(c, member) || !has_begun_later(c, member, &seq) || !knows_all_deaths(c) ||
        !has_sent_all(c, world, take_from) || !awaits(c, member) ||
        !ftc_published_call(&ftc_library.board, world, c->id, seq, &note))
        return false;
    meet(c, c->member[member], &note);
    c->running->other.ahead = (int32_t)(seq - c->seq);
    return true;
}

static bool find_ahead(struct ftc_comm *c, ftc_mismatch_take *take_from)
{
    for (int left = ftc_comm_check_count(c); left > 0; left--)
        if (is_ahead(c, ftc_comm_next_member(c, &c->ahead), take_from))
            return true;
    return false;
}

bool ftc_mismatch_find(struct ftc_comm *c, ftc_mismatch_take *take_from)
{
    return find_other_call(c) || find_ahead(c, take_from);
}

/* ---- calls that native MPI carries out ---- */

/* Returns whether native calls are checked. With several threads, another thread of a rank may be
 * about to make the missing call. */
static bool is_watched(void)
{
    return ftc_library.settings.on_blocked != FTC_ON_BLOCKED_OFF && !ftc_library.threaded;
}

/* Returns whether the user's @rank is in a native collective call of all members. A rank that has
 * joined the operation is in it or has left it, so it is not in a native call instead. */
static bool is_native(const struct ftc_comm *c, int rank, struct ftc_mark_call *call)
{
    const struct ftc_board *board = &ftc_library.board;
    uint32_t world = c->world[rank], seq;

    return ftc_mark_collective(board, world, c->world, c->size, call) &&
           !(ftc_published_joined(board, world, c->id, &seq) && (int32_t)(seq - c->seq) >= 0);
}

/* Returns whether a native call is raised as an error. By default it is not: all ranks live, and a
 * native call that takes long looks the same. */
static bool is_error(void)
{
    return ftc_library.settings.on_blocked == FTC_ON_BLOCKED_ABORT &&
           ftc_library.settings.origin[FTC_SETTING_on_blocked] != FTC_ORIGIN_DEFAULT;
}

/* Returns whether the user's @rank waits in a blocking call of the operation that @c is in,
 * according to the board. */
static bool is_in(const struct ftc_comm *c, int rank)
{
    struct ftc_note note, next;

    return find_call(c, rank, c->seq, &note) && !find_call(c, rank, c->seq + 1, &next) &&
           ftc_call_class(note.kind) == FTC_CLASS_PROTECTED &&
           ftc_activity_inside(&ftc_library.board, c->world[rank]) > 0;
}

/* Calls that all members are in. */
struct scene {
    int first_here, first_native; /* lowest user's rank in the operation, and in a native call */
    struct ftc_mark_call native;  /* call of first_native */
    uint64_t versions;
};

/* Returns whether every member waits for the others, some of them in native calls, and all are
 * alive. A dead member is another reason to wait. */
static bool all_wait(const struct ftc_comm *c, struct scene *scene)
{
    struct ftc_mark_call call;

    *scene = (struct scene){.first_here = -1, .first_native = -1};
    for (int rank = c->size - 1; rank >= 0; rank--) {
        uint32_t world = c->world[rank];

        if (ftc_board_state(&ftc_library.board, world) != FTC_RANK_RUNNING)
            return false;
        scene->versions += ftc_mark_versions(&ftc_library.board, world);
        if (is_in(c, rank)) {
            scene->first_here = rank;
        } else if (is_native(c, rank, &call)) {
            scene->first_native = rank;
            scene->native = call;
        } else {
            return false;
        }
    }
    return scene->first_native >= 0;
}

/* Prints the warning in one write, because ranks of other communicators may print at the same
 * time. */
static void report_wait(const struct ftc_comm *c, uint64_t ns)
{
    char own[CALL_TEXT], others[CALL_TEXT];

    write_own(own, sizeof own, c);
    write_other(others, sizeof others, c);
    ftc_lines_say("ftcoll: rank %d has been in %s for %.1f s, while rank %d is in %s: if these "
                  "are to be one call, they do not match; on_blocked = %s\n",
                  ftc_comm_printed_rank(c, c->rank), own, (double)ns / 1e9,
                  ftc_comm_printed_rank(c, c->running->mismatched), others,
                  ftc_library.settings.on_blocked == FTC_ON_BLOCKED_WARN ? "warn"
                                                                         : "abort, by default");
}

/* Returns for how long all members have waited like this; 0 if they do not. */
static uint64_t waited_ns(struct ftc_mismatch_native *mixed, const struct ftc_comm *c,
                          uint64_t now_ns, struct scene *scene)
{
    if (!all_wait(c, scene)) {
        mixed->since_ns = 0;
        return 0;
    }
    if (mixed->since_ns == 0 || scene->versions != mixed->versions) {
        mixed->since_ns = now_ns;
        mixed->versions = scene->versions;
    }
    return now_ns - mixed->since_ns;
}

static void meet_native(struct ftc_comm *c, int rank, const struct ftc_mark_call *call)
{
    int pid = ftc_board_pid(&ftc_library.board, c->world[rank]);
    struct ftc_note note = {
        .kind = call->kind,
        .signature = FTC_SIGNATURE_NONE,
        .return_address = ftc_callsite_beyond_mpi(pid, call->return_address, call->stack),
    };

    meet(c, rank, &note);
}

void ftc_mismatch_look_at_native(struct ftc_mismatch_native *mixed, struct ftc_comm *c)
{
    uint64_t bound_ns = (uint64_t)ftc_library.settings.blocked_ms * NS_OF_MS;
    uint64_t interval_ns = bound_ns / NATIVE_CHECKS, now_ns, ns;
    struct scene scene;

    if (!is_watched() || mixed->was_told || ftc_clock_ns() - mixed->stopwatch.last_ns < interval_ns)
        return;
    now_ns = ftc_stopwatch_now(&mixed->stopwatch, interval_ns);
    ns = waited_ns(mixed, c, now_ns, &scene);
    if (ns == 0 || ns < bound_ns || scene.first_here != c->rank)
        return;
    meet_native(c, scene.first_native, &scene.native);
    if (is_error())
        return;
    report_wait(c, ns);
    mixed->was_told = true;
    c->running->mismatched = -1;
}
