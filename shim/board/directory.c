#include "directory.h"

#include <string.h>
#include <unistd.h>

void ftc_directory_set_key(struct ftc_board *board, const uint64_t key[2])
{
    memcpy(board->shared->job_key, key, sizeof board->shared->job_key);
    ftc_hold_make(&board->shared->agent);
}

/* Takes over the lock of an agent that has ended. */
void ftc_directory_await_agency(struct ftc_board *board)
{
    ftc_hold_take_over(&board->shared->agent);
}

void ftc_directory_set_host(struct ftc_board *board, uint32_t host, const char *name,
                            const struct ftc_address *address)
{
    struct ftc_board_host *h = &board->shared->host[host];

    strncpy(h->name, name, sizeof h->name - 1);
    memcpy(h->address, address->bytes, sizeof h->address);
    h->family = address->family;
}

void ftc_directory_set_rank(struct ftc_board *board, uint32_t rank,
                            const struct ftc_directory_rank *entry)
{
    struct ftc_board_rank *r = &board->shared->rank[rank];

    r->host = entry->host;
    r->link_port = entry->link_port;
    r->query_port = entry->query_port;
    r->program = entry->program;
    r->program_base = entry->program_base;
}

uint32_t ftc_board_count_here(const struct ftc_board *board)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        count += ftc_board_is_here(board, i);
    return count;
}

void ftc_directory_key(const struct ftc_board *board, uint64_t key[2])
{
    memcpy(key, board->shared->job_key, sizeof board->shared->job_key);
}

struct ftc_directory_rank ftc_directory_rank(const struct ftc_board *board, uint32_t rank)
{
    const struct ftc_board_rank *r = &board->shared->rank[rank];

    return (struct ftc_directory_rank){
        .host = ftc_board_host(board, rank),
        .link_port = r->link_port,
        .query_port = r->query_port,
        .program = r->program,
        .program_base = r->program_base,
    };
}

struct ftc_address ftc_directory_address(const struct ftc_board *board, uint32_t host)
{
    const struct ftc_board_host *h = &board->shared->host[host];
    struct ftc_address address = {.family = h->family};

    memcpy(address.bytes, h->address, sizeof address.bytes);
    return address;
}

void ftc_directory_set_heard(struct ftc_board *board, uint32_t host)
{
    atomic_store(&board->shared->host[host].is_heard, 1);
}

uint32_t ftc_directory_first_unheard(const struct ftc_board *board)
{
    for (uint32_t h = 0; h <= board->geometry.other_hosts; h++)
        if (h != board->geometry.host && atomic_load(&board->shared->host[h].is_heard) == 0)
            return h;
    return board->geometry.host;
}

bool ftc_directory_hears_all(const struct ftc_board *board)
{
    return ftc_directory_first_unheard(board) == board->geometry.host;
}

void ftc_directory_host_name(const struct ftc_board *board, uint32_t rank,
                             char name[FTC_BOARD_HOST_NAME])
{
    name[0] = name[FTC_BOARD_HOST_NAME - 1] = '\0';
    if (ftc_board_has_other_hosts(board))
        memcpy(name, board->shared->host[ftc_board_host(board, rank)].name,
               FTC_BOARD_HOST_NAME - 1);
    else
        gethostname(name, FTC_BOARD_HOST_NAME - 1);
}
