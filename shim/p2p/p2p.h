/* p2p: point-to-point calls with a dead rank (setting p2p).
 *
 * With p2p = error or ignore a blocking call is carried out as its nonblocking form and a loop of
 * native tests that also looks at the board: one load tells that nobody is dead. A request is noted
 * when it is made, so that the calls that complete it know whom it needs. Once its peer is dead,
 * native MPI first gets the turns it needs to take in what the dead rank had sent; then the request
 * ends with an error of class MPIX_ERR_PROC_FAILED, or as if the peer were MPI_PROC_NULL. */
#ifndef FTC_P2P_P2P_H
#define FTC_P2P_P2P_H

#include "board/rank_state.h"
#include "call/call.h"
#include "library.h"
#include "requests.h"

extern bool ftc_p2p_is_on;

/* Before MPI_Init, once the settings are read: unless p2p is native, looks after UCX's copies of
 * large messages out of the memory of their senders (single_copy.h). Where it cannot, UCX is not to
 * make them, because it ends a process that finds the sender dead (ucx.h). */
void ftc_p2p_prepare(void);

/* Does nothing with p2p = native. Returns 0 or a negative errno. */
int ftc_p2p_open(void);

/* From here on the calls are looked after: all ranks are protected. */
void ftc_p2p_start(void);

static inline bool ftc_p2p_on(void)
{
    return ftc_p2p_is_on;
}

static inline bool ftc_p2p_is_anyone_dead(void)
{
    return ftc_board_is_anyone_dead(&ftc_library.board);
}

/* A call that names one peer, as the program makes it. */
struct ftc_p2p_call {
    const char *name; /* "MPI_Recv" */
    MPI_Comm comm;
    int peer, tag;
    bool receives;
    enum ftc_call_kind kind; /* FTC_CALL_NONE: it neither waits nor looks */
    const void *return_address;
};

/* ---- calls that name their peer (blocking.c) ---- */

/* The rank because of which a call that sends would not come to an end, or -1. */
int ftc_p2p_culprit(const struct ftc_p2p_call *call);

/* True if the peer of a call that sends is dead: the call is over then, with *@rv. */
bool ftc_p2p_refuses(const struct ftc_p2p_call *call, int *rv);

/* Until @request, made for @call and not noted, has ended. */
int ftc_p2p_finish(const struct ftc_p2p_call *call, MPI_Request *request, MPI_Status *status);

/* The same for the halves of a call that sends and receives; without *@request for sending, the
 * peer of @send was dead. @status is the receive's. */
int ftc_p2p_finish_both(const struct ftc_p2p_call *send, MPI_Request *send_request,
                        const struct ftc_p2p_call *receive, MPI_Request *receive_request,
                        MPI_Status *status);

/* Gives up a receive whose other half could not be made. */
void ftc_p2p_abandon(MPI_Request *request);

/* MPI_Iprobe and MPI_Improbe (with a message to fill in), once or until there is something. */
int ftc_p2p_probe(const struct ftc_p2p_call *call, bool waits, int *flag, MPI_Message *message,
                  MPI_Status *status);

/* For native MPI to write over when it finds no error: MPICH 5.0.2 returns MPI_SUCCESS also when it
 * has called an error handler of the program's. */
enum { FTC_P2P_NOTHING_TOLD = -1 };

/* ---- requests (started.c) ---- */

/* Notes a request that native MPI has made; with rv not MPI_SUCCESS there is none, and with
 * MPICH 5.0.2 none either when it has called an error handler of the program's. Returns @rv. */
static inline int ftc_p2p_note(const struct ftc_p2p_call *call, bool persistent,
                               const MPI_Request *request, int rv)
{
    if (rv == MPI_SUCCESS && request && *request != MPI_REQUEST_NULL &&
        call->peer != MPI_UNDEFINED && !ftc_requests_is_complete(*request))
        ftc_requests_add(*request, call->comm, call->peer, call->tag, call->receives, persistent);
    return rv;
}

/* For a peer that is dead: makes a request that native MPI has nothing to do with. */
bool ftc_p2p_note_dead(const struct ftc_p2p_call *call, MPI_Request *request);

/* A request of an operation that the library protects otherwise. */
void ftc_p2p_note_protected(MPI_Request request, MPI_Comm comm);

int ftc_p2p_start_persistent(int count, MPI_Request requests[]);
int ftc_p2p_free(MPI_Request *request);
int ftc_p2p_cancel(MPI_Request *request);

/* A message that was matched, and is about to be received: @call gets the peer, or
 * MPI_UNDEFINED. */
void ftc_p2p_take_message(MPI_Message message, struct ftc_p2p_call *call);

/* ---- calls that complete requests (complete.c) ---- */

/* Once a rank is dead a call that waits until there is something, or looks for it in vain, is
 * marked on the board (native_call.h). Nobody knows whom requests of other kinds need: for them it
 * may be any rank, and a wait for one counts as not protected. */
struct ftc_p2p_completion {
    enum ftc_call_kind kind;
    bool waits; /* false: it only looks */
    bool keeps; /* the requests, as they are, and raises nothing: MPI_Request_get_status...() */
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

/* MPI_Parrived(): of a message that has ended because its sender is dead each partition has, so
 * that the program completes the request, which tells the error. */
int ftc_p2p_arrived(const struct ftc_p2p_completion *call, MPI_Request request, int partition,
                    int *flag);

#endif
