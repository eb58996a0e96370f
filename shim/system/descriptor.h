/* descriptor: numbers of descriptors that a program does not expect to be in use. */
#ifndef FTC_SYSTEM_DESCRIPTOR_H
#define FTC_SYSTEM_DESCRIPTOR_H

/* Returns another descriptor of what @fd is, which is closed on exec, with a high number if the
 * limit allows that, and none of the standard ones in any case; -1 with errno if there is none. */
int ftc_descriptor_copy(int fd);

/* Returns @fd, or a copy in its place where its number is a standard one: a program may be started
 * without those. Negative numbers stay. */
int ftc_descriptor_leave_standard(int fd);

#endif
