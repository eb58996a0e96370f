/* geometry: sizes of the parts of a board, from the settings and the number of ranks. */
#ifndef FTC_LIFECYCLE_GEOMETRY_H
#define FTC_LIFECYCLE_GEOMETRY_H

#include "board/board.h"
#include "config/settings.h"

/* Returns the sizes for a job of @ranks on @hosts, which have about as many ranks each.
 * @part_bytes: most bytes of a part of a large value, which one operation carries on several hosts
 * (setting large). */
struct ftc_board_geometry ftc_geometry_make(const struct ftc_settings *s, int ranks, int hosts,
                                            size_t part_bytes);

#endif
