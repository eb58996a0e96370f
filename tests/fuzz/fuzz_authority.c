/* What comes to the authority in mpiexec: from strangers, and, with the key, any bytes in place of
 * an agent's requests. The first byte says which. Its own file is part of this one: frames go
 * through all that they go through there. */
#include "mpiexec/authority.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PROXIES = 2, PORT = 0x3039 };

static int pair_with(const void *data, size_t size, int *other)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
        abort();
    if (send(pair[1], data, size, MSG_NOSIGNAL) < 0 && size > 0)
        abort();
    *other = pair[1];
    return pair[0];
}

/* Of host 0 and 1, at 10.0.0.1 and 10.0.0.2, both as if they had just been started. */
static void start(void)
{
    static int fd[PROXIES];

    for (int i = 0; i < PROXIES; i++) {
        if (ftc_proxies_count() < PROXIES) {
            fd[i] = socket(AF_UNIX, SOCK_STREAM, 0);
            if ((i == 0 && !ftc_proxies_open()) || !ftc_proxies_add(fd[i]))
                abort();
        }
        *ftc_proxies_at(i) = (struct ftc_proxy){
            .state = FTC_PROXY_KNOWN,
            .is_proxy = true,
            .fd = fd[i],
            .other = {.address = {.family = AF_INET, .bytes = {10, 0, 0, (unsigned char)(i + 1)}},
                      .port = PORT},
        };
    }
    authority = (struct authority){.reserved = -1, .wakeup = -1, .count = 1};
}

static void check(const struct authority *a)
{
    for (int i = 0; i < PROXIES; i++) {
        const struct ftc_proxy *p = ftc_proxies_at(i);

        if (p->state != FTC_PROXY_KNOWN || p->was_lost || p->host >= FTC_BOARD_HOSTS_MAX ||
            p->unreachable_ms < 0 || p->exit_status < 0 || p->exit_status > 255)
            abort();
    }
    if (a->lost != 0 || a->ended != 0)
        abort(); /* nobody talks another host away */
}

static void as_a_stranger(const uint8_t *data, size_t size)
{
    struct client *client = &authority.client[0];
    int other;

    ftc_connection_accept(&client->c, pair_with(data, size, &other), authority.key);
    for (int i = 0; i < 4; i++)
        serve(&authority, client);
    if (client->c.state == FTC_CONNECTION_OPEN || client->proxy)
        abort(); /* without the key */
    close(other);
}

static void as_an_agent(const uint8_t *data, size_t size)
{
    struct client *client = &authority.client[0];
    int other;

    ftc_connection_accept(&client->c, pair_with(data, size, &other), authority.key);
    client->c.state = FTC_CONNECTION_ASKS;
    client->c.handshake.greeting.purpose = FTC_PURPOSE_LEASE;
    ftc_connection_answer(&client->c, FTC_WELCOME, FTC_LEASE_FRAME_MAX);
    for (size_t i = 0; i * sizeof(struct ftc_frame) <= size; i++)
        serve(&authority, client);
    close(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    start();
    if (data[0] % 2)
        as_an_agent(data + 1, size - 1);
    else
        as_a_stranger(data + 1, size - 1);
    check(&authority);
    ftc_connection_close(&authority.client[0].c);
    return 0;
}
