/* slices: which slice of a large reduction comes next, and when all slices have the same
 * contributors (protocols/segmented.h; doc/design.md, section 12).
 *
 * An operation of the engine reduces a slice of the elements, and its result names the ranks whose
 * contributions it has. After a death later slices lack a rank. So slices are reduced, from the
 * first one again after the last, until as many in a row as there are have the same contributors:
 *
 *     slice          0  1  2  3  4  0  1  2
 *     contributors   *  *  *  o  o  o  o  o       * all, o all but the one that has died
 *
 * All survivors have the same results, so they need no agreement on the next slice.
 */
#ifndef FTC_ENGINE_SLICES_H
#define FTC_ENGINE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

struct ftc_slices {
    uint64_t count; /* at least 1 */
    uint64_t next;  /* the slice of the operation that comes next, or runs */
    uint64_t alike; /* slices in a row, the last one among them, with the same contributors */
};

/* The operation has a result; @is_same: its contributors are those of the operation before. */
void ftc_slices_hear(struct ftc_slices *s, bool is_same);

/* Whether another operation follows. */
bool ftc_slices_are_missing(const struct ftc_slices *s);

#endif
