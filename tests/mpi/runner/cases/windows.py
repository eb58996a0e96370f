"""Windows that are freed with dead members (programs/windows.c), and whose host waits (programs/passive.c)."""
import re

from ..case import Case
from .common import ABORT, DEFECT, THREADS, defect_if
from .reports import SITES, site

FREEING = {"FTCOLL_INTERCEPT": "all"}


def freed(survivors):
    """A case's check: that many ranks have come to the end, and counted each other."""
    def check(job):
        told = sorted(re.findall(r"(?m)^windows: (\d): (\d+) in the sum$", job.text("stdout")))
        wanted = [(str(rank), str(len(survivors))) for rank in survivors]
        return "" if told == wanted else f"not {wanted}, but {told}: {job.text('stdout')}"
    return check


def window(what, survivors=(0, 2, 3), **more):
    dead = 4 - len(survivors)
    return Case(more.pop("name", f"window: {what}"), 4, 1, **{
        "settings": FREEING, "command": f"mpiexec.hydra -n {{n}} {{programs}}/windows {what}", "check": freed(survivors),
        "failures": dead, "silent": ("wrong:", "on_blocked"), **more})


def passive(call, settings, tags=()):
    return Case(f"window: its host waits in {call}", 2, 1, command=f"mpiexec.hydra -n {{n}} {{programs}}/passive {call}",
                settings=settings, says=(f"passive: {call}: looked on",), tags=tags)


NOT_NAMED = "setting intercept does not name this call"

WINDOWS = [
    *(window(flavour) for flavour in ("create", "allocate", "shared", "dynamic")),
    window("inside"),
    window("inside", name="window: inside, with threads", settings={**FREEING, **THREADS}, tags=DEFECT),
    window("under-way", tags=DEFECT),
    window("threads"),
    window("alive", range(4)),
    window("often", range(4), tags=DEFECT),
    passive("MPI_Allreduce", {}),
    *(passive(call, FREEING, defect_if(call == "MPI_Win_free")) for call in ("MPI_Barrier", "MPI_Win_free")),
    passive("MPI_Recv", {"FTCOLL_P2P": "ignore"}),
    Case("window: intercept does not name it", 4, 1, command="mpiexec.hydra -n {n} {programs}/windows create",
         settings={"FTCOLL_INTERCEPT": "reduce,allreduce,barrier", **ABORT}, status="failed", check=None,
         says=(r"in MPI_Win_free at windows\(.*on_blocked = abort",)),
    window("lock", settings={**FREEING, **ABORT}, status="failed", check=None, failures=None, silent=(),
           says=(r"rank 2 has been in MPI_Win_lock at windows\(.*it may need rank 1, .*on_blocked = abort",)),
    Case("window: coverage, freed here", 4, 1, command="mpiexec.hydra -n {n} {programs}/windows alive",
         settings={**SITES, "FTCOLL_INTERCEPT": "win_free,allreduce"},
         says=(site(8, 4, "MPI_Win_free", "protected", r"windows\(free_it", "by setting intercept"),)),
    Case("window: coverage, freed natively", 4, 1, command="mpiexec.hydra -n {n} {programs}/windows alive", settings=SITES,
         says=(site(8, 4, "MPI_Win_free", "not protected", r"windows\(free_it", NOT_NAMED),
               "verdict with FTCOLL_INTERCEPT=all")),
]
