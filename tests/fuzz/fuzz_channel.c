/* What a rank, or any process that has inherited its end of the socket, can send to the monitor
 * process. */
#include "monitor/channel.h"

#include <stdlib.h>
#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ftc_channel_ends ends = {-1, -1, -1, -1};
    struct ftc_channel_received r;

    if (ends.monitor < 0 && ftc_channel_open(&ends) != 0)
        abort();
    if (send(ends.rank, data, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return 0;
    if (ftc_channel_receive(ends.monitor, &r) == 0) {
        if (r.fd_count != 0)
            abort();
        ftc_channel_drop(&r);
    }
    return 0;
}
