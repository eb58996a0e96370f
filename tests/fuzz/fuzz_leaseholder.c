/* What comes to the agent of a host in place of the authority's answers. Its own file is part of
 * this one. The first byte says how much of the lease was left. */
#include "monitor/leaseholder.c"

#include "board/publication.h"
#include "board/rank_state.h"
#include "transport/transport.h"

#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RANKS = 4, HOSTS = 3, HERE = 1, VALUE_BYTES = 8, UNREACHABLE_MS = 3000 };

static void create(struct ftc_board *b)
{
    struct ftc_board_geometry g = {
        .ranks = RANKS,
        .entries = 1,
        .entry_stride_bytes = ftc_publication_stride(VALUE_BYTES),
        .multicast_bytes = FTC_BOARD_MULTICAST_BYTES,
        .ring_depth = 2,
        .message_stride_bytes = ftc_transport_message_stride(VALUE_BYTES),
        .other_hosts = HOSTS - 1,
        .host = HERE,
    };

    if (ftc_board_create(b, &g) != 0)
        abort();
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        ftc_directory_set_rank(b, rank, &(struct ftc_directory_rank){.host = rank % HOSTS});
        ftc_board_advance(b, rank, FTC_RANK_RUNNING);
    }
    ftc_lease_agree(b, true);
}

/* No answer gives more than there can be from now on, or takes away what there was; and no other
 * host is the death of a rank here. */
static void check(const struct ftc_monitored *rank, uint64_t before_ns)
{
    uint64_t until_ns = rank->board.shared->lease_until_ns;

    if (until_ns < before_ns ||
        until_ns > ftc_clock_boot_ns() + (uint64_t)UNREACHABLE_MS * NS_OF_MS)
        abort();
    for (uint32_t i = 0; i < RANKS; i++)
        if (ftc_board_is_here(&rank->board, i) && ftc_board_is_dead(&rank->board, i))
            abort();
}

static void hear_all(struct ftc_monitored *rank, const uint8_t *data, size_t size)
{
    static const uint64_t key[2] = {1, 2};
    struct holder *l = &holder;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0 ||
        (send(pair[1], data, size, MSG_NOSIGNAL) < 0 && size > 0))
        abort();
    *l = (struct holder){.c.fd = -1, .spare.fd = -1, .wakeup = -1, .has_authority = true};
    ftc_connection_accept(&l->c, pair[0], key);
    l->c.state = FTC_CONNECTION_ASKS;
    ftc_connection_answer(&l->c, FTC_WELCOME, FTC_LEASE_FRAME_MAX);
    for (size_t i = 0; i * sizeof(struct ftc_frame) <= size; i++) {
        ftc_connection_progress(&l->c, rank->world, RANKS);
        hear(l, rank);
    }
    ftc_connection_close(&l->c);
    close(pair[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ftc_monitored rank = {.options.settings.unreachable_ms = UNREACHABLE_MS};
    uint64_t before_ns;

    if (size == 0)
        return 0;
    if (!ftc_board_is_open(&rank.board))
        create(&rank.board);
    before_ns = data[0] % 2 ? 1 : ftc_clock_ns();
    rank.board.shared->lease_until_ns = before_ns;
    rank.board.shared->lease_terms = FTC_LEASE_AGREED;
    hear_all(&rank, data + 1, size - 1);
    check(&rank, before_ns);
    return 0;
}
