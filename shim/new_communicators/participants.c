#include "participants.h"

#include "board/mark.h"
#include "board/rank_state.h"
#include "program/error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Flags that a rank sends about itself; KNOWN_DEAD is about another rank. */
enum {
    PRESENT = 1,
    KNOWN_DEAD = 2,
    LACKS = 4,             /* has no result of the native part, which all ranks must repeat */
    ABANDONED = 8,         /* has abandoned the native part */
    FAILED = 16,           /* MPI has returned an error from the native part */
    ABANDONED_BEFORE = 32, /* has abandoned an earlier native part */
    EXHAUSTED = 64,
};

enum {
    NS_OF_MS = 1000000,
    REPEATS = 2, /* after errors without a new death, which may be MPI's own */
};

static _Atomic unsigned char before; /* ABANDONED_BEFORE or 0, for this rank */

bool ftc_participants_is_exhausted_here(void)
{
    return ftc_board_is_exhausted(&ftc_library.board, (uint32_t)ftc_library.world_rank);
}

bool ftc_participants_open(struct ftc_participants *participants, struct ftc_comm *comm,
                           MPI_Group group, struct ftc_spares *spares)
{
    size_t size = (size_t)comm->size;

    *participants = (struct ftc_participants){
        .comm = comm,
        .group = group,
        .size = comm->size,
        .living = {MPI_GROUP_NULL, MPI_GROUP_NULL},
        .spares = ftc_spares_hold(spares),
        .spare = -1,
    };
    participants->report = calloc(ftc_participants_report_bytes(participants), 1);
    participants->dead = calloc(size, 1);
    if (participants->report && participants->dead)
        return true;
    ftc_participants_close(participants);
    return false;
}

void ftc_participants_close(struct ftc_participants *participants)
{
    ftc_topology_remap_free(&participants->remap);
    ftc_spares_drop(participants->spares);
    participants->spares = NULL;
    free(participants->report);
    free(participants->dead);
    participants->report = NULL;
    participants->dead = NULL;
}

/* ---- exchange of the survivors ---- */

static unsigned char own_flags(enum ftc_native_end end)
{
    static const unsigned char of_end[] = {
        [FTC_NATIVE_HAS_COMMUNICATOR] = 0,
        [FTC_NATIVE_NOT_TRIED] = LACKS,
        [FTC_NATIVE_FAILED] = FAILED,
        [FTC_NATIVE_WAS_ABANDONED] = LACKS | ABANDONED,
    };
    unsigned char kept = end == FTC_NATIVE_WAS_ABANDONED ? ABANDONED_BEFORE : 0;
    unsigned char was = atomic_fetch_or(&before, kept); /* threads may do this at once */

    return PRESENT | of_end[end] | was | (ftc_participants_is_exhausted_here() ? EXHAUSTED : 0);
}

void ftc_participants_fill_report(struct ftc_participants *participants, enum ftc_native_end end)
{
    const struct ftc_comm *c = participants->comm;
    uint32_t taken = participants->spares ? ftc_spares_kept(participants->spares) : UINT32_MAX;

    memcpy(participants->report + participants->size, &taken, sizeof taken);
    for (int rank = 0; rank < participants->size; rank++)
        participants->report[rank] =
            ftc_board_is_dead(&ftc_library.board, c->world[rank]) ? KNOWN_DEAD : 0;
    participants->report[c->rank] = own_flags(end);
}

static unsigned char flags_of_any(const struct ftc_participants *participants)
{
    unsigned char any = 0;

    for (int rank = 0; rank < participants->size; rank++)
        any |= participants->report[rank];
    return any;
}

/* Returns whether a rank with flags @flags has no context ids of MPICH left for another
 * communicator. @any is the OR of all ranks' flags. A native part that was abandoned holds the
 * first 64 ids forever (abandonable.h). */
static bool is_used_up(unsigned char flags, unsigned char any)
{
    return (flags & EXHAUSTED) || ((flags & ABANDONED) && (any & ABANDONED_BEFORE));
}

/* Counts as dead the ranks of whose death a survivor knows, those that the operation has left out,
 * and those that its result lacks. The result may lack a rank that it does not name as failed: a
 * subtree without failures is enough for a result, and the root then need not know which ranks died
 * in another subtree (doc/design.md, section 3). */
void ftc_participants_hear(struct ftc_participants *participants)
{
    unsigned char any = flags_of_any(participants);
    int dead_before = participants->dead_count;

    memcpy(&participants->taken, participants->report + participants->size,
           sizeof participants->taken);
    participants->is_exhausted = false;
    for (int rank = 0; rank < participants->size; rank++) {
        unsigned char flags = participants->report[rank];

        participants->dead[rank] = !(flags & PRESENT) || (flags & KNOWN_DEAD);
    }
    ftc_participants_strike_off(participants);
    participants->is_again =
        (any & LACKS) || ((any & FAILED) && (participants->dead_count > dead_before ||
                                             participants->repeats++ < REPEATS));
    participants->has_failed = (any & FAILED) && !participants->is_again;
    if (participants->spare >= 0 && !participants->is_again)
        ftc_spares_keep(participants->spares, participants->spare);
    participants->spare = -1;
    for (int rank = 0; rank < participants->size; rank++)
        participants->is_exhausted |=
            !participants->dead[rank] && is_used_up(participants->report[rank], any);
    if (is_used_up(participants->report[participants->comm->rank], any))
        ftc_board_set_exhausted(&ftc_library.board, (uint32_t)ftc_library.world_rank);
}

void ftc_participants_strike_off(struct ftc_participants *participants)
{
    participants->dead_count = 0;
    for (int rank = 0; rank < participants->size; rank++) {
        if (ftc_comm_member(participants->comm, rank) < 0)
            participants->dead[rank] = 1;
        participants->dead_count += participants->dead[rank];
    }
}

int ftc_participants_living(const struct ftc_participants *participants, MPI_Group group,
                            MPI_Group *living)
{
    int *rank = malloc((size_t)participants->size * sizeof *rank), count = 0, rv;
    MPI_Group dead;

    if (!rank)
        return ftc_error_no_memory();
    for (int i = 0; i < participants->size; i++)
        if (participants->dead[i])
            rank[count++] = i;
    rv = PMPI_Group_incl(participants->group, count, rank, &dead);
    free(rank);
    if (rv != MPI_SUCCESS)
        return rv;
    rv = PMPI_Group_difference(group, dead, living);
    PMPI_Group_free(&dead);
    return rv;
}

/* ---- during the native part ---- */

void ftc_participants_watch(struct ftc_participants *participants, bool is_bounded)
{
    participants->deaths_seen = 0;
    participants->has_lost = false;
    participants->is_bounded = is_bounded;
    participants->stopwatch = (struct ftc_stopwatch){0};
}

bool ftc_participants_has_lost(struct ftc_participants *participants)
{
    const struct ftc_board *board = &ftc_library.board;
    uint32_t deaths = ftc_board_deaths(board);

    if (deaths == participants->deaths_seen)
        return participants->has_lost;
    participants->deaths_seen = deaths;
    for (int rank = 0; rank < participants->size; rank++)
        if (!participants->dead[rank] && ftc_board_is_dead(board, participants->comm->world[rank]))
            participants->has_lost = true;
    return participants->has_lost;
}

static bool has_exhausted(const struct ftc_participants *participants)
{
    const struct ftc_board *board = &ftc_library.board;
    bool found = false;

    for (int rank = 0; ftc_board_is_anyone_dead(board) && rank < participants->size; rank++)
        found |= ftc_board_is_exhausted(board, participants->comm->world[rank]);
    return found;
}

/* Returns whether the time of the native part is up, in a job in which a rank has died. All
 * participants live and have begun the part at about the same time. But a rank that is killed while
 * it writes to a UCX queue of another rank, in shared memory, blocks that queue forever. The killed
 * rank need not be a participant. */
static bool is_stuck(struct ftc_participants *participants)
{
    uint64_t bound_ms = ftc_mark_stuck_ms(ftc_library.settings.blocked_ms);

    return ftc_board_is_anyone_dead(&ftc_library.board) &&
           ftc_stopwatch_elapsed_ns(&participants->stopwatch, 0) > bound_ms * NS_OF_MS;
}

bool ftc_participants_is_hopeless(void *context)
{
    struct ftc_participants *participants = context;

    return ftc_participants_has_lost(participants) ||
           (participants->is_bounded && (has_exhausted(participants) || is_stuck(participants)));
}
