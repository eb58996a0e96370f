/* Any process of the job can write anything to the board: what is read from it is checked first. */
#include "board/announcement.h"
#include "board/bulk.h"
#include "board/failure_site.h"
#include "board/mark.h"
#include "board/publication.h"
#include "board/recovery_record.h"
#include "transport/multicast.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VALUE_BYTES = 24, ENTRIES = 2 };

static struct ftc_board board = {.fd = -1};
static struct ftc_transport transport;
static struct ftc_multicast multicast;

static void open_once(void)
{
    struct ftc_board_geometry g = {
        .ranks = 2,
        .entries = ENTRIES,
        .entry_stride_bytes = ftc_publication_stride(VALUE_BYTES),
        .multicast_bytes = ftc_multicast_stride(),
        .ring_depth = 2,
        .message_stride_bytes = ftc_transport_message_stride(VALUE_BYTES),
        .bulk_bytes = FTC_BULK_HEAD_BYTES,
    };

    if (!board.shared &&
        (ftc_board_create(&board, &g) != 0 || ftc_transport_open(&transport, &board, 0) != 0 ||
         ftc_multicast_open(&multicast, 2) != 0))
        abort();
}

static size_t fill(void *place, size_t bytes, const uint8_t *data, size_t size)
{
    size_t used = size < bytes ? size : bytes;

    memcpy(place, data, used);
    return used;
}

static void read_published(void)
{
    unsigned char value[VALUE_BYTES];
    struct ftc_publication copy = {.value = value};
    uint64_t id = atomic_load(&ftc_board_entry(&board, 1, 0)->communicator_id);
    uint32_t seq = atomic_load(&ftc_board_entry(&board, 1, 0)->seq), attempt;

    if (ftc_published(&board, 1, id, seq, VALUE_BYTES, &copy) &&
        (copy.failed.count < 0 || copy.failed.count > FTC_FAILED_MAX))
        abort();
    ftc_published_attempt(&board, 1, id, seq, &attempt);
}

static void read_ring(void)
{
    static struct ftc_failure_info info;
    struct ftc_envelope envelope;
    struct ftc_message m;
    struct ftc_arrival a = {0};
    size_t value_bytes;

    for (int i = 0; i < 4 && ftc_transport_next(&transport, &a); i++) {
        ftc_message_decode(a.wire, a.bytes, FTC_FAILURE_LIST, &envelope, &value_bytes, &m, &info);
        ftc_transport_release(&transport, &a);
    }
}

/* What rank 1 sends to all, with the bits of @data turned. */
static void read_multicast(const uint8_t *data, size_t size)
{
    static const unsigned char value[VALUE_BYTES];
    static struct ftc_failure_info info;
    struct ftc_message m = {.kind = FTC_MESSAGE_EXCHANGE, .value = value};
    struct ftc_envelope envelope = {.communicator_id = ENTRIES}; /* it has entry 0 */
    struct ftc_transport other = {.board = &board, .self = 1};
    struct ftc_multicast from = {0};
    uint32_t bytes = board.geometry.multicast_bytes;
    unsigned char *place = ftc_board_multicast(&board, 1, 0, 0);
    struct ftc_arrival a;
    size_t value_bytes;

    atomic_store(&ftc_board_entry(&board, 1, 0)->communicator_id, ENTRIES);
    ftc_multicast_send(&from, &other, 0, &m, &envelope, FTC_FAILURE_LIST, VALUE_BYTES,
                       &(struct ftc_note){0});
    if (!ftc_multicast_find(&multicast, &transport, 1, 1, &envelope, &a))
        abort();
    for (size_t i = 0; i < size && i < bytes; i++)
        place[i] ^= data[i];
    if (!ftc_multicast_find(&multicast, &transport, 1, 1, &envelope, &a))
        return;
    if ((const unsigned char *)a.wire < place ||
        (const unsigned char *)a.wire + a.bytes > place + bytes)
        abort();
    ftc_message_decode(a.wire, a.bytes, FTC_FAILURE_LIST, &envelope, &value_bytes, &m, &info);
}

static void read_marks(void)
{
    struct ftc_still_watch still = {0};
    struct ftc_mark_watch watch = {0};
    struct ftc_mark_time time = {.now_ns = 1, .poll_gap_ns = 1};
    struct ftc_mark_wait wait;
    struct ftc_mark mark;

    if (ftc_mark_wait_of(&board, 1, time, &wait) && wait.kind >= FTC_CALL_COUNT)
        abort();
    for (uint32_t i = 0; i < FTC_BOARD_MARKS; i++)
        if (ftc_mark_look(&watch, &board, 1, i, time, &mark) &&
            (mark.kind <= FTC_CALL_NONE || mark.kind >= FTC_CALL_COUNT || mark.dead_count != 1 ||
             mark.dead != 0))
            abort();
    ftc_still_look(&still, &board, time);
}

static void read_missed(void)
{
    struct ftc_site_address place;
    char name[FTC_BOARD_SITE_TEXT];

    for (uint32_t i = 0; i < board.geometry.ranks; i++) {
        ftc_failure_site_leave(&board, i, 1, &(struct ftc_operation_id){.call = FTC_CALL_ALLREDUCE},
                               name);
        ftc_failure_site_address(&board, i, &place);
        if (ftc_failure_site_name(&board, i, name) && !memchr(name, '\0', sizeof name))
            abort();
    }
}

/* Nobody is there who could be telling. */
static void read_tellings(void)
{
    struct ftc_announcement death = {.kind = FTC_ANNOUNCEMENT_DEATH, .rank = 1, .number = 1};
    struct ftc_announcer self = {.rank = 0};
    uint64_t when_ns;

    if (ftc_announcement_claim(&board, &death, &self))
        ftc_announcement_end(&board, &death, &self);
    ftc_announcement_number(&board, 1);
    ftc_recovery_record_is_settled(&board, 1, &when_ns);
}

/* Whatever a rank shows of itself, its slots are inside of the segment. */
static void read_bulk(void)
{
    struct ftc_bulk_region *first = ftc_bulk_region(&board, 1, 0);
    uint64_t id = atomic_load(&first->communicator_id);
    int place = ftc_bulk_find(&board, 1, id, (uint32_t)(atomic_load(&first->progress) >> 32));

    if (place >= FTC_BULK_WORDS || (place < 0 && ftc_bulk_head(&board, 1)->words > 0))
        abort();
    if (place >= 0)
        ftc_bulk_read(&board, 1, place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t used;

    open_once();
    used = fill(ftc_board_entry(&board, 1, 0), board.geometry.entry_stride_bytes, data, size);
    fill(ftc_board_ring(&board, 0, 1), ftc_board_ring_bytes(&board.geometry), data + used,
         size - used);
    fill(board.shared->rank, 2 * sizeof board.shared->rank[0], data, size);
    fill(ftc_board_bulk(&board, 1), FTC_BULK_HEAD_BYTES, data, size);
    fill(ftc_board_set(&board, 1, 0), FTC_BOARD_SETS * sizeof(uint64_t), data, size);
    ftc_ring_open(&transport.ring[1], &board, 0, 1);
    read_published();
    read_ring();
    read_multicast(data, size);
    read_marks();
    read_tellings();
    read_missed();
    read_bulk();
    return 0;
}
