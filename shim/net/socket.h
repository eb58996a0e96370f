/* socket: TCP sockets between the hosts of a job. None of these calls waits. */
#ifndef FTC_NET_SOCKET_H
#define FTC_NET_SOCKET_H

#include "board/directory.h"

/* The address at which other hosts reach this one: of the connection to the launcher, which every
 * process that it starts inherits; else of the host's name; else of an interface that is up. Family
 * 0: there is none. The first is looked for by ftc_socket_remember_launcher(), before MPI and the
 * program have opened sockets of their own. */
void ftc_socket_remember_launcher(void);
struct ftc_address ftc_socket_own_address(void);

/* Listens at @address, of this host, and nowhere else. Returns a descriptor, out of the way of
 * programs that expect low ones, and its *@port; or a negative errno. */
int ftc_socket_listen(const struct ftc_address *address, uint16_t *port);

/* A connection that has come; -1: none. */
int ftc_socket_accept(int listener);

/* Begins to connect. Returns a descriptor, which can be written to once that is done, or a negative
 * errno. */
int ftc_socket_connect(const struct ftc_address *address, uint16_t port);

/* An end that falls silent is noticed after @ms, by the kernel. */
void ftc_socket_watch(int fd, int ms);

/* Bytes that the other end's kernel has not taken yet. */
int ftc_socket_unsent(int fd);

#endif
