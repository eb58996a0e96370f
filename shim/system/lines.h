/* lines: text for people, of which no line is cut, whoever else writes to the same place. */
#ifndef FTC_SYSTEM_LINES_H
#define FTC_SYSTEM_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the @bytes bytes of @text, which are lines, to @fd: as many whole lines with each write()
 * as a pipe takes without those of others in between (PIPE_BUF bytes, pipe(7)). Where nobody
 * reads for five seconds it gives up. False if not all was written. */
bool ftc_lines_write(int fd, const char *text, size_t bytes);

/* Remembers what standard error is now. A program may close it later, and open a file of its own in
 * its place. To be called before the program starts. */
void ftc_lines_remember_error(void);

/* Keeps standard error open, as a descriptor out of the program's way, also if the program closes
 * it. To be called after ftc_lines_remember_error(). */
void ftc_lines_keep_error(void);

/* Returns a descriptor of the standard error that was remembered; -1 if there was none, or if the
 * program has closed all of them. Standard error itself if nothing was remembered. */
int ftc_lines_error(void);

/* A line to that standard error, of FTC_LINE_MAX bytes at most with its end: the rest is left out.
 */
enum { FTC_LINE_MAX = 2047 };
__attribute__((format(printf, 1, 2))) void ftc_lines_say(const char *format, ...);

/* Waits, for five seconds at most, until all that was written to @fd has been read, if it is a pipe
 * or a socket, and a little longer: what the launcher has not read when it ends a job it drops, and
 * what it has read goes through one more process of its own. */
void ftc_lines_await_reader(int fd);

#endif
