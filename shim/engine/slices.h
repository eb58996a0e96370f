/* slices: choice of the next slice of a large reduction, until all slices have the same
 * contributors (protocols/segmented.h; doc/design.md, section 12).
 *
 * An operation of the engine reduces a slice of the elements, and its result names the ranks whose
 * contributions it has. After a death later slices lack a rank. So slices are reduced, from the
 * first one again after the last, until all slices in a row have the same contributors:
 *
 *     slice          0  1  2  3  4  0  1  2
 *     contributors   *  *  *  o  o  o  o  o       * all, o all but the one that has died
 *
 * All survivors have the same results, so they need no agreement on the next slice. */
#ifndef FTC_ENGINE_SLICES_H
#define FTC_ENGINE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

struct ftc_slices {
    uint64_t count; /* at least 1 */
    uint64_t next;  /* slice of the operation that runs or comes next */
    uint64_t alike; /* slices in a row with the same contributors, up to the last one */
};

/* Records that an operation has a result. @is_same: its contributors are those of the operation
 * before. */
void ftc_slices_hear(struct ftc_slices *s, bool is_same);

/* Returns whether another operation follows. */
bool ftc_slices_are_missing(const struct ftc_slices *s);

#endif
