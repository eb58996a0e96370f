/* participants: the ranks that a call that makes a communicator needs, and what they tell each
 * other: which ranks are dead, and which have not completed the native part. */
#ifndef FTC_NEW_COMMUNICATORS_PARTICIPANTS_H
#define FTC_NEW_COMMUNICATORS_PARTICIPANTS_H

#include "communicator/communicator.h"
#include "communicator/spares.h"
#include "inter_groups.h"
#include "system/stopwatch.h"
#include "topology_remap.h"

/* How a rank's last native part has ended. */
enum ftc_native_end {
    FTC_NATIVE_HAS_COMMUNICATOR, /* or it has come to none yet */
    FTC_NATIVE_NOT_TRIED,        /* a rank was dead, or has died: it was ended (abandonable.h) */
    FTC_NATIVE_FAILED, /* MPI has returned an error that it did not raise: its own, or of one that
                        * was ended */
    FTC_NATIVE_WAS_ABANDONED, /* abandonable.h, or its messages do not arrive */
};

/* Ranks are those of the group. */
struct ftc_participants {
    struct ftc_comm *comm; /* for the library's operations among them */
    MPI_Group group;
    int size;
    unsigned char
        *told; /* by rank: what it has told, a byte of flags; then taken; for an operation */
    unsigned char *dead; /* by rank: not 0 if the survivors know */
    int dead_count;
    bool is_again;   /* somebody has not come through: all are to make another communicator */
    bool has_failed; /* somebody has an error, and it is not to be tried again */
    int repeats;     /* because of such errors */
    struct ftc_spares *spares; /* of the communicator that is copied; NULL: none */
    int spare;                 /* the number that this rank has taken of them; -1: none */
    uint32_t taken;            /* those that a survivor keeps, a bit each */
    struct ftc_spares *made;   /* by the native part, of a communicator that had none */
    bool is_copy;              /* all members are to be in it, in the same order */
    bool is_exhausted;         /* MPICH at one of them cannot make communicators any more */

    /* State of the native part. */
    uint32_t deaths_seen; /* board count when has_lost was found */
    bool has_lost;        /* one has died since the survivors agreed */
    bool is_bounded;
    struct ftc_stopwatch stopwatch;
    struct ftc_topology_remap remap; /* of a call that makes a topology, once somebody is dead */

    /* Of a call that makes an intercommunicator. */
    const struct ftc_inter_groups *groups;
    MPI_Group living[2]; /* those of them who are to be in it */
};

/* Opens the participants of a call on @comm: the ranks of @group, with @spares or NULL. All stay
 * the caller's. Returns false without memory. */
bool ftc_participants_open(struct ftc_participants *participants, struct ftc_comm *comm,
                           MPI_Group group, struct ftc_spares *spares);
void ftc_participants_close(struct ftc_participants *participants);

/* Fills participants->told with what this rank tells of itself and knows of the others. */
void ftc_participants_tell(struct ftc_participants *participants, enum ftc_native_end end);

static inline size_t ftc_participants_told_bytes(const struct ftc_participants *participants)
{
    return (size_t)participants->size + sizeof participants->taken;
}

/* Evaluates participants->told once it is the bitwise OR of all survivors' tables. */
void ftc_participants_hear(struct ftc_participants *participants);

/* Counts the ranks that an operation has left out as dead. */
void ftc_participants_strike_off(struct ftc_participants *participants);

/* The last of this rank: so it must not begin to make one. */
bool ftc_participants_is_exhausted_here(void);

/* @group without the dead, in its order. Returns an MPI error code. */
int ftc_participants_living(const struct ftc_participants *participants, MPI_Group group,
                            MPI_Group *living);

/* To be called before a native part, which may be bounded in time. */
void ftc_participants_watch(struct ftc_participants *participants, bool is_bounded);

/* Returns whether a rank has died of which the survivors did not know when the native part began.
 */
bool ftc_participants_has_lost(struct ftc_participants *participants);

/* For ftc_abandonable_make(): whether the survivors of a struct ftc_participants have lost one
 * more, or a bounded native part has come to its bound, or cannot come to its end any more. */
bool ftc_participants_is_hopeless(void *context);

#endif
