"""Deaths of ranks: tolerated, at exact points of the protocol, at either end of MPI, and too many."""
import os
import random
import signal
import time

from ..case import Case
from ..job import Hang, send, wait_for
from .common import ALLREDUCE, DEFECT, DIES_OF_SIGSEGV, ENDED, MIXED, REDUCE, SILENCE, TEN_S, UNFINISHED, native_end, stream, tolerated


RING = {"FTCOLL_TREE": "binomial", "FTCOLL_CORRECTION": "ring:3"}

TOLERATED = [tolerated(*row) for row in (
    # name, n, f, faults (see programs/fault.h), further arguments of stream
    ("nobody dies, 1 rank", 1, 1, ""),
    ("nobody dies, 2 ranks", 2, 1, ""),
    ("nobody dies, 3 ranks, f = 0", 3, 0, ""),
    ("nobody dies, 8 ranks", 8, 3, "", MIXED),
    # each form at each moment
    ("kill between operations", 4, 1, "kill@10:other"),
    ("kill inside an operation", 4, 1, "kill@in10:other"),
    ("kill before MPI_Finalize", 4, 1, "kill@finalize:other"),
    ("segv between operations", 5, 1, "segv@10:last"),
    ("segv inside an operation", 5, 1, "segv@in10:last"),
    ("segv before MPI_Finalize", 3, 1, "segv@finalize:1"),
    ("abort between operations", 4, 1, "abort@7:zero"),
    ("abort inside an operation", 3, 1, "abort@in7:last"),
    ("abort before MPI_Finalize", 2, 1, "abort@finalize:1"),
    ("exit(3) between operations", 4, 1, "exit3@8:last"),
    ("exit(3) inside an operation", 4, 1, "exit3@in8:zero"),
    ("exit(3) before MPI_Finalize", 4, 1, "exit3@finalize:zero"),
    ("_exit(0) between operations", 3, 1, "exit0@9:other"),
    ("_exit(0) inside an operation", 5, 2, "exit0@in9:other"),
    ("_exit(0) before MPI_Finalize", 6, 1, "exit0@finalize:last"),
    # who: the root, rank 0, the last, every one
    ("root of a reduce, between", 4, 1, "kill@6:root", REDUCE),
    ("root of a reduce, inside", 5, 1, "kill@in6:root", REDUCE),
    ("rank 0 of an allreduce, between", 6, 2, "kill@6:zero", ALLREDUCE),
    ("rank 0 of an allreduce, inside", 7, 2, "kill@in6:zero", ALLREDUCE),
    ("last of an allreduce, inside", 8, 1, "kill@in6:last", ALLREDUCE),
    ("before the first operation", 4, 1, "kill@0:other"),
    ("in the first operation", 4, 1, "kill@in0:zero"),
    ("in the last operation", 4, 1, "kill@in39:other"),
    ("one of two", 2, 1, "kill@5:1"),
    ("rank 0 of two", 2, 1, "kill@5:zero"),
    # several at once
    ("two at once", 5, 2, "kill@8:1,3"),
    ("two at once, with rank 0", 6, 2, "kill@8:0,5", ALLREDUCE),
    ("three at once", 8, 3, "kill@8:2,4,6"),
    ("three at once, the candidate roots", 8, 3, "kill@in8:0,1,2", ALLREDUCE),
    ("three at once inside, in different forms", 7, 3, "kill@in8:1 segv@in8:3 exit0@in8:6"),
    ("all but one", 4, 3, "kill@8:0,1,3", ALLREDUCE),
    ("all but one, before MPI_Finalize", 3, 2, "kill@finalize:0,2"),
    # one after the other: each allreduce renews f
    ("one after the other", 5, 2, "kill@6:1 kill@20:3"),
    ("one after the other, more than f in all", 6, 1, "kill@6:1 segv@14:3 kill@22:0 exit3@30:5",
     ALLREDUCE),
    ("one after the other, rank 0 upwards", 5, 1, "kill@in6:0 kill@in14:1 kill@in22:2", ALLREDUCE),
    ("two after two, more than f in all", 8, 2, "kill@6:1,2 kill@20:0,7 kill@30:3,5", ALLREDUCE),
    # a ring as short as doc/design.md, section 4 allows, among two failures
    ("two at once, ring on binomial trees", 8, 2, "kill@in8:1,5", ALLREDUCE, RING),
    # communicators beside the world, also of only some of the dead
    ("in all communicators", 6, 1, "kill@12:3", MIXED),
    ("two in all communicators", 8, 2, "kill@12:0,3", MIXED),
    ("inside, in all communicators", 7, 2, "kill@in12:4", MIXED),
)]

# A random moment of a random operation, several runs each, with other settings and another seed each time.
AT_RANDOM = [tolerated(*row, runs=3) for row in (
    ("random instant", 4, 1, "kill@~10:other"),
    ("random instant, rank 0", 5, 1, "kill@~10:zero", ALLREDUCE),
    ("random instant, the root", 6, 1, "kill@~10:root", REDUCE),
    ("random instant, two", 7, 2, "kill@~10:1,4"),
    ("random instant, three", 8, 3, "kill@~10:0,3,6", MIXED),
    # At any instant, also inside malloc: there UCX's handler of SIGSEGV, which itself calls malloc, never ends.
    ("random instant, segv", 4, 1, "segv@~10:last", "", {"UCX_HANDLE_ERRORS": "none"}),
    ("random instant, abort", 4, 2, "abort@~10:other"),
    ("random instant, exit", 3, 1, "exit3@~10:zero"),
    ("random instant, one after the other", 6, 2, "kill@~6:2 kill@~20:0", ALLREDUCE),
)]

# ---- deaths at exact points of the protocol, by setting crash (shim/progress/crash.h) ----

POINTS = ("a0", "b1", "a1", "b2", "a2", "b3", "a3", "end")  # sends that there are not kill nobody


def crash(n, f, *points, args=ALLREDUCE):
    text = ",".join(f"{rank}:7:{point}" for rank, point in points)
    return Case(f"point {text} of {n}", n, f, args, settings={"FTCOLL_CRASH": text},
                finished=tuple(range(n - len(points), n + 1)))


def crashes_of_two(n, count):
    draw = random.Random(n)
    for _ in range(count):
        ranks, points = draw.sample(range(n), 2), draw.choices(POINTS, k=2)
        yield crash(n, 2, *zip(ranks, points), args=ALLREDUCE)


AT_POINTS = [crash(4, 1, (rank, point), args=ALLREDUCE) for rank in range(4) for point in POINTS]

# With small values each of 4 ranks sends at least twice, however many cores there are, and one message to all is many sends.
AT_POINTS += [Case(f"point {rank}:7:{point} of 4, small values", 4, 1, f"{ALLREDUCE} --max-bytes 64", finished=3,
                   settings={"FTCOLL_CRASH": f"{rank}:7:{point}"})
              for rank in (0, 3) for point in ("b1", "a1", "b2", "a2")]

AT_POINTS += [crash(3, 1, (rank, point), args=REDUCE) for rank in (1, 2) for point in POINTS[:4]]

AT_POINTS += [*crashes_of_two(6, 8), *crashes_of_two(7, 8)]

def crash_at(site, settings, **expected):
    """Of 4 ranks of sites one dies at a call site, also of a call that native MPI carries out."""
    return Case(f"point at a call site: {site}", 4, 1, command="mpiexec.hydra -n {n} {programs}/sites", rotate=False,
                settings={"FTCOLL_CRASH": site, **settings}, **expected)


AT_POINTS += [
    crash_at("2:collect:0:a0", {"FTCOLL_BLOCKED_MS": "1000"}, status="failed", failures=1,
             says=(r"rank 2 kills itself in its call 0 at collect, ", r"been in MPI_\w+ at sites\((collect|spectrum).* it needs rank 2")),
    crash_at("1:energy:7:b1", {"FTCOLL_PROTECT": "all"}, status=0, failures=1,
             says=(r"rank 1 kills itself in its call 7 at energy, ", r"missed in MPI_Allreduce #[67] ")),
    crash_at("1:energy:300:a0", {}, status=0, failures=None, silent=("kills itself",)),
]

ENDS = [
    # Natively a death here ends the job.
    Case("kill before MPI_Init", 4, 1, stream("kill@init:1"), status=ENDED, check=native_end),
    Case("segv before MPI_Init", 3, 1, stream("segv@init:0"), status=ENDED, check=native_end, settings=DIES_OF_SIGSEGV),
    Case("kill inside MPI_Init", 4, 1, stream("kill@ininit:2"), status=(0, "failed"), runs=3),
    Case("kill inside MPI_Init, rank 0", 5, 2, stream("kill@ininit:0"), status=(0, "failed"),
         runs=2),
    # The dead may or may not have been through, and the report may be out already.
    tolerated("kill inside MPI_Finalize", 4, 1, "kill@infinalize:1", status=(0, "failed"),
              failures=None, finished=(3, 4), runs=5),
    tolerated("kill inside MPI_Finalize, rank 0", 5, 1, "kill@infinalize:zero",
              status=(0, "failed"), failures=None, finished=(4, 5), runs=3),
    tolerated("two killed inside MPI_Finalize", 6, 2, "kill@infinalize:0,3", failures=None,
              status=(0, "failed"), finished=(4, 5, 6), runs=3),
    tolerated("_exit(0) after MPI_Finalize", 4, 1, "exit0@after:1", finished=4, failures=0),
    tolerated("exit(3) after MPI_Finalize", 4, 1, "exit3@after:last", finished=4, failures=0,
              status=3),
    Case("kill after MPI_Finalize", 4, 1, stream("kill@after:1"), status="failed"),
]

# ---- slow is not dead, silent is ----

PATIENT = {"FTCOLL_MONITOR": "auto", "FTCOLL_TIMEOUT_MS": "100"}

SLOW = [
    tolerated("stopped for longer than the timeout", 4, 1, "stop900@10:other", settings=PATIENT),
    tolerated("stopped inside an operation", 4, 1, "stop900@in10:zero", settings=PATIENT),
    tolerated("asleep for longer than the timeout", 3, 1, "sleep600@10:root", settings=PATIENT),
    tolerated("stopped while another dies", 5, 1, "stop700@10:2 kill@10:3", settings=PATIENT),
    tolerated("monitor = timeout, nobody dies", 4, 1, "", settings=SILENCE),
    # Without a monitor process Hydra itself ends a job one of whose ranks is killed by a signal,
    # whatever its options say; with this one it bears a rank that just ends.
    tolerated("monitor = timeout, a rank exits", 4, 1, "exit0@10:other", settings=SILENCE,
              launch="-disable-auto-cleanup", status=UNFINISHED),
    Case("monitor = timeout, a rank is killed", 4, 1, stream("kill@10:other"), settings=SILENCE,
         status=ENDED, says=("KILLED|Killed",)),
    tolerated("monitor = timeout, taken for dead, wakes up", 4, 1, "freeze@10:2",
              settings=SILENCE, finished=3, failures=1,
              says=(r"ftcoll: rank 2 \(pid \d+\) stops: rank \d declared it dead after more than "
                    r"timeout_ms = \d+",)),
    *(Case(f"monitor = timeout, {setting} ends the job", 4, 1, stream("freeze@10:2"), settings={**SILENCE, setting: value},
           status="failed", says=("(?m)^ftcoll: the death of rank 2 ends the job: " + why + "$",))
      for setting, value, why in (("FTCOLL_TOLERATE", "signal", "setting tolerate does not name silence"),
                                  ("FTCOLL_CRITICAL_RANKS", "2", "critical_ranks"),
                                  ("FTCOLL_MAX_FAILED", "0", "it is number 1, max_failed = 0"))),
]

# ---- what is left of the dead ----

TIME_S = 1  # that the survivors have for a result


def kill_and_see_reaped(job):
    """No operation misses rank 1 before its monitor process takes in what is left of it."""
    victim, begin = job.ranks()[1].pid, time.monotonic()
    send(signal.SIGKILL, victim)
    if not wait_for(lambda: not os.path.exists(f"/proc/{victim}"), TEN_S):
        raise Hang(f"the dead process is not reaped\n{job.stacks()}")
    if time.monotonic() - begin < TIME_S:
        raise Hang("the dead process is reaped before the survivors could have a result")
    job.allow("dead")


LEFT = [
    Case("a dead process is reaped when the survivors have had time", 3, 1, f"--meet 6 --go 6 --await 6:dead {ALLREDUCE}",
         hand=kill_and_see_reaped, finished=2, failures=1, tags=DEFECT),
]

# ---- more than f ----

EXCESS_TEXT = (r"(?m)^stream: rank {}, operation \d+: ftcoll: MPI_\w+: {} of {} processes failed "
               r"\(ranks {}\), more than the f = {} tolerated in one operation; FTCOLL_F={} would tolerate them$")


def excess(name, n, f, dead, args=ALLREDUCE, told=None, **more):
    """All of @dead die at once: operation 10 cannot be carried out. @told are the ranks that must
    learn that, by default all survivors."""
    survivors = [r for r in range(n) if r not in dead]
    ranks = ", ".join(map(str, dead))
    faults = "kill@10:" + ",".join(map(str, dead))
    says = tuple(EXCESS_TEXT.format(r, len(dead), n, ranks, f, len(dead))
                 for r in (survivors if told is None else told))
    return Case(name, n, f, stream(faults, f"--meet 10 --errors-return {args}"),
                finished=len(survivors), excess="--excess", failures=len(dead), says=says, **more)


FATAL = r"ftcoll: MPI_\w+: 2 of 4 processes failed \(ranks 1, 2\), more than the f = 1 tolerated"

# Which ranks: each leaves no subtree of any root intact (doc/design.md, section 2).
EXCESS = [
    excess("too many: two of four", 4, 1, (1, 2)),
    excess("too many: f = 0", 3, 0, (2,)),
    excess("too many: three of eight", 8, 2, (1, 2, 3)),
    excess("too many: all roots there could be", 6, 2, (0, 1, 2, 3)),
    excess("too many: the root of a reduce is told", 4, 1, (2, 3), REDUCE, told=(0,)),
    Case("too many, inside an operation", 5, 1, finished=3, failures=2, excess="--maybe-excess",
         args=stream("kill@in10:1,3", "--meet 10 --errors-return " + ALLREDUCE), runs=3),
    Case("too many, default error handler", 4, 1, stream("kill@10:1,2", "--meet 10 " + ALLREDUCE),
         status="failed", says=(FATAL,)),
    Case("too many, on_excess = abort", 4, 1, settings={"FTCOLL_ON_EXCESS": "abort"},
         args=stream("kill@10:1,2", "--meet 10 --errors-return " + ALLREDUCE),
         status="failed", says=(FATAL + ".*; on_excess = abort ends the job",)),
]
