/* timeline_draw: one recovery as a picture. */
#ifndef FTC_CONFIG_TIMELINE_DRAW_H
#define FTC_CONFIG_TIMELINE_DRAW_H

#include "timeline_read.h"

#include <stdio.h>

/* Write the picture, and a page around it that needs nothing else. False without memory. */
bool timeline_draw_svg(const struct timeline *t, int recovery, FILE *f);
bool timeline_draw_page(const struct timeline *t, int recovery, FILE *f);

#endif
