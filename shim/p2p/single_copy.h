/* single_copy: large messages that UCX copies out of the memory of their senders (its transport
 * cma).
 *
 * UCX ends a process that finds the sender dead there, so the library stands before the two calls
 * that make up such a copy (wrappers/single_copy.c). What cannot be read any more counts as read,
 * but the end of that copy is kept from UCX: the receive stays unfinished, as it does for every
 * other message that a dead rank has not sent, and MPICH never takes for data what is none. Ending
 * it is dead_peer.h's part; in a native collective call it is the wait that on_blocked tells of. */
#ifndef FTC_P2P_SINGLE_COPY_H
#define FTC_P2P_SINGLE_COPY_H

#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

/* UCX's uct_completion_t (mpi/inside.def, COPIES): @func is called once @count has come down to 0.
 */
struct ftc_uct_completion {
    void (*func)(struct ftc_uct_completion *self);
    int count;
    signed char status; /* 0: well, below 0: the first error */
};

/* UCX's uct_ep_get_zcopy(): 1 if @completion will be called, else it is over. */
typedef signed char ftc_uct_get(void *ep, const void *iov, size_t iovcnt, uint64_t remote_addr,
                                uintptr_t rkey, struct ftc_uct_completion *completion);

typedef ssize_t ftc_vm_copy(pid_t pid, const struct iovec *local, unsigned long local_count,
                            const struct iovec *remote, unsigned long remote_count,
                            unsigned long flags);

/* Before MPI_Init: false if the UCX that is loaded is not one whose copies are known, or none is
 * found; then nothing is done. */
bool ftc_single_copy_open(void);

/* Begins a copy with @next. */
signed char ftc_single_copy_begin(ftc_uct_get *next, void *ep, const void *iov, size_t iovcnt,
                                  uint64_t remote_addr, uintptr_t rkey,
                                  struct ftc_uct_completion *completion);

/* True if a copy out of a dead rank's memory has been lost; each is told of once, to whoever gives
 * up its receive. */
bool ftc_single_copy_take_lost(void);

/* Copies from or to the memory of @pid with @next. For a process that is no rank of this job, or
 * that lives, it does nothing else; what is copied from or to a dead rank counts as done. */
ssize_t ftc_single_copy_read(ftc_vm_copy *next, pid_t pid, const struct iovec *local,
                             unsigned long local_count, const struct iovec *remote,
                             unsigned long remote_count, unsigned long flags);
ssize_t ftc_single_copy_write(ftc_vm_copy *next, pid_t pid, const struct iovec *local,
                              unsigned long local_count, const struct iovec *remote,
                              unsigned long remote_count, unsigned long flags);

#endif
