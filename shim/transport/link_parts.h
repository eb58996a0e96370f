/* link_parts: data of a link, for the files that connect it, send by it and read from it. */
#ifndef FTC_TRANSPORT_LINK_PARTS_H
#define FTC_TRANSPORT_LINK_PARTS_H

#include "board/rank_state.h"
#include "transport.h"
#include "ucx_path.h"

#include <sys/epoll.h>

enum {
    FTC_LINK_GUESTS = 64,         /* connections at most without proof that they are of the job */
    FTC_LINK_AGAIN_NS = 10000000, /* time between two attempts to connect */
};

/* Data of an epoll event: the peer's world rank, for its link, or one of these. The index of a
 * guest is added to FTC_LINK_ABOUT_GUEST. */
enum {
    FTC_LINK_ABOUT_GUEST = 1 << 20,
    FTC_LINK_ABOUT_LISTENER = 1 << 21,
    FTC_LINK_ABOUT_URGENT = 1 << 22
};

struct ftc_link {
    struct ftc_connection c;    /* current connection, or the last one, whose messages stay */
    struct ftc_connection next; /* connection that is being opened */
    struct ftc_ucx_path ucx;    /* UCX path beside c */
    struct ftc_reliable reliable;
    uint32_t peer;
    bool was_open, is_broken;
    bool comes_by_ucx;  /* the peer's messages come by UCX */
    bool used_ucx;      /* a message of this rank has gone by UCX */
    bool is_shut;       /* this rank sends nothing more on c */
    bool is_over;       /* the other host has got all data sent on c, which may end */
    uint64_t opened_ns; /* time at which c was opened */
    /* Time of CLOCK_MONOTONIC since when the link has lacked a working connection; 0: it has one,
     * or needs none yet. Time in contact with the other host is added, so that it does not count.
     */
    uint64_t wanted_ns;
    uint64_t contact_ns; /* time since when the other host has been in contact; 0: it is not */
    uint64_t again_ns;   /* no attempt to connect before this time */
};

struct ftc_links {
    const struct ftc_board *board;
    uint32_t self;
    uint64_t key[2];
    int listener;
    int epoll;                 /* epoll of all open connections and of urgent */
    int urgent;                /* epoll of new and opening connections, and of breaks */
    int wakeup;                /* eventfd that wakes ftc_links_await() */
    int at_once;               /* calls of ftc_links_await() in a row that did not wait */
    struct ftc_fabric *fabric; /* UCX network; NULL: there is none */
    size_t frame_max;
    struct ftc_link **of_rank; /* link with each rank; NULL: none yet */
    struct ftc_link **list;    /* all links, in the order of their first use */
    uint32_t count;
    bool has_unsent, has_missing;
    bool has_ucx_to_check; /* UCX paths need a check even if UCX has made no progress */
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

/* Returns whether the peer may still need anything of this rank. */
static inline bool ftc_link_may_be_asked(const struct ftc_links *l, const struct ftc_link *link)
{
    return ftc_link_is_wanted(l, link->peer) && !link->reliable.has_left;
}

/* Returns whether anything can still arrive or has to be sent. */
static inline bool ftc_link_is_needed(const struct ftc_links *l, const struct ftc_link *link)
{
    return ftc_link_may_be_asked(l, link) && !link->is_over;
}

#endif
