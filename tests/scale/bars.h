/* bars: what the figures have to show. */
#ifndef SCALE_BARS_H
#define SCALE_BARS_H

#include "rows.h"

/* Latencies that the literature gives for L = 2, o = g = 1 (Küttler et al., "Corrected trees"):
 * if the clock does not reproduce them, its other figures are worth nothing. Prints those that
 * differ, and returns how many. */
int bars_check_known_points(void);

/* Prints what is met and what is not, with the figures. Returns how many are not. They are bars for
 * L = 2, o = g = 1: where a message costs its sender almost all, a tree in which a process sends
 * more of them than in another is slower. */
int bars_judge(const struct rows *rows, struct ftc_logp cost);

#endif
