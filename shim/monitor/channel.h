/* channel: the messages between a rank and its monitor process, over a socket pair that both
 * inherit, and a tether: the rank does not outlive the monitor process.
 *
 * The rank's descendants inherit the rank's end too. The monitor therefore checks who sent each
 * message, and descendants with a monitor process of their own use the socket only to notice that
 * the outer monitor process has gone. */
#ifndef FTC_MONITOR_CHANNEL_H
#define FTC_MONITOR_CHANNEL_H

#include "reporting/notice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum ftc_channel_kind {
    FTC_CHANNEL_ATTACH = 1, /* to the monitor, with the descriptor of the board */
    FTC_CHANNEL_STAND_DOWN, /* to the monitor: deaths are not tolerated any more */
    FTC_CHANNEL_ANSWER,     /* to the rank: outcome of its message */
    FTC_CHANNEL_GOODBYE,    /* to descendants: the monitor process ends as it should */
    FTC_CHANNEL_BOARD, /* between ranks (lifecycle/board_door.h): the descriptor of the board */
};

/* Facts of a rank that its monitor process needs. */
struct ftc_monitor_options {
    int32_t threaded;    /* 1: several threads of the rank may call MPI */
    int32_t ends_silent; /* 1: monitor = timeout; this process ends a rank that is silent */
    struct ftc_settings settings;
    struct ftc_report_paths paths;
};

struct ftc_channel_message {
    uint32_t magic;
    uint32_t kind;
    uint32_t world;
    int32_t wire; /* ATTACH, STAND_DOWN: enum ftc_pmi_wire, in which the launcher is spoken to */
    struct ftc_monitor_options options; /* ATTACH */
    int32_t outcome;                    /* ANSWER: 0 or a negative errno */
};

struct ftc_channel_ends {
    int monitor, rank;
    int tether_monitor, tether_rank; /* of a pipe, into which nothing is written */
};

/* New ends, none of which is a standard descriptor; the rank's get high numbers, out of the way of
 * programs that expect the low ones to be free. Returns 0 or a negative errno. */
int ftc_channel_open(struct ftc_channel_ends *ends);

void ftc_channel_close(const struct ftc_channel_ends *ends);

/* From now on the kernel kills this process as soon as the other end of @tether is closed, even if
 * it has become another user, or another program by exec. (A parent-death signal is lost with
 * either, and a program can have a use of its own for it.) In the rank, which holds no such end. */
void ftc_channel_tie(int tether);

/* True if @fd is an end of such a pair. */
bool ftc_channel_is_end(int fd);

/* Descriptors that ATTACH carries at most: the board, and with several hosts a listening socket. */
enum { FTC_CHANNEL_FDS = 2 };

/* Sends @m with @fd_count descriptors, up to FTC_CHANNEL_FDS. Never blocks. Returns 0 or a negative
 * errno. */
int ftc_channel_send(int channel, struct ftc_channel_message m, const int *fd, size_t fd_count);

struct ftc_channel_received {
    struct ftc_channel_message message;
    pid_t sender; /* 0: unknown */
    int fd[FTC_CHANNEL_FDS];
    size_t fd_count;
};

/* Takes one message, with its descriptors. Returns 0; -EAGAIN if there is none; -EPIPE when the
 * other end is closed; -EPROTO for a message that no correct peer sends, which is dropped with all
 * that came with it. */
int ftc_channel_receive(int channel, struct ftc_channel_received *r);

/* Closes the descriptors that came with a message. */
void ftc_channel_drop(struct ftc_channel_received *r);

/* True if the other end was closed without a goodbye. Leaves all messages where they are. */
bool ftc_channel_is_deserted(int channel);

#endif
