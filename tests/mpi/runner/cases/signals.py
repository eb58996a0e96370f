"""Ranks that handle a signal: they save their work and end well, also if one of them dies before, meanwhile or afterwards."""
import os
import signal

from ..case import Case
from .common import TEN_S, await_said, is_launcher

CHECKPOINT = "mpiexec.hydra -n {n} {programs}/checkpoint"


# ---- what is done to the job ----

def mpiexec_gets(number):
    """Hydra passes it on to the process group of each rank."""
    return lambda job: job.strike(number, is_launcher)


def terminal_sends(number):
    """To the process group of mpiexec and its proxy, at a key."""
    return lambda job: os.killpg(job.process.pid, number)


def ranks_get(number):
    """From a batch system that knows the process groups of the ranks. The group of a dead rank still has its monitor process."""
    def act(job):
        for group in {os.getpgid(p.pid) for p in job.processes() if p.rank is not None}:
            os.killpg(group, number)
    return act


def rank_1_dies(job):
    job.strike(signal.SIGKILL, lambda process: process.name == "checkpoint" and process.rank == 1)


def death_is_told(job):
    await_said(job, r"rank 1 \(.*killed by signal 9.*; \d of \d ranks go on")


def ranks_save(job):
    """All that live have agreed on the signal."""
    await_said(job, r"(checkpoint: rank [023] saves(.|\n)*){3}")


def work_is_saved(job):
    job.allow("saved")


def in_turn(*acts):
    def hand(job):
        for act in acts:
            act(job)
    return hand


# ---- what has to come of it ----

def saves(name, number, *acts, dead=1, **expected):
    """The ranks that live come to the end, and so does the job."""
    alive = 4 - dead
    return Case(f"checkpoint: {name}", 4, 1, hand=in_turn(*acts), rotate=False, limit_s=TEN_S, failures=dead,
                says=(rf"(rank \d has saved after signal {number} (.|\n)*){{{alive}}}",), **{"command": CHECKPOINT, **expected})


STATUS_5 = {"FTCOLL_FAILURE_EXIT_STATUS": "5"}


def checkpoints(name, number, send):
    """The death comes after the signal, with it, and before it."""
    yield saves(f"{name} after a death", number, rank_1_dies, death_is_told, send, ranks_save, work_is_saved)
    yield saves(f"{name} before a death", number, send, ranks_save, rank_1_dies, death_is_told, work_is_saved)
    yield saves(f"{name} and a death at once", number, rank_1_dies, send, ranks_save, death_is_told, work_is_saved)


def without_death(name, number, send):
    return saves(f"{name}, nobody dies", number, send, ranks_save, work_is_saved, dead=0)


OF_BATCH_SYSTEMS = (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU, signal.SIGTSTP)

SIGNALS = [
    without_death("SIGTERM to mpiexec", signal.SIGTERM, mpiexec_gets(signal.SIGTERM)),
    *checkpoints("SIGTERM to mpiexec", signal.SIGTERM, mpiexec_gets(signal.SIGTERM)),
    *checkpoints("Ctrl-C", signal.SIGINT, terminal_sends(signal.SIGINT)),
    saves("SIGUSR1 to mpiexec after a death", signal.SIGUSR1, rank_1_dies, death_is_told, mpiexec_gets(signal.SIGUSR1), ranks_save,
          work_is_saved),
    *(saves(f"{number.name} to all processes after a death", number, rank_1_dies, death_is_told, ranks_get(number), ranks_save,
            work_is_saved) for number in OF_BATCH_SYSTEMS),
    saves("stopped and continued after a death", signal.SIGTERM, rank_1_dies, death_is_told, ranks_get(signal.SIGSTOP),
          ranks_get(signal.SIGCONT), mpiexec_gets(signal.SIGTERM), ranks_save, work_is_saved),
    # After a signal to mpiexec Hydra's status is 0 by chance: in 1 of 150 native jobs beside 12 spinning processes.
    saves("failure_exit_status", signal.SIGTERM, rank_1_dies, death_is_told, ranks_get(signal.SIGTERM), ranks_save,
          work_is_saved, settings=STATUS_5, status=5),
    saves("the program's own status", signal.SIGTERM, rank_1_dies, death_is_told, ranks_get(signal.SIGTERM), ranks_save,
          work_is_saved, command=CHECKPOINT + " 3", status=3),
]
