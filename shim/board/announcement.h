/* announcement: report to users that one process of the job makes once, whichever processes die
 * meanwhile.
 *
 * A process claims an announcement, writes it, and marks it done on the board. The claim of a
 * process that has died since is void. Therefore an announcement is written twice only if its
 * writer is killed in the few instructions between the writing and the mark. It is never lost as
 * long as a process is left to claim it. */
#ifndef FTC_BOARD_ANNOUNCEMENT_H
#define FTC_BOARD_ANNOUNCEMENT_H

#include "board.h"

enum ftc_announcement_kind {
    FTC_ANNOUNCEMENT_DEATH,    /* death of a rank */
    FTC_ANNOUNCEMENT_RECOVERY, /* recovery from a number of deaths */
    FTC_ANNOUNCEMENT_REPORT,   /* report of the whole job */
    FTC_ANNOUNCEMENT_LINE,     /* line with the number of living ranks */
    FTC_ANNOUNCEMENT_TRACE,    /* trace so far, after a number of deaths or at the job's end */
};

/* Number of the last TRACE, at the end of the job. */
enum { FTC_ANNOUNCEMENT_LAST = FTC_BOARD_RANKS_MAX + 1 };

struct ftc_announcement {
    enum ftc_announcement_kind kind;
    uint32_t rank;   /* rank that died (DEATH) */
    uint32_t number; /* deaths so far, more than in the last one (RECOVERY, TRACE); else 1 */
};

/* A rank, or its monitor process. */
struct ftc_announcer {
    uint32_t rank;
    bool is_rank;
};

/* Returns true for the process that has to write the announcement and then call
 * ftc_announcement_end(). */
bool ftc_announcement_claim(const struct ftc_board *board,
                            const struct ftc_announcement *announcement,
                            const struct ftc_announcer *self);
void ftc_announcement_end(const struct ftc_board *board,
                          const struct ftc_announcement *announcement,
                          const struct ftc_announcer *self);

/* Keeps other processes of this host from writing a line with the number of living ranks until
 * ftc_announcement_end_line(). Thus the numbers in these lines only fall. Waits for another process
 * that writes such a line for at most 100 ms, and not if that process has ended. */
void ftc_announcement_begin_line(const struct ftc_board *board, const struct ftc_announcer *self);
void ftc_announcement_end_line(const struct ftc_board *board, const struct ftc_announcer *self);

/* Marks an announcement done because it is left to another host. Has no effect if a process of this
 * host has claimed or made an announcement of that kind (for DEATH: of that rank). */
void ftc_announcement_is_elsewhere(const struct ftc_board *board,
                                   const struct ftc_announcement *announcement);

/* Returns whether the announcement has been made. */
bool ftc_announcement_is_done(const struct ftc_board *board,
                              const struct ftc_announcement *announcement);

/* Returns the number of the line on the death of @rank among all lines on deaths, from 1 on. All
 * processes that announce this death get the same number. */
uint32_t ftc_announcement_number(const struct ftc_board *board, uint32_t rank);

/* Returns the next number of a line on a recovery, from 1 on. */
uint32_t ftc_announcement_number_of_recovery(const struct ftc_board *board);

#endif
