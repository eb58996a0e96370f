#include "question.h"

#include "board/rank_state.h"
#include "net/connection.h"
#include "net/socket.h"
#include "system/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECT_AGAIN_NS = 10000000,
    ASK_AGAIN_MIN_NS = 200000, /* after a "no", doubled each time ... */
    ASK_AGAIN_MAX_NS = 10000000,
    STALE_NS = 20000000,  /* nobody has come for the answer */
    KNOWN_NS = 400000000, /* a rank's call does not change */
};

/* Questions of an operation that goes on after a death, and all others, which must not keep it from
 * its answers. */
enum topic { RESULTS, OTHERS, TOPICS };

/* One question at a time of each topic to each monitor process. */
struct asked {
    struct ftc_connection c;
    struct ftc_question question;
    uint32_t attempt;  /* of the rank that asks */
    uint64_t number;   /* of the last asking; an answer has that of its asking */
    uint64_t first;    /* number with which this question was asked first */
    bool is_under_way; /* it has no answer yet */
    uint64_t asked_ns, again_ns, pause_ns;
};

struct ftc_questions {
    const struct ftc_board *board;
    uint32_t self;
    size_t frame_max;
    struct asked **of_rank; /* TOPICS for each */
};

int ftc_questions_open(struct ftc_questions **questions, const struct ftc_board *board,
                       uint32_t self)
{
    struct ftc_questions *q = calloc(1, sizeof *q);

    if (!q)
        return -ENOMEM;
    *q = (struct ftc_questions){
        .board = board,
        .self = self,
        .frame_max = ftc_frame_bytes(ftc_answer_bytes_max(board)),
        .of_rank = calloc((size_t)board->geometry.ranks * TOPICS, sizeof(void *)),
    };
    if (!q->of_rank) {
        free(q);
        return -ENOMEM;
    }
    *questions = q;
    return 0;
}

void ftc_questions_close(struct ftc_questions *q)
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

/* ---- the way to the monitor process ---- */

static struct asked *asked_of(struct ftc_questions *q, uint32_t rank, enum topic topic)
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

static void connect_to(const struct ftc_questions *q, struct asked *a, uint32_t rank)
{
    uint64_t now = ftc_clock_ns();

    if (now < a->again_ns || !ftc_connection_connect_to_rank(&a->c, q->board, FTC_PURPOSE_QUESTION,
                                                             q->self, rank, q->frame_max))
        return;
    a->again_ns = now + CONNECT_AGAIN_NS;
    a->is_under_way = false;
}

static bool is_open(const struct ftc_questions *q, struct asked *a, uint32_t rank)
{
    if (ftc_connection_look_after(&a->c, ftc_clock_ns(), FTC_CONNECTION_ATTEMPT_NS))
        connect_to(q, a, rank);
    ftc_connection_progress(&a->c, q->self, q->board->geometry.ranks);
    return a->c.state == FTC_CONNECTION_OPEN;
}

/* ---- questions ---- */

static bool is_same(const struct asked *a, const struct ftc_question *question, uint32_t attempt)
{
    return a->attempt == attempt && memcmp(&a->question, question, sizeof *question) == 0;
}

static void put(struct asked *a, const struct ftc_question *question, uint32_t attempt)
{
    struct ftc_frame *frame;

    if (!is_same(a, question, attempt)) {
        a->question = *question;
        a->attempt = attempt;
        a->first = a->number + 1;
        a->again_ns = a->pause_ns = 0;
    }
    if (ftc_clock_ns() < a->again_ns)
        return;
    frame = ftc_connection_begin(&a->c, question->kind, ++a->number, sizeof *question);
    if (!frame)
        return;
    memcpy(frame->body, question, sizeof *question);
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

/* Takes an answer to the question under way, if one has come, whenever it was asked: then it is
 * over, and asked again unless it was "yes". */
static bool take(struct asked *a, struct ftc_answer *answer)
{
    const struct ftc_frame *frame;
    bool is_yes = false;

    while (a->is_under_way && (frame = ftc_connection_next(&a->c))) {
        if (frame->number >= a->first) {
            is_yes =
                ftc_answer_read(&a->question, frame->body, frame->bytes - sizeof *frame, answer);
            a->is_under_way = false;
        }
        ftc_connection_drop(&a->c);
    }
    if (!a->is_under_way && !is_yes)
        wait_before_next(a);
    return is_yes;
}

static enum topic topic_of(const struct ftc_question *question)
{
    return question->kind == FTC_ASK_PUBLISHED || question->kind == FTC_ASK_ATTEMPT ? RESULTS
                                                                                    : OTHERS;
}

/* The monitor process of @via. Operations of several communicators take turns. */
static bool ask(struct ftc_questions *q, uint32_t via, const struct ftc_question *question,
                uint32_t attempt, struct ftc_answer *answer)
{
    struct asked *a = asked_of(q, via, topic_of(question));

    if (!a || ftc_board_is_dead(q->board, via) || !is_open(q, a, via))
        return false;
    if (a->is_under_way && is_same(a, question, attempt) && take(a, answer))
        return !ftc_board_is_dead(q->board, via);
    if (!a->is_under_way || ftc_clock_ns() - a->asked_ns > STALE_NS)
        put(a, question, attempt);
    return false;
}

bool ftc_ask_published(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id,
                       uint32_t seq, uint32_t attempt, size_t value_bytes,
                       struct ftc_publication *copy)
{
    struct ftc_question question = {.communicator_id = communicator_id,
                                    .kind = FTC_ASK_PUBLISHED,
                                    .rank = rank,
                                    .seq = seq,
                                    .value_bytes = (uint32_t)value_bytes};
    struct ftc_answer answer = {.copy = copy};

    if (!t->questions || ftc_board_is_here(t->board, rank))
        return ftc_published(t->board, rank, communicator_id, seq, value_bytes, copy);
    return ask(t->questions, rank, &question, attempt, &answer);
}

bool ftc_ask_attempt(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id, uint32_t seq,
                     uint32_t attempt, uint32_t *joined)
{
    struct ftc_question question = {
        .communicator_id = communicator_id, .kind = FTC_ASK_ATTEMPT, .rank = rank, .seq = seq};
    struct ftc_answer answer;

    if (!t->questions || ftc_board_is_here(t->board, rank))
        return ftc_published_attempt(t->board, rank, communicator_id, seq, joined);
    if (!ask(t->questions, rank, &question, attempt, &answer))
        return false;
    *joined = answer.attempt;
    return true;
}

bool ftc_ask_call(struct ftc_transport *t, uint32_t rank, uint64_t communicator_id, uint32_t seq,
                  struct ftc_note *note)
{
    struct ftc_question question = {
        .communicator_id = communicator_id, .kind = FTC_ASK_CALL, .rank = rank, .seq = seq};
    struct ftc_answer answer;

    if (!ask(t->questions, rank, &question, 0, &answer))
        return false;
    asked_of(t->questions, rank, OTHERS)->again_ns = ftc_clock_ns() + KNOWN_NS;
    *note = answer.note;
    return true;
}

bool ftc_ask_sites(struct ftc_transport *t, uint32_t via, uint32_t rank, uint32_t part, void *sites,
                   size_t bytes)
{
    struct ftc_question question = {.kind = FTC_ASK_SITES, .rank = rank, .seq = part};
    struct ftc_answer answer = {.sites = sites, .sites_bytes = bytes};

    return ask(t->questions, via, &question, 0, &answer);
}

bool ftc_ask_heartbeat(struct ftc_transport *t, uint32_t rank, uint64_t *heartbeat)
{
    struct ftc_question question = {.kind = FTC_ASK_HEARTBEAT, .rank = rank};
    struct ftc_answer answer;

    if (!ask(t->questions, rank, &question, 0, &answer))
        return false;
    *heartbeat = answer.heartbeat;
    return true;
}

void ftc_ask_end(struct ftc_transport *t, uint32_t rank, uint64_t heartbeat)
{
    struct ftc_question question = {.kind = FTC_ASK_END, .rank = rank, .heartbeat = heartbeat};
    struct ftc_answer answer;

    (void)ask(t->questions, rank, &question, 0, &answer);
}
