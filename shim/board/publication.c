#include "publication.h"

#include "rank_state.h"
#include "seqlock.h"

#include <assert.h>
#include <string.h>

static size_t value_offset(uint32_t failed_count)
{
    return failed_count * sizeof(int32_t);
}

uint32_t ftc_publication_stride(size_t value_bytes)
{
    size_t bytes = sizeof(struct ftc_board_entry) + value_offset(FTC_FAILED_MAX) + value_bytes;

    return (uint32_t)((bytes + 63) / 64 * 64);
}

/* Value of @seq while nothing is published. Operations are numbered from 0 on. */
enum { NOTHING_PUBLISHED = UINT32_MAX };

static void write_call(struct ftc_board_entry *e, uint32_t seq, const struct ftc_note *note)
{
    struct ftc_board_call *call = &e->call[seq % FTC_BOARD_ENTRY_CALLS];
    uint64_t word[FTC_NOTE_WORDS];

    memcpy(word, note, sizeof word);
    FTC_SEQLOCK_BEGIN_WRITE(&call->version);
    atomic_store_explicit(&call->seq, seq, memory_order_relaxed);
    for (int i = 0; i < FTC_NOTE_WORDS; i++)
        atomic_store_explicit(&call->word[i], word[i], memory_order_relaxed);
    FTC_SEQLOCK_END_WRITE(&call->version);
}

static void forget_calls(struct ftc_board_entry *e)
{
    for (uint32_t seq = 0; seq < FTC_BOARD_ENTRY_CALLS; seq++)
        write_call(e, seq, &(struct ftc_note){0});
}

enum {
    FIRST_WINDOW = 32,
    GROWTH = 4,
    PROBES = 4 /* probes in each window but the last, which has all entries */
};

uint32_t ftc_publication_place(const struct ftc_board *board, uint64_t communicator_id,
                               uint32_t probe)
{
    uint32_t entries = board->geometry.entries, window = FIRST_WINDOW;

    for (; probe >= PROBES && window < entries; window *= GROWTH)
        probe -= PROBES;
    return (uint32_t)((communicator_id + probe) % (window < entries ? window : entries));
}

uint32_t ftc_publication_probes(const struct ftc_board *board)
{
    uint32_t probes = board->geometry.entries;

    for (uint32_t window = FIRST_WINDOW; window < board->geometry.entries; window *= GROWTH)
        probes += PROBES;
    return probes;
}

/* Returns the highest probe that @rank has needed to take an entry. */
static _Atomic uint32_t *reach(const struct ftc_board *board, uint32_t rank)
{
    return &board->shared->rank[rank].entries_reach;
}

void ftc_publication_open(const struct ftc_board *board, uint32_t self, uint32_t entry,
                          uint64_t communicator_id)
{
    struct ftc_board_entry *e = ftc_board_entry(board, self, entry);
    uint32_t probe = 0;

    while (ftc_publication_place(board, communicator_id, probe) != entry)
        probe++;
    if (probe > atomic_load(reach(board, self)))
        atomic_store(reach(board, self), probe);
    forget_calls(e);
    FTC_SEQLOCK_BEGIN_WRITE(&e->version);
    atomic_store(&e->seq, NOTHING_PUBLISHED);
    atomic_store(&e->joined, UINT64_MAX);
    atomic_store(&e->recorded, 0);
    atomic_store(&e->is_freed, 0);
    atomic_store(&e->communicator_id, communicator_id);
    FTC_SEQLOCK_END_WRITE(&e->version);
}

uint64_t ftc_publication_owner(const struct ftc_board *board, uint32_t self, uint32_t entry)
{
    return atomic_load(&ftc_board_entry(board, self, entry)->communicator_id);
}

void ftc_publish_call(const struct ftc_board *board, uint32_t self, uint32_t entry, uint32_t seq,
                      const struct ftc_note *note)
{
    write_call(ftc_board_entry(board, self, entry), seq, note);
}

void ftc_publish_attempt(const struct ftc_board *board, uint32_t self, uint32_t entry, uint32_t seq,
                         uint32_t attempt)
{
    atomic_store_explicit(&ftc_board_entry(board, self, entry)->joined,
                          (uint64_t)seq << 32 | attempt, memory_order_release);
}

void ftc_publish(const struct ftc_board *board, uint32_t self, uint32_t entry, uint32_t seq,
                 const struct ftc_result *result, size_t value_bytes)
{
    struct ftc_board_entry *e = ftc_board_entry(board, self, entry);
    uint32_t failed_count = (uint32_t)result->failed->count;
    uint32_t bytes = result->value ? (uint32_t)value_bytes : 0;

    assert(entry < board->geometry.entries);
    assert(failed_count <= FTC_FAILED_MAX);
    assert(ftc_publication_stride(value_bytes) <= board->geometry.entry_stride_bytes);
    FTC_SEQLOCK_BEGIN_WRITE(&e->version);
    atomic_store_explicit(&e->seq, seq, memory_order_relaxed);
    atomic_store_explicit(&e->attempt, result->attempt, memory_order_relaxed);
    atomic_store_explicit(&e->verdict, result->verdict, memory_order_relaxed);
    atomic_store_explicit(&e->bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&e->failed_count, failed_count, memory_order_relaxed);
    memcpy(e->data, result->failed->id, value_offset(failed_count));
    if (bytes > 0)
        memcpy(e->data + value_offset(failed_count), result->value, bytes);
    FTC_SEQLOCK_END_WRITE(&e->version);
}

static bool copy_entry(const struct ftc_board_entry *e, size_t value_bytes,
                       struct ftc_publication *copy)
{
    uint32_t failed_count = atomic_load_explicit(&e->failed_count, memory_order_relaxed);
    uint32_t verdict = atomic_load_explicit(&e->verdict, memory_order_relaxed);
    size_t bytes = atomic_load_explicit(&e->bytes, memory_order_relaxed);
    size_t most = verdict == FTC_VERDICT_VALUE ? value_bytes : 0;

    if (failed_count > FTC_FAILED_MAX || bytes > most || (bytes < most && !copy->varies) ||
        (verdict != FTC_VERDICT_VALUE && verdict != FTC_VERDICT_EXCESS))
        return false;
    copy->failed = (struct ftc_failure_info){.count = (int)failed_count};
    memcpy(copy->failed.id, e->data, value_offset(failed_count));
    memcpy(copy->value, e->data + value_offset(failed_count), bytes);
    copy->value_bytes = bytes;
    copy->result = (struct ftc_result){
        .verdict = (enum ftc_verdict)verdict,
        .attempt = atomic_load_explicit(&e->attempt, memory_order_relaxed),
        .failed = &copy->failed,
        .value = verdict == FTC_VERDICT_VALUE ? copy->value : NULL,
    };
    return true;
}

/* Stops at an unused entry: an entry never becomes unused again, so @rank has taken none of the
 * later ones for this communicator. A reader of the identity does not see data of the communicator
 * that had the entry before (acquire: C11 7.17.3, with ftc_publication_open()). */
bool ftc_publication_find(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                          uint32_t *entry)
{
    for (uint32_t probe = 0, last = 0; probe <= last; probe++) {
        uint64_t id;

        *entry = ftc_publication_place(board, communicator_id, probe);
        id = atomic_load_explicit(&ftc_board_entry(board, rank, *entry)->communicator_id,
                                  memory_order_acquire);
        if (id == communicator_id)
            return true;
        if (id == 0)
            return false;
        last = atomic_load(reach(board, rank)) % ftc_publication_probes(board);
    }
    return false;
}

static struct ftc_board_entry *find_entry(const struct ftc_board *board, uint32_t rank,
                                          uint64_t communicator_id)
{
    uint32_t entry;

    return ftc_publication_find(board, rank, communicator_id, &entry)
               ? ftc_board_entry(board, rank, entry)
               : NULL;
}

void ftc_publication_free(const struct ftc_board *board, uint32_t self, uint32_t entry)
{
    atomic_store(&ftc_board_entry(board, self, entry)->is_freed, 1);
}

bool ftc_publication_is_needed(const struct ftc_board *board, uint64_t communicator_id)
{
    for (uint32_t i = 0; i < board->geometry.ranks; i++) {
        const struct ftc_board_entry *e;

        if (!ftc_board_is_here(board, i) || ftc_board_state(board, i) >= FTC_RANK_FINALIZED)
            continue;
        e = find_entry(board, i, communicator_id);
        if (e && !atomic_load(&e->is_freed))
            return true;
    }
    return false;
}

/* Reads the identity a second time after the fence of FTC_SEQLOCK_IS_STILL. */
bool ftc_published_call(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                        uint32_t seq, struct ftc_note *note)
{
    const struct ftc_board_entry *e = find_entry(board, rank, communicator_id);
    const struct ftc_board_call *call;
    uint64_t word[FTC_NOTE_WORDS];
    uint32_t version;
    bool is_of_seq;

    if (!e)
        return false;
    call = &e->call[seq % FTC_BOARD_ENTRY_CALLS];
    version = FTC_SEQLOCK_BEGIN_READ(&call->version);
    is_of_seq = atomic_load_explicit(&call->seq, memory_order_relaxed) == seq;
    for (int i = 0; i < FTC_NOTE_WORDS; i++)
        word[i] = atomic_load_explicit(&call->word[i], memory_order_relaxed);
    memcpy(note, word, sizeof *note);
    return FTC_SEQLOCK_IS_STILL(&call->version, version) && version % 2 == 0 && is_of_seq &&
           note->kind != 0 &&
           atomic_load_explicit(&e->communicator_id, memory_order_relaxed) == communicator_id;
}

bool ftc_published(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                   uint32_t seq, size_t value_bytes, struct ftc_publication *copy)
{
    const struct ftc_board_entry *e = find_entry(board, rank, communicator_id);
    uint32_t version;
    bool complete;

    if (!e)
        return false;
    version = FTC_SEQLOCK_BEGIN_READ(&e->version);
    if (version % 2 != 0 || atomic_load_explicit(&e->seq, memory_order_relaxed) != seq)
        return false;
    complete = copy_entry(e, value_bytes, copy);
    return FTC_SEQLOCK_IS_STILL(&e->version, version) && complete &&
           atomic_load_explicit(&e->communicator_id, memory_order_relaxed) == communicator_id &&
           !ftc_board_is_dead(board, rank);
}

/* Returns the word @joined of the rank, or UINT64_MAX if it has not joined an operation of the
 * communicator. Reads the identity a second time, because the entry may go to another communicator,
 * which joins an operation, after it was found. */
static uint64_t joined_of(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id)
{
    const struct ftc_board_entry *e = find_entry(board, rank, communicator_id);
    uint64_t joined = e ? atomic_load_explicit(&e->joined, memory_order_acquire) : UINT64_MAX;

    if (!e || atomic_load_explicit(&e->communicator_id, memory_order_relaxed) != communicator_id)
        return UINT64_MAX;
    return joined;
}

bool ftc_published_attempt(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                           uint32_t seq, uint32_t *attempt)
{
    uint64_t joined = joined_of(board, rank, communicator_id);

    *attempt = (uint32_t)joined;
    return joined >> 32 == seq;
}

bool ftc_published_joined(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                          uint32_t *seq)
{
    uint64_t joined = joined_of(board, rank, communicator_id);

    *seq = (uint32_t)(joined >> 32);
    return joined != UINT64_MAX;
}

_Atomic uint64_t *ftc_publication_recorded(const struct ftc_board *board, uint32_t rank,
                                           uint64_t communicator_id)
{
    struct ftc_board_entry *e = find_entry(board, rank, communicator_id);

    return e ? &e->recorded : NULL;
}
