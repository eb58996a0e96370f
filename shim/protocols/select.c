#include "select.h"

/* Two phases carry data of unknown size: one operation finds out that they are too large, and other
 * operations carry them. */
static bool has_two_phases(const struct ftc_select_facts *f)
{
    return f->is_protected || f->fits_rounds;
}

/* A data phase has no packed copies. So a reduction with a request must not need any; nor could a
 * broadcast with a request use one, as each of its ranks may name another datatype. */
static bool is_pipelined(const struct ftc_select_facts *f)
{
    return f->is_protected && !f->several_hosts && f->obstacle != FTC_FALLBACK_ADDRESSES &&
           !f->packs_elements && f->fits_slot &&
           (f->is_blocking_broadcast || (f->is_reduction && !f->needs_packing));
}

/* Segments are combined by all threads alike, so nothing in them is packed either. */
static bool is_segmented(const struct ftc_select_facts *f)
{
    return f->is_protected && f->several_hosts && f->obstacle == FTC_FALLBACK_TOO_LARGE &&
           !f->packs_elements && f->fits_part && f->is_reduction && f->commutative &&
           !f->needs_packing;
}

/* Native MPI can carry out a call as long as no request waits for an operation that has begun. */
static enum ftc_protocol give_up(const struct ftc_select_facts *f)
{
    return f->has_turned_out && f->has_request ? FTC_PROTOCOL_ERROR : FTC_PROTOCOL_NATIVE;
}

enum ftc_protocol ftc_select(const struct ftc_select_facts *f)
{
    /* The data fit, or no rank knows whether they do. */
    if (f->obstacle == FTC_FALLBACK_NONE)
        return f->unknown_size && !has_two_phases(f) ? FTC_PROTOCOL_NATIVE : FTC_PROTOCOL_SINGLE;
    /* Only data are an obstacle that another protocol overcomes. */
    if (!ftc_fallback_is_of_data(f->obstacle))
        return FTC_PROTOCOL_NATIVE;

    /* Each block has room on the board, so that only heads of blocks travel. A rank may lack a
     * place for its block; the data then turn out too large. */
    if (f->is_protected && f->obstacle == FTC_FALLBACK_TOO_LARGE && f->can_expose &&
        !f->has_turned_out)
        return FTC_PROTOCOL_SINGLE_EXPOSED;

    /* Reductions and broadcasts on one host; commutative reductions on several. Their ranks know
     * the size, so data that turn out too large are those of ranks that named different sizes. */
    if (is_pipelined(f))
        return f->has_turned_out ? give_up(f) : FTC_PROTOCOL_PIPELINED;
    if (is_segmented(f))
        return f->has_turned_out ? give_up(f) : FTC_PROTOCOL_SEGMENTED;

    /* Blocks of any size, of all other calls. */
    if (f->is_protected)
        return f->several_hosts ? FTC_PROTOCOL_ROUNDS_IN_MESSAGES : FTC_PROTOCOL_ROUNDS_IN_MEMORY;

    /* With large = native, a request of unknown size, for which native MPI comes too late. There is
     * no bulk memory then. */
    if (f->has_turned_out && f->unknown_size)
        return FTC_PROTOCOL_ROUNDS_IN_MESSAGES;
    return give_up(f);
}

bool ftc_select_packing(const struct ftc_select_facts *f, enum ftc_protocol protocol)
{
    bool may_need_rounds = f->unknown_size && !f->is_protected;

    return (protocol == FTC_PROTOCOL_SINGLE || ftc_protocol_is_rounds(protocol)) &&
           (f->needs_packing || may_need_rounds);
}
