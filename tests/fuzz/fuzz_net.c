/* What comes over a network: from strangers before they have proved who they are, and from other
 * hosts of the job after it. The first byte says which. */
#include "board/publication.h"
#include "board/replica.h"
#include "net/connection.h"
#include "transport/answer.h"
#include "transport/transport.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RANKS = 4, SELF = 2, VALUE_BYTES = 64, FRAME_MAX = 512, ROOM = 4096 };

static const uint64_t key[2] = {1, 2};

static struct ftc_board *board(void)
{
    static struct ftc_board b;
    struct ftc_board_geometry g = {
        .ranks = RANKS,
        .entries = 4,
        .entry_stride_bytes = ftc_publication_stride(VALUE_BYTES),
        .ring_depth = 2,
        .message_stride_bytes = ftc_transport_message_stride(VALUE_BYTES),
        .other_hosts = 1,
    };

    if (ftc_board_is_open(&b))
        return &b;
    if (ftc_board_create(&b, &g) != 0)
        abort();
    for (uint32_t rank = 0; rank < RANKS; rank++)
        ftc_directory_set_rank(&b, rank, &(struct ftc_directory_rank){.host = rank % 2});
    return &b;
}

/* One end of a connection on which @data has come. */
static struct ftc_connection hear(const uint8_t *data, size_t size, int *other)
{
    struct ftc_connection c;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
        abort();
    if (send(pair[1], data, size, MSG_NOSIGNAL) < 0 && size > 0)
        abort();
    ftc_connection_accept(&c, pair[0], key);
    *other = pair[1];
    return c;
}

static void as_a_stranger(const uint8_t *data, size_t size)
{
    int other;
    struct ftc_connection c = hear(data, size, &other);

    for (int i = 0; i < 4; i++)
        ftc_connection_progress(&c, SELF, RANKS);
    if (c.state == FTC_CONNECTION_ASKS || c.state == FTC_CONNECTION_OPEN)
        abort(); /* without the key */
    ftc_connection_close(&c);
    close(other);
}

static void as_a_rank(const uint8_t *data, size_t size)
{
    const struct ftc_frame *frame;
    int other;
    struct ftc_connection c = hear(data, size, &other);
    size_t taken = 0;

    c.state = FTC_CONNECTION_ASKS;
    ftc_connection_answer(&c, FTC_WELCOME, FRAME_MAX);
    while (c.state == FTC_CONNECTION_OPEN && taken <= size) {
        ftc_connection_progress(&c, SELF, RANKS);
        frame = ftc_connection_next(&c);
        if (!frame)
            break;
        if (frame->bytes < sizeof *frame || frame->bytes > FRAME_MAX)
            abort();
        taken += frame->bytes;
        ftc_connection_drop(&c);
    }
    if (taken > size)
        abort();
    ftc_connection_close(&c);
    close(other);
}

static void as_an_answer(const uint8_t *data, size_t size)
{
    unsigned char value[VALUE_BYTES];
    struct ftc_publication copy = {.value = value};
    struct ftc_question q = {.kind = 1 + size % 2, .value_bytes = (uint32_t)(size % VALUE_BYTES)};
    uint32_t attempt;

    ftc_answer_read(&q, data, size, &copy, &attempt);
}

static void as_a_question(const uint8_t *data, size_t size)
{
    unsigned char value[ROOM], body[ROOM];
    struct ftc_publication copy = {.value = value};
    struct ftc_question q;

    if (size < sizeof q)
        return;
    memcpy(&q, data, sizeof q);
    if (ftc_answer_write(board(), &q, &copy, body) > ftc_answer_bytes_max(board()))
        abort();
}

static void as_news(const uint8_t *data, size_t size)
{
    struct ftc_replica r;

    if (size < sizeof r)
        return;
    memcpy(&r, data, sizeof r);
    ftc_replica_enter(board(), 1, &r, UINT64_MAX / 2);
    for (uint32_t rank = 0; rank < RANKS; rank += 2)
        if (ftc_board_is_dead(board(), rank))
            abort(); /* of this host */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const as[])(const uint8_t *, size_t) = {as_a_stranger, as_a_rank, as_an_answer,
                                                          as_a_question, as_news};

    if (size > 0)
        as[data[0] % (sizeof as / sizeof *as)](data + 1, size - 1);
    return 0;
}
