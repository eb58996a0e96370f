#include "signals.h"

#include "system/proc.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Signal that the kernel sends when the launcher ends. */
#define LAUNCHER_ENDED SIGHUP

static bool is_below_launcher(const struct ftc_monitored *rank)
{
    return rank->job.outer < 0;
}

/* Ends the rank with all processes of its group, as the launcher does while it can. */
static void end_with_launcher(const struct ftc_monitored *rank)
{
    if (rank->job.child > 0)
        kill(rank->job.child, SIGKILL);
    if (rank->leads_session)
        kill(0, SIGKILL);
    _exit(1);
}

void ftc_signals_prepare(struct ftc_monitored *rank)
{
    sigemptyset(&rank->from_launcher);
    rank->leads_session = getsid(0) == getpid();
    if (getpgrp() != getpid())
        setpgid(0, 0);
    if (!is_below_launcher(rank))
        return;
    prctl(PR_SET_PDEATHSIG, LAUNCHER_ENDED);
    if (getppid() != rank->job.launcher)
        end_with_launcher(rank);
}

static bool is_called(pid_t pid, const char *prefix)
{
    char path[48], name[32];

    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    return ftc_proc_read(path, name, sizeof name) && strncmp(name, prefix, strlen(prefix)) == 0;
}

bool ftc_signals_may_be_late(const struct ftc_monitored *rank)
{
    return !rank->leads_session || !is_called(rank->job.launcher, "hydra_");
}

/* Returns whether this process is in the control group in which Slurm's proctrack/cgroup keeps the
 * processes of a step. The name of that group has "/step_", in hierarchy "freezer" or in the only
 * hierarchy, which has number 0. */
static bool is_in_group_of_step(void)
{
    char text[4096];

    if (!ftc_proc_read("/proc/self/cgroup", text, sizeof text))
        return false;
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
        if ((strncmp(line, "0::", 3) == 0 || strstr(line, ":freezer:")) && strstr(line, "/step_"))
            return true;
    return false;
}

/* Returns whether @sender is Slurm and signals the program as well. Its proctrack/linuxproc signals
 * all descendants of slurmstepd, proctrack/cgroup only its children (but kills all). With
 * proctrack/pgid, which signals a process group, no signal comes here. */
static bool is_from_slurm_to_all(pid_t sender)
{
    return is_called(sender, "slurmstepd") && !is_in_group_of_step();
}

/* Returns whether @s went to the process group or the session: the program has it already then. */
static bool program_has_it(const struct ftc_monitored *rank, const struct signalfd_siginfo *s)
{
    pid_t sender = (pid_t)s->ssi_pid;

    if (s->ssi_code == SI_KERNEL || sender == rank->job.child || is_from_slurm_to_all(sender))
        return true;
    if (!rank->leads_session || getpgid(rank->job.child) != getpgrp())
        return false;
    if (sender == rank->job.launcher)
        return is_called(sender, "hydra_");
    return sender > 0 && getsid(sender) == getpid();
}

static void forward(const struct ftc_monitored *rank, const struct signalfd_siginfo *s)
{
    if (s->ssi_code == SI_QUEUE)
        sigqueue(rank->job.child, (int)s->ssi_signo,
                 (union sigval){.sival_ptr = (void *)s->ssi_ptr});
    else
        kill(rank->job.child, (int)s->ssi_signo);
}

static void take(struct ftc_monitored *rank, const struct signalfd_siginfo *s)
{
    if (is_below_launcher(rank) && getppid() != rank->job.launcher)
        end_with_launcher(rank);
    if (s->ssi_signo == SIGCHLD && s->ssi_code != SI_USER)
        return;
    if (is_below_launcher(rank) && (pid_t)s->ssi_pid == rank->job.launcher)
        sigaddset(&rank->from_launcher, (int)s->ssi_signo);
    if (rank->job.child > 0 && !program_has_it(rank, s))
        forward(rank, s);
}

void ftc_signals_forward(struct ftc_monitored *rank)
{
    struct signalfd_siginfo s;

    while (read(rank->signals, &s, sizeof s) == (ssize_t)sizeof s)
        take(rank, &s);
}
