/* Publication of the attempt that this rank is in. */
#include "progress/peer_events.h"
#include "unit_comm.h"

enum { RANKS = 2, SELF = 0, ATTEMPTS = 3 };

static void expect_attempt(struct ftc_comm *c, uint32_t seq, uint32_t attempt)
{
    uint32_t shown;

    ck_assert(ftc_published_attempt(&ftc_library.board, SELF, c->id, seq, &shown));
    ck_assert_uint_eq(shown, attempt);
}

/* Other ranks rely on it: this rank does not return with the result of an earlier attempt. */
START_TEST(the_attempt_that_is_published_is_the_one_that_runs)
{
    struct ftc_comm *c = unit_comm(RANKS);

    for (int operation = 0; operation < 2; operation++, c->seq++)
        for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
            c->running->op.attempt = attempt;
            ftc_peer_events_publish_attempt(c);
            expect_attempt(c, c->seq, attempt);
        }
}
END_TEST

int main(void)
{
    UNIT_BEGIN("peer_events");
    UNIT_TEST(the_attempt_that_is_published_is_the_one_that_runs);
    UNIT_END();
}
