/* proxies: the connections of mpiexec with its proxies, one a host. Two threads use them: mpiexec's
 * own, which communicates with the proxies (calls.h), and the authority's (authority.h).
 *
 * The caller must hold ftc_proxies_lock(), except where a comment allows a call without it, and
 * except for ftc_proxies_open(), which is called before there are threads, and
 * ftc_proxies_started(), which a process forked by mpiexec calls. */
#ifndef FTC_MPIEXEC_PROXIES_H
#define FTC_MPIEXEC_PROXIES_H

#include "net/socket.h"
#include "wire.h"

#include <sys/types.h>

enum { FTC_PROXIES_MAX = 256 };

enum ftc_proxy_state {
    FTC_PROXY_NONE = 0,
    FTC_PROXY_CONNECTED, /* connection whose greeting is not complete */
    FTC_PROXY_KNOWN,
    FTC_PROXY_STRANGE, /* peer whose greeting or message is of an unknown form */
    FTC_PROXY_BROKEN,  /* connection that broke; the state of the host is unknown */
    /* Connection that the host has closed: no process of the job is left there to hold it. */
    FTC_PROXY_GONE,
    FTC_PROXY_LOST,  /* proxy of a host that is declared lost */
    FTC_PROXY_ENDED, /* connection that mpiexec has closed */
};

struct ftc_proxy {
    enum ftc_proxy_state state;
    bool is_proxy; /* its greeting was understood */
    bool was_lost; /* its host is lost or about to be declared lost; never cleared */
    int fd;
    struct ftc_end own, other; /* ends of the connection */
    struct ftc_wire wire;
    unsigned char greeting[FTC_WIRE_GREETING_MAX];
    size_t greeted;

    /* Message that has arrived, or only its header, of which mpiexec has read @given of @bytes. */
    unsigned char *message;
    size_t bytes, given, room;
    bool is_over;        /* mpiexec reads statuses made in place of a lost host's */
    bool awaits_each;    /* the next read is for 4 bytes of each process */
    size_t rest_of_each; /* bytes that are missing of such a read */

    /* Facts about the host, from requests of its agent. */
    bool has_host, is_agreed, is_through;
    uint32_t host;
    int32_t unreachable_ms, exit_status;
    uint64_t heard_ns; /* time of the agent's last request, on the authority's stopwatch */
};

void ftc_proxies_lock(void);
void ftc_proxies_unlock(void);

/* Allocates memory that forked processes share. Returns false on an error. */
bool ftc_proxies_open(void);

/* Adds the connection @fd, which mpiexec has accepted. Returns NULL if there are too many. */
struct ftc_proxy *ftc_proxies_add(int fd);

/* Returns the number of places, and the place @index. A place may be free (FTC_PROXY_NONE). */
int ftc_proxies_count(void);
struct ftc_proxy *ftc_proxies_at(int index);

/* Notes that the greeting of @p was understood. */
void ftc_proxies_know(struct ftc_proxy *p);

/* Returns how many proxies mpiexec has had. A peer that has sent no greeting, or left before its
 * greeting was understood, does not count, because any process can connect to mpiexec. A peer whose
 * greeting is of an unknown form counts while it is connected. */
int ftc_proxies_known(void);

/* Returns the proxy whose connection is @fd, or NULL. May be called without the lock, and in a
 * signal handler. */
struct ftc_proxy *ftc_proxies_of_fd(int fd);

/* Marks both ends of a socket pair that mpiexec has made. The end from which mpiexec reads first is
 * its connection with a proxy on its own host. ftc_proxies_unmark_pair() returns true once for an
 * end of a pair. Both may be called without the lock. */
void ftc_proxies_mark_pair(const int fd[2]);
bool ftc_proxies_unmark_pair(int fd);

/* Notes that mpiexec closes @p's connection, and frees its message. */
void ftc_proxies_close(struct ftc_proxy *p);

/* Returns the proxy whose end of its connection is @end, or NULL. */
struct ftc_proxy *ftc_proxies_of_end(const struct ftc_end *end);

/* Returns whether the ranks of all hosts have agreed that lost hosts are tolerated. */
bool ftc_proxies_agree(void);

/* Returns whether the job goes on without @p's host: all hosts have agreed, and the ranks of
 * another host are alive or have ended well. */
bool ftc_proxies_tolerate(const struct ftc_proxy *p);

/* ---- starters: processes by which mpiexec has started its proxies, such as ssh ---- */

/* Notes the calling process, which mpiexec has forked, as the starter of proxy @number. */
void ftc_proxies_started(int number);

/* Kills the starter of @p, whose output mpiexec waits for. Its status is no failure. */
void ftc_proxies_kill_starter(const struct ftc_proxy *p);

/* Notes that mpiexec has seen the end of @pid. Returns true if mpiexec must not take it for a
 * failure: the starter belongs to a lost host, or it @was_killed but its proxy works without it. */
bool ftc_proxies_starter_ended(pid_t pid, bool was_killed);

#endif
