/* pmi_wire: how a PMI command goes over the socket to the launcher.
 *
 *     PMI-1   cmd=finalize\n          a line; blanks separate the words
 *     PMI-2       13cmd=finalize;     its length in 6 digits, then words that each end with ";"
 *
 * Source: MPICH, src/pmi/simple/simple_pmi.c and src/pmi/pmi2/simple/simple2pmi.c. */
#ifndef FTC_MONITOR_PMI_WIRE_H
#define FTC_MONITOR_PMI_WIRE_H

#include <stdbool.h>
#include <stddef.h>

enum ftc_pmi_wire {
    FTC_PMI_MUTE, /* no commands: the launcher does not answer those of this library */
    FTC_PMI_1,
    FTC_PMI_2,
};

enum { FTC_PMI_LINE_MAX = 1024 };

/* Sends @words, such as "cmd=abort exitcode=1", in the form of @wire. Blanks separate the words.
 * Uses one write: a stream socket that is not full never splits so short a command. Returns 0 or
 * -EPIPE. */
int ftc_pmi_wire_send(int fd, enum ftc_pmi_wire wire, const char *words);

/* Takes one command in the form of @wire, until @deadline_ms of ftc_clock_ms(). Writes its first
 * FTC_PMI_LINE_MAX characters at most, and a zero byte, to @line. Words there are separated by
 * blanks. Leaves what follows to a later caller. Returns 0, -ETIMEDOUT, -EPIPE, or -EPROTO for what
 * is no command; after -EPROTO nothing more can be understood. */
int ftc_pmi_wire_receive(int fd, enum ftc_pmi_wire wire, long deadline_ms,
                         char line[FTC_PMI_LINE_MAX + 1]);

/* Returns whether @line is the command @name, given without "cmd=". */
bool ftc_pmi_wire_is(const char *line, const char *name);

/* Copies the value of the word @key in @line to @value. Returns false if there is no such word, or
 * the value has more than @size - 1 bytes. */
bool ftc_pmi_wire_value(const char *line, const char *key, char *value, size_t size);

#endif
