/* proxies: the connections of mpiexec with its proxies, one a host, as both of its threads know
 * them: mpiexec's own, which speaks to them (calls.h), and the authority's (authority.h).
 *
 * All of it is done with ftc_proxies_lock() held, except ftc_proxies_started(), which a process
 * does that mpiexec has forked. */
#ifndef FTC_MPIEXEC_PROXIES_H
#define FTC_MPIEXEC_PROXIES_H

#include "net/socket.h"
#include "wire.h"

#include <sys/types.h>

enum { FTC_PROXIES_MAX = 256 };

enum ftc_proxy_state {
    FTC_PROXY_NONE = 0,
    FTC_PROXY_CONNECTED, /* has not said who it is */
    FTC_PROXY_KNOWN,
    FTC_PROXY_STRANGE, /* speaks in a form that is not known, or of something that is not expected
                        */
    FTC_PROXY_BROKEN,  /* the connection broke; what becomes of the host is not known */
    FTC_PROXY_GONE,  /* the connection was closed there: no process of the job is left to hold it */
    FTC_PROXY_LOST,  /* its host is declared lost */
    FTC_PROXY_ENDED, /* mpiexec has closed the connection */
};

struct ftc_proxy {
    enum ftc_proxy_state state;
    bool is_proxy; /* it has said which, in a form that is known */
    bool was_lost; /* also once it has ended for mpiexec */
    int fd;
    struct ftc_end own, other; /* of the connection */
    struct ftc_wire wire;
    unsigned char greeting[FTC_WIRE_GREETING_MAX];
    size_t greeted;

    /* What mpiexec has still to read, of a message that has come whole; or only a header. */
    unsigned char *message;
    size_t bytes, given, room;
    bool is_over;        /* it is read what a lost host has not said */
    bool awaits_each;    /* mpiexec will ask for 4 bytes a process, */
    size_t rest_of_each; /* or has, and this is missing */

    /* Its host, once the agent there has spoken. */
    bool has_host, is_agreed, is_through;
    uint32_t host;
    int32_t unreachable_ms, exit_status;
    uint64_t heard_ns; /* by the authority's looks (system/stopwatch.h), what its agent said last */
};

void ftc_proxies_lock(void);
void ftc_proxies_unlock(void);

/* Memory that forked processes share; false without. */
bool ftc_proxies_open(void);

/* A connection that mpiexec has accepted; NULL if there are too many. */
struct ftc_proxy *ftc_proxies_add(int fd);

/* Places, of which some may be free (FTC_PROXY_NONE). */
int ftc_proxies_count(void);
struct ftc_proxy *ftc_proxies_at(int index);

/* It has said who it is. */
void ftc_proxies_know(struct ftc_proxy *p);

/* How many proxies there have been. Who has not said anything, or left without having been known,
 * was somebody else: anybody can connect to mpiexec. */
int ftc_proxies_known(void);

/* The one behind @fd; NULL: none. May be asked without the lock, in a signal handler too. */
struct ftc_proxy *ftc_proxies_of_fd(int fd);

/* mpiexec has made a socket pair; the end from which it reads first is its connection with a proxy
 * on its own host. The second is true for an end of a pair once. May be asked without the lock. */
void ftc_proxies_mark_pair(const int fd[2]);
bool ftc_proxies_unmark_pair(int fd);

/* mpiexec closes @p's connection. */
void ftc_proxies_close(struct ftc_proxy *p);

/* The one whose host has @end as its end of the connection; NULL: none. */
struct ftc_proxy *ftc_proxies_of_end(const struct ftc_end *end);

/* Whether the ranks of all hosts have agreed that lost ones are tolerated. */
bool ftc_proxies_agree(void);

/* Whether the job goes on without @p's host: if all have agreed, and there is another host whose
 * ranks live, or have ended well. */
bool ftc_proxies_tolerate(const struct ftc_proxy *p);

/* ---- the processes by which mpiexec has started its proxies (ssh, say) ---- */

/* This process, which mpiexec has forked, is about to become that for the proxy @number. */
void ftc_proxies_started(int number);

/* Ends that of @p, on whose output mpiexec waits; its status is no failure. */
void ftc_proxies_kill_starter(const struct ftc_proxy *p);

/* mpiexec has seen the end of @pid, by a signal or not. True if that is to be no failure: if it is
 * that of a lost host, or was killed while its proxy is well, which needs it no more. */
bool ftc_proxies_starter_ended(pid_t pid, bool was_killed);

#endif
