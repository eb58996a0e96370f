#include "descriptor.h"

#include <fcntl.h>
#include <unistd.h>

enum { HIGH = 700, LOW = STDERR_FILENO + 1 };

int ftc_descriptor_copy(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, HIGH);

    return copy >= 0 ? copy : fcntl(fd, F_DUPFD_CLOEXEC, LOW);
}

int ftc_descriptor_leave_standard(int fd)
{
    int copy;

    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    copy = fcntl(fd, F_DUPFD_CLOEXEC, LOW);
    close(fd);
    return copy;
}
