"""How a job ends, and what a program does at its end."""
import os
import signal

from ..case import Case
from .common import ABORT, DEFECT, SILENCE, SURVIVORS, TEN_S, UNFINISHED, defect_if, is_launcher, needs_root, stream, strike, tolerated


# ---- how the job ends ----

# None is through before it was struck: it waits for the file "done".
LONG = "--ops 200000 --go 50 --await 200000:done --calls allreduce"
STRUCK = "--ops 3000 --go 50 --await 3000:done"


def is_proxy(process):
    return process.name == "hydra_pmi_proxy"


def is_monitor_of_2(process):
    return process.is_monitor() and process.rank == 2


def is_rank(rank):
    return lambda process: process.name == "stream" and process.rank == rank


def strike_one(number, rank):
    """The others go on."""
    def hand(job):
        job.strike(number, is_rank(rank))
        job.allow("done")
    return hand


def ended(name, number, whom):
    """The signal ends the whole job, at once and without a trace. Of a job that it was told to end,
    Hydra's exit status is sometimes 0: on a busy machine in one of forty."""
    return Case(name, 4, 1, LONG, hand=strike(number, whom), status=(0, "failed"), limit_s=TEN_S,
                finished=None)


def interrupt_group(job):
    """What a terminal does at Ctrl-C."""
    os.killpg(job.process.pid, signal.SIGINT)


STATUS_9 = {"FTCOLL_FAILURE_EXIT_STATUS": "9"}

END = [
    Case("MPI_Abort", 4, 1, "--abort 10", status=7),
    Case("MPI_Abort after a failure", 4, 1, stream("kill@5:1", "--abort 10"), status=7),
    tolerated("failure_exit_status", 4, 1, "kill@10:1", settings=STATUS_9, status=9),
    tolerated("failure_exit_status, nobody dies", 4, 1, "", settings=STATUS_9),
    # The runner looks for what is left in /dev/shm.
    *(Case(f"UCX removes its files at its end, n = {n}", n, 1, settings={"UCX_POSIX_USE_PROC_LINK": "n"}, tags=DEFECT) for n in (2, 4)),
    Case("all die", 3, 2, stream("kill@10:0,1,2"), status="failed"),
    # Some may still be in the operation before.
    *(Case(f"all end with status {status} without MPI_Finalize, n = {n}", n, n - 1,
           stream(f"exit{status}@10:{ranks}"), finished=(), status=status, rotate=False, silent=("BAD TERMINATION|KILLED",) if status == 0 else ("KILLED",),
           tags=defect_if((status, n) == (3, 4)))
      for status, n, ranks in ((0, 2, "0,1"), (3, 4, "0,1,2,3"), (3, 8, "0,1,2,3,4,5,6,7"))),
    ended("kill -9 of mpiexec", signal.SIGKILL, is_launcher),
    ended("kill -9 of the proxy", signal.SIGKILL, is_proxy),
    ended("kill -9 of a monitor process", signal.SIGKILL, is_monitor_of_2),
    ended("Ctrl-C", signal.SIGINT, is_launcher),
    ended("SIGTERM to mpiexec", signal.SIGTERM, is_launcher),
    Case("Ctrl-C after a failure", 4, 1, stream("kill@20:1", LONG),
         hand=strike(signal.SIGINT, is_launcher), status=(0, "failed"), limit_s=TEN_S),
    Case("Ctrl-C in a terminal", 4, 1, LONG, hand=interrupt_group, status=(0, "failed"),
         limit_s=TEN_S),
    Case("killed from outside", 4, 1, STRUCK, finished=3, failures=1, hand=strike_one(signal.SIGKILL, 2)),
    Case("SIGTERM to a rank", 4, 1, STRUCK, finished=3, failures=1, hand=strike_one(signal.SIGTERM, 0)),
    # Of 300 operations with a dead rank none waits: all would take 5 minutes or more, which is too long at any load.
    tolerated("a known failure costs nothing", 4, 1, "kill@10:1", "--ops 300", limit_s=TEN_S,
              settings={"FTCOLL_TIMEOUT_MS": "5000"}),
    tolerated("a known failure costs nothing, timeout", 4, 1, "exit0@10:1", "--ops 300",
              launch="-disable-auto-cleanup", settings=SILENCE, status=UNFINISHED,
              limit_s=TEN_S),
]

def orphan(how, where, more="", **expected):
    """Hydra ends a job in which a process of its own is killed, so it gets shells, which stay until
    all ranks have ended."""
    return Case(f"without a monitor process: {how}, {where}{more}", 3, 1, limit_s=TEN_S, rotate=False,
                command=f"mpiexec.hydra -n {{n}} sh -c '{{programs}}/orphan {how} {where} || [ $? = 137 ] || exit 1; "
                        "touch ended$PMI_RANK; "
                        "while [ $(ls | grep -c ended) -lt {n} ]; do sleep 0.05; done'",
                silent=("orphan: it still", "rank 1 goes on"), **expected)


# That a shell without a word to the launcher is gone too is seen by Hydra now and then.
GO_ON = {"status": (0, "failed"), "failures": 1, "says": ("orphan: rank 0 goes on with 2", "orphan: rank 2 goes on with 2",
                                 r"ftcoll: rank 1 \(.*killed by signal 9")}

# A rank must not outlive its monitor process, because then nobody would notice its death.
ORPHANS = [
    orphan("prctl", "pause", tags=DEFECT, **GO_ON),
    orphan("deaf", "reduce", tags=DEFECT, **GO_ON),
    orphan("prctl", "barrier", status="failed", settings=ABORT,
           says=(r"it needs rank 1, which is dead \(killed by signal 9\)",)),
    *(orphan("prctl", where, ", critical", status="failed", settings={"FTCOLL_CRITICAL_RANKS": "1"}, tags=DEFECT,
             says=("ftcoll: the death of rank 1 ends the job: critical_ranks",)) for where in ("barrier", "reduce")),
] + needs_root(
    orphan("setuid", "pause", tags=DEFECT, **GO_ON),
)

ABORT_LINE = r"(?m)^Abort\(\d+\) on node \d"  # MPICH's


def crashed(scene, **expected):
    """Of 4 ranks, rank 1 crashes."""
    return Case(f"a crash: {scene}", 4, 1, rotate=False, limit_s=TEN_S,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/crashed {scene}", **expected)


INSIDE = (r"(?m)^ftcoll: rank 1 crashed inside the library, at libftcoll\.so\(\w+(\.\w+)*\+0x\w+\) \({}\): the library has a "
          r"defect, or a buffer .*; the job ends, as it does natively$")
CRASHED = [
    crashed("buffer", status="failed", says=(INSIDE.format("killed by signal 11"),), silent=("went on", "survived")),
    crashed("handled", status="failed", says=("crashed: a handler", INSIDE.format("exited with status 3")),
            silent=("went on", "survived")),
    *(crashed(scene, status=0, failures=1, says=("(crashed: rank [023] went on(.|\n)*){3}",), silent=("inside the library",))
      for scene in ("program", "trapped", "sent")),
]


def fatal(scene, status, settings=None, tags=()):
    """Of 4 ranks one meets the error."""
    setting = " ".join((settings or {}).values())
    return Case(f"MPI ends the job: {scene} {setting}", 4, 2, status=status, limit_s=TEN_S,
                silent=("went on", "survived"), settings=settings or {}, rotate=False, tags=tags,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/fatal {scene}")


# MPICH 4.0.2 takes MPI_ERRORS_ABORT on a communicator for an internal error, and ends with 1, 4.2.1 with 6.
FATAL = [fatal(scene, (1, 6) if scene == "abort" else 6, settings, defect_if(not settings and scene in ("dup", "call-dead")))
         for settings in (None, SURVIVORS)
         for scene in ("unset", "dup", "group", "fatal", "abort", "self", "call", "call-dead")] + [
    # Natively the status is that of one of several signals, by chance.
    fatal("call-crash", 14, tags=DEFECT),
    fatal("call-dead-late", 6, tags=DEFECT),
    fatal("read", 6, tags=DEFECT),
    # The others may go on until they are ended.
    Case("MPI ends the job: call-killed", 4, 2, status=9, limit_s=TEN_S, rotate=False, failures=None, tags=DEFECT,
         command="mpiexec.hydra -n {n} {programs}/fatal call-killed"),
    Case("a program's error handler ends a rank", 4, 2, status=0, failures=1, silent=(ABORT_LINE,),
         command="mpiexec.hydra -n {n} {programs}/fatal handler", says=("(fatal: 3 ranks went on(.|\n)*){3}",)),
    Case("MPI ends the job: Fortran 2008", 4, 1, status=6, limit_s=TEN_S, silent=("survived",),
         command="mpiexec.hydra -n {n} {programs}/fortran08 fatal"),
]

FAREWELL = [
    Case("attributes are deleted at the end", 3, 1, says=("(: badc, well(.|\n)*){3}",), failures=0,
         command="mpiexec.hydra -n {n} {programs}/farewell"),
    Case("attributes are deleted at the end, after a failure", 3, 1, failures=1,
         says=("(: badc, well(.|\n)*){2}",), command="mpiexec.hydra -n {n} {programs}/farewell die"),
    Case("Fortran 2008", 4, 1, command="mpiexec.hydra -n {n} {programs}/fortran08", failures=1, tags=DEFECT,
         settings={"FTCOLL_REQUIRE_ALL": "prod"},
         says=("fortran: 4 ranks, then up to rank 2",
               'fortran: 0 beyond "ftcoll: MPI_Allreduce with MPI_PROD: .* requires all"\n')),
]
