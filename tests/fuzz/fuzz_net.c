/* What comes over a network: from strangers before they have proved who they are, and from other
 * hosts of the job after it. The first byte says which. */
#include "board/publication.h"
#include "board/rank_state.h"
#include "board/replica.h"
#include "net/connection.h"
#include "transport/query_reply.h"
#include "transport/reliable.h"
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
        .multicast_bytes = FTC_BOARD_MULTICAST_BYTES,
        .ring_depth = 2,
        .message_stride_bytes = ftc_transport_message_stride(VALUE_BYTES),
        .sites_bytes = ROOM + 64,
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

static void check(const struct ftc_frame *frame)
{
    if (frame->bytes < sizeof *frame || frame->bytes > FRAME_MAX)
        abort();
}

/* Frames with an odd kind stay until they are dropped. */
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
        while ((frame = ftc_connection_hear(&c))) {
            check(frame);
            taken += frame->kind % 2 == 0 ? frame->bytes : 0;
            if (frame->kind % 16 == 15)
                ftc_connection_refuse(&c);
            else
                ftc_connection_heard(&c, frame->kind % 2 == 1);
        }
        frame = ftc_connection_next(&c);
        if (!frame)
            break;
        check(frame);
        taken += frame->bytes;
        ftc_connection_drop(&c);
    }
    if (taken > size)
        abort();
    ftc_connection_close(&c);
    close(other);
}

/* What a rank says by a link on which two messages were sent, in frames of any number. */
static void as_a_link(const uint8_t *data, size_t size)
{
    struct ftc_reliable f;
    const void *bytes;
    size_t count;

    if (ftc_reliable_open(&f, FRAME_MAX) != 0)
        abort();
    ftc_reliable_connect(&f);
    f.is_met = true;
    for (int i = 0; i < 2; i++)
        ftc_reliable_begin(&f, VALUE_BYTES, VALUE_BYTES);
    for (; size >= sizeof(struct ftc_frame) + 1;
         data += sizeof(struct ftc_frame) + 1, size -= sizeof(struct ftc_frame) + 1) {
        _Alignas(FTC_FRAME_ALIGNMENT) unsigned char head[sizeof(struct ftc_frame)];
        struct ftc_frame *frame = (struct ftc_frame *)(void *)head;

        memcpy(head, data + 1, sizeof head);
        if (ftc_reliable_hear(&f, frame) == FTC_HEARD_MESSAGE && data[0] % 2 == 0)
            ftc_reliable_release(&f, ftc_frame_bytes(VALUE_BYTES));
        if (f.came - f.taken > size || f.first > 2 || f.begin > f.unsent || f.unsent > f.end)
            abort();
        if (data[0] % 16 == 1)
            ftc_reliable_connect(&f);
        count = ftc_reliable_to_send(&f, &bytes);
        ftc_reliable_sent(&f, count < data[0] ? count : data[0]);
    }
    ftc_reliable_close(&f);
}

static void as_an_answer(const uint8_t *data, size_t size)
{
    unsigned char value[VALUE_BYTES], sites[FTC_QUERY_SITES_BYTES];
    struct ftc_publication copy = {.value = value};
    struct ftc_query q = {.kind = 1 + size % FTC_QUERY_KILL,
                          .value_bytes = (uint32_t)(size % VALUE_BYTES)};
    struct ftc_query_reply answer = {
        .copy = &copy, .sites = sites, .sites_bytes = size % sizeof sites};

    ftc_query_reply_read(&q, data, size, &answer);
}

static void as_a_query(const uint8_t *data, size_t size)
{
    unsigned char value[ROOM], body[2 * ROOM];
    struct ftc_publication copy = {.value = value};
    struct ftc_query q;

    if (size < sizeof q)
        return;
    memcpy(&q, data, sizeof q);
    if (ftc_query_reply_write(board(), &q, &copy, body) > ftc_query_reply_bytes_max(board()))
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
                                                          as_a_query,    as_news,   as_a_link};

    if (size > 0)
        as[data[0] % (sizeof as / sizeof *as)](data + 1, size - 1);
    return 0;
}
