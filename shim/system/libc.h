/* libc: functions of the C library that this library defines too (wrappers/). Inside the library
 * they are called by these names, because their own names lead to the wrappers. */
#ifndef FTC_SYSTEM_LIBC_H
#define FTC_SYSTEM_LIBC_H

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

_Noreturn void ftc_libc_exit(int status);
int ftc_libc_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*run)(void *), void *argument);

/* Copies from @there in process @pid to @here, as process_vm_readv(2). Safe in a signal handler. */
static inline ssize_t ftc_libc_process_vm_readv(pid_t pid, const struct iovec *here,
                                                const struct iovec *there)
{
    return syscall(SYS_process_vm_readv, pid, here, 1, there, 1, 0);
}

#endif
