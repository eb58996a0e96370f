#include "mixed.h"

#include "mismatch.h"
#include "monitor/clock.h"
#include "monitor/mark.h"
#include "monitor/publication.h"

#include <stdio.h>
#include <unistd.h>

enum { LOOKS = 10, NS_OF_MS = 1000000 };

/* With several threads, a rank's others may be about to make the call. */
static bool is_watched(void)
{
    return ftc_library.settings.on_blocked != FTC_ON_BLOCKED_OFF && !ftc_library.threaded;
}

/* Whoever has joined the operation has left it, or is in it. */
static bool is_native(const struct ftc_comm *c, int rank)
{
    const struct ftc_board *board = &ftc_library.board;
    uint32_t slot = c->slot[rank], seq;
    struct ftc_mark_call call;

    return ftc_mark_collective(board, slot, c->slot, c->size, &call) &&
           !(ftc_published_joined(board, slot, c->id, &seq) && (int32_t)(seq - c->seq) >= 0);
}

/* Whether every member waits for the others: the dead are another reason for that. */
static bool all_wait(const struct ftc_comm *c, int *first_here, int *first_native,
                     uint64_t *versions)
{
    *first_here = *first_native = -1;
    *versions = 0;
    for (int rank = c->size - 1; rank >= 0; rank--) {
        uint32_t slot = c->slot[rank];

        if (ftc_board_state(&ftc_library.board, slot) != FTC_RANK_RUNNING)
            return false;
        *versions += ftc_mark_versions(&ftc_library.board, slot);
        if (ftc_mismatch_is_in(c, rank))
            *first_here = rank;
        else if (is_native(c, rank))
            *first_native = rank;
        else
            return false;
    }
    return *first_native >= 0;
}

int ftc_mixed_find(const struct ftc_comm *c)
{
    for (int rank = 0; is_watched() && rank < c->size; rank++)
        if (rank != c->rank && is_native(c, rank))
            return rank;
    return -1;
}

/* In one write: ranks of other communicators may have something to say as well. */
static void tell(const struct ftc_comm *c, int other, uint64_t ns)
{
    char own[384], others[384], text[1024];
    int length;

    ftc_mismatch_write_call(own, sizeof own, c, c->rank);
    ftc_mismatch_write_call(others, sizeof others, c, other);
    length = snprintf(text, sizeof text,
                      "ftcoll: rank %d has been in %s for %.1f s, while rank %d is in %s: if these "
                      "are to be one call, they do not match; on_blocked = warn\n",
                      c->rank, own, (double)ns / 1e9, other, others);
    (void)!write(STDERR_FILENO, text, (size_t)length);
}

/* For how long all have waited like this. */
static uint64_t waited_ns(struct ftc_mixed *mixed, const struct ftc_comm *c, uint64_t now_ns,
                          int *first_here, int *first_native)
{
    uint64_t versions;

    if (!all_wait(c, first_here, first_native, &versions)) {
        mixed->since_ns = 0;
        return 0;
    }
    if (mixed->since_ns == 0 || versions != mixed->versions) {
        mixed->since_ns = now_ns;
        mixed->versions = versions;
    }
    return now_ns - mixed->since_ns;
}

int ftc_mixed_look(struct ftc_mixed *mixed, const struct ftc_comm *c)
{
    uint64_t bound_ns = (uint64_t)ftc_library.settings.blocked_ms * NS_OF_MS, ns;
    uint64_t now_ns = ftc_clock_ns();
    int here, native;

    if (!is_watched() || mixed->was_told || now_ns - mixed->looked_ns < bound_ns / LOOKS)
        return -1;
    mixed->looked_ns = now_ns;
    ns = waited_ns(mixed, c, now_ns, &here, &native);
    if (ns == 0 || ns < bound_ns || here != c->rank)
        return -1;
    if (ftc_library.settings.on_blocked == FTC_ON_BLOCKED_ABORT)
        return native;
    tell(c, native, ns);
    mixed->was_told = true;
    return -1;
}
