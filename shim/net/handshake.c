#include "handshake.h"

#include "siphash.h"

#include <string.h>
#include <sys/random.h>

#define GREETING_MAGIC 0x31637466u /* "ftc1" in memory order */

/* Roles of a tag: its sender and its meaning. */
enum role { CHALLENGES = 1, PROVES, WELCOMES, REFUSES, CONNECTOR_STREAMS, LISTENER_STREAMS };

static uint64_t tag_of(const struct ftc_handshake *h, enum role role)
{
    struct {
        uint64_t role;
        struct ftc_greeting greeting;
        uint64_t nonce[2];
    } said = {.role = role, .greeting = h->greeting};

    memcpy(said.nonce, h->nonce, sizeof said.nonce);
    return ftc_siphash(h->key, &said, sizeof said);
}

static bool draw(uint64_t nonce[2])
{
    return getrandom(nonce, 2 * sizeof *nonce, 0) == (ssize_t)(2 * sizeof *nonce);
}

bool ftc_handshake_greet(struct ftc_handshake *h, enum ftc_purpose purpose, uint32_t from,
                         uint32_t to)
{
    h->greeting =
        (struct ftc_greeting){.magic = GREETING_MAGIC, .purpose = purpose, .from = from, .to = to};
    return draw(h->greeting.nonce);
}

bool ftc_handshake_prove(struct ftc_handshake *h, const struct ftc_challenge *challenge,
                         struct ftc_proof *proof)
{
    memcpy(h->nonce, challenge->nonce, sizeof h->nonce);
    proof->tag = tag_of(h, PROVES);
    return challenge->tag == tag_of(h, CHALLENGES);
}

enum ftc_welcome ftc_handshake_read_reply(const struct ftc_handshake *h,
                                          const struct ftc_reply *reply)
{
    if (reply->tag == tag_of(h, WELCOMES))
        return FTC_WELCOME;
    return reply->tag == tag_of(h, REFUSES) ? FTC_NOT_NOW : FTC_NOT_OURS;
}

bool ftc_handshake_challenge(struct ftc_handshake *h, const struct ftc_greeting *greeting,
                             uint32_t self, uint32_t ranks, struct ftc_challenge *challenge)
{
    h->greeting = *greeting;
    if (greeting->magic != GREETING_MAGIC || greeting->purpose < FTC_PURPOSE_LINK ||
        greeting->purpose > FTC_PURPOSE_LEASE || greeting->from >= ranks || greeting->to != self ||
        greeting->from == self || !draw(h->nonce))
        return false;
    memcpy(challenge->nonce, h->nonce, sizeof challenge->nonce);
    challenge->tag = tag_of(h, CHALLENGES);
    return true;
}

bool ftc_handshake_is_proved(const struct ftc_handshake *h, const struct ftc_proof *proof)
{
    return proof->tag == tag_of(h, PROVES);
}

struct ftc_reply ftc_handshake_reply(const struct ftc_handshake *h, enum ftc_welcome welcome)
{
    return (struct ftc_reply){tag_of(h, welcome == FTC_WELCOME ? WELCOMES : REFUSES)};
}

uint64_t ftc_handshake_stream_tag(const struct ftc_handshake *h, uint32_t from)
{
    return tag_of(h, from == h->greeting.from ? CONNECTOR_STREAMS : LISTENER_STREAMS);
}
