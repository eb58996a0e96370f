/* geometry: how large the parts of a board are, by the settings and the ranks. */
#ifndef FTC_LIFECYCLE_GEOMETRY_H
#define FTC_LIFECYCLE_GEOMETRY_H

#include "board/board.h"
#include "config/settings.h"

/* Of a job of @ranks on @hosts, which have about as many each. @part_bytes: room of the parts of
 * large values, which operations carry where there are several hosts (setting large). */
struct ftc_board_geometry ftc_geometry_make(const struct ftc_settings *s, int ranks, int hosts,
                                            size_t part_bytes);

#endif
