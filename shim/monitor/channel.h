/* channel: the messages between a rank and its monitor process, over a socket pair that both
 * inherit, and a tether, by which the kernel kills the rank when the monitor process ends.
 *
 * The rank's descendants inherit the rank's end of the socket pair too. The monitor process
 * therefore checks which process has sent each message. Descendants with a monitor process of their
 * own use the socket only to notice the end of the outer monitor process. */
#ifndef FTC_MONITOR_CHANNEL_H
#define FTC_MONITOR_CHANNEL_H

#include "reporting/notice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum ftc_channel_kind {
    FTC_CHANNEL_ATTACH = 1, /* to the monitor process, with the descriptor of the board */
    FTC_CHANNEL_STAND_DOWN, /* to the monitor process: deaths are not tolerated any more */
    FTC_CHANNEL_ANSWER,     /* to the rank: outcome of its message */
    FTC_CHANNEL_GOODBYE,    /* to descendants: the monitor process ends as it should */
    FTC_CHANNEL_BOARD, /* between ranks (lifecycle/board_listener.h): the descriptor of the board */
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
    int32_t wire; /* ATTACH, STAND_DOWN: enum ftc_pmi_wire, form of commands to the launcher */
    struct ftc_monitor_options options; /* ATTACH */
    int32_t outcome;                    /* ANSWER: 0 or a negative errno */
};

struct ftc_channel_ends {
    int monitor, rank;
    int tether_monitor, tether_rank; /* ends of a pipe into which nothing is written */
};

/* Creates a channel and a tether. No end is a standard descriptor. The rank's ends get high
 * numbers, because programs may expect the low ones to be free. Returns 0 or a negative errno. */
int ftc_channel_open(struct ftc_channel_ends *ends);

void ftc_channel_close(const struct ftc_channel_ends *ends);

/* Makes the kernel kill this process as soon as the other end of @tether is closed, even if this
 * process has become another user, or another program by exec. A parent-death signal is lost when a
 * process changes its user, and the program can have a use of its own for it. Must be called in the
 * rank, which must not hold the other end. */
void ftc_channel_tie(int tether);

/* Returns whether @fd is an end of such a socket pair. */
bool ftc_channel_is_end(int fd);

/* Largest number of descriptors with ATTACH: the board, and with several hosts a listener. */
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

/* Takes one message with its descriptors. Returns 0; -EAGAIN if there is none; -EPIPE when the
 * other end is closed; -EPROTO for a message that no correct peer sends, which is dropped with its
 * descriptors. */
int ftc_channel_receive(int channel, struct ftc_channel_received *r);

/* Closes the descriptors that came with a message. */
void ftc_channel_drop(struct ftc_channel_received *r);

/* Returns whether the other end was closed without a goodbye. Takes no message. */
bool ftc_channel_is_deserted(int channel);

#endif
