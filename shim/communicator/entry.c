#include "entry.h"

#include "board/activity.h"
#include "board/publication.h"
#include "board/rank_state.h"

#include <errno.h>
#include <stdlib.h>

/* State of this rank's board entries, by index. */
static struct {
    bool is_taken;     /* whether a communicator uses it */
    unsigned freed_at; /* freed_count when it was freed */
} * entries;
static unsigned freed_count;

/* Number of entries that this rank frees before it takes the first of them again, on several hosts.
 * A rank does not see which entries the ranks of other hosts have freed. If no other entry is
 * available, it takes one earlier. */
enum { RESTED = 256 };

int ftc_entry_open(void)
{
    entries = calloc(ftc_library.board.geometry.entries, sizeof *entries);
    return entries ? 0 : -ENOMEM;
}

/* Returns whether any rank is in a call, and the last call that it has begun is on the communicator
 * @id. Ranks that have finalized do not count. */
static bool is_still_used(uint64_t id)
{
    const struct ftc_board *b = &ftc_library.board;

    for (uint32_t i = 0; i < b->geometry.ranks; i++)
        if (ftc_activity_is_on(b, i, id) && ftc_board_state(b, i) < FTC_RANK_FINALIZED)
            return true;
    return false;
}

/* Takes for @c the first entry that @may_be_taken accepts. Returns false if there is none. @before
 * is the communicator that had the entry last; 0: none. */
static bool take_entry_if(struct ftc_comm *c, bool (*may_be_taken)(uint32_t entry, uint64_t before))
{
    const struct ftc_board *b = &ftc_library.board;

    for (uint32_t probe = 0; probe < ftc_publication_probes(b); probe++) {
        uint32_t entry = ftc_publication_place(b, c->id, probe);

        if (entries[entry].is_taken ||
            !may_be_taken(entry, ftc_publication_owner(b, ftc_library.world_rank, entry)))
            continue;
        entries[entry].is_taken = true;
        c->entry = entry;
        return true;
    }
    return false;
}

/* Returns whether all living ranks of this host that have used the communicator @before have freed
 * it. A rank that is still in its last operation may need the result that this rank published. */
static bool is_free(uint32_t entry, uint64_t before)
{
    (void)entry;
    return before == 0 || !ftc_publication_is_needed(&ftc_library.board, before);
}

static bool is_rested(uint32_t entry, uint64_t before)
{
    return is_free(entry, before) &&
           (before == 0 || freed_count - entries[entry].freed_at >= RESTED);
}

/* Returns whether no rank is in a call on the communicator @before. This is the last resort, for
 * programs in which some ranks never free the communicators that others have freed. */
static bool is_left(uint32_t entry, uint64_t before)
{
    (void)entry;
    return !is_still_used(before);
}

int ftc_entry_take(struct ftc_comm *c)
{
    bool is_taken = ftc_board_has_other_hosts(&ftc_library.board) && take_entry_if(c, is_rested);

    if (!is_taken && !take_entry_if(c, is_free) && !take_entry_if(c, is_left))
        return -ENOSPC;
    ftc_publication_open(&ftc_library.board, ftc_library.world_rank, c->entry, c->id);
    return 0;
}

void ftc_entry_give_back(const struct ftc_comm *c)
{
    entries[c->entry].is_taken = false;
    entries[c->entry].freed_at = freed_count++;
    ftc_publication_free(&ftc_library.board, ftc_library.world_rank, c->entry);
}
