#include "remote_query.h"

#include "board/rank_state.h"
#include "net/connection.h"
#include "system/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECT_AGAIN_NS = 10000000,
    ASK_AGAIN_MIN_NS = 200000, /* pause after the first "no"; doubles with each, up to the next */
    ASK_AGAIN_MAX_NS = 10000000,
    STALE_NS = 20000000,  /* age at which a query without a reply is sent again or replaced */
    KNOWN_NS = 400000000, /* pause after a reply about a rank's call, which does not change */
};

/* Topics of queries: results for an operation that goes on after a death, and all others, which
 * must not delay the former. */
enum topic { RESULTS, OTHERS, TOPICS };

/* Query of one topic to one monitor process, one at a time. */
struct asked {
    struct ftc_connection c;
    struct ftc_query query;
    uint32_t attempt;  /* attempt of this rank */
    uint64_t number;   /* number of the last sending; a reply has that of its query's sending */
    uint64_t first;    /* number with which this query was sent first */
    bool is_under_way; /* the query has no reply yet */
    uint64_t asked_ns, again_ns, pause_ns;
};

struct ftc_remote_queries {
    const struct ftc_board *board;
    uint32_t self;
    size_t frame_max;
    struct asked **of_rank; /* TOPICS entries for each rank */
};

int ftc_remote_queries_open(struct ftc_remote_queries **queries, const struct ftc_board *board,
                            uint32_t self)
{
    struct ftc_remote_queries *q = calloc(1, sizeof *q);

    if (!q)
        return -ENOMEM;
    *q = (struct ftc_remote_queries){
        .board = board,
        .self = self,
        .frame_max = ftc_frame_bytes(ftc_query_reply_bytes_max(board)),
        .of_rank = calloc((size_t)board->geometry.ranks * TOPICS, sizeof(void *)),
    };
    if (!q->of_rank) {
        free(q);
        return -ENOMEM;
    }
    *queries = q;
    return 0;
}

void ftc_remote_queries_close(struct ftc_remote_queries *q)
{
    if (!q)
        return;
    for (uint32_t i = 0; i < q->board->geometry.ranks * TOPICS; i++)
        if (q->of_rank[i]) {
            ftc_connection_close(&q->of_rank[i]->c);
            free(q->of_rank[i]);
        }
    free(q->of_rank);
    free(q);
}

/* ---- connections to monitor processes ---- */

static struct asked *asked_of(struct ftc_remote_queries *q, uint32_t rank, enum topic topic)
{
    struct asked *a = q->of_rank[rank * TOPICS + topic];

    if (a)
        return a;
    a = calloc(1, sizeof *a);
    if (a)
        a->c.fd = -1;
    q->of_rank[rank * TOPICS + topic] = a;
    return a;
}

static void connect_to(const struct ftc_remote_queries *q, struct asked *a, uint32_t rank)
{
    uint64_t now = ftc_clock_ns();

    if (now < a->again_ns || !ftc_connection_connect_to_rank(&a->c, q->board, FTC_PURPOSE_QUERY,
                                                             q->self, rank, q->frame_max))
        return;
    a->again_ns = now + CONNECT_AGAIN_NS;
    a->is_under_way = false;
}

static bool is_open(const struct ftc_remote_queries *q, struct asked *a, uint32_t rank)
{
    if (ftc_connection_look_after(&a->c, ftc_clock_ns(), FTC_CONNECTION_ATTEMPT_NS))
        connect_to(q, a, rank);
    ftc_connection_progress(&a->c, q->self, q->board->geometry.ranks);
    return a->c.state == FTC_CONNECTION_OPEN;
}

/* ---- queries ---- */

static bool is_same(const struct asked *a, const struct ftc_query *query, uint32_t attempt)
{
    return a->attempt == attempt && memcmp(&a->query, query, sizeof *query) == 0;
}

static void put(struct asked *a, const struct ftc_query *query, uint32_t attempt)
{
    struct ftc_frame *frame;

    if (!is_same(a, query, attempt)) {
        a->query = *query;
        a->attempt = attempt;
        a->first = a->number + 1;
        a->again_ns = a->pause_ns = 0;
    }
    if (ftc_clock_ns() < a->again_ns)
        return;
    frame = ftc_connection_begin(&a->c, query->kind, ++a->number, sizeof *query);
    if (!frame)
        return;
    memcpy(frame->body, query, sizeof *query);
    ftc_connection_send(&a->c);
    a->is_under_way = true;
    a->asked_ns = ftc_clock_ns();
}

static void wait_before_next(struct asked *a)
{
    a->pause_ns = a->pause_ns == 0 ? ASK_AGAIN_MIN_NS : 2 * a->pause_ns;
    if (a->pause_ns > ASK_AGAIN_MAX_NS)
        a->pause_ns = ASK_AGAIN_MAX_NS;
    a->again_ns = ftc_clock_ns() + a->pause_ns;
}

/* Takes a reply to any sending of the query under way, if one has come. The query is then over.
 * Unless the reply was "yes", the query is sent again after a pause. */
static bool take(struct asked *a, struct ftc_query_reply *reply)
{
    const struct ftc_frame *frame;
    bool is_yes = false;

    while (a->is_under_way && (frame = ftc_connection_next(&a->c))) {
        if (frame->number >= a->first) {
            is_yes =
                ftc_query_reply_read(&a->query, frame->body, frame->bytes - sizeof *frame, reply);
            a->is_under_way = false;
        }
        ftc_connection_drop(&a->c);
    }
    if (!a->is_under_way && !is_yes)
        wait_before_next(a);
    return is_yes;
}

static enum topic topic_of(const struct ftc_query *query)
{
    return query->kind == FTC_QUERY_PUBLISHED || query->kind == FTC_QUERY_ATTEMPT ? RESULTS
                                                                                  : OTHERS;
}

/* Sends @query to the monitor process of @via. Returns true, with the data in @reply, once the
 * reply is "yes". Queries for several communicators take turns. */
static bool ask(struct ftc_remote_queries *q, uint32_t via, const struct ftc_query *query,
                uint32_t attempt, struct ftc_query_reply *reply)
{
    struct asked *a = asked_of(q, via, topic_of(query));

    if (!a || ftc_board_is_dead(q->board, via) || !is_open(q, a, via))
        return false;
    if (a->is_under_way && is_same(a, query, attempt) && take(a, reply))
        return !ftc_board_is_dead(q->board, via);
    if (!a->is_under_way || ftc_clock_ns() - a->asked_ns > STALE_NS)
        put(a, query, attempt);
    return false;
}

bool ftc_remote_query_published(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                                uint32_t seq, uint32_t attempt, size_t value_bytes,
                                struct ftc_publication *copy)
{
    struct ftc_query query = {.communicator_id = communicator_id,
                              .kind = FTC_QUERY_PUBLISHED,
                              .rank = rank,
                              .seq = seq,
                              .value_bytes = (uint32_t)value_bytes};
    struct ftc_query_reply reply = {.copy = copy};

    if (!t->queries || ftc_board_is_here(t->board, rank))
        return ftc_published(t->board, rank, communicator_id, seq, value_bytes, copy);
    return ask(t->queries, rank, &query, attempt, &reply);
}

bool ftc_remote_query_attempt(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                              uint32_t seq, uint32_t attempt, uint32_t *joined)
{
    struct ftc_query query = {
        .communicator_id = communicator_id, .kind = FTC_QUERY_ATTEMPT, .rank = rank, .seq = seq};
    struct ftc_query_reply reply;

    if (!t->queries || ftc_board_is_here(t->board, rank))
        return ftc_published_attempt(t->board, rank, communicator_id, seq, joined);
    if (!ask(t->queries, rank, &query, attempt, &reply))
        return false;
    *joined = reply.attempt;
    return true;
}

bool ftc_remote_query_call(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                           uint32_t seq, struct ftc_note *note)
{
    struct ftc_query query = {
        .communicator_id = communicator_id, .kind = FTC_QUERY_CALL, .rank = rank, .seq = seq};
    struct ftc_query_reply reply;

    if (!ask(t->queries, rank, &query, 0, &reply))
        return false;
    asked_of(t->queries, rank, OTHERS)->again_ns = ftc_clock_ns() + KNOWN_NS;
    *note = reply.note;
    return true;
}

bool ftc_remote_query_sites(struct ftc_transport *t, uint32_t via, uint32_t rank, uint32_t part,
                            void *sites, size_t bytes)
{
    struct ftc_query query = {.kind = FTC_QUERY_SITES, .rank = rank, .seq = part};
    struct ftc_query_reply reply = {.sites = sites, .sites_bytes = bytes};

    return ask(t->queries, via, &query, 0, &reply);
}

bool ftc_remote_query_heartbeat(struct ftc_transport *t, uint32_t rank, uint64_t *heartbeat)
{
    struct ftc_query query = {.kind = FTC_QUERY_HEARTBEAT, .rank = rank};
    struct ftc_query_reply reply;

    if (!ask(t->queries, rank, &query, 0, &reply))
        return false;
    *heartbeat = reply.heartbeat;
    return true;
}

void ftc_remote_query_kill(struct ftc_transport *t, uint32_t rank, uint64_t heartbeat)
{
    struct ftc_query query = {.kind = FTC_QUERY_KILL, .rank = rank, .heartbeat = heartbeat};
    struct ftc_query_reply reply;

    (void)ask(t->queries, rank, &query, 0, &reply);
}
