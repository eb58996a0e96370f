"""What several files of cases use."""
import os
import re
import signal
import subprocess
from dataclasses import replace

from .. import choice
from ..case import Case
from ..job import Gone, Hang, Patience, wait_for


def deaths_of(faults):
    """How many ranks die of @faults, such as 'kill@3:1,2 segv@5:root'."""
    deadly = [f for f in faults.split() if not f.startswith(("stop", "sleep", "freeze"))]
    return sum(len(f.split(":")[1].split(",")) for f in deadly)


def stream(faults, args=""):
    return " ".join(f"--fault {fault}" for fault in faults.split()) + " " + args


def tolerated(name, n, f, faults, args="", settings=None, **more):
    dead = deaths_of(faults)
    expected = {"finished": n - dead, "failures": dead, **more}
    return Case(name, n, f, stream(faults, args), settings=settings or {}, **expected)


DEFECT = (choice.DEFECT,)  # tags of a case that shows a defect of the library which had been found and mended


def defect_if(condition):
    """Returns the tags of one of many similar cases: DEFECT for those few that show a defect, as @condition says."""
    return DEFECT if condition else ()


# What MPI_Init() of MPICH gives then.
THREADS = {"MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE"}

# Debian's libfabric brings libpsm2 and libinfinipath, whose handlers of SIGSEGV make an exit of it. Before MPI_Init that
# ends no job of Hydra's, without the library as well.
DIES_OF_SIGSEGV = {"HFI_BACKTRACE": "0", "IPATH_NO_BACKTRACE": "1"}

REDUCE, ALLREDUCE, MIXED = "--calls reduce", "--calls allreduce", "--comms mixed"

def hydra():
    """Its version."""
    out = subprocess.run(["mpiexec.hydra", "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout
    return re.search(r"Version: +(\S+)", out).group(1)


# Of a job that Hydra itself ends because a rank was killed: that of 4.2.1 says 0 of 7 such jobs of 16, also without the library.
ENDED = (0, "failed") if hydra().startswith("4.2.") else "failed"


def native_end(job):
    """A check: the launcher has ended the job, in words or by SIGPIPE: it writes to a proxy that is already gone."""
    if re.search("BAD TERMINATION|error waiting for completion", job.text("stderr") + job.text("stdout")):
        return ""
    return "" if job.process.returncode == -signal.SIGPIPE else "the launcher does not say that it ends the job"


# Longer than a living rank waits for a core.
SILENCE = {"FTCOLL_MONITOR": "timeout", "FTCOLL_TIMEOUT_MS": Patience(2000)}
SILENT_FOR = r"silent for more than timeout_ms = \d+"

# Of a job with -disable-auto-cleanup, one of whose ranks exits with 0 and without MPI_Finalize: Hydra notes 1 when it
# reads the end of the rank's PMI socket, and the rank's own status when it has reaped it, one after the other.
UNFINISHED = (0, 1)

QUICK = {"FTCOLL_BLOCKED_MS": "300"}
SOME_TIME = r"(?:0\.[3-9]|[1-9]\d*\.\d) s"  # blocked_ms, or more on a busy machine
ABORT = {**QUICK, "FTCOLL_ON_BLOCKED": "abort"}
WARN = {**QUICK, "FTCOLL_ON_BLOCKED": "warn"}

TEN_S = 10  # in which everything must be over on an idle machine


def strike(number, whom):
    return lambda job: job.strike(number, whom)


def await_said(job, pattern):
    """Until the job has said @pattern; raises Hang, and Gone if it ends before."""
    def is_said():
        return re.search(pattern, job.text("stdout") + job.text("stderr"))

    if not wait_for(lambda: is_said() or job.process.poll() is not None, TEN_S):
        raise Hang(f"it does not say '{pattern}'\n{job.stacks()}")
    if not is_said():
        raise Gone(f"it ended before it said '{pattern}'")


def one_line(job):
    """A case's check: all ranks together say one line."""
    lines = [line for line in job.text("stderr").splitlines() if "ftcoll" in line]
    return "" if len(lines) == 1 else f"{len(lines)} lines of ftcoll, not one: {lines}"


def release_when(is_heard):
    """Makes the file "heard" (programs/heard.h), after which ranks end the job, as soon as @is_heard(job): the launcher drops
    what it has not passed on by then. If that does not become true in time, the case's own check says what is missing."""
    def hand(job):
        wait_for(lambda: is_heard(job) or job.process.poll() is not None, TEN_S)
        job.allow("heard")
    return hand


def is_launcher(process):
    return process.name.startswith("mpiexec")


SURVIVORS = {"FTCOLL_COMMUNICATORS": "survivors"}


def needs_root(*cases):
    """Cases in which a file belongs to another user, or a rank becomes one."""
    skip = "" if os.geteuid() == 0 else "this is not root"
    return [replace(case, skip=skip) for case in cases]
