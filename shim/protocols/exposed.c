#include "exposed.h"

#include "board/publication.h"

/* Fewest bytes worth exposing: fewer arrive earlier in the message itself (doc/performance.md). */
enum { LEAST_BYTES = 1024 };

/* Last use of each place of this rank. */
static struct use {
    uint64_t communicator_id;
    uint32_t seq;
    bool is_used;
} use[FTC_BOARD_EXPOSED];

/* Returns whether the place is free. If this rank has freed the communicator, checks the board,
 * because another rank may still be in the communicator's last operation. */
static bool is_free(const struct use *u)
{
    const struct ftc_comm *c = ftc_comm_find(u->communicator_id);

    return c ? (int32_t)(c->ended - u->seq) > 0
             : !ftc_publication_is_needed(&ftc_library.board, u->communicator_id);
}

bool ftc_exposed_fits(size_t bytes)
{
    return bytes >= LEAST_BYTES && bytes <= ftc_library.board.geometry.exposed_bytes;
}

/* Returns whether @bytes of @plan may be exposed. Data of a nonblocking call may not: a rank whose
 * datatype needs it unpacks them in a later call, when their owner may have reused the place. Data
 * for a root may not: other ranks return before the root has read them, and no rank learns when it
 * has. */
static bool may_be_exposed(const struct ftc_plan *plan, size_t bytes)
{
    enum ftc_call_kind kind = plan->call->kind;

    return ftc_exposed_fits(bytes) && !plan->packed && !ftc_call_is_nonblocking(kind) &&
           !ftc_call_goes_to_root(kind);
}

unsigned char *ftc_exposed_room(const struct ftc_plan *plan, size_t bytes, uint32_t *exposed)
{
    const struct ftc_comm *c = plan->comm;

    if (!may_be_exposed(plan, bytes))
        return NULL;
    for (uint32_t i = 0; i < FTC_BOARD_EXPOSED; i++)
        if (!use[i].is_used || is_free(&use[i])) {
            use[i] = (struct use){.is_used = true, .communicator_id = c->id, .seq = c->seq};
            *exposed = i + 1;
            return ftc_board_exposed(&ftc_library.board, ftc_library.world_rank, i);
        }
    return NULL;
}

struct ftc_piece ftc_exposed_find(const struct ftc_plan *plan, int rank, size_t bytes,
                                  uint32_t exposed)
{
    const struct ftc_board *board = &ftc_library.board;

    if (exposed == 0 || exposed > FTC_BOARD_EXPOSED || bytes > board->geometry.exposed_bytes)
        return (struct ftc_piece){0};
    return (struct ftc_piece){
        .data = ftc_board_exposed(board, plan->comm->world[rank], exposed - 1), .bytes = bytes};
}
