#include "query_reply.h"

#include "board/activity.h"
#include "board/rank_state.h"

#include <string.h>

/* Head of a reply, before the failed ranks (int32_t each) and the value. */
struct head {
    uint32_t is_yes;
    uint32_t attempt;
    uint32_t verdict; /* enum ftc_verdict */
    uint32_t failed_count;
    uint32_t value_bytes;
    uint32_t unused;
    uint64_t heartbeat;
};

size_t ftc_query_reply_bytes_max(const struct ftc_board *board)
{
    size_t sites = board->geometry.sites_bytes > 0 ? FTC_QUERY_SITES_BYTES : 0;
    size_t entry = board->geometry.entry_stride_bytes;

    size_t most = sites > entry ? sites : entry;

    return sizeof(struct head) + (most > sizeof(struct ftc_note) ? most : sizeof(struct ftc_note));
}

/* ---- the reply ---- */

static size_t write_result(const struct ftc_publication *copy, unsigned char *body)
{
    const struct ftc_result *r = &copy->result;
    size_t failed_bytes = (size_t)r->failed->count * sizeof *r->failed->id;
    struct head h = {
        .is_yes = 1,
        .attempt = r->attempt,
        .verdict = r->verdict,
        .failed_count = (uint32_t)r->failed->count,
        .value_bytes = r->value ? (uint32_t)copy->value_bytes : 0,
    };

    memcpy(body, &h, sizeof h);
    memcpy(body + sizeof h, r->failed->id, failed_bytes);
    if (h.value_bytes > 0)
        memcpy(body + sizeof h + failed_bytes, r->value, h.value_bytes);
    return sizeof h + failed_bytes + h.value_bytes;
}

/* Writes a reply of plain bytes; without any it is a "no". */
static size_t write_bytes(const void *bytes, size_t count, unsigned char *body)
{
    struct head h = {.is_yes = count > 0, .value_bytes = (uint32_t)count};

    memcpy(body, &h, sizeof h);
    if (count > 0)
        memcpy(body + sizeof h, bytes, count);
    return sizeof h + count;
}

static size_t write_call(const struct ftc_board *board, const struct ftc_query *q,
                         unsigned char *body)
{
    struct ftc_note note;
    bool is_there = ftc_published_call(board, q->rank, q->communicator_id, q->seq, &note);

    return write_bytes(&note, is_there ? sizeof note : 0, body);
}

/* Writes a part of the call sites. After the last part the reply is a "no". */
static size_t write_sites(const struct ftc_board *board, const struct ftc_query *q,
                          unsigned char *body)
{
    size_t begin = (size_t)q->seq * FTC_QUERY_SITES_BYTES, end = board->geometry.sites_bytes;
    size_t left;

    if (begin > end)
        begin = end;
    left = end - begin;
    return write_bytes((const char *)ftc_board_sites(board, q->rank) + begin,
                       left < FTC_QUERY_SITES_BYTES ? left : FTC_QUERY_SITES_BYTES, body);
}

static bool can_be_asked(const struct ftc_board *board, const struct ftc_query *q)
{
    return q->rank < board->geometry.ranks && ftc_board_is_here(board, q->rank) &&
           q->value_bytes <= board->geometry.entry_stride_bytes &&
           ftc_publication_stride(q->value_bytes) <= board->geometry.entry_stride_bytes;
}

size_t ftc_query_reply_write(const struct ftc_board *board, const struct ftc_query *q,
                             struct ftc_publication *copy, void *body)
{
    struct head h = {0};

    copy->varies = true; /* the rank that asks checks whether the length may vary */
    switch (can_be_asked(board, q) ? q->kind : 0) {
    case FTC_QUERY_PUBLISHED:
        if (ftc_published(board, q->rank, q->communicator_id, q->seq, q->value_bytes, copy))
            return write_result(copy, body);
        break;
    case FTC_QUERY_ATTEMPT:
        h.is_yes = ftc_published_attempt(board, q->rank, q->communicator_id, q->seq, &h.attempt) &&
                   !ftc_board_is_dead(board, q->rank);
        break;
    case FTC_QUERY_CALL:
        return write_call(board, q, body);
    case FTC_QUERY_SITES:
        return write_sites(board, q, body);
    case FTC_QUERY_HEARTBEAT:
        h.is_yes = 1;
        h.heartbeat = ftc_activity_heartbeat(board, q->rank);
        break;
    default:
        break;
    }
    memcpy(body, &h, sizeof h);
    return sizeof h;
}

/* ---- reading a reply ---- */

static bool is_sane(const struct ftc_query *q, const struct head *h, bool varies, size_t bytes)
{
    size_t most = h->verdict == FTC_VERDICT_VALUE ? q->value_bytes : 0;

    return (h->verdict == FTC_VERDICT_VALUE || h->verdict == FTC_VERDICT_EXCESS) &&
           h->failed_count <= FTC_FAILED_MAX && h->value_bytes <= most &&
           (varies || h->value_bytes == most) &&
           bytes >= sizeof *h + h->failed_count * sizeof(int32_t) + h->value_bytes;
}

static void read_result(const struct head *h, const unsigned char *behind,
                        struct ftc_publication *copy)
{
    size_t failed_bytes = h->failed_count * sizeof(int32_t);

    copy->failed = (struct ftc_failure_info){.count = (int)h->failed_count};
    memcpy(copy->failed.id, behind, failed_bytes);
    memcpy(copy->value, behind + failed_bytes, h->value_bytes);
    copy->value_bytes = h->value_bytes;
    copy->result = (struct ftc_result){
        .verdict = (enum ftc_verdict)h->verdict,
        .attempt = h->attempt,
        .failed = &copy->failed,
        .value = h->verdict == FTC_VERDICT_VALUE ? copy->value : NULL,
    };
}

/* Copies plain bytes, of which there must be @count. The user of the data checks their content. */
static bool read_bytes(const struct head *h, const unsigned char *behind, size_t bytes, void *to,
                       size_t count)
{
    if (h->value_bytes != count || count > bytes)
        return false;
    memcpy(to, behind, count);
    return true;
}

bool ftc_query_reply_read(const struct ftc_query *q, const void *body, size_t bytes,
                          struct ftc_query_reply *reply)
{
    const unsigned char *behind = (const unsigned char *)body + sizeof(struct head);
    struct head h;

    if (bytes < sizeof h)
        return false;
    memcpy(&h, body, sizeof h);
    if (h.is_yes != 1)
        return false;
    switch (q->kind) {
    case FTC_QUERY_PUBLISHED:
        if (!is_sane(q, &h, reply->copy->varies, bytes))
            return false;
        read_result(&h, behind, reply->copy);
        return true;
    case FTC_QUERY_ATTEMPT:
        reply->attempt = h.attempt;
        return true;
    case FTC_QUERY_CALL:
        return read_bytes(&h, behind, bytes - sizeof h, &reply->note, sizeof reply->note);
    case FTC_QUERY_SITES:
        return read_bytes(&h, behind, bytes - sizeof h, reply->sites, reply->sites_bytes);
    case FTC_QUERY_HEARTBEAT:
        reply->heartbeat = h.heartbeat;
        return true;
    default:
        return false;
    }
}
