/* life: early news of a process's death.
 *
 * The kernel reports the end of a process to its parent only after it has taken the process's
 * memory apart and all its threads have run once more: milliseconds for a small MPI process,
 * seconds for one of many gigabytes. But robust mutexes are released before that, at the beginning
 * of a thread's exit. The rank locks one and never unlocks it; its monitor process waits for it in
 * a thread, and then asks the kernel whether the whole process is ending (measured with 8 ranks on
 * 2 cores: 0.1 to 0.5 ms instead of 4 to 15 ms).
 *
 * This is only ever early news: without it the end of the process itself tells the same.
 */
#ifndef FTC_LIFE_H
#define FTC_LIFE_H

#include <stdbool.h>
#include <sys/types.h>

struct ftc_life;

/* Makes the lock in an unnamed memory file and takes it, for the calling thread and until its end.
 * Returns the file's descriptor, the caller's to close, or a negative errno. */
int ftc_life_begin(void);

/* Maps the lock behind @fd, which stays the caller's. NULL if it is no such file. */
struct ftc_life *ftc_life_map(int fd);

/* Blocks until the thread that holds the lock is gone, by whatever cause, including exec. */
void ftc_life_await_end(struct ftc_life *life);

/* True if process @pid is ending as a whole; then @status is what waitpid will say. Needs /proc. */
bool ftc_life_is_ending(pid_t pid, int *status);

#endif
