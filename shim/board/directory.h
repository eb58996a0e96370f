/* directory: which rank is on which host, and where each is reached from the others.
 *
 * Written by whoever creates a host's board, before anybody else uses it; nothing of it changes
 * later. With one host all ranks are on host 0, and nothing else is written. */
#ifndef FTC_BOARD_DIRECTORY_H
#define FTC_BOARD_DIRECTORY_H

#include "board.h"

/* Where something listens, without its port. */
struct ftc_address {
    uint32_t family; /* AF_INET or AF_INET6; 0: unknown */
    unsigned char bytes[FTC_BOARD_ADDRESS_BYTES];
};

struct ftc_directory_rank {
    uint32_t host;
    uint16_t link_port;  /* of the rank (transport/link.h) */
    uint16_t query_port; /* of its monitor process (monitor/query_server.h) */
    uint64_t program,
        program_base; /* ftc_loaded_identity() of its program, and where that begins */
};

/* ---- who creates the board ---- */

void ftc_directory_set_key(struct ftc_board *board, const uint64_t key[2]);
void ftc_directory_set_host(struct ftc_board *board, uint32_t host, const char *name,
                            const struct ftc_address *address);
void ftc_directory_set_rank(struct ftc_board *board, uint32_t rank,
                            const struct ftc_directory_rank *entry);

/* ---- everybody ---- */

static inline bool ftc_board_has_other_hosts(const struct ftc_board *board)
{
    return board->geometry.other_hosts > 0;
}

/* The host of @rank; never more than geometry.other_hosts. */
static inline uint32_t ftc_board_host(const struct ftc_board *board, uint32_t rank)
{
    uint32_t host = board->shared->rank[rank].host;

    return host <= board->geometry.other_hosts ? host : 0;
}

/* Whether @rank is on the host of this board: then its lifeline, its process number, its marks,
 * what it publishes and its rings are its own. */
static inline bool ftc_board_is_here(const struct ftc_board *board, uint32_t rank)
{
    return board->shared->rank[rank].host == board->geometry.host;
}

uint32_t ftc_board_count_here(const struct ftc_board *board);

/* The key of the connections between hosts. */
void ftc_directory_key(const struct ftc_board *board, uint64_t key[2]);

struct ftc_directory_rank ftc_directory_rank(const struct ftc_board *board, uint32_t rank);
struct ftc_address ftc_directory_address(const struct ftc_board *board, uint32_t host);

/* Whether the news of each other host come in; an agent says so (monitor/agent.h). */
void ftc_directory_set_heard(struct ftc_board *board, uint32_t host);
bool ftc_directory_hears_all(const struct ftc_board *board);

/* The first host whose news do not; geometry.host if there is none. */
uint32_t ftc_directory_first_unheard(const struct ftc_board *board);

/* Sleeps until no other agent of this host is left: from then on the calling thread is it, until
 * its end. The lock is made by ftc_directory_set_key(). */
void ftc_directory_await_agency(struct ftc_board *board);

/* The name of the host of @rank: of this one, if there is one host only. */
void ftc_directory_host_name(const struct ftc_board *board, uint32_t rank,
                             char name[FTC_BOARD_HOST_NAME]);

#endif
