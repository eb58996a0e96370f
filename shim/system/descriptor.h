/* descriptor: copies of file descriptors with numbers that a program does not expect to be in
 * use. */
#ifndef FTC_SYSTEM_DESCRIPTOR_H
#define FTC_SYSTEM_DESCRIPTOR_H

/* Returns a copy of @fd that is closed on exec. Its number is high if the limit allows that, and
 * never that of a standard descriptor. Returns -1 with errno if there is no such number. */
int ftc_descriptor_copy(int fd);

/* Returns @fd if it is negative or not a standard descriptor. Else closes it and returns a copy. A
 * program may be started without standard descriptors, so that files get their numbers. */
int ftc_descriptor_leave_standard(int fd);

#endif
