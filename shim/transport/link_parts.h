/* link_parts: what a link is, for the files that send by it, connect it and hear it. */
#ifndef FTC_TRANSPORT_LINK_PARTS_H
#define FTC_TRANSPORT_LINK_PARTS_H

#include "board/rank_state.h"
#include "transport.h"
#include "ucx_path.h"

#include <sys/epoll.h>

enum {
    FTC_LINK_GUESTS = 64,         /* that have connected, and not yet proved who they are */
    FTC_LINK_AGAIN_NS = 10000000, /* between two attempts to connect */
};

/* The data of an event of epoll: a rank's link, or one of these. */
enum {
    FTC_LINK_ABOUT_GUEST = 1 << 20,
    FTC_LINK_ABOUT_LISTENER = 1 << 21,
    FTC_LINK_ABOUT_URGENT = 1 << 22
};

struct ftc_link {
    struct ftc_connection c;    /* that there is, or that there was: what has come by it stays */
    struct ftc_connection next; /* on its way */
    struct ftc_ucx_path ucx;    /* beside the first of them */
    struct ftc_reliable reliable;
    uint32_t peer;
    bool was_open, is_broken;
    bool comes_by_ucx;   /* the peer's messages come by UCX */
    bool used_ucx;       /* a message of this rank has gone by UCX */
    bool is_shut;        /* nothing more is sent by it, */
    bool is_over;        /* and the other host has all of that: the rest is an ordinary end */
    uint64_t opened_ns;  /* the one that there is */
    uint64_t wanted_ns;  /* since when there has been no way, CLOCK_MONOTONIC; 0: there is one */
    uint64_t contact_ns; /* since when the other host is there, which does not count; 0: not */
    uint64_t again_ns;   /* not before */
};

struct ftc_links {
    const struct ftc_board *board;
    uint32_t self;
    uint64_t key[2];
    int listener;
    int epoll;                 /* of all connections and of urgent */
    int urgent;                /* epoll of new and opening connections, and of breaks */
    int bell;                  /* eventfd that wakes ftc_links_await() */
    int at_once;               /* calls of ftc_links_await() in a row that did not wait */
    struct ftc_fabric *fabric; /* NULL: there is none */
    size_t frame_max;
    struct ftc_link **of_rank; /* NULL: none yet */
    struct ftc_link **list;    /* all that there are, in the order of their first use */
    uint32_t count;
    bool has_unsent, has_missing;
    bool has_ucx_to_check; /* paths need a look even if UCX has made no progress */
    struct ftc_connection guest[FTC_LINK_GUESTS];
};

static inline void ftc_link_watch(int epoll, int how, int fd, uint32_t about, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.u32 = about};

    epoll_ctl(epoll, how, fd, &e);
}

static inline bool ftc_link_is_wanted(const struct ftc_links *l, uint32_t peer)
{
    return ftc_board_state(l->board, peer) < FTC_RANK_FINALIZED;
}

/* Whether the other may still want something of this one. */
static inline bool ftc_link_may_be_asked(const struct ftc_links *l, const struct ftc_link *link)
{
    return ftc_link_is_wanted(l, link->peer) && !link->reliable.has_left;
}

/* Whether anything can still come or is to go. */
static inline bool ftc_link_is_needed(const struct ftc_links *l, const struct ftc_link *link)
{
    return ftc_link_may_be_asked(l, link) && !link->is_over;
}

#endif
