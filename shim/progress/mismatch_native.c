#include "mismatch_native.h"

#include "board/mark.h"
#include "board/publication.h"
#include "board/rank_state.h"
#include "mismatch.h"
#include "running.h"
#include "system/lines.h"

enum { LOOKS = 10, NS_OF_MS = 1000000 };

/* With several threads, a rank's others may be about to make the call. */
static bool is_watched(void)
{
    return ftc_library.settings.on_blocked != FTC_ON_BLOCKED_OFF && !ftc_library.threaded;
}

/* Whoever has joined the operation has left it, or is in it. */
static bool is_native(const struct ftc_comm *c, int rank, struct ftc_mark_call *call)
{
    const struct ftc_board *board = &ftc_library.board;
    uint32_t world = c->world[rank], seq;

    return ftc_mark_collective(board, world, c->world, c->size, call) &&
           !(ftc_published_joined(board, world, c->id, &seq) && (int32_t)(seq - c->seq) >= 0);
}

/* The default ends no job of which all ranks live: a native call that lasts long looks the same. */
static bool is_error(void)
{
    return ftc_library.settings.on_blocked == FTC_ON_BLOCKED_ABORT &&
           ftc_library.settings.origin[FTC_SETTING_on_blocked] != FTC_ORIGIN_DEFAULT;
}

/* What all members do. */
struct scene {
    int first_here, first_native; /* user's ranks */
    struct ftc_mark_call native;  /* the call of the latter */
    uint64_t versions;
};

/* Whether every member waits for the others: the dead are another reason for that. */
static bool all_wait(const struct ftc_comm *c, struct scene *scene)
{
    struct ftc_mark_call call;

    *scene = (struct scene){.first_here = -1, .first_native = -1};
    for (int rank = c->size - 1; rank >= 0; rank--) {
        uint32_t world = c->world[rank];

        if (ftc_board_state(&ftc_library.board, world) != FTC_RANK_RUNNING)
            return false;
        scene->versions += ftc_mark_versions(&ftc_library.board, world);
        if (ftc_mismatch_is_in(c, rank)) {
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

/* In one write: ranks of other communicators may have something to say as well. */
static void tell(const struct ftc_comm *c, uint64_t ns)
{
    char own[FTC_MISMATCH_CALL_TEXT], others[FTC_MISMATCH_CALL_TEXT];

    ftc_mismatch_write_own(own, sizeof own, c);
    ftc_mismatch_write_other(others, sizeof others, c);
    ftc_lines_say("ftcoll: rank %d has been in %s for %.1f s, while rank %d is in %s: if these "
                  "are to be one call, they do not match; on_blocked = %s\n",
                  ftc_comm_shown(c, c->rank), own, (double)ns / 1e9,
                  ftc_comm_shown(c, c->running->mismatched), others,
                  ftc_library.settings.on_blocked == FTC_ON_BLOCKED_WARN ? "warn"
                                                                         : "abort, by default");
}

/* For how long all have waited like this. */
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

void ftc_mismatch_native_look(struct ftc_mismatch_native *mixed, struct ftc_comm *c)
{
    uint64_t bound_ns = (uint64_t)ftc_library.settings.blocked_ms * NS_OF_MS;
    uint64_t interval_ns = bound_ns / LOOKS, now_ns, ns;
    struct scene scene;

    if (!is_watched() || mixed->was_told || ftc_clock_ns() - mixed->looks.last_ns < interval_ns)
        return;
    now_ns = ftc_looks_now(&mixed->looks, interval_ns);
    ns = waited_ns(mixed, c, now_ns, &scene);
    if (ns == 0 || ns < bound_ns || scene.first_here != c->rank)
        return;
    ftc_mismatch_meet_native(c, scene.first_native, &scene.native);
    if (is_error())
        return;
    tell(c, ns);
    mixed->was_told = true;
    c->running->mismatched = -1;
}
