#include "call.h"

/* Row of calls.def. */
struct row {
    const char *name;
    enum ftc_call_class class;
    enum { NOBODY, SOME, ALL } need;
};

static const struct row *row_of(enum ftc_call_kind kind)
{
    static const struct row rows[FTC_CALL_COUNT] = {
        [FTC_CALL_NONE] = {"no call", FTC_CLASS_NONE, NOBODY},
#define FTC_CALL(kind, name, class, need, setting, collective) {name, FTC_CLASS_##class, need},
#include "calls.def"
#undef FTC_CALL
    };

    return &rows[kind];
}

const char *ftc_call_name(enum ftc_call_kind kind)
{
    return row_of(kind)->name;
}

enum ftc_call_class ftc_call_class(enum ftc_call_kind kind)
{
    return row_of(kind)->class;
}

bool ftc_call_needs_all(enum ftc_call_kind kind)
{
    return row_of(kind)->need == ALL;
}

enum ftc_call_kind ftc_call_kind(uint32_t number)
{
    return number < FTC_CALL_COUNT ? (enum ftc_call_kind)number : FTC_CALL_NONE;
}

bool ftc_call_is_persistent(enum ftc_call_kind kind)
{
    return ftc_call_class(kind) == FTC_CLASS_PERSISTENT;
}

bool ftc_call_is_message(enum ftc_call_kind kind)
{
    switch (ftc_call_class(kind)) {
    case FTC_CLASS_MESSAGE:
    case FTC_CLASS_LOOK:
    case FTC_CLASS_WAIT:
        return true;
    default:
        return false;
    }
}

bool ftc_call_is_collective(enum ftc_call_kind kind)
{
    switch (ftc_call_class(kind)) {
    case FTC_CLASS_PROTECTED:
    case FTC_CLASS_COMMUNICATOR:
    case FTC_CLASS_COLLECTIVE:
        return true;
    default:
        return false;
    }
}

bool ftc_call_is_counted(enum ftc_call_kind kind)
{
    switch (ftc_call_class(kind)) {
    case FTC_CLASS_PROTECTED:
    case FTC_CLASS_NONBLOCKING:
    case FTC_CLASS_PERSISTENT:
        return true;
    default:
        return false;
    }
}

/* Entries for a blocking call and its nonblocking and persistent forms. */
#define FORMS(kind, traits)                                                                        \
    [FTC_CALL_##kind] = (traits), [FTC_CALL_I##kind] = (traits) | FTC_TRAIT_REQUEST,               \
    [FTC_CALL_##kind##_INIT] = (traits) | FTC_TRAIT_REQUEST

#define NEIGHBORS (FTC_TRAIT_UNKNOWN_SIZE | FTC_TRAIT_UNEVEN | FTC_TRAIT_NEIGHBORS)

const unsigned short ftc_call_traits[FTC_CALL_COUNT] = {
    FORMS(REDUCE, FTC_TRAIT_ROOT | FTC_TRAIT_TO_ROOT | FTC_TRAIT_OPERATION),
    FORMS(ALLREDUCE, FTC_TRAIT_OPERATION),
    FORMS(BARRIER, 0),
    FORMS(BCAST, FTC_TRAIT_ROOT | FTC_TRAIT_FROM_ROOT),
    FORMS(GATHER, FTC_TRAIT_ROOT | FTC_TRAIT_TO_ROOT),
    FORMS(GATHERV, FTC_TRAIT_ROOT | FTC_TRAIT_UNKNOWN_SIZE | FTC_TRAIT_UNEVEN),
    FORMS(SCATTER, FTC_TRAIT_ROOT | FTC_TRAIT_FROM_ROOT | FTC_TRAIT_ADDRESSED),
    FORMS(SCATTERV, FTC_TRAIT_ROOT | FTC_TRAIT_FROM_ROOT | FTC_TRAIT_UNKNOWN_SIZE |
                        FTC_TRAIT_UNEVEN | FTC_TRAIT_ADDRESSED),
    FORMS(ALLGATHER, 0),
    FORMS(ALLGATHERV, FTC_TRAIT_UNEVEN),
    FORMS(ALLTOALL, FTC_TRAIT_ADDRESSED),
    FORMS(ALLTOALLV, FTC_TRAIT_UNKNOWN_SIZE | FTC_TRAIT_UNEVEN | FTC_TRAIT_ADDRESSED),
    FORMS(ALLTOALLW, FTC_TRAIT_UNKNOWN_SIZE | FTC_TRAIT_UNEVEN | FTC_TRAIT_ADDRESSED),
    FORMS(NEIGHBOR_ALLGATHER, NEIGHBORS),
    FORMS(NEIGHBOR_ALLGATHERV, NEIGHBORS),
    FORMS(NEIGHBOR_ALLTOALL, NEIGHBORS | FTC_TRAIT_ADDRESSED),
    FORMS(NEIGHBOR_ALLTOALLV, NEIGHBORS | FTC_TRAIT_ADDRESSED),
    FORMS(NEIGHBOR_ALLTOALLW, NEIGHBORS | FTC_TRAIT_ADDRESSED),
    FORMS(SCAN, FTC_TRAIT_OPERATION),
    FORMS(EXSCAN, FTC_TRAIT_OPERATION),
    FORMS(REDUCE_SCATTER, FTC_TRAIT_OPERATION),
    FORMS(REDUCE_SCATTER_BLOCK, FTC_TRAIT_OPERATION),
};

enum ftc_call_kind ftc_call_plain(enum ftc_call_kind kind)
{
    static const unsigned char plain[FTC_CALL_COUNT] = {
#define PLAIN(kind, ...)                                                                           \
    [FTC_CALL_I##kind] = FTC_CALL_##kind, [FTC_CALL_##kind##_INIT] = FTC_CALL_##kind,
        FTC_COLLECTIVES(PLAIN) FTC_MORE_COLLECTIVES(PLAIN)
#undef PLAIN
    };

    return plain[kind] != 0 ? (enum ftc_call_kind)plain[kind] : kind;
}
