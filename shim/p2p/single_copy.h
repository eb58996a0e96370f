/* single_copy: large messages that UCX copies out of the memory of their senders (its transport
 * cma).
 *
 * UCX ends a process that finds the sender dead during such a copy. The library therefore
 * interposes on the two calls that make up a copy (wrappers/single_copy.c). Data that cannot be
 * read any more count as read, but the completion of the copy is withheld from UCX. The receive
 * then stays unfinished, as for any other message that a dead rank has not sent, and MPICH never
 * takes missing data for data. dead_peer.h ends such a receive. In a native collective call it is a
 * wait that on_blocked reports. */
#ifndef FTC_P2P_SINGLE_COPY_H
#define FTC_P2P_SINGLE_COPY_H

#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

/* UCX's uct_completion_t (mpi/inside.def, COPIES). @func is called once @count is 0. */
struct ftc_uct_completion {
    void (*func)(struct ftc_uct_completion *self);
    int count;
    signed char status; /* 0: success; negative: first error */
};

/* UCX's uct_ep_get_zcopy(). Returns 1 if @completion will be called; otherwise the copy is over. */
typedef signed char ftc_uct_get(void *ep, const void *iov, size_t iovcnt, uint64_t remote_addr,
                                uintptr_t rkey, struct ftc_uct_completion *completion);

typedef ssize_t ftc_vm_copy(pid_t pid, const struct iovec *local, unsigned long local_count,
                            const struct iovec *remote, unsigned long remote_count,
                            unsigned long flags);

/* Switches the protection of copies on. Returns false, and does nothing, if the copies of the
 * loaded UCX are not known, or if there is no UCX. To be called before MPI_Init. */
bool ftc_single_copy_open(void);

/* Begins a copy with @next. */
signed char ftc_single_copy_begin(ftc_uct_get *next, void *ep, const void *iov, size_t iovcnt,
                                  uint64_t remote_addr, uintptr_t rkey,
                                  struct ftc_uct_completion *completion);

/* Returns whether a copy out of a dead rank's memory was lost. Each lost copy is reported once, to
 * a caller that gives up its receive. */
bool ftc_single_copy_take_lost(void);

/* Copies from the memory of @pid with @next. If @pid is a dead rank, the data count as copied. For
 * a living rank and any other process it only calls @next. */
ssize_t ftc_single_copy_read(ftc_vm_copy *next, pid_t pid, const struct iovec *local,
                             unsigned long local_count, const struct iovec *remote,
                             unsigned long remote_count, unsigned long flags);

/* As above, but copies to the memory of @pid. */
ssize_t ftc_single_copy_write(ftc_vm_copy *next, pid_t pid, const struct iovec *local,
                              unsigned long local_count, const struct iovec *remote,
                              unsigned long remote_count, unsigned long flags);

#endif
