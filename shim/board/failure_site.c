#include "failure_site.h"

#include "rank_state.h"

#include <stdio.h>
#include <string.h>

/* Layout of the word of an address: the address, and above it 1 + the rank that left it. */
enum { ADDRESS_BITS = 51 };
static const uint64_t address_mask = ((uint64_t)1 << ADDRESS_BITS) - 1;
_Static_assert(FTC_BOARD_RANKS_MAX < 1 << (64 - ADDRESS_BITS), "a rank and one more fit above it");

enum { NOT_NAMED, CLAIMED, NAMED };

static struct ftc_board_failure_site *site_of(const struct ftc_board *board, uint32_t rank)
{
    return &board->shared->rank[rank].failure_site;
}

/* Finds the rank that has left @word. Returns false if there is none, or if it is dead. */
static bool find_owner(const struct ftc_board *board, uint64_t word, uint32_t *by)
{
    *by = (uint32_t)(word >> ADDRESS_BITS) - 1;
    return *by < board->geometry.ranks && !ftc_board_is_dead(board, *by);
}

void ftc_failure_site_leave(struct ftc_board *board, uint32_t rank, uint32_t by,
                            const struct ftc_operation_id *of, const void *return_address)
{
    uint64_t mine = (uint64_t)(by + 1) << ADDRESS_BITS | (uintptr_t)return_address;
    uint64_t seen = atomic_load(&site_of(board, rank)->address);
    uint32_t other;

    if (!return_address || (uintptr_t)return_address > address_mask ||
        !ftc_recovery_record_is_of(board, rank, of))
        return;
    while (!find_owner(board, seen, &other) &&
           !atomic_compare_exchange_weak(&site_of(board, rank)->address, &seen, mine))
        ;
}

bool ftc_failure_site_address(const struct ftc_board *board, uint32_t rank,
                              struct ftc_site_address *place)
{
    uint64_t word = atomic_load(&site_of(board, rank)->address);
    uint32_t by;

    if (!find_owner(board, word, &by))
        return false;
    *place = (struct ftc_site_address){ftc_board_pid(board, by), word & address_mask};
    return true;
}

bool ftc_failure_site_claim(const struct ftc_board *board, uint32_t rank)
{
    uint32_t state = NOT_NAMED;

    return atomic_compare_exchange_strong(&site_of(board, rank)->state, &state, CLAIMED);
}

void ftc_failure_site_keep(const struct ftc_board *board, uint32_t rank, const char *name)
{
    struct ftc_board_failure_site *m = site_of(board, rank);

    snprintf(m->name, sizeof m->name, "%s", name);
    atomic_store(&m->state, NAMED);
}

bool ftc_failure_site_name(const struct ftc_board *board, uint32_t rank,
                           char name[FTC_BOARD_SITE_TEXT])
{
    const struct ftc_board_failure_site *m = site_of(board, rank);

    if (atomic_load(&m->state) != NAMED)
        return false;
    memcpy(name, m->name, FTC_BOARD_SITE_TEXT);
    name[FTC_BOARD_SITE_TEXT - 1] = '\0';
    for (char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return true;
}
