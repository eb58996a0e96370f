/* Calls by which UCX copies large messages out of the memory of their senders
 * (shim/p2p/single_copy.h). For other callers they do what they do without the library. */
#include "p2p/single_copy.h"
#include "system/loaded.h"

#include <string.h>

enum { UNSUPPORTED = -22 }; /* UCX's UCS_ERR_UNSUPPORTED */

ftc_uct_get uct_scopy_ep_get_zcopy;

static ftc_vm_copy *next_copy(const char *name)
{
    void *found = ftc_loaded_next(name);
    ftc_vm_copy *next;

    memcpy(&next, &found, sizeof next);
    return next;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long local_count,
                         const struct iovec *remote, unsigned long remote_count,
                         unsigned long flags)
{
    static ftc_vm_copy *next;

    if (!next)
        next = next_copy("process_vm_readv");
    return ftc_single_copy_read(next, pid, local, local_count, remote, remote_count, flags);
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *local, unsigned long local_count,
                          const struct iovec *remote, unsigned long remote_count,
                          unsigned long flags)
{
    static ftc_vm_copy *next;

    if (!next)
        next = next_copy("process_vm_writev");
    return ftc_single_copy_write(next, pid, local, local_count, remote, remote_count, flags);
}

signed char uct_scopy_ep_get_zcopy(void *ep, const void *iov, size_t iovcnt, uint64_t remote_addr,
                                   uintptr_t rkey, struct ftc_uct_completion *completion)
{
    static ftc_uct_get *next;

    if (!next) {
        void *found = ftc_loaded_next("uct_scopy_ep_get_zcopy");

        if (!found)
            return UNSUPPORTED;
        memcpy(&next, &found, sizeof next);
    }
    return ftc_single_copy_begin(next, ep, iov, iovcnt, remote_addr, rkey, completion);
}
