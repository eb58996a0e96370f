/* socket: TCP sockets between the hosts of a job. None of these calls waits, but
 * ftc_socket_own_address(). */
#ifndef FTC_NET_SOCKET_H
#define FTC_NET_SOCKET_H

#include "board/directory.h"

/* The address at which other hosts reach this one: of the connection to the launcher, which every
 * process that it starts inherits; else the only one of the interfaces that are up; if these have
 * several, that of the host's name, for which it may have to wait, else the first; of IPv4 if there
 * is any. Family 0: there is none. The launcher's is looked for by ftc_socket_remember_launcher(),
 * before MPI and the program have opened sockets of their own. */
void ftc_socket_remember_launcher(void);
struct ftc_address ftc_socket_own_address(void);

/* The address at which this host has reached mpiexec on another; family 0: mpiexec is on this host,
 * or not known. */
struct ftc_address ftc_socket_mpiexec_address(void);

/* Whether mpiexec is known to be on this host. */
bool ftc_socket_is_mpiexecs_host(void);

/* The connection of mpiexec (Hydra) with its proxy on this host: its descriptor, else -1. Every
 * process below the proxy holds it, so mpiexec sees its end when all of them have ended. */
int ftc_socket_launcher(void);

/* The two ends of a connection. Of a socket pair, by which mpiexec speaks with a proxy on its own
 * host: the proxy's is of AF_UNIX with its number, which mpiexec knows from when it had both ends
 * (ftc_socket_end_of_pair()), mpiexec's the loopback address. */
struct ftc_end {
    struct ftc_address address;
    uint16_t port;
};
enum ftc_end_of { FTC_OF_PROXY, FTC_OF_MPIEXEC };
struct ftc_end ftc_socket_end_of_pair(int fd);
bool ftc_socket_ends(int fd, enum ftc_end_of side, struct ftc_end *own, struct ftc_end *other);

/* Listens at @address, of this host, and nowhere else, at a port within MPIEXEC_PORT_RANGE or
 * another of the variables by which mpiexec has its range (LOW:HIGH). Returns a descriptor, out of
 * the way of programs that expect low ones, and its *@port; or a negative errno. */
int ftc_socket_listen(const struct ftc_address *address, uint16_t *port);

/* Another descriptor for the same, out of the way of programs that expect low ones, or close what
 * they have not opened; @fd itself if there is none. */
int ftc_socket_move_up(int fd);

/* A port, within that range, on which nobody else can listen at any address of IPv4 of this host,
 * while the descriptor that is returned is open, @reserved; later one listens there, at @address.
 * Both return a descriptor or a negative errno. */
int ftc_socket_reserve(uint16_t *port);
int ftc_socket_listen_reserved(int reserved, const struct ftc_address *address, uint16_t port);

/* A connection that has come; -1: none. */
int ftc_socket_accept(int listener);

/* Begins to connect. Returns a descriptor, which can be written to once that is done, or a negative
 * errno. */
int ftc_socket_connect(const struct ftc_address *address, uint16_t port);

/* An end that falls silent is noticed after @ms, by the kernel; or not any more. */
void ftc_socket_watch(int fd, int ms);
void ftc_socket_unwatch(int fd);

/* Bytes that the other end's kernel has not taken yet. */
int ftc_socket_unsent(int fd);

#endif
