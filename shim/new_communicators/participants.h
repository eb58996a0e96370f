/* participants: the ranks that are needed by a call that makes a communicator, and what they
 * exchange: which ranks are dead, and which have not completed the native part. */
#ifndef FTC_NEW_COMMUNICATORS_PARTICIPANTS_H
#define FTC_NEW_COMMUNICATORS_PARTICIPANTS_H

#include "communicator/communicator.h"
#include "communicator/spares.h"
#include "inter_groups.h"
#include "system/stopwatch.h"
#include "topology_remap.h"

/* Result of a rank's last native part. */
enum ftc_native_end {
    FTC_NATIVE_HAS_COMMUNICATOR, /* the rank has it, needs none, or has not begun */
    FTC_NATIVE_NOT_TRIED,        /* the part was ended after a death, or the spare was in use */
    FTC_NATIVE_FAILED, /* MPI returned an error without raising it, e.g. because another rank's
                        * part was ended */
    FTC_NATIVE_WAS_ABANDONED, /* the part was abandoned, or its messages do not arrive */
};

/* Participants of a call. Ranks are those of the group. */
struct ftc_participants {
    struct ftc_comm *comm; /* for the library's operations among them */
    MPI_Group group;
    int size;
    unsigned char *report; /* flags by rank, a byte each, then taken; value of an operation */
    unsigned char *dead;   /* by rank: not 0 if the survivors know of its death */
    int dead_count;
    bool is_again;   /* a rank has not completed its part: all make another communicator */
    bool has_failed; /* a rank has an error, and the call is not repeated */
    int repeats;     /* number of repetitions after errors without a death */
    struct ftc_spares *spares; /* those of the communicator that is copied; NULL: none */
    int spare;                 /* number of the spare that this rank has taken; -1: none */
    uint32_t taken;            /* spares that a survivor keeps, a bit each */
    struct ftc_spares *made;   /* spares that the native part has made, if there were none */
    bool is_copy;              /* all ranks are to be in the new one, in the same order */
    bool is_exhausted;         /* MPICH at a survivor cannot make communicators any more */

    /* State of the native part. */
    uint32_t deaths_seen; /* board count when has_lost was found */
    bool has_lost;        /* a rank has died since the survivors agreed */
    bool is_bounded;
    struct ftc_stopwatch stopwatch;
    struct ftc_topology_remap remap; /* positions, in a call that makes a topology */

    /* Groups in a call that makes an intercommunicator. */
    const struct ftc_inter_groups *groups;
    MPI_Group living[2]; /* living ranks of each group that are to be in it */
};

/* Opens the participants of a call on @comm: the ranks of @group, with @spares, which may be NULL.
 * The caller still owns all of these. Returns false without memory. */
bool ftc_participants_open(struct ftc_participants *participants, struct ftc_comm *comm,
                           MPI_Group group, struct ftc_spares *spares);
void ftc_participants_close(struct ftc_participants *participants);

/* Fills participants->report with the flags of this rank and the deaths of which it knows. */
void ftc_participants_fill_report(struct ftc_participants *participants, enum ftc_native_end end);

static inline size_t ftc_participants_report_bytes(const struct ftc_participants *participants)
{
    return (size_t)participants->size + sizeof participants->taken;
}

/* Evaluates participants->report after it has become the bitwise OR of all survivors' tables. */
void ftc_participants_hear(struct ftc_participants *participants);

/* Marks as dead the ranks that an operation has left out, and counts the dead. */
void ftc_participants_strike_off(struct ftc_participants *participants);

/* Returns whether MPICH at this rank cannot make communicators any more. The rank must not begin to
 * make one then. */
bool ftc_participants_is_exhausted_here(void);

/* Sets *@living to @group without the dead, in its order. Returns an MPI error code. */
int ftc_participants_living(const struct ftc_participants *participants, MPI_Group group,
                            MPI_Group *living);

/* Starts to watch for deaths. Called before a native part, whose duration is bounded if
 * @is_bounded. */
void ftc_participants_watch(struct ftc_participants *participants, bool is_bounded);

/* Returns whether a participant has died whose death the survivors did not know when they
 * agreed. */
bool ftc_participants_has_lost(struct ftc_participants *participants);

/* Returns whether a native part is hopeless, for ftc_abandonable_make(). @context is a struct
 * ftc_participants. The native part is hopeless if another participant has died. A bounded one is
 * also hopeless if its time is up, or if MPICH at a participant cannot make communicators any
 * more. */
bool ftc_participants_is_hopeless(void *context);

#endif
