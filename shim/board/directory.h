/* directory: host of each rank, and addresses and ports at which other hosts reach it.
 *
 * The process that creates a host's board writes the directory before another process uses the
 * board. Only ftc_directory_set_heard() changes it later. With one host all ranks are on host 0,
 * and nothing else is written. */
#ifndef FTC_BOARD_DIRECTORY_H
#define FTC_BOARD_DIRECTORY_H

#include "board.h"

/* IP address without a port. */
struct ftc_address {
    uint32_t family; /* AF_INET or AF_INET6; 0: unknown */
    unsigned char bytes[FTC_BOARD_ADDRESS_BYTES];
};

struct ftc_directory_rank {
    uint32_t host;
    uint16_t link_port;             /* port of the rank (transport/link.h) */
    uint16_t query_port;            /* port of its monitor process (monitor/query_server.h) */
    uint64_t program, program_base; /* ftc_loaded_identity() of its program, and its load address */
};

/* ---- the process that creates the board ---- */

/* Sets the key of the connections between hosts, and makes the lock of the agent. */
void ftc_directory_set_key(struct ftc_board *board, const uint64_t key[2]);
void ftc_directory_set_host(struct ftc_board *board, uint32_t host, const char *name,
                            const struct ftc_address *address);
void ftc_directory_set_rank(struct ftc_board *board, uint32_t rank,
                            const struct ftc_directory_rank *entry);

/* ---- all processes ---- */

static inline bool ftc_board_has_other_hosts(const struct ftc_board *board)
{
    return board->geometry.other_hosts > 0;
}

/* Returns the host of @rank, at most geometry.other_hosts. */
static inline uint32_t ftc_board_host(const struct ftc_board *board, uint32_t rank)
{
    uint32_t host = board->shared->rank[rank].host;

    return host <= board->geometry.other_hosts ? host : 0;
}

/* Returns whether @rank is on the host of this board. Only then does @rank itself write its part of
 * the board: lifeline, pid, marks, publications and rings. */
static inline bool ftc_board_is_here(const struct ftc_board *board, uint32_t rank)
{
    return board->shared->rank[rank].host == board->geometry.host;
}

/* Returns the number of ranks on the host of this board. */
uint32_t ftc_board_count_here(const struct ftc_board *board);

/* Copies the key of the connections between hosts. */
void ftc_directory_key(const struct ftc_board *board, uint64_t key[2]);

struct ftc_directory_rank ftc_directory_rank(const struct ftc_board *board, uint32_t rank);
struct ftc_address ftc_directory_address(const struct ftc_board *board, uint32_t host);

/* Notes that this host's agent has received updates from @host (monitor/agent.h). */
void ftc_directory_set_heard(struct ftc_board *board, uint32_t host);

/* Returns whether updates from each other host have been received. */
bool ftc_directory_hears_all(const struct ftc_board *board);

/* Returns the first host from which no updates have been received, or geometry.host if there is
 * none. */
uint32_t ftc_directory_first_unheard(const struct ftc_board *board);

/* Waits until this host has no other agent. From then on the calling thread is the agent, until its
 * end. Takes the lock that ftc_directory_set_key() makes. */
void ftc_directory_await_agency(struct ftc_board *board);

/* Copies the name of the host of @rank. With one host this is gethostname(). */
void ftc_directory_host_name(const struct ftc_board *board, uint32_t rank,
                             char name[FTC_BOARD_HOST_NAME]);

#endif
