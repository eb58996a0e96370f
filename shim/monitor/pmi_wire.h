/* pmi_wire: how a command of PMI goes over the socket to the launcher.
 *
 *     PMI-1   cmd=finalize\n                      a line; words are parted by blanks
 *     PMI-2       13cmd=finalize;                 its length in 6 digits, then words that end with
 * ;
 *
 * Source: MPICH, src/pmi/simple/simple_pmi.c and src/pmi/pmi2/simple/simple2pmi.c. */
#ifndef FTC_MONITOR_PMI_WIRE_H
#define FTC_MONITOR_PMI_WIRE_H

#include <stdbool.h>
#include <stddef.h>

enum ftc_pmi_wire {
    FTC_PMI_MUTE, /* the launcher does not answer what is asked here */
    FTC_PMI_1,
    FTC_PMI_2,
};

enum { FTC_PMI_LINE_MAX = 1024 };

/* Sends @words, such as "cmd=abort exitcode=1", in the form of @wire; its blanks part the words.
 * One write: so short a command is never split by a stream socket that is not full. Returns 0 or
 * -EPIPE. */
int ftc_pmi_wire_send(int fd, enum ftc_pmi_wire wire, const char *words);

/* Takes one command of the form @wire until @deadline_ms of ftc_clock_ms(); of a longer one than
 * FTC_PMI_LINE_MAX the beginning. @line ends with a zero byte, and its words with blanks. Nothing
 * that follows is lost to a later caller. Returns 0, -ETIMEDOUT, -EPIPE, or -EPROTO for what is no
 * command; then nothing more can be understood. */
int ftc_pmi_wire_receive(int fd, enum ftc_pmi_wire wire, long deadline_ms,
                         char line[FTC_PMI_LINE_MAX + 1]);

/* True if @line is the command @name, without "cmd=". */
bool ftc_pmi_wire_is(const char *line, const char *name);

/* The value of the word @key; false if there is none, or it has more than @size - 1 bytes. */
bool ftc_pmi_wire_value(const char *line, const char *key, char *value, size_t size);

#endif
