#include "message.h"

#include <string.h>

enum { FLAG_SUBTREE_FAILED = 1, FLAG_OVERFLOW = 2, FLAG_INFO = 4, FLAGS_KNOWN = 7 };

/* Keeps a value of 16 bytes in the first cache line when a transport puts 16 bytes before the
 * header. */
_Static_assert(sizeof(struct ftc_message_header) == 32, "wire format");
_Static_assert(FTC_FAILED_MAX <= UINT8_MAX, "id_count is one byte");

static size_t value_offset(size_t id_count)
{
    size_t ids = id_count * sizeof(int32_t);

    return sizeof(struct ftc_message_header) +
           (ids + FTC_VALUE_ALIGN - 1) / FTC_VALUE_ALIGN * FTC_VALUE_ALIGN;
}

/* Returns whether ids are sent. The failed ranks of a result are a list in every scheme. */
static bool has_ids(enum ftc_verdict verdict, enum ftc_failure_scheme scheme)
{
    return scheme == FTC_FAILURE_LIST || verdict != FTC_VERDICT_NONE;
}

static size_t id_count(const struct ftc_message *m, enum ftc_failure_scheme scheme)
{
    return m->info && has_ids(m->verdict, scheme) ? (size_t)m->info->count : 0;
}

size_t ftc_message_wire_bytes(const struct ftc_message *m, enum ftc_failure_scheme scheme,
                              size_t value_bytes)
{
    return value_offset(id_count(m, scheme)) + (m->value ? value_bytes : 0);
}

size_t ftc_message_max_wire_bytes(size_t value_bytes)
{
    return value_offset(FTC_FAILED_MAX) + value_bytes;
}

void ftc_message_encode(const struct ftc_message *m, const struct ftc_envelope *envelope,
                        enum ftc_failure_scheme scheme, size_t value_bytes, void *wire)
{
    size_t ids = id_count(m, scheme);
    struct ftc_message_header h = {
        .envelope = *envelope,
        .value_bytes = m->value ? (uint32_t)value_bytes : 0,
        .attempt = (uint16_t)m->attempt,
        .decided = (uint16_t)m->decided,
        .step = (uint16_t)m->step,
        .kind = (uint8_t)m->kind,
        .verdict = (uint8_t)m->verdict,
        .id_count = (uint8_t)ids,
    };

    if (m->info) {
        h.failed_count = (uint16_t)(m->info->count < UINT16_MAX ? m->info->count : UINT16_MAX);
        h.flags = (uint8_t)(FLAG_INFO | (m->info->subtree_failed ? FLAG_SUBTREE_FAILED : 0) |
                            (m->info->overflow ? FLAG_OVERFLOW : 0));
        memcpy((char *)wire + sizeof h, m->info->id, ids * sizeof m->info->id[0]);
    }
    memcpy(wire, &h, sizeof h);
    if (h.value_bytes > 0)
        memcpy((char *)wire + value_offset(ids), m->value, value_bytes);
}

static bool header_is_sane(const struct ftc_message_header *h, size_t wire_bytes,
                           enum ftc_failure_scheme scheme)
{
    bool ids = (h->flags & FLAG_INFO) && has_ids((enum ftc_verdict)h->verdict, scheme);

    return h->kind >= FTC_MESSAGE_EXCHANGE && h->kind <= FTC_MESSAGE_BROADCAST &&
           h->verdict <= FTC_VERDICT_EXCESS && (h->flags & ~FLAGS_KNOWN) == 0 &&
           (h->verdict != FTC_VERDICT_EXCESS || h->value_bytes == 0) &&
           h->id_count <= FTC_FAILED_MAX && h->id_count == (ids ? h->failed_count : 0) &&
           wire_bytes == value_offset(h->id_count) + h->value_bytes;
}

bool ftc_message_read_envelope(const void *wire, size_t wire_bytes, struct ftc_envelope *envelope)
{
    if (wire_bytes < sizeof(struct ftc_message_header))
        return false;
    memcpy(envelope, wire, sizeof *envelope);
    return true;
}

int ftc_message_decode(const void *wire, size_t wire_bytes, enum ftc_failure_scheme scheme,
                       struct ftc_envelope *envelope, size_t *value_bytes, struct ftc_message *m,
                       struct ftc_failure_info *info)
{
    struct ftc_message_header h;

    if (wire_bytes < sizeof h)
        return -1;
    memcpy(&h, wire, sizeof h);
    if (!header_is_sane(&h, wire_bytes, scheme))
        return -1;
    *envelope = h.envelope;
    *value_bytes = h.value_bytes;
    *m = (struct ftc_message){
        .kind = (enum ftc_message_kind)h.kind,
        .verdict = (enum ftc_verdict)h.verdict,
        .attempt = h.attempt,
        .decided = h.decided,
        .step = h.step,
        .value =
            h.verdict == FTC_VERDICT_EXCESS ? NULL : (const char *)wire + value_offset(h.id_count),
    };
    if (!(h.flags & FLAG_INFO))
        return 0;
    info->subtree_failed = (h.flags & FLAG_SUBTREE_FAILED) != 0;
    info->overflow = (h.flags & FLAG_OVERFLOW) != 0;
    info->count = h.failed_count;
    memcpy(info->id, (const char *)wire + sizeof h, h.id_count * sizeof info->id[0]);
    m->info = info;
    return 0;
}
