#include "execute.h"

#include "messages.h"
#include "mismatch.h"
#include "queue.h"
#include "wait.h"

/* Takes one turn of the wait loop. Returns whether the operation or a nonblocking one has made
 * progress. */
static bool turn(struct ftc_comm *c)
{
    bool progress = ftc_messages_take();

    progress |= ftc_loop_look_after(c);
    return (ftc_queue_busy && ftc_queue_go_on()) || progress;
}

static void look_for_mismatch(struct ftc_comm *c, struct ftc_mismatch_native *mixed)
{
    if (!ftc_mismatch_find(c, ftc_messages_take_from))
        ftc_mismatch_look_at_native(mixed, c);
}

enum ftc_loop_outcome ftc_execute(struct ftc_comm *c, const struct ftc_loop_request *request)
{
    struct ftc_mismatch_native mixed = {0};
    struct ftc_wait wait;

    if (!ftc_loop_begin(c, request))
        return FTC_LOOP_NO_MEMORY;
    ftc_wait_reset(&wait);
    while (!ftc_loop_is_over(c)) {
        if (turn(c))
            ftc_wait_reset(&wait);
        else if (ftc_wait_turn(&wait, c) && c->running->mismatched < 0)
            look_for_mismatch(c, &mixed);
    }
    return ftc_loop_end(c);
}
