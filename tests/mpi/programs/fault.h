/* fault: how, when and where a test program dies or stands still, said on its command line as
 *
 *     FORM[MILLISECONDS]@MOMENT:VICTIMS        kill@in20:root   stop1500@10:2   exit3@finalize:1,2
 *
 * FORM     kill, segv, abort, exit3, exit0 (death); stop, sleep (a pause of MILLISECONDS);
 *          freeze (stops until fault_is_over() says so)
 * MOMENT   init         before MPI_Init          N    between operations, before number N
 *          ininit       inside MPI_Init, about   inN  inside operation N, where it combines values
 *          finalize     before MPI_Finalize      ~N   in a random operation from N on, at a random
 *                                                     moment: at the latest when it is through
 *          infinalize   inside it, about         after   when MPI_Finalize has returned
 * VICTIMS  ranks, or one of: zero; last; root (of operation N); other (neither zero nor root)
 *
 * It knows nothing of the library under test. */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum { FAULT_MAX = 16 };

enum fault_form {
    FAULT_KILL,
    FAULT_SEGV,
    FAULT_ABORT,
    FAULT_EXIT3,
    FAULT_EXIT0,
    FAULT_STOP,
    FAULT_FREEZE,
    FAULT_SLEEP
};

enum fault_moment {
    FAULT_INIT,
    FAULT_IN_INIT,
    FAULT_BETWEEN,
    FAULT_INSIDE,
    FAULT_AROUND,
    FAULT_FINALIZE,
    FAULT_IN_FINALIZE,
    FAULT_AFTER
};

struct fault {
    enum fault_form form;
    enum fault_moment moment;
    int op;           /* operation number N, else 0 */
    int pause_ms;     /* of stop and sleep */
    char victims[32]; /* as given */
};

/* Reads one fault; false if @text is not one. */
bool fault_parse(const char *text, struct fault *fault);

/* True if @rank of @n is a victim, with @root the root of the fault's operation. */
bool fault_hits(const struct fault *fault, int rank, int n, int root);

/* The number of the operation that it comes in, of @ops; drawn from @seed for FAULT_AROUND. Victims
 * that are given as a list draw one each. */
int fault_operation(const struct fault *fault, int rank, int ops, uint64_t seed);

/* Does it now. Returns only after a pause. */
void fault_happen(const struct fault *fault);

/* Does it after 0 to @within_us microseconds, drawn from @seed, wherever the program then is; but
 * not while UCX writes into another rank's queue, which would be shut for all from then on,
 * natively too (doc/design.md, section 7): then as soon as it has left that. */
void fault_happen_soon(const struct fault *fault, unsigned within_us, uint64_t seed);

/* Around each step of the program, such as an operation. */
void fault_step_begin(void);
void fault_step_end(void);

/* Does it at a moment of this step that is drawn from @seed and from how long the last one took: at
 * the latest at its end. */
void fault_happen_in_step(const struct fault *fault, uint64_t seed);

/* To be set for FAULT_FREEZE; called in another process, which shares only shared mappings with
 * this one. */
extern bool (*fault_is_over)(void);

/* A well mixed 64-bit number for each @x: all randomness of the tests comes from here. */
uint64_t fault_random(uint64_t x);

#endif
