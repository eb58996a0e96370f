/* link_thread: a thread that serves the links with ranks of other hosts while the program computes.
 *
 * Rank A may have taken one subtree's value and compute, while rank B still has a message for A
 * that A no longer needs. B's call does not return before the message has left B's process, which
 * requires a connection. MPI does not require A to call MPI again for that: A may first wait for B
 * by other means. After B has left the call, its message may be lost with a broken connection. To
 * send it again requires a connection, too.
 *
 * The thread sleeps while no connection is being made or repaired; with UCX paths, for a tenth of a
 * second at a time. It makes no MPI call. It runs only if the job has several hosts. */
#ifndef FTC_PROGRESS_LINK_THREAD_H
#define FTC_PROGRESS_LINK_THREAD_H

/* Starts the thread in MPI_Init. From then on all calls hold the library's lock. Returns 0 or a
 * negative errno. */
int ftc_link_thread_open(void);

/* Ends the thread in MPI_Finalize. The caller must not hold the library's lock. */
void ftc_link_thread_close(void);

#endif
