/* board_listener: hands a board, in MPI_Init, to ranks of its host that cannot open it through
 * /proc: ranks in user namespaces of their own (a container each), and programs without read
 * permission.
 *
 * The rank that made the board listens at two Unix sockets: an abstract one, and one in /dev/shm
 * for ranks with a network namespace of their own. Their names, and the proof that a rank sends,
 * are keyed hashes of the board's key, which MPI has brought only to the ranks of the job. */
#ifndef FTC_LIFECYCLE_BOARD_LISTENER_H
#define FTC_LIFECYCLE_BOARD_LISTENER_H

#include <stdint.h>

/* Listens for ranks that want the board of @key, whose descriptor is @board. */
void ftc_board_listener_open(const uint64_t key[2], int board);

/* Hands the board to the ranks that have connected. Does nothing if it does not listen. */
void ftc_board_listener_serve(void);

void ftc_board_listener_close(void);

/* Asks process @pid once for the board of @key. Returns a descriptor, or a negative errno: -ENOENT
 * and -ECONNREFUSED while no process listens, -EAGAIN if one of the two processes was too slow,
 * -EACCES if the process that listens has another number here. Ranks know each other by these
 * numbers, so all must be in one PID namespace. */
int ftc_board_listener_fetch(int pid, const uint64_t key[2]);

#endif
