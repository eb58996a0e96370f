/* lines: text for people, of which no line is cut, whoever else writes to the same place. */
#ifndef FTC_SYSTEM_LINES_H
#define FTC_SYSTEM_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the @bytes bytes of @text, which are lines, to @fd: as many whole lines with each write()
 * as a pipe takes without those of others in between (PIPE_BUF bytes, pipe(7)). Where nobody
 * reads for five seconds it gives up. False if not all was written. */
bool ftc_lines_write(int fd, const char *text, size_t bytes);

#endif
