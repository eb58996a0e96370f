#include "select.h"

/* Returns whether two phases can carry data of unknown size. The first is one operation, which
 * shows whether the data are too large. The second carries data that are. */
static bool has_two_phases(const struct ftc_select_facts *f)
{
    return f->is_protected || f->fits_rounds;
}

/* Returns whether a data phase can carry the call. It has no packed copies, so a reduction with a
 * request must not need any. A broadcast with a request is excluded, because each rank may name
 * another datatype. */
static bool is_pipelined(const struct ftc_select_facts *f)
{
    return f->is_protected && !f->several_hosts && f->obstacle != FTC_FALLBACK_ADDRESSES &&
           !f->packs_elements && f->fits_slot &&
           (f->is_blocking_broadcast || (f->is_reduction && !f->needs_packing));
}

/* Returns whether slices can carry the call. Any thread may combine them, so they have no packed
 * copies. */
static bool is_segmented(const struct ftc_select_facts *f)
{
    return f->is_protected && f->several_hosts && f->obstacle == FTC_FALLBACK_TOO_LARGE &&
           !f->packs_elements && f->fits_part && f->is_reduction && f->commutative &&
           !f->needs_packing;
}

/* Returns how a call ends that no protocol carries. Native MPI carries it out, unless the program
 * has a request whose operation has already begun. */
static enum ftc_protocol give_up(const struct ftc_select_facts *f)
{
    return f->has_turned_out && f->has_request ? FTC_PROTOCOL_ERROR : FTC_PROTOCOL_NATIVE;
}

enum ftc_protocol ftc_select(const struct ftc_select_facts *f)
{
    /* The data fit, or no rank knows yet whether they do. */
    if (f->obstacle == FTC_FALLBACK_NONE)
        return f->unknown_size && !has_two_phases(f) ? FTC_PROTOCOL_NATIVE : FTC_PROTOCOL_SINGLE;
    /* Other protocols overcome only obstacles that lie in the data. */
    if (!ftc_fallback_is_of_data(f->obstacle))
        return FTC_PROTOCOL_NATIVE;

    /* Each block fits a place on the board, so that only heads of blocks travel. If a rank lacks a
     * free place, the data turn out too large. */
    if (f->is_protected && f->obstacle == FTC_FALLBACK_TOO_LARGE && f->can_expose &&
        !f->has_turned_out)
        return FTC_PROTOCOL_SINGLE_EXPOSED;

    /* Reductions and broadcasts on one host, and commutative reductions on several. All ranks know
     * the size, so data turn out too large only if ranks named different sizes. */
    if (is_pipelined(f))
        return f->has_turned_out ? give_up(f) : FTC_PROTOCOL_PIPELINED;
    if (is_segmented(f))
        return f->has_turned_out ? give_up(f) : FTC_PROTOCOL_SEGMENTED;

    /* All other calls: blocks of any size. */
    if (f->is_protected)
        return f->several_hosts ? FTC_PROTOCOL_ROUNDS_IN_MESSAGES : FTC_PROTOCOL_ROUNDS_IN_MEMORY;

    /* A request of unknown size with large = native: it is too late for native MPI, and there is no
     * bulk memory. */
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
