/* socket: TCP sockets between the hosts of a job. None of these functions waits, except
 * ftc_socket_own_address(). */
#ifndef FTC_NET_SOCKET_H
#define FTC_NET_SOCKET_H

#include "board/directory.h"

/* Looks for the connection to the launcher, which every process that the launcher starts inherits.
 * To be called before MPI and the program open sockets of their own. */
void ftc_socket_remember_launcher(void);

/* Returns the address at which other hosts reach this one: the first of these that they can use.
 * (1) This host's address in the connection to the launcher. (2) The only address of the interfaces
 * that are up. If they have several, the address of the host's name, for which this may have to
 * wait. (3) The first address of the interfaces. IPv4 is preferred to IPv6. If other hosts can use
 * none of these, returns (1). Family 0: there is none. */
struct ftc_address ftc_socket_own_address(void);

/* Returns the address at which this host has reached mpiexec on another host. Family 0: mpiexec is
 * on this host, or is not known. */
struct ftc_address ftc_socket_mpiexec_address(void);

/* Returns whether mpiexec is known to be on this host. */
bool ftc_socket_is_mpiexecs_host(void);

/* Returns the descriptor of mpiexec's (Hydra's) connection with its proxy on this host, or -1.
 * Every process below the proxy holds it, so mpiexec sees its end when all of them have ended. */
int ftc_socket_launcher(void);

/* End of a connection. With a proxy on its own host mpiexec communicates by a socket pair. There
 * the proxy's end has family AF_UNIX and the inode number of its socket, and mpiexec's end has the
 * loopback address. */
struct ftc_end {
    struct ftc_address address;
    uint16_t port;
};
enum ftc_end_of { FTC_OF_PROXY, FTC_OF_MPIEXEC };

/* Returns the end with the number of @fd, a socket of a pair. mpiexec calls this for the proxy's
 * end while it has both. */
struct ftc_end ftc_socket_end_of_pair(int fd);

/* Stores both ends of the connection @fd; @side is this process's. Returns false if it is no
 * connection. If mpiexec calls this for a socket pair, *@other has the number of mpiexec's own
 * socket, and the caller replaces it. */
bool ftc_socket_ends(int fd, enum ftc_end_of side, struct ftc_end *own, struct ftc_end *other);

/* Listens at @address of this host only, at a port within MPIEXEC_PORT_RANGE or another of the
 * variables from which mpiexec takes its range (LOW:HIGH). Stores the port in *@port. Returns a
 * descriptor, or a negative errno. The descriptor is high, because programs expect low ones to be
 * free. */
int ftc_socket_listen(const struct ftc_address *address, uint16_t *port);

/* Moves @fd to a high descriptor, because programs expect low ones to be free, or close low ones
 * that they have not opened. Returns the new descriptor; @fd itself if there is none. */
int ftc_socket_move_up(int fd);

/* Reserves a port within the range of ftc_socket_listen(). Until the returned descriptor is closed,
 * no other process can listen on *@port at any IPv4 address of this host. Returns a descriptor or a
 * negative errno. */
int ftc_socket_reserve(uint16_t *port);

/* Listens at @address on @port, which the descriptor @reserved reserves. Returns another
 * descriptor, or a negative errno. @reserved stays open. */
int ftc_socket_listen_reserved(int reserved, const struct ftc_address *address, uint16_t port);

/* Accepts a connection that has arrived. Returns its descriptor; -1: none. */
int ftc_socket_accept(int listener);

/* Begins to connect. Returns a descriptor, which becomes writable once the connection is
 * established, or a negative errno. */
int ftc_socket_connect(const struct ftc_address *address, uint16_t port);

/* Makes the kernel break the connection when the other end has been silent for about @ms. */
void ftc_socket_watch(int fd, int ms);

/* Undoes ftc_socket_watch(). */
void ftc_socket_unwatch(int fd);

/* Returns the number of sent bytes that the other end's kernel has not acknowledged. */
int ftc_socket_unsent(int fd);

#endif
