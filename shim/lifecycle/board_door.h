/* board_door: hands a board to ranks of its host that cannot open it through /proc, in MPI_Init:
 * ranks in user namespaces of their own (a container each), and programs without read permission.
 *
 * The rank that made the board listens at a Unix socket: an abstract one, and one below /dev/shm
 * for ranks with a network namespace of their own. Its names and the proof that a rank sends are
 * keyed hashes of the board's key, which MPI has brought to the ranks of the job alone. */
#ifndef FTC_LIFECYCLE_BOARD_DOOR_H
#define FTC_LIFECYCLE_BOARD_DOOR_H

#include <stdint.h>

/* Listens for ranks that want the board of @key and descriptor @board. */
void ftc_board_door_open(const uint64_t key[2], int board);

/* Hands the board to the ranks that have come. Does nothing if no door is open. */
void ftc_board_door_serve(void);

void ftc_board_door_close(void);

/* Asks process @pid once for the board of @key. Returns a descriptor, or a negative errno: -ENOENT
 * and -ECONNREFUSED while no door is open, -EAGAIN if one of the two was too slow, -EACCES if the
 * process has another number here. Ranks know each other by these numbers, so all must be in one
 * PID namespace. */
int ftc_board_door_fetch(int pid, const uint64_t key[2]);

#endif
