#include "mark.h"

#include "activity.h"
#include "publication.h"
#include "rank_state.h"
#include "value/rank_set.h"

#include <string.h>

enum { NEED_WORDS = FTC_RANK_SET_WORDS(FTC_BOARD_RANKS_MAX) };

/* Copy of a mark. */
struct content {
    uint64_t version, return_address, stack, polled_ns;
    uint32_t rank, call, set, also, fallback;
    int32_t peer;
};

/* Copies a mark. Returns false if the rank is in no call, or if no correct rank writes such values.
 * The caller checks that the version is still the same. */
static bool read_content(const struct ftc_board *board, uint32_t rank, uint32_t index,
                         struct content *c)
{
    const struct ftc_board_mark *m = &ftc_marks_of(board, rank)[index];

    c->rank = rank;
    c->version = FTC_SEQLOCK_BEGIN_READ(&m->version);
    c->call = atomic_load_explicit(&m->call, memory_order_relaxed);
    c->peer = atomic_load_explicit(&m->peer, memory_order_relaxed);
    c->set = atomic_load_explicit(&m->set, memory_order_relaxed);
    c->also = atomic_load_explicit(&m->also, memory_order_relaxed);
    c->fallback = atomic_load_explicit(&m->fallback, memory_order_relaxed);
    c->return_address = atomic_load_explicit(&m->return_address, memory_order_relaxed);
    c->stack = atomic_load_explicit(&m->stack, memory_order_relaxed);
    c->polled_ns = atomic_load_explicit(&m->polled_ns, memory_order_relaxed);
    return c->version % 2 == 1 && ftc_call_kind(c->call) != FTC_CALL_NONE &&
           c->set < FTC_BOARD_SETS && c->also <= board->geometry.ranks &&
           (c->peer == FTC_BOARD_ALL || c->peer == FTC_BOARD_SOME ||
            (c->peer >= 0 && (uint32_t)c->peer < board->geometry.ranks));
}

/* Set of the ranks that a call needs. */
struct need {
    uint64_t words[NEED_WORDS];
};

static bool is_needed(const struct need *need, uint32_t rank)
{
    return ftc_rank_set_has(need->words, rank);
}

/* Adds a set of @rank to @need. Returns whether @need did not have all of its ranks. */
static bool add_set(struct need *need, const struct ftc_board *board, uint32_t rank, uint32_t set)
{
    const _Atomic uint64_t *words = ftc_board_set(board, rank, set);
    bool more = false;

    for (uint32_t i = 0; i < ftc_board_set_words(&board->geometry); i++) {
        uint64_t word = atomic_load_explicit(&words[i], memory_order_relaxed);

        more |= (word & ~need->words[i]) != 0;
        need->words[i] |= word;
    }
    return more;
}

static bool meets_another_group(uint32_t call)
{
    return call == FTC_CALL_INTERCOMM_CREATE || call == FTC_CALL_INTERCOMM_CREATE_FROM_GROUPS;
}

/* Adds the ranks that @rank needs, if it is making an intercommunicator. Returns as above. */
static bool add_need_of(struct need *need, const struct ftc_board *board, uint32_t rank)
{
    bool more = false;
    struct content c;

    for (uint32_t i = 0; i < FTC_BOARD_MARKS; i++)
        if (read_content(board, rank, i, &c) && meets_another_group(c.call) &&
            c.peer == FTC_BOARD_ALL)
            more |= add_set(need, board, rank, c.set);
    return more;
}

/* Adds the ranks of the other group in MPI_Intercomm_create() and the like. A rank there names its
 * own group, and a leader names the other leader. Therefore the ranks that a needed rank needs in
 * such a call are needed, too. */
static void add_needs_of_others(struct need *need, const struct ftc_board *board)
{
    bool more = true;

    while (more) {
        more = false;
        for (uint32_t i = 0; i < board->geometry.ranks; i++)
            if (is_needed(need, i) && ftc_board_state(board, i) == FTC_RANK_RUNNING)
                more |= add_need_of(need, board, i);
    }
}

static struct need need_of(const struct ftc_board *board, uint32_t rank, const struct content *c)
{
    struct need need = {{0}};

    if (c->peer < 0)
        add_set(&need, board, rank, c->set);
    else
        ftc_rank_set_add(need.words, (uint32_t)c->peer);
    if (c->also > 0)
        ftc_rank_set_add(need.words, c->also - 1);
    if (meets_another_group(c->call))
        add_needs_of_others(&need, board);
    return need;
}

/* Counts the dead ranks that the call needs, in @mark. Returns how many others that it needs still
 * take part in MPI. */
static uint32_t count_needed(const struct ftc_board *board, uint32_t rank, const struct content *c,
                             struct ftc_mark *mark)
{
    struct need need = need_of(board, rank, c);
    uint32_t running = 0;

    mark->dead_count = 0;
    for (uint32_t i = 0; i < board->geometry.ranks; i++) {
        enum ftc_rank_state state = ftc_board_state(board, i);

        if (i == rank || !is_needed(&need, i))
            continue;
        if (state == FTC_RANK_FAILED && mark->dead_count++ == 0)
            mark->dead = i;
        running += state == FTC_RANK_RUNNING;
    }
    return running;
}

static bool polls(uint64_t polled_ns, struct ftc_mark_time time)
{
    uint64_t clock_ns = time.now_ns + time.lost_ns;

    return clock_ns <= polled_ns || clock_ns - polled_ns <= time.poll_gap_ns;
}

static bool is_on_file(enum ftc_call_kind kind)
{
    enum ftc_call_class class = ftc_call_class(kind);

    return class == FTC_CLASS_FILE || class == FTC_CLASS_FILE_REFUSED ||
           class == FTC_CLASS_FILE_ALONE;
}

/* Returns whether the call cannot complete without the dead rank. A rank that only tests may stop
 * doing so at any time. A call on a file may wait for no rank, but for the file system. Nothing is
 * known of some requests, and the mark of a wait for one names all ranks. A call that also sends
 * needs the other rank alone once the dead rank's message has come. */
static bool is_certain(const struct content *c, uint32_t index, uint32_t running)
{
    enum ftc_call_kind kind = ftc_call_kind(c->call);

    if (index == FTC_BOARD_POLL || is_on_file(kind))
        return false;
    if (c->peer == FTC_BOARD_ALL)
        return ftc_call_needs_all(kind) || (running == 0 && !ftc_call_is_message(kind));
    return running == 0 || (c->peer >= 0 && c->also == 0);
}

/* Returns whether the mark shows the same call as at the last look. A rank that tests must not have
 * made other calls in between. */
static bool goes_on(const struct ftc_mark_watch *watch, const struct content *c, uint64_t others)
{
    return watch->version == c->version && watch->others == others;
}

bool ftc_mark_look(struct ftc_mark_watch *watch, const struct ftc_board *board, uint32_t rank,
                   uint32_t index, struct ftc_mark_time time, struct ftc_mark *mark)
{
    const struct ftc_board_mark *m = &ftc_marks_of(board, rank)[index];
    bool is_poll = index == FTC_BOARD_POLL;
    uint64_t others = is_poll ? ftc_mark_versions(board, rank) : 0;
    struct content c;
    uint32_t running;

    if (!read_content(board, rank, index, &c) || (is_poll && !polls(c.polled_ns, time))) {
        watch->version = 0;
        return false;
    }
    running = count_needed(board, rank, &c, mark);
    if (!FTC_SEQLOCK_IS_STILL(&m->version, c.version) || mark->dead_count == 0) {
        watch->version = 0;
        return false;
    }
    if (!goes_on(watch, &c, others))
        *watch = (struct ftc_mark_watch){c.version, others, time.now_ns};
    mark->kind = (enum ftc_call_kind)c.call;
    mark->fallback = c.fallback;
    mark->version = c.version;
    mark->return_address = c.return_address;
    mark->stack = c.stack;
    mark->since_ns = watch->since_ns;
    mark->is_certain = is_certain(&c, index, running);
    mark->is_poll = is_poll;
    mark->is_reported = c.peer == FTC_BOARD_SOME;
    return true;
}

/* ---- calls in which all members have arrived ---- */

static bool is_same_call(const struct content *a, const struct content *b)
{
    return a->call == b->call && a->peer == b->peer;
}

/* Returns whether the call may take long although all members have arrived: a call on a file other
 * than open, close and set_view, or one of class OTHER (windows, split calls on files). */
static bool takes_its_time(enum ftc_call_kind kind)
{
    return ftc_call_class(kind) == FTC_CLASS_OTHER ||
           (is_on_file(kind) && kind != FTC_CALL_FILE_OPEN && kind != FTC_CALL_FILE_CLOSE &&
            kind != FTC_CALL_FILE_SET_VIEW);
}

/* Returns whether the call needs all of its members, and completes soon once all have arrived. */
static bool is_of_all(const struct content *c)
{
    enum ftc_call_kind kind = ftc_call_kind(c->call);

    return c->peer == FTC_BOARD_ALL && ftc_call_needs_all(kind) && !takes_its_time(kind);
}

/* Adds up the versions of the first marks of all members. Returns false if a member is not in the
 * call. */
static bool are_all_in(const struct ftc_board *board, const struct content *c, uint64_t *versions)
{
    struct need need = {{0}}, theirs;
    struct content other;

    add_set(&need, board, c->rank, c->set);
    *versions = 0;
    for (uint32_t i = 0; i < board->geometry.ranks; i++) {
        if (!is_needed(&need, i))
            continue;
        if (ftc_board_state(board, i) != FTC_RANK_RUNNING || !read_content(board, i, 0, &other) ||
            !is_same_call(c, &other))
            return false;
        theirs = (struct need){{0}};
        add_set(&theirs, board, i, other.set);
        if (memcmp(&theirs, &need, sizeof need) != 0)
            return false;
        *versions += other.version;
    }
    return true;
}

bool ftc_mark_look_complete(struct ftc_mark_watch *watch, const struct ftc_board *board,
                            uint32_t rank, struct ftc_mark_time time, struct ftc_mark *mark)
{
    uint64_t versions;
    struct content c;

    if (!read_content(board, rank, 0, &c) || !is_of_all(&c) || !are_all_in(board, &c, &versions)) {
        watch->version = 0;
        return false;
    }
    if (!goes_on(watch, &c, versions))
        *watch = (struct ftc_mark_watch){c.version, versions, time.now_ns};
    *mark = (struct ftc_mark){.kind = (enum ftc_call_kind)c.call,
                              .version = c.version,
                              .return_address = c.return_address,
                              .stack = c.stack,
                              .since_ns = watch->since_ns};
    return true;
}

/* Returns whether a set of @rank has exactly the @count ranks @member, which must differ. */
static bool is_set_of(const struct ftc_board *board, uint32_t rank, uint32_t set,
                      const uint32_t *member, int count)
{
    struct need need = {{0}};
    int bits = 0;

    add_set(&need, board, rank, set);
    for (int i = 0; i < NEED_WORDS; i++)
        bits += __builtin_popcountll(need.words[i]);
    for (int i = 0; i < count; i++)
        if (!is_needed(&need, member[i]))
            return false;
    return bits == count;
}

bool ftc_mark_collective(const struct ftc_board *board, uint32_t rank, const uint32_t *member,
                         int count, struct ftc_mark_call *call)
{
    const struct ftc_board_mark *m = &ftc_marks_of(board, rank)[0];
    struct content c;

    if (!read_content(board, rank, 0, &c) || c.peer != FTC_BOARD_ALL ||
        !ftc_call_is_collective((enum ftc_call_kind)c.call) ||
        !is_set_of(board, rank, c.set, member, count))
        return false;
    *call = (struct ftc_mark_call){(enum ftc_call_kind)c.call, c.return_address, c.stack};
    return FTC_SEQLOCK_IS_STILL(&m->version, c.version);
}

uint64_t ftc_mark_versions(const struct ftc_board *board, uint32_t rank)
{
    const struct ftc_board_mark *m = ftc_marks_of(board, rank);
    uint64_t versions = ftc_activity_version(board, rank);

    for (int i = 0; i < FTC_BOARD_MARKS; i++)
        versions += atomic_load_explicit(&m[i].version, memory_order_relaxed);
    return versions;
}

uint64_t ftc_mark_polls(const struct ftc_board *board, uint32_t rank)
{
    return atomic_load_explicit(&ftc_marks_of(board, rank)[FTC_BOARD_POLL].polls,
                                memory_order_relaxed);
}

static bool is_open(const struct ftc_board_mark *mark)
{
    return atomic_load_explicit(&mark->version, memory_order_relaxed) % 2 == 1;
}

uint32_t ftc_mark_threads_inside(const struct ftc_board *board, uint32_t rank)
{
    const struct ftc_board_mark *m = ftc_marks_of(board, rank);
    uint32_t count = ftc_activity_waiting(board, rank);

    for (int i = 0; i < FTC_BOARD_MARKS; i++)
        count += is_open(&m[i]);
    return count;
}

/* Returns whether the call waits for another program, for however long that takes to arrive. */
static bool waits_for_others(const struct ftc_board_mark *mark)
{
    switch (ftc_call_kind(atomic_load_explicit(&mark->call, memory_order_relaxed))) {
    case FTC_CALL_COMM_ACCEPT:
    case FTC_CALL_COMM_CONNECT:
    case FTC_CALL_COMM_SPAWN:
    case FTC_CALL_COMM_SPAWN_MULTIPLE:
        return true;
    default:
        return false;
    }
}

bool ftc_still_waits(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time)
{
    const struct ftc_board_mark *m = ftc_marks_of(board, rank), *poll = &m[FTC_BOARD_POLL];
    bool waits = ftc_activity_waiting(board, rank) > 0;

    if (ftc_activity_combines(board, rank))
        return false;
    for (int i = 0; i < FTC_BOARD_CALLS; i++) {
        if (is_open(&m[i]) && waits_for_others(&m[i]))
            return false;
        waits |= is_open(&m[i]);
    }
    return waits || (is_open(poll) &&
                     polls(atomic_load_explicit(&poll->polled_ns, memory_order_relaxed), time));
}

/* Finds the note of the operation that the rank has joined last on the communicator of its last
 * call. */
static bool find_note(const struct ftc_board *board, uint32_t rank, struct ftc_note *note)
{
    uint64_t id = ftc_activity_communicator(board, rank);
    uint32_t seq;

    return ftc_published_joined(board, rank, id, &seq) &&
           ftc_published_call(board, rank, id, seq, note);
}

static bool find_own_wait(const struct ftc_board *board, uint32_t rank, struct ftc_mark_wait *wait)
{
    struct ftc_note note;

    if (ftc_activity_waiting(board, rank) == 0)
        return false;
    if (ftc_activity_is_last(board, rank))
        wait->kind = FTC_CALL_FINALIZE;
    else if (find_note(board, rank, &note))
        *wait = (struct ftc_mark_wait){.kind = ftc_call_kind(note.kind),
                                       .return_address = note.return_address};
    return true;
}

bool ftc_mark_wait_of(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time,
                      struct ftc_mark_wait *wait)
{
    struct content c;

    *wait = (struct ftc_mark_wait){.kind = FTC_CALL_NONE};
    for (uint32_t i = 0; i < FTC_BOARD_MARKS; i++) {
        if (!read_content(board, rank, i, &c) || (i == FTC_BOARD_POLL && !polls(c.polled_ns, time)))
            continue;
        *wait = (struct ftc_mark_wait){.kind = ftc_call_kind(c.call),
                                       .return_address = c.return_address,
                                       .stack = c.stack,
                                       .is_poll = i == FTC_BOARD_POLL};
        return true;
    }
    return find_own_wait(board, rank, wait);
}

/* ---- the job as a whole ---- */

void ftc_still_see(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time,
                   struct ftc_still_sight sight)
{
    struct ftc_board_rank *r = &board->shared->rank[rank];

    if (sight.is_active)
        atomic_fetch_add(&r->hidden_activity, 1);
    atomic_store(&r->share, sight.share);
    atomic_store(&r->sight_ns, time.now_ns + time.lost_ns);
}

/* Returns a number that changes with each call and each hidden activity of @rank; 0 if @rank does
 * not wait. */
static uint64_t waiting_of(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time)
{
    uint64_t versions = ftc_mark_versions(board, rank);

    versions += atomic_load(&board->shared->rank[rank].hidden_activity);
    return ftc_still_waits(board, rank, time) ? versions + 1 : 0;
}

bool ftc_still_show(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time)
{
    uint64_t waiting = waiting_of(board, rank, time);

    return atomic_exchange(&board->shared->rank[rank].waiting, waiting) != waiting;
}

/* Returns whether the monitor process of @rank has looked lately. It may get no core. */
static bool is_seen(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time)
{
    uint64_t sight_ns = atomic_load(&board->shared->rank[rank].sight_ns);

    return sight_ns + FTC_STILL_SIGHT_NS + time.poll_gap_ns >= time.now_ns + time.lost_ns;
}

/* Returns waiting_of() for a rank of this host. Lowers *@share to the share of the time for which
 * it could run. */
static uint64_t look_here(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time,
                          uint32_t *share)
{
    uint32_t its = atomic_load(&board->shared->rank[rank].share);

    if (its < *share)
        *share = its;
    return is_seen(board, rank, time) ? waiting_of(board, rank, time) : 0;
}

uint64_t ftc_still_look(struct ftc_still_watch *watch, const struct ftc_board *board,
                        struct ftc_mark_time time)
{
    uint64_t versions = 0, passed_ns = watch->last_ns == 0 ? 0 : time.now_ns - watch->last_ns;
    uint32_t share = FTC_STILL_WHOLE;
    bool all_wait = true;

    for (uint32_t i = 0; i < board->geometry.ranks; i++) {
        uint64_t waiting;

        if (ftc_board_state(board, i) != FTC_RANK_RUNNING)
            continue;
        waiting = ftc_board_is_here(board, i) ? look_here(board, i, time, &share)
                                              : atomic_load(&board->shared->rank[i].waiting);
        versions += waiting;
        all_wait &= waiting != 0;
    }
    if (!all_wait || versions != watch->versions)
        *watch = (struct ftc_still_watch){.versions = versions, .since_ns = time.now_ns};
    else
        watch->still_ns += passed_ns * share / FTC_STILL_WHOLE;
    watch->last_ns = time.now_ns;
    return watch->still_ns;
}

void ftc_still_report(const struct ftc_board *board, uint32_t rank, bool is_reported)
{
    atomic_store(&board->shared->rank[rank].is_stuck, is_reported);
}

bool ftc_still_are_all_reported(const struct ftc_board *board)
{
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_is_here(board, i) && ftc_board_state(board, i) == FTC_RANK_RUNNING &&
            !atomic_load(&board->shared->rank[i].is_stuck))
            return false;
    return true;
}
