#include "roll.h"

#include "board/mark.h"
#include "board/rank_state.h"
#include "program/error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What a rank tells, of itself but for KNOWN_DEAD. */
enum {
    PRESENT = 1,
    KNOWN_DEAD = 2,
    LACKS = 4, /* it has not come through the native part, so that this has to be repeated by all */
    LEFT = 8,  /* and has left it */
    FAILED = 16,      /* or has an error of it */
    LEFT_BEFORE = 32, /* another one */
    EXHAUSTED = 64,
};

enum {
    NS_OF_MS = 1000000,
    REPEATS = 2, /* after errors without a new death, which MPI may have of its own */
};

static _Atomic unsigned char before; /* LEFT_BEFORE, of this rank */

bool ftc_roll_is_exhausted_here(void)
{
    return ftc_board_is_exhausted(&ftc_library.board, (uint32_t)ftc_library.world_rank);
}

bool ftc_roll_open(struct ftc_roll *roll, struct ftc_comm *comm, MPI_Group group,
                   struct ftc_spares *spares)
{
    size_t size = (size_t)comm->size;

    *roll = (struct ftc_roll){
        .comm = comm,
        .group = group,
        .size = comm->size,
        .living = {MPI_GROUP_NULL, MPI_GROUP_NULL},
        .spares = ftc_spares_hold(spares),
        .spare = -1,
    };
    roll->told = calloc(ftc_roll_told_bytes(roll), 1);
    roll->dead = calloc(size, 1);
    if (roll->told && roll->dead)
        return true;
    ftc_roll_close(roll);
    return false;
}

void ftc_roll_close(struct ftc_roll *roll)
{
    ftc_seating_free(&roll->seating);
    ftc_spares_drop(roll->spares);
    roll->spares = NULL;
    free(roll->told);
    free(roll->dead);
    roll->told = NULL;
    roll->dead = NULL;
}

/* ---- what the survivors tell each other ---- */

static unsigned char told_of_itself(enum ftc_native_end end)
{
    static const unsigned char of_end[] = {
        [FTC_NATIVE_HAS_COMMUNICATOR] = 0,
        [FTC_NATIVE_NOT_TRIED] = LACKS,
        [FTC_NATIVE_FAILED] = FAILED,
        [FTC_NATIVE_WAS_LEFT] = LACKS | LEFT,
    };
    unsigned char kept = end == FTC_NATIVE_WAS_LEFT ? LEFT_BEFORE : 0;
    unsigned char was = atomic_fetch_or(&before, kept); /* threads may tell at once */

    return PRESENT | of_end[end] | was | (ftc_roll_is_exhausted_here() ? EXHAUSTED : 0);
}

void ftc_roll_tell(struct ftc_roll *roll, enum ftc_native_end end)
{
    const struct ftc_comm *c = roll->comm;
    uint32_t taken = roll->spares ? ftc_spares_kept(roll->spares) : UINT32_MAX;

    memcpy(roll->told + roll->size, &taken, sizeof taken);
    for (int rank = 0; rank < roll->size; rank++)
        roll->told[rank] = ftc_board_is_dead(&ftc_library.board, c->world[rank]) ? KNOWN_DEAD : 0;
    roll->told[c->rank] = told_of_itself(end);
}

static unsigned char told_by_any(const struct ftc_roll *roll)
{
    unsigned char any = 0;

    for (int rank = 0; rank < roll->size; rank++)
        any |= roll->told[rank];
    return any;
}

/* A rank that leaves one native part has used up what MPICH has for that; with the next it is as if
 * it were in that for ever. */
static bool is_used_up(unsigned char told, unsigned char any)
{
    return (told & EXHAUSTED) || ((told & LEFT) && (any & LEFT_BEFORE));
}

/* The dead of whom one survivor knows, those whom the operation itself has left out, and whoever is
 * not in its result: a subtree without failures is enough for that, and then its root need not know
 * who died in another (doc/design.md, section 3). */
void ftc_roll_hear(struct ftc_roll *roll)
{
    unsigned char any = told_by_any(roll);
    int dead_before = roll->dead_count;

    memcpy(&roll->taken, roll->told + roll->size, sizeof roll->taken);
    roll->is_exhausted = false;
    for (int rank = 0; rank < roll->size; rank++) {
        unsigned char told = roll->told[rank];

        roll->dead[rank] = !(told & PRESENT) || (told & KNOWN_DEAD);
    }
    ftc_roll_strike_off(roll);
    roll->is_again =
        (any & LACKS) ||
        ((any & FAILED) && (roll->dead_count > dead_before || roll->repeats++ < REPEATS));
    roll->has_failed = (any & FAILED) && !roll->is_again;
    if (roll->spare >= 0 && !roll->is_again)
        ftc_spares_keep(roll->spares, roll->spare);
    roll->spare = -1;
    for (int rank = 0; rank < roll->size; rank++)
        roll->is_exhausted |= !roll->dead[rank] && is_used_up(roll->told[rank], any);
    if (is_used_up(roll->told[roll->comm->rank], any))
        ftc_board_set_exhausted(&ftc_library.board, (uint32_t)ftc_library.world_rank);
}

void ftc_roll_strike_off(struct ftc_roll *roll)
{
    roll->dead_count = 0;
    for (int rank = 0; rank < roll->size; rank++) {
        if (ftc_comm_member(roll->comm, rank) < 0)
            roll->dead[rank] = 1;
        roll->dead_count += roll->dead[rank];
    }
}

int ftc_roll_living(const struct ftc_roll *roll, MPI_Group group, MPI_Group *living)
{
    int *rank = malloc((size_t)roll->size * sizeof *rank), count = 0, rv;
    MPI_Group dead;

    if (!rank)
        return ftc_error_no_memory();
    for (int i = 0; i < roll->size; i++)
        if (roll->dead[i])
            rank[count++] = i;
    rv = PMPI_Group_incl(roll->group, count, rank, &dead);
    free(rank);
    if (rv != MPI_SUCCESS)
        return rv;
    rv = PMPI_Group_difference(group, dead, living);
    PMPI_Group_free(&dead);
    return rv;
}

/* ---- while the native part lasts ---- */

void ftc_roll_watch(struct ftc_roll *roll, bool is_bounded)
{
    roll->deaths_seen = 0;
    roll->has_lost = false;
    roll->is_bounded = is_bounded;
    roll->stopwatch = (struct ftc_stopwatch){0};
}

bool ftc_roll_has_lost(struct ftc_roll *roll)
{
    const struct ftc_board *board = &ftc_library.board;
    uint32_t deaths = ftc_board_deaths(board);

    if (deaths == roll->deaths_seen)
        return roll->has_lost;
    roll->deaths_seen = deaths;
    for (int rank = 0; rank < roll->size; rank++)
        if (!roll->dead[rank] && ftc_board_is_dead(board, roll->comm->world[rank]))
            roll->has_lost = true;
    return roll->has_lost;
}

static bool has_exhausted(const struct ftc_roll *roll)
{
    const struct ftc_board *board = &ftc_library.board;
    bool found = false;

    for (int rank = 0; ftc_board_is_anyone_dead(board) && rank < roll->size; rank++)
        found |= ftc_board_is_exhausted(board, roll->comm->world[rank]);
    return found;
}

/* All its members live, and have come to it at about the same time. A rank that is killed while it
 * writes to another's queue of UCX's, in shared memory, leaves that shut for ever. It need be no
 * member. */
static bool is_stuck(struct ftc_roll *roll)
{
    uint64_t bound_ms = ftc_mark_stuck_ms(ftc_library.settings.blocked_ms);

    return ftc_board_is_anyone_dead(&ftc_library.board) &&
           ftc_stopwatch_elapsed_ns(&roll->stopwatch, 0) > bound_ms * NS_OF_MS;
}

bool ftc_roll_is_hopeless(void *context)
{
    struct ftc_roll *roll = context;

    return ftc_roll_has_lost(roll) || (roll->is_bounded && (has_exhausted(roll) || is_stuck(roll)));
}
