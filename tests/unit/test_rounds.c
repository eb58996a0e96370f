/* Blocks of other ranks: in bulk memory, where any process may have written, and in parts. */
#include "board/bulk.h"
#include "collectives/plan.h"
#include "job_end.h"
#include "library.h"
#include "protocols/rounds.h"
#include "unit_board.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { SELF, OTHER, RANKS, VALUE_BYTES = 8, HALF_BYTES = 100 };

static jmp_buf end;
static char words[256];

void ftc_job_end(MPI_Comm comm, int status, const char *text)
{
    (void)comm;
    (void)status;
    snprintf(words, sizeof words, "%s", text);
    longjmp(end, 1);
}

static void open_board(void)
{
    struct ftc_board_geometry g = unit_geometry(RANKS, VALUE_BYTES);

    g.sites_bytes = 64;
    g.bulk_bytes = FTC_BULK_HEAD_BYTES;
    g.region_bytes = FTC_BULK_REGION_BYTES;
    ftc_library.board = unit_board(g);
}

START_TEST(a_block_whose_place_is_gone_ends_the_job_with_words)
{
    uint32_t world[] = {SELF, OTHER};
    struct ftc_comm c = {.id = 1, .size = RANKS, .rank = SELF, .world = world};
    struct ftc_call call = {.kind = FTC_CALL_ALLGATHER};
    struct ftc_rounds p;
    struct ftc_plan plan = {.comm = &c, .call = &call, .state = &p};

    open_board();
    ftc_rounds_in_memory.open(&plan);
    p.progress.step = FTC_ROUNDS_TAKE;
    ftc_rank_set_add(p.status.who, OTHER);
    if (setjmp(end) == 0)
        p.carrier->take(&p);
    ck_assert_ptr_nonnull(strstr(words, "rank 1 gave to MPI_Allgather, which rank 0 needs"));
    ftc_rounds_in_memory.free(&plan);
    ftc_board_close(&ftc_library.board);
}
END_TEST

/* Takes a block in two parts. Returns the bytes that are kept. */
static size_t take(struct ftc_rounds *p, int rank)
{
    static const unsigned char half[HALF_BYTES];
    struct ftc_rounds_part part = {.data = half, .bytes = HALF_BYTES, .left = HALF_BYTES};

    ftc_rounds_take(p, rank, &part);
    part.left = 0;
    ftc_rounds_take(p, rank, &part);
    return p->plan->find(p->plan, rank, NULL).bytes;
}

START_TEST(a_scan_keeps_the_parts_of_lower_ranks_and_its_own)
{
    struct ftc_comm c = {.size = 3, .rank = 1};
    struct ftc_call call = {.kind = FTC_CALL_SCAN};
    struct ftc_rounds p;
    struct ftc_plan plan = {.comm = &c, .call = &call, .state = &p};

    ftc_rounds_open(&plan, NULL);
    p.has_memory = true;
    p.progress.step = FTC_ROUNDS_TAKE;
    ck_assert_uint_eq(take(&p, 0), 2 * HALF_BYTES);
    ck_assert_uint_eq(take(&p, 1), 2 * HALF_BYTES);
    ck_assert_uint_eq(take(&p, 2), 0);
    ftc_rounds_free(&plan);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("rounds");
    UNIT_TEST(a_block_whose_place_is_gone_ends_the_job_with_words);
    UNIT_TEST(a_scan_keeps_the_parts_of_lower_ranks_and_its_own);
    UNIT_END();
}
