#include "entry.h"

#include "board/activity.h"
#include "board/publication.h"
#include "board/rank_state.h"

#include <errno.h>
#include <stdlib.h>

/* By entry on the board. */
static struct {
    bool is_taken;     /* by a communicator that lives */
    unsigned freed_at; /* freed_count then */
} * entries;
static unsigned freed_count;

/* So many other entries are freed before a freed one is taken again on several hosts. A rank does
 * not see which entries the ranks of other hosts have freed. */
enum { RESTED = 256 };

int ftc_entry_open(void)
{
    entries = calloc(ftc_library.board.geometry.entries, sizeof *entries);
    return entries ? 0 : -ENOMEM;
}

static bool is_still_used(uint64_t id)
{
    const struct ftc_board *b = &ftc_library.board;

    for (uint32_t i = 0; i < b->geometry.ranks; i++)
        if (ftc_activity_is_on(b, i, id) && ftc_board_state(b, i) < FTC_RANK_FINALIZED)
            return true;
    return false;
}

/* A rank that is still in the last operation of a freed communicator may need what this rank
 * published; so the entry of a freed one is taken again only when the others have freed it, too. */
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

/* For programs in which some ranks never free what others have freed. */
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
