/* lines: text for users. Other writers to the same file do not interrupt its lines. */
#ifndef FTC_SYSTEM_LINES_H
#define FTC_SYSTEM_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes @bytes bytes of @text, which are lines, to @fd. Each write() contains as many whole lines
 * as a pipe takes without interruption by other writers (PIPE_BUF bytes, pipe(7)). Gives up if no
 * reader reads for five seconds. Returns false if not all was written. */
bool ftc_lines_write(int fd, const char *text, size_t bytes);

/* Remembers which file standard error is. A program may close it later and open a file of its own
 * in its place. To be called before the program starts. */
void ftc_lines_remember_error(void);

/* Keeps standard error open under a number that the program does not use, in case the program
 * closes it. To be called after ftc_lines_remember_error(). */
void ftc_lines_keep_error(void);

/* Returns a descriptor of the remembered standard error. Returns -1 if there was none, or if the
 * program has closed all descriptors of it. Returns STDERR_FILENO if none was remembered. */
int ftc_lines_error(void);

/* Greatest length of a line with its end, in bytes. */
enum { FTC_LINE_MAX = 2047 };

/* Writes a line to that standard error. A line longer than FTC_LINE_MAX is cut. */
__attribute__((format(printf, 1, 2))) void ftc_lines_say(const char *format, ...);

/* Waits until all that was written to @fd has been read, if it is a pipe or a socket, for at most
 * five seconds. Then waits 50 ms more. When the launcher ends a job, it drops what it has not read,
 * and what it has read passes through another of its processes. */
void ftc_lines_await_reader(int fd);

#endif
