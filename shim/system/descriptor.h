/* descriptor: copies of file descriptors with numbers that a program does not expect to be in
 * use. */
#ifndef FTC_SYSTEM_DESCRIPTOR_H
#define FTC_SYSTEM_DESCRIPTOR_H

/* Returns a copy of @fd that is closed on exec. Its number is high if the limit allows that, and
 * never that of a standard descriptor. Returns -1 with errno if there is no such number. */
int ftc_descriptor_copy(int fd);

/* Returns @fd if it is negative or not a standard descriptor. Otherwise closes it and returns a
 * copy that is none, or -1 if that fails. A file gets the number of a standard descriptor if the
 * program was started without that descriptor. */
int ftc_descriptor_leave_standard(int fd);

#endif
