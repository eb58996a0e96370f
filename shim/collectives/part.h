/* part: how much of the data of a large call one operation carries, with ranks on several hosts. */
#ifndef FTC_COLLECTIVES_PART_H
#define FTC_COLLECTIVES_PART_H

#include <stddef.h>

/* Bytes of the data of all ranks together; the same on all. More than setting max_bytes where the
 * rings of the board do not grow beyond measure: they have room for it between each two ranks. */
size_t ftc_part_bytes(void);

#endif
