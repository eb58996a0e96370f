"""Standard input, which mpiexec sends to rank 0, when that rank is dead.

Hydra ends a job whose input is written faster than it is read, or goes on after the end of the ranks: so it comes line by line."""
import os
import signal

from ..case import Case
from ..job import Hang, wait_for
from .common import TEN_S, await_said

# From the time that there is a file "feed" until there is a file "fed_up".
FEED = "until [ -e feed ]; do sleep 0.01; done; while [ ! -e fed_up ]; do echo line; echo >>fed; sleep 0.01; done"
LINES = 20


def lines(job):
    return os.path.getsize(job.path("fed")) if os.path.exists(job.path("fed")) else 0


def feed(job):
    job.allow("feed")
    enough = lines(job) + LINES
    if not wait_for(lambda: lines(job) >= enough, TEN_S):
        raise Hang(f"no more input is taken\n{job.stacks()}")


def kill_rank_0(job):
    job.strike(signal.SIGKILL, lambda process: process.name == "checkpoint" and process.rank == 0)
    await_said(job, r"rank 0 \(.*killed by signal 9.*; 3 of 4 ranks go on")


def save(job):
    job.strike(signal.SIGUSR1, lambda process: process.name == "checkpoint")
    job.allow("saved")


def feed_the_dead(job):
    kill_rank_0(job)
    feed(job)
    job.allow("fed_up")
    save(job)


def feed_after_mpi(job):
    job.allow("busy")
    kill_rank_0(job)
    save(job)
    await_said(job, "3 of 4 ranks survived")
    feed(job)
    job.allow("fed_up")
    os.remove(job.path("busy"))


def case(name, hand):
    return Case(f"standard input: {name}", 4, 1, hand=hand, rotate=False, limit_s=TEN_S, failures=1,
                command=f"{{{{ {FEED}; }}}} | mpiexec.hydra -n {{n}} {{programs}}/checkpoint",
                says=(r"(rank [123] has saved (.|\n)*){3}",), silent=("HYDU_sock_write",))


INPUT = [
    case("rank 0 is dead", feed_the_dead),
    case("survivors work after the end of MPI", feed_after_mpi),
]
