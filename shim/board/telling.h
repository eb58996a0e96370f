/* telling: what the job tells people once, by one of its processes, whichever of them die
 * meanwhile.
 *
 * Who has something to tell claims it, tells it, and says so. What was claimed by a process that
 * has died since may be claimed by another. So it is told twice only if its teller is killed in the
 * few instructions between the end of its telling and its word on the board, and it is never lost
 * as long as somebody is left to claim it. */
#ifndef FTC_BOARD_TELLING_H
#define FTC_BOARD_TELLING_H

#include "board.h"

enum ftc_matter_kind {
    FTC_MATTER_DEATH,    /* of a rank */
    FTC_MATTER_RECOVERY, /* from so many deaths in all */
    FTC_MATTER_REPORT,   /* of the whole job */
    FTC_MATTER_LINE,     /* that counts the living */
    FTC_MATTER_TRACE,    /* of the job so far: after so many deaths, or at its end */
};

/* For TRACE: after this there is no other. */
enum { FTC_MATTER_LAST = FTC_BOARD_RANKS_MAX + 1 };

struct ftc_matter {
    enum ftc_matter_kind kind;
    uint32_t rank;   /* DEATH */
    uint32_t number; /* RECOVERY, TRACE: more than was told of before; else 1 */
};

/* A rank, or its monitor process. */
struct ftc_teller {
    uint32_t rank;
    bool is_rank;
};

/* True for the one that is to tell: it calls ftc_telling_end() then. */
bool ftc_telling_claim(const struct ftc_board *board, const struct ftc_matter *matter,
                       const struct ftc_teller *self);
void ftc_telling_end(const struct ftc_board *board, const struct ftc_matter *matter,
                     const struct ftc_teller *self);

/* Between the two no other process of this host writes a line that counts the living, so the counts
 * of such lines only fall. Waits for at most 100 ms, and for no process that has ended. */
void ftc_telling_begin_line(const struct ftc_board *board, const struct ftc_teller *self);
void ftc_telling_end_line(const struct ftc_board *board, const struct ftc_teller *self);

/* It is told on another host, or told there if at all. */
void ftc_telling_is_elsewhere(const struct ftc_board *board, const struct ftc_matter *matter);

/* Whether that has been told. */
bool ftc_telling_is_done(const struct ftc_board *board, const struct ftc_matter *matter);

/* The number, from 1 on, of a line among those on deaths: the same for all who have to tell of the
 * one of @rank; and of one among those on recoveries. */
uint32_t ftc_telling_number(const struct ftc_board *board, uint32_t rank);
uint32_t ftc_telling_number_of_recovery(const struct ftc_board *board);

#endif
