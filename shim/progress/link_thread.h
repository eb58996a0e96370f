/* link_thread: a thread that looks at the links with ranks of other hosts while the program does
 * not.
 *
 * A rank may have taken one subtree's value and compute, while another has a message for it that it
 * does not need any more. That one is not through before the message is out of its process, for
 * which the link has to be made; and MPI does not want a rank to call MPI again for another's call
 * to end, which may be what it waits for by other means. The same with a message that was lost when
 * a connection broke, after its sender had left the call.
 *
 * The thread sleeps while no connection is made or mended (with UCX paths, a tenth of a second),
 * and makes no MPI call. It runs only where the job has several hosts. */
#ifndef FTC_PROGRESS_LINK_THREAD_H
#define FTC_PROGRESS_LINK_THREAD_H

/* In MPI_Init; from then on all calls hold the library's lock. 0 or a negative errno. */
int ftc_link_thread_open(void);

/* In MPI_Finalize, without the lock. */
void ftc_link_thread_close(void);

#endif
