/* pmi2: the library's part of PMI-2 against a real launcher, without MPI: Debian's MPICH 4.0 does
 * not speak it, and that of 5.0.2 does not get through its own beginning with Slurm ("pmijobid
 * missing in fullinit command").
 *
 *     pmi2 finalize      each process ends its account
 *     pmi2 abort         process 0 ends the job, in which the others wait for ever
 *     pmi2 abort-early   likewise, before it has begun PMI
 */
#include "monitor/pmi.h"
#include "system/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_MS = 20000 };

static int fd, rank;
static char line[FTC_PMI_LINE_MAX + 1];

static void fail(const char *what)
{
    printf("pmi2: process %d: %s\n", rank, what);
    exit(1);
}

static void expect(enum ftc_pmi_wire wire, const char *answer)
{
    if (ftc_pmi_wire_receive(fd, wire, ftc_clock_ms() + ANSWER_MS, line) != 0 ||
        !ftc_pmi_wire_is(line, answer))
        fail(answer);
}

/* As an MPI library does it in MPI_Init. */
static void begin(void)
{
    char words[256];

    ftc_pmi_wire_send(fd, FTC_PMI_1, "cmd=init pmi_version=2 pmi_subversion=0");
    expect(FTC_PMI_1, "response_to_init");
    snprintf(words, sizeof words, "cmd=fullinit pmijobid=%s pmirank=%d threaded=FALSE",
             getenv("PMI_JOBID"), rank);
    ftc_pmi_wire_send(fd, FTC_PMI_2, words);
    expect(FTC_PMI_2, "fullinit-response");
}

static void ask_mapping(void)
{
    char mapping[FTC_PMI_LINE_MAX];

    if (ftc_pmi_get_mapping(fd, mapping, sizeof mapping) != 0)
        fail("no mapping");
    printf("pmi2: process %d: %s\n", rank, mapping);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    setbuf(stdout, NULL);
    fd = ftc_pmi_fd();
    if (fd < 0)
        fail("no PMI_FD");
    rank = atoi(getenv("PMI_RANK"));
    ftc_pmi_speak(FTC_PMI_2);
    if (strcmp(what, "abort-early") == 0 && rank == 0)
        ftc_pmi_abort(fd, 7, false);
    else
        begin();
    if (strcmp(what, "abort") == 0 && rank == 0)
        ftc_pmi_abort(fd, 7, true);
    if (strcmp(what, "finalize") != 0)
        for (;;)
            pause();
    ask_mapping();
    ftc_pmi_finalize(fd, false);
    printf("pmi2: process %d: through\n", rank);
    return 0;
}
