/* announcement: what the job reports to people once, by one of its processes, whichever of them die
 * meanwhile.
 *
 * A process claims an announcement, writes it, and marks it done on the board. The claim of a
 * process that has died since is void. So an announcement is written twice only if its announcer is
 * killed in the few instructions between the writing and the mark, and it is never lost as long as
 * a process is left to claim it. */
#ifndef FTC_BOARD_ANNOUNCEMENT_H
#define FTC_BOARD_ANNOUNCEMENT_H

#include "board.h"

enum ftc_announcement_kind {
    FTC_ANNOUNCEMENT_DEATH,    /* of a rank */
    FTC_ANNOUNCEMENT_RECOVERY, /* from so many deaths in all */
    FTC_ANNOUNCEMENT_REPORT,   /* of the whole job */
    FTC_ANNOUNCEMENT_LINE,     /* that counts the living */
    FTC_ANNOUNCEMENT_TRACE,    /* of the job so far: after so many deaths, or at its end */
};

/* For TRACE: after this there is no other. */
enum { FTC_ANNOUNCEMENT_LAST = FTC_BOARD_RANKS_MAX + 1 };

struct ftc_announcement {
    enum ftc_announcement_kind kind;
    uint32_t rank;   /* DEATH */
    uint32_t number; /* RECOVERY, TRACE: more than were announced before; else 1 */
};

/* A rank, or its monitor process. */
struct ftc_announcer {
    uint32_t rank;
    bool is_rank;
};

/* Returns true for the process that is to write it, which then calls ftc_announcement_end(). */
bool ftc_announcement_claim(const struct ftc_board *board,
                            const struct ftc_announcement *announcement,
                            const struct ftc_announcer *self);
void ftc_announcement_end(const struct ftc_board *board,
                          const struct ftc_announcement *announcement,
                          const struct ftc_announcer *self);

/* Between the two no other process of this host writes a line that counts the living, so the counts
 * of such lines only fall. Waits for at most 100 ms, and for no process that has ended. */
void ftc_announcement_begin_line(const struct ftc_board *board, const struct ftc_announcer *self);
void ftc_announcement_end_line(const struct ftc_board *board, const struct ftc_announcer *self);

/* Marks what another host has announced, or announces if it is announced at all. */
void ftc_announcement_is_elsewhere(const struct ftc_board *board,
                                   const struct ftc_announcement *announcement);

/* Returns whether it has been announced. */
bool ftc_announcement_is_done(const struct ftc_board *board,
                              const struct ftc_announcement *announcement);

/* The number, from 1 on, of a line among those on deaths: the same for all who announce the death
 * one of @rank; and of one among those on recoveries. */
uint32_t ftc_announcement_number(const struct ftc_board *board, uint32_t rank);
uint32_t ftc_announcement_number_of_recovery(const struct ftc_board *board);

#endif
