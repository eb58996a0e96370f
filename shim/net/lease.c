#include "lease.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char offer[64];

void ftc_lease_read(void)
{
    const char *text = getenv(FTC_LEASE_VARIABLE);

    if (text)
        snprintf(offer, sizeof offer, "%s", text);
}

void ftc_lease_hide(void)
{
    char *text = getenv(FTC_LEASE_VARIABLE);

    if (!text)
        return;
    memset(text, 0, strlen(text));
    unsetenv(FTC_LEASE_VARIABLE);
}

bool ftc_lease_is_offered(void)
{
    return offer[0] != '\0';
}

bool ftc_lease_offer(uint16_t *port, uint64_t key[2])
{
    return sscanf(offer, FTC_LEASE_FORMAT, port, &key[0], &key[1]) == 3;
}
