/* tables: the figures for people. */
#ifndef SCALE_TABLES_H
#define SCALE_TABLES_H

#include "measure.h"

void tables_yardsticks(const struct rows *rows, struct ftc_logp cost);
void tables_trees(const struct rows *rows, struct ftc_logp cost, int f);
void tables_failures_tolerated(const struct rows *rows, struct ftc_logp cost);
void tables_deaths(const struct rows *rows, struct ftc_logp cost, int64_t news_delay);

#endif
