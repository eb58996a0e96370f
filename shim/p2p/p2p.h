/* p2p: point-to-point calls with a dead rank (setting p2p).
 *
 * With p2p = error or ignore, a blocking call is carried out as its nonblocking form and a loop of
 * native tests. The loop also checks the board, where one load shows that no rank is dead. A
 * request is noted when it is made, so that the calls that complete it know which rank it needs. If
 * its peer is dead, native MPI first gets the turns it needs to receive what the dead rank had
 * sent. Then the request ends with an error of class MPIX_ERR_PROC_FAILED, or as if the peer were
 * MPI_PROC_NULL. */
#ifndef FTC_P2P_P2P_H
#define FTC_P2P_P2P_H

#include "board/rank_state.h"
#include "call/call.h"
#include "library.h"
#include "requests.h"

extern bool ftc_p2p_is_on;

/* Lets a rank survive UCX's copies of large messages out of the memory of a dead sender
 * (single_copy.h), unless p2p and communicators are both native. If that is impossible, keeps UCX
 * from such copies on one host (ucx.h), because UCX ends a process that finds the sender dead. To
 * be called before MPI_Init, once the settings are read. */
void ftc_p2p_prepare(void);

/* Allocates the notes of requests, unless p2p = native. Returns 0 or a negative errno. */
int ftc_p2p_open(void);

/* Switches the setting p2p on, once all ranks are protected. */
void ftc_p2p_start(void);

static inline bool ftc_p2p_on(void)
{
    return ftc_p2p_is_on;
}

static inline bool ftc_p2p_is_anyone_dead(void)
{
    return ftc_board_is_anyone_dead(&ftc_library.board);
}

/* Arguments of a call that names one peer. */
struct ftc_p2p_call {
    const char *name; /* "MPI_Recv" */
    MPI_Comm comm;
    int peer, tag;
    bool receives;
    enum ftc_call_kind kind; /* FTC_CALL_NONE: the call neither waits nor tests */
    const void *return_address;
};

/* ---- calls that name their peer (blocking.c) ---- */

/* Returns the dead rank to which a call sends in vain, or -1. */
int ftc_p2p_culprit(const struct ftc_p2p_call *call);

/* Returns whether the peer of a call that sends is dead. If so, the call is over, its error is
 * raised, and *@rv is its error code. */
bool ftc_p2p_refuses(const struct ftc_p2p_call *call, int *rv);

/* Waits until @request has ended, which was made for @call and is not noted. Raises the error if
 * the peer is dead. Returns the error code of @call. */
int ftc_p2p_finish(const struct ftc_p2p_call *call, MPI_Request *request, MPI_Status *status);

/* As above, but for both halves of a call that sends and receives. *@send_request is
 * MPI_REQUEST_NULL if the peer of @send was dead. @status is that of the receive. */
int ftc_p2p_finish_both(const struct ftc_p2p_call *send, MPI_Request *send_request,
                        const struct ftc_p2p_call *receive, MPI_Request *receive_request,
                        MPI_Status *status);

/* Cancels and frees a receive for which the send could not be made. */
void ftc_p2p_abandon(MPI_Request *request);

/* Probes as MPI_Improbe, or without @message as MPI_Iprobe: once, or if it @waits until there is a
 * message. Raises the error if the peer is dead. Returns the error code of @call. */
int ftc_p2p_probe(const struct ftc_p2p_call *call, bool waits, int *flag, MPI_Message *message,
                  MPI_Status *status);

/* Value that a flag has before a native call. If it still has it afterwards, native MPI has found
 * an error. MPICH 5.0.2 returns MPI_SUCCESS even then if it has called an error handler of the
 * program. */
enum { FTC_P2P_UNSET = -1 };

/* ---- requests (started.c) ---- */

/* Notes a request that native MPI has made with the error code @rv. Without success there is no
 * request; with MPICH 5.0.2 there may be none even so, if it has called an error handler of the
 * program. Returns @rv. */
static inline int ftc_p2p_note(const struct ftc_p2p_call *call, bool persistent,
                               const MPI_Request *request, int rv)
{
    if (rv == MPI_SUCCESS && request && *request != MPI_REQUEST_NULL &&
        call->peer != MPI_UNDEFINED && !ftc_requests_is_complete(*request))
        ftc_requests_add(*request, call->comm, call->peer, call->tag, call->receives, persistent);
    return rv;
}

/* Makes a request without a native operation if the peer of @call, which sends, is dead. Returns
 * false if the peer is alive or the request cannot be made. */
bool ftc_p2p_note_dead(const struct ftc_p2p_call *call, MPI_Request *request);

/* Notes a request of an operation that the library protects by other means. */
void ftc_p2p_note_protected(MPI_Request request, MPI_Comm comm);

int ftc_p2p_start_persistent(int count, MPI_Request requests[]);
int ftc_p2p_free(MPI_Request *request);
int ftc_p2p_cancel(MPI_Request *request);

/* Stores communicator, peer and tag of a matched @message, which is about to be received, in @call,
 * and forgets the message. Sets only the peer if nothing was noted of the message: MPI_PROC_NULL
 * for MPI_MESSAGE_NO_PROC, else MPI_UNDEFINED. */
void ftc_p2p_take_message(MPI_Message message, struct ftc_p2p_call *call);

/* ---- calls that complete requests (complete.c) ---- */

/* Call that completes requests. Once a rank is dead, a call is marked on the board (native_call.h)
 * if it waits, or tests in vain. Nothing is known of the ranks that requests of other kinds need.
 * Such a request may need any rank, and a wait for one counts as not protected. */
struct ftc_p2p_completion {
    enum ftc_call_kind kind;
    bool waits; /* false: it only tests */
    bool keeps; /* the call completes no request and raises no error: MPI_Request_get_status...() */
    const void *return_address;
};

int ftc_p2p_one(const struct ftc_p2p_completion *call, MPI_Request *request, int *flag,
                MPI_Status *status);
int ftc_p2p_all(const struct ftc_p2p_completion *call, int count, MPI_Request requests[], int *flag,
                MPI_Status statuses[]);
int ftc_p2p_any(const struct ftc_p2p_completion *call, int count, MPI_Request requests[],
                int *index, int *flag, MPI_Status *status);
int ftc_p2p_some(const struct ftc_p2p_completion *call, int count, MPI_Request requests[],
                 int *done, int indices[], MPI_Status statuses[]);
int ftc_p2p_get_status(const struct ftc_p2p_completion *call, MPI_Request request, int *flag,
                       MPI_Status *status);

/* Carries out MPI_Parrived(). If a message has failed because its sender is dead, each of its
 * partitions counts as arrived. The program then completes the request and gets the error. */
int ftc_p2p_arrived(const struct ftc_p2p_completion *call, MPI_Request request, int partition,
                    int *flag);

#endif
