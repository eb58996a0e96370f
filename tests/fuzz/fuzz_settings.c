/* The settings reader takes any text: it fills the settings with allowed values, or explains why
 * not in one line. */
#include "config/settings.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ftc_settings_error error = {""};
    struct ftc_settings s;
    int rv = ftc_settings_parse_buffer((const char *)data, size, &s, &error);

    if (rv != 0) {
        if (error.text[0] == '\0' || strchr(error.text, '\n'))
            abort();
    } else if (s.f < 0 || s.f > 64 || s.max_bytes < 0 || s.max_bytes > 65536 || s.timeout_ms < 1 ||
               s.failure_exit_status < 0 || s.failure_exit_status > 255) {
        abort();
    }
    return 0;
}
