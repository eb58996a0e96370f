#include "proc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ftc_proc_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    return true;
}

bool ftc_proc_stat_fields(const char *path, const int *number, unsigned long *value, int count)
{
    char text[2048];
    const char *end;

    if (!ftc_proc_read(path, text, sizeof text))
        return false;
    end = strrchr(text, ')'); /* end of field 2, the only one that may contain blanks */
    for (int i = 0; i < count; i++) {
        const char *field = end;

        for (int k = 2; field && k < number[i]; k++)
            field = strchr(field + 1, ' ');
        if (!field)
            return false;
        value[i] = strtoul(field, NULL, 10);
    }
    return true;
}

bool ftc_proc_stat_field(const char *path, int number, unsigned long *value)
{
    return ftc_proc_stat_fields(path, &number, value, 1);
}

bool ftc_proc_status_value(const char *path, const char *key, int base, unsigned long *value)
{
    char text[4096];
    size_t length = strlen(key);

    if (!ftc_proc_read(path, text, sizeof text))
        return false;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0) {
            *value = strtoul(line + length, NULL, base);
            return true;
        }
    }
    return false;
}
