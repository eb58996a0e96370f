/* pipes: the pipes by which the launcher reads what a rank writes, and sends it standard input.
 *
 * Hydra's proxy answers PMI only as long as it has something to read from any rank's standard
 * output or error. After that it only waits for its processes to end. The proxy gives each process
 * a second copy of these pipes, so even a program whose output goes elsewhere keeps them open
 * without knowing.
 *
 * The proxy ends the job when it cannot write a rank's standard input any more. */
#ifndef FTC_MONITOR_PIPES_H
#define FTC_MONITOR_PIPES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns a descriptor of this process, not standard output, that writes into a pipe which process
 * @launcher reads and does not write itself. Returns standard error if it is one, and -1 if there
 * is none. */
int ftc_pipes_output_to(pid_t launcher);

/* Returns standard input if it is a pipe that @launcher writes and does not read, else -1. */
int ftc_pipes_input_from(pid_t launcher);

/* Starts a thread that reads @input and drops it, until its writer closes it. The program that
 * @input was meant for must have ended. */
void ftc_pipes_drain(int input);

/* Returns whether a writer may still write into what ftc_pipes_drain() reads. */
bool ftc_pipes_are_draining(void);

/* Returns when ftc_pipes_drain() read something last, by CLOCK_MONOTONIC; 0: never. */
uint64_t ftc_pipes_drained_ns(void);

#endif
