#include "unit_fabric.h"

#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FABRICS = 16, PIPE = 1 << 18, PIECE = 700 };

/* What one has written for another. */
struct pipe {
    unsigned char *bytes;
    size_t out, held, read; /* written, got out, and read */
};

struct ftc_fabric {
    uint32_t number;
    struct ftc_stream *streams;
};

struct ftc_stream {
    struct ftc_fabric *fabric;
    struct ftc_stream *next;
    uint32_t other;
    bool is_broken, is_closed;
    size_t seen; /* by ftc_fabric_progress(): how much has come, and that it is broken */
    bool is_seen_broken;
};

static struct ftc_fabric *fabric[FABRICS];
static struct pipe pipes[FABRICS][FABRICS];
static bool holds, garbles;
static uint32_t seed = 1;
static uint64_t brought;

void unit_fabric_hold(bool hold)
{
    holds = hold;
}

void unit_fabric_garble(void)
{
    garbles = true;
}

uint64_t unit_fabric_brought(void)
{
    return brought;
}

int unit_fabric_break(void)
{
    int count = 0;

    for (int i = 0; i < FABRICS; i++)
        for (struct ftc_stream *s = fabric[i] ? fabric[i]->streams : NULL; s; s = s->next) {
            count += !s->is_broken;
            s->is_broken = true;
        }
    return count;
}

struct ftc_fabric *ftc_fabric_open(enum ftc_fabric_kind kind, const char **why)
{
    struct ftc_fabric *f = calloc(1, sizeof *f);

    (void)kind;
    *why = NULL;
    while (fabric[f->number])
        f->number++;
    fabric[f->number] = f;
    return f;
}

void ftc_fabric_close(struct ftc_fabric *f)
{
    struct ftc_stream *s;

    if (!f)
        return;
    while ((s = f->streams)) {
        f->streams = s->next;
        free(s);
    }
    for (uint32_t i = 0; i < FABRICS; i++) {
        free(pipes[f->number][i].bytes);
        pipes[f->number][i] = (struct pipe){0};
    }
    fabric[f->number] = NULL;
    free(f);
    holds = garbles = false;
}

const void *ftc_fabric_address(const struct ftc_fabric *f, size_t *bytes)
{
    *bytes = sizeof f->number;
    return &f->number;
}

/* As UCX, it tells of each event once. */
bool ftc_fabric_progress(struct ftc_fabric *f)
{
    bool has_happened = false;

    for (struct ftc_stream *s = f->streams; s; s = s->next) {
        const struct pipe *in = &pipes[s->other][f->number];

        has_happened |= in->held != s->seen || s->is_broken != s->is_seen_broken;
        s->seen = in->held;
        s->is_seen_broken = s->is_broken;
    }
    return has_happened;
}

struct ftc_stream *ftc_stream_open(struct ftc_fabric *f, const void *address)
{
    struct ftc_stream *s = calloc(1, sizeof *s);
    struct pipe *p;

    s->fabric = f;
    memcpy(&s->other, address, sizeof s->other);
    s->next = f->streams;
    f->streams = s;
    p = &pipes[f->number][s->other];
    if (!p->bytes)
        p->bytes = malloc(PIPE);
    return s;
}

static struct pipe *pipe_of(const struct ftc_stream *s)
{
    return &pipes[s->fabric->number][s->other];
}

/* The other hears of it some time. */
void ftc_stream_close(struct ftc_stream *s)
{
    struct pipe *p;

    if (!s || s->is_closed)
        return;
    p = pipe_of(s);
    p->out = p->held = p->read + unit_draw(&seed, (uint32_t)(p->held - p->read) + 1);
    s->is_closed = s->is_broken = true;
}

static ssize_t refuse(const struct ftc_stream *s)
{
    errno = s->is_broken ? ECONNRESET : EAGAIN;
    return -1;
}

bool ftc_stream_is_broken(struct ftc_stream *s)
{
    return s->is_broken;
}

bool ftc_stream_is_out(struct ftc_stream *s)
{
    struct pipe *p = pipe_of(s);

    if (!s->is_broken && !holds && unit_draw(&seed, 4) > 0)
        p->held = p->out;
    return s->is_broken || p->held == p->out;
}

ssize_t ftc_stream_send(struct ftc_stream *s, const void *bytes, size_t count)
{
    struct pipe *p = pipe_of(s);

    if (s->is_broken || !ftc_stream_is_out(s))
        return refuse(s);
    count = count < PIECE ? count : 1 + unit_draw(&seed, PIECE);
    if (p->out + count > PIPE) {
        s->is_broken = true;
        return refuse(s);
    }
    memcpy(p->bytes + p->out, bytes, count);
    if (garbles)
        p->bytes[p->out + 8] ^= 1;
    garbles = false;
    p->out += count;
    return (ssize_t)count;
}

ssize_t ftc_stream_receive(struct ftc_stream *s, void *room, size_t count)
{
    struct pipe *p = &pipes[s->other][s->fabric->number];
    size_t left = p->held - p->read;

    if (s->is_closed || left == 0)
        return refuse(s);
    if (count > left)
        count = left;
    memcpy(room, p->bytes + p->read, count);
    p->read += count;
    brought += count;
    return (ssize_t)count;
}
