"""The list of cases."""
import json
import os
import random
import re
import signal
import time

from . import inclusion
from .case import Case
from .job import Hang, wait_for


# ---- deaths that are tolerated: all survivors come to the end with right results ----

def deaths_of(faults):
    """How many ranks die of @faults, such as 'kill@3:1,2 segv@5:root'."""
    deadly = [f for f in faults.split() if not f.startswith(("stop", "sleep"))]
    return sum(len(f.split(":")[1].split(",")) for f in deadly)


def stream(faults, args=""):
    return " ".join(f"--fault {fault}" for fault in faults.split()) + " " + args


def tolerated(name, n, f, faults, args="", settings=None, **more):
    dead = deaths_of(faults)
    expected = {"finished": n - dead, "failures": dead, **more}
    return Case(name, n, f, stream(faults, args), settings=settings or {}, **expected)


RING = {"FTCOLL_TREE": "binomial", "FTCOLL_CORRECTION": "ring:3"}
REDUCE, ALLREDUCE, MIXED = "--calls reduce", "--calls allreduce", "--comms mixed"

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
    # a ring as short as DESIGN 4 allows, among two failures
    ("two at once, ring on binomial trees", 8, 2, "kill@in8:1,5", ALLREDUCE, RING),
    # communicators beside the world, also of only some of the dead
    ("in all communicators", 6, 1, "kill@12:3", MIXED),
    ("two in all communicators", 8, 2, "kill@12:0,3", MIXED),
    ("inside, in all communicators", 7, 2, "kill@in12:4", MIXED),
)]

# Random instants, several runs each, with other settings and another seed each time. The operations
# must be so many that the instant comes before the end.
AT_RANDOM = [tolerated(*row[:4], f"--ops 400 {''.join(row[4:])}", runs=3) for row in (
    ("random instant", 4, 1, "kill@~10:other"),
    ("random instant, rank 0", 5, 1, "kill@~10:zero", ALLREDUCE),
    ("random instant, the root", 6, 1, "kill@~10:root", REDUCE),
    ("random instant, two", 7, 2, "kill@~10:1,4"),
    ("random instant, three", 8, 3, "kill@~10:0,3,6", MIXED),
    ("random instant, segv", 4, 1, "segv@~10:last"),
    ("random instant, abort", 4, 2, "abort@~10:other"),
    ("random instant, exit", 3, 1, "exit3@~10:zero"),
    ("random instant, one after the other", 6, 2, "kill@~6:2 kill@~20:0", ALLREDUCE),
)]

# ---- deaths at exact points of the protocol, by setting crash (shim/crash.h) ----

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
AT_POINTS += [crash(3, 1, (rank, point), args=REDUCE) for rank in (1, 2) for point in POINTS[:4]]
AT_POINTS += [*crashes_of_two(6, 8), *crashes_of_two(7, 8)]

# ---- deaths at the beginning and at the end of MPI ----

NATIVE_END = "BAD TERMINATION|error waiting for completion"  # either, by the launcher's luck

ENDS = [
    # Natively a death here ends the job.
    Case("kill before MPI_Init", 4, 1, stream("kill@init:1"), status="failed", says=(NATIVE_END,)),
    Case("segv before MPI_Init", 3, 1, stream("segv@init:0"), status="failed", says=(NATIVE_END,)),
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
SILENCE = {"FTCOLL_MONITOR": "timeout", "FTCOLL_TIMEOUT_MS": "400"}

SLOW = [
    tolerated("stopped for longer than the timeout", 4, 1, "stop900@10:other", settings=PATIENT),
    tolerated("stopped inside an operation", 4, 1, "stop900@in10:zero", settings=PATIENT),
    tolerated("asleep for longer than the timeout", 3, 1, "sleep600@10:root", settings=PATIENT),
    tolerated("stopped while another dies", 5, 1, "stop700@10:2 kill@10:3", settings=PATIENT),
    tolerated("monitor = timeout, nobody dies", 4, 1, "", settings=SILENCE),
    # Without a monitor process Hydra itself ends a job one of whose ranks is killed by a signal,
    # whatever its options say; with this one it bears a rank that just ends.
    tolerated("monitor = timeout, a rank exits", 4, 1, "exit0@10:other", settings=SILENCE,
              launch="-disable-auto-cleanup"),
    Case("monitor = timeout, a rank is killed", 4, 1, stream("kill@10:other"), settings=SILENCE,
         status="failed", says=("KILLED|Killed",)),
    tolerated("monitor = timeout, taken for dead, wakes up", 4, 1, "stop2500@10:2",
              settings=SILENCE, finished=3, failures=1,
              says=(r"ftcoll: rank 2 \(pid \d+\) stops: rank \d took it for dead after more than "
                    r"timeout_ms = 400",)),
]

# ---- more than f ----

EXCESS_TEXT = (r"(?m)^stream: rank {}, operation \d+: ftcoll: MPI_\w+: {} of {} processes failed "
               r"\(ranks {}\), more than the f = {} tolerated in one operation$")


def excess(name, n, f, dead, args=ALLREDUCE, told=None, **more):
    """All of @dead die at once: operation 10 cannot be carried out. @told are the ranks that must
    learn that, by default all survivors."""
    survivors = [r for r in range(n) if r not in dead]
    ranks = ", ".join(map(str, dead))
    faults = "kill@10:" + ",".join(map(str, dead))
    says = tuple(EXCESS_TEXT.format(r, len(dead), n, ranks, f)
                 for r in (survivors if told is None else told))
    return Case(name, n, f, stream(faults, f"--meet 10 --errors-return {args}"),
                finished=len(survivors), excess="--excess", failures=len(dead), says=says, **more)


FATAL = r"ftcoll: MPI_\w+: 2 of 4 processes failed \(ranks 1, 2\), more than the f = 1 tolerated"

# Which ranks: each leaves no subtree of any root intact (DESIGN 2).
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

# ---- how the job ends ----

LONG = "--ops 200000 --go 50 --calls allreduce"
TEN_S = 10  # in which everything must be over


def strike(number, whom):
    return lambda job: job.strike(number, whom)


def is_launcher(process):
    return process.name.startswith("mpiexec")


def is_proxy(process):
    return process.name == "hydra_pmi_proxy"


def is_monitor_of_2(process):
    return process.is_monitor() and process.rank == 2


def is_rank(rank):
    return lambda process: process.name == "stream" and process.rank == rank


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
    Case("all die", 3, 2, stream("kill@10:0,1,2"), status="failed"),
    ended("kill -9 of mpiexec", signal.SIGKILL, is_launcher),
    ended("kill -9 of the proxy", signal.SIGKILL, is_proxy),
    ended("kill -9 of a monitor process", signal.SIGKILL, is_monitor_of_2),
    ended("Ctrl-C", signal.SIGINT, is_launcher),
    ended("SIGTERM to mpiexec", signal.SIGTERM, is_launcher),
    Case("Ctrl-C after a failure", 4, 1, stream("kill@20:1", LONG),
         hand=strike(signal.SIGINT, is_launcher), status=(0, "failed"), limit_s=TEN_S),
    Case("Ctrl-C in a terminal", 4, 1, LONG, hand=interrupt_group, status=(0, "failed"),
         limit_s=TEN_S),
    Case("killed from outside", 4, 1, "--ops 3000 --go 50", finished=3, failures=1,
         hand=strike(signal.SIGKILL, is_rank(2))),
    Case("SIGTERM to a rank", 4, 1, "--ops 3000 --go 50", finished=3, failures=1,
         hand=strike(signal.SIGTERM, is_rank(0))),
    # Of 300 operations with a dead rank none waits: one a second would be too long.
    tolerated("a known failure costs nothing", 4, 1, "kill@10:1", "--ops 300", limit_s=10,
              settings={"FTCOLL_TIMEOUT_MS": "1000"}),
    tolerated("a known failure costs nothing, timeout", 4, 1, "exit0@10:1", "--ops 300",
              launch="-disable-auto-cleanup", settings=SILENCE, limit_s=10),
]

FAREWELL = [
    Case("attributes are deleted at the end", 3, 1, says=("(: ba, well(.|\n)*){3}",), failures=0,
         command="mpiexec.hydra -n {n} {programs}/farewell"),
    Case("attributes are deleted at the end, after a failure", 3, 1, failures=1,
         says=("(: ba, well(.|\n)*){2}",), command="mpiexec.hydra -n {n} {programs}/farewell die"),
    Case("Fortran 2008", 4, 1, command="mpiexec.hydra -n {n} {programs}/fortran08", failures=1,
         settings={"FTCOLL_REQUIRE_ALL": "prod"},
         says=("fortran: 4 ranks, then up to rank 2",
               'fortran: 0 beyond "ftcoll: MPI_Allreduce with MPI_PROD: .* wants all"\n')),
]

# ---- programs that are wrong end, whoever else could go on ----

MISMATCH = (r"ftcoll: mismatched collective calls: rank \d called MPI_\w+\(.*\) at \w+\S*, "
            r"rank \d called MPI_\w+\(count \d.*\) at ")

TRAFFIC = [Case(f"traffic: {what}", n, f, failures=failures, limit_s=30, says=(says,),
                command=f"mpiexec.hydra -n {{n}} {{programs}}/traffic {what}")
           for what, n, f, failures, says in (
               ("rendezvous", 2, 1, 0, "rank 0 of 2 is through"),
               ("backlog", 6, 1, 0, "rank 0 of 6 is through"),
               ("threads", 2, 1, 0, "rank 0 of 2 is through"),
               ("ahead", 2, 1, 0, "rank 0 of 2 is through"),
               ("handler", 4, 1, 2, "rank 1's handler: 2 failed"))]

POLICIES = [
    Case("max_failed", 5, 2, stream("kill@6:1 kill@20:3"), settings={"FTCOLL_MAX_FAILED": "1"},
         status="failed", says=(r"rank \d ends the job: it is number 2, max_failed = 1",)),
    tolerated("max_failed is not reached", 5, 1, "kill@6:1", settings={"FTCOLL_MAX_FAILED": "1"}),
    Case("critical_ranks", 4, 1, stream("exit0@6:2"), settings={"FTCOLL_CRITICAL_RANKS": "0,2"},
         status="failed", says=("the death of rank 2 ends the job: critical_ranks",)),
    tolerated("critical_ranks, another dies", 4, 1, "kill@6:1",
              settings={"FTCOLL_CRITICAL_RANKS": "0,2"}),
    Case("require_all", 3, 1, stream("kill@in6:1", "--errors-return " + ALLREDUCE), failures=1, excess="--maybe-excess",
         settings={"FTCOLL_REQUIRE_ALL": "all"}, finished=(0, 1, 2), status=(0, 3),
         says=(r"MPI_Allreduce with \w+( operation)?: the result lacks 1 of 3 ranks, .*require_all wants all",)),
]

# The message of a dead rank is read before the operation that it belongs to has started.
LATE = [Case(f"a dead rank's message, {n} ranks", n, 1, says=(f"late: the sum is {n}",), failures=1,
             command="mpiexec.hydra -n {n} {programs}/late") for n in (2, 3)]

ALL_CALLS = {"FTCOLL_INTERCEPT": "all"}

ROUNDS = [Case(f"barriers and broadcasts, n = {n}, {'nobody dies' if victim is None else f'rank {victim} dies'}",
               n, 1, settings=ALL_CALLS, failures=0 if victim is None else 1,
               command=f"mpiexec.hydra -n {{n}} {{programs}}/rounds 200 "
               + ("" if victim is None else f"{victim} {50 + victim}"),
               says=("rounds: rank 1 is through",))
          for n, victim in ((2, None), (5, None), (3, 2), (4, 0), (6, 3), (8, 7))] + [
    Case("broadcast of a dead root, on_dead_root = keep", 3, 1,
         settings={**ALL_CALLS, "FTCOLL_ON_DEAD_ROOT": "keep"}, status="failed",
         command="mpiexec.hydra -n {n} {programs}/rounds 200 2 50",
         says=("a broadcast brought wrong values",)),
]

# Nonblocking reductions. A rank that dies has begun some operations of the round and not others.
CONTENT = r"(?s)(is content.*){{{}}}"


def pending(name, n, arguments, alive=None, f=1, settings=None, **more):
    alive = n if alive is None else alive
    return Case(f"nonblocking: {name}, n = {n}", n, f, settings={**ALL_CALLS, **(settings or {})},
                command=f"mpiexec.hydra -n {{n}} {{programs}}/pending {arguments}",
                says=(CONTENT.format(alive),), failures=n - alive, **more)


def pending_crash(n, f, victim, point):
    """In the first of seven operations that has the point: not all send twice, and on no rank do they
    begin in the same order in all runs."""
    text = ",".join(f"{victim}:{operation}:{point}" for operation in range(40, 47))
    return Case(f"nonblocking: rank {victim} dies at {point} of {n}", n, f,
                settings={**ALL_CALLS, "FTCOLL_CRASH": text},
                command=f"mpiexec.hydra -n {{n}} {{programs}}/pending many 20 {n} {victim} -1",
                says=(CONTENT.format(n - 1),), failures=1)


PENDING = [
    *(pending("nobody dies", n, f"many 40 {n}") for n in (2, 3, 5, 8)),
    *(pending(f"rank {victim} dies", n, f"many 30 {{seed}} {victim} 8", n - 1, runs=2)
      for n, victim in ((2, 1), (3, 0), (4, 2), (5, 0), (6, 5), (8, 3))),
    *(pending_crash(4, 1, rank, point) for rank in range(4) for point in ("a0", "b1", "a1", "b2", "end")),
    pending("a rank in a native call meanwhile", 2, "rule", limit_s=TEN_S),
    pending("a rank in a native call meanwhile", 5, "rule", limit_s=TEN_S),
    pending("native MPI goes on in the wait", 3, "native", limit_s=TEN_S),
    pending("freed before the end", 3, "free"),
    pending("more than f, the error comes out of the wait", 5, "excess", 3, limit_s=TEN_S),
    pending("threads in all of it", 4, "threads 30 {seed} 2 8", 3, limit_s=TEN_S),
    Case("nonblocking: mismatched", 3, 1, settings=ALL_CALLS, status="failed", says=(MISMATCH,), limit_s=TEN_S,
         command="mpiexec.hydra -n {n} {programs}/pending wrong"),
]

WRONG = [Case(f"mismatched {what}, {n} ranks", n, 1, status="failed", says=(MISMATCH,), limit_s=TEN_S,
              command=f"mpiexec.hydra -n {{n}} {{programs}}/wrong {what}")
         for n, what in ((3, "count"), (4, "op"), (3, "call"), (3, "root"), (2, "root"), (4, "type"))] + [
    Case("an error that native MPI finds", 4, 1, status="failed",
         command="mpiexec.hydra -n {n} {programs}/wrong send", limit_s=TEN_S),
]

# ---- calls that are not protected ----

QUICK = {"FTCOLL_BLOCKED_MS": "300"}
ABORT = {**QUICK, "FTCOLL_ON_BLOCKED": "abort"}
LATE_MS = 1500  # several times as long


def sits(call, site, need="needs", reaction="warn"):
    return (rf"(?m)^ftcoll: rank \d has been in {call} at blocked\({site}\+0x\w+\) for 0\.[3-9] s: "
            rf"it {need} rank 1, which is dead \(killed by signal 9\); on_blocked = {reaction}$")


def interrupt_when_told(job):
    """A warning leaves the ranks where they are."""
    if not wait_for(lambda: "on_blocked" in job.text("stderr"), 2 * TEN_S):
        raise Hang(f"nobody says who is blocked\n{job.stacks()}")
    time.sleep(3 * 0.3)  # nobody says it twice
    job.strike(signal.SIGINT, is_launcher)


def interrupt_later(job):
    time.sleep(LATE_MS / 1000)
    job.strike(signal.SIGINT, is_launcher)


def told_once(job):
    lines = re.findall("(?m)^ftcoll: rank .*on_blocked", job.text("stderr"))
    return "" if len(lines) == len(set(lines)) <= 3 else f"{len(lines)} lines, not one a rank"


def told_by_one(job):
    count = job.text("stderr").count("on_blocked")
    return "" if count == 1 else f"{count} ranks say who is blocked"


def blocked(scene, *says, n=4, settings=ABORT, **more):
    expected = {"status": "failed", "check": told_by_one, **more}
    return Case(f"blocked: {scene}, {settings.get('FTCOLL_ON_BLOCKED', 'warn')}", n, 1, settings=settings,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/blocked {scene} {LATE_MS}", says=says,
                **expected)


BLOCKED = [
    blocked("waits", sits("MPI_Allgather", "gather"), settings=QUICK, status=(0, "failed"),
            hand=interrupt_when_told, check=told_once),
    blocked("waits", sits("MPI_Allgather", "gather", reaction="abort"), n=2),
    blocked("large", sits("MPI_Allreduce", "(large|main)", reaction="abort")),
    blocked("root", sits("MPI_Bcast", "(root|main)", "may need", "abort")),
    blocked("window", sits("MPI_Win_fence", "(window|main)", reaction="abort")),
    blocked("file", sits("MPI_File_close", "(file|main)", reaction="abort")),
    blocked("nested", sits("MPI_Win_free", "(nested|main)", reaction="abort")),
    blocked("threads", sits("MPI_Allgather", "gather", reaction="abort")),
    blocked("reused-all", sits("MPI_Allgather", "gather", reaction="abort")),
] + [blocked(scene, status=0, failures=1, silent=("on_blocked",), check=None)
     for scene in ("living", "reused-living", "group-living")] + [
    Case("blocked in Fortran", 3, 1, settings=ABORT, status="failed", check=told_by_one,
         command="mpiexec.hydra -n {n} {programs}/blockedf",
         says=(r"has been in MPI_Allgather at blockedf\((gather_all|MAIN__)[.\w]*\+0x\w+\).* signal 6",)),
    Case("blocked in Fortran 2008", 3, 1, settings=ABORT, status="failed", check=told_by_one,
         command="mpiexec.hydra -n {n} {programs}/blocked08",
         says=(r"has been in MPI_Win_fence at blocked08\(\w+\+0x\w+\).* needs rank 1.* signal 6",)),
    blocked("requests", *(rf"rank {rank} has been in {call} at blocked\((requests|main)\+.*: it may need rank 1, "
                          for rank, call in ((0, "MPI_Wait"), (2, "MPI_Waitall"), (3, "MPI_Waitany"),
                                             (4, "MPI_Waitsome"))),
            n=5, settings={**QUICK, "FTCOLL_P2P": "error"}, status=(0, "failed"), hand=interrupt_when_told, check=None),
    blocked("igather", sits("MPI_Wait", "(igather|main)", "may need", "abort"),
            settings={**ABORT, "FTCOLL_P2P": "error"}),
    blocked("message", settings={**QUICK, "FTCOLL_P2P": "error"}, status=0, failures=1, silent=("on_blocked",),
            check=None),
    blocked("waits", settings={**QUICK, "FTCOLL_ON_BLOCKED": "off"}, status=(0, "failed"), check=None,
            silent=("on_blocked",), hand=interrupt_later),
]

# ---- mismatched calls of which native MPI carries out some ----

def mixed_call(site, rank=0):
    return rf"rank {rank} \w+( been)?( in)? MPI_Allreduce\(count 4, MPI_DOUBLE, MPI_SUM\) at wrong\({site}[+.\w]*\)"


NATIVE_CALL = (r"rank {last} (called|is in) {call} at wrong\({site}[+.\w]*\), which native MPI carries out")
MIXED_WARNING = r"(?m)^ftcoll: {} for 0\.[3-9] s, while {}: if these are to be one call, they do not match; on_blocked = warn$"
MIXED_ERROR = r"ftcoll: mismatched collective calls: {}, {}"
SUM_UP = ("MPI_Allreduce", "sum_up")


def mixed(what, n, calls=SUM_UP, settings=ABORT, **more):
    """The last rank's call is native."""
    text = MIXED_ERROR if settings is ABORT else MIXED_WARNING
    other = NATIVE_CALL.format(last=n - 1, call=calls[0], site=calls[1])
    expected = {"status": "failed", "says": (text.format(mixed_call("sum_up"), other),), **more}
    return Case(f"mismatched {what} with native, {n} ranks, {settings.get('FTCOLL_ON_BLOCKED', 'warn')}",
                n, 1, settings=settings, limit_s=TEN_S,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/wrong {what} {LATE_MS}", **expected)


MIXED_CALLS = [mixed(what, n, calls) for n in (2, 4) for what, calls in (
    ("large", SUM_UP), ("order", SUM_UP), ("barrier", ("MPI_Barrier", "meet")))] + [
    mixed("large", 4, settings=QUICK, status=(0, "failed"), hand=interrupt_when_told, check=told_by_one),
    mixed("returns", 4, status=5, says=("(rank [012]: class MPI_ERR_OTHER: 1(.|\n)*){3}",)),
    *(mixed(what, 4, status=0, says=("(got a result(.|\n)*){4}",), silent=("ftcoll",))
      for what in ("late", "elsewhere", "ahead")),
]

# ---- communicators ----

SURVIVORS = {"FTCOLL_COMMUNICATORS": "survivors"}


def content(ranks):
    return (rf"(communicators: rank \d is content(.|\n)*){{{ranks}}}",)


def communicators(name, n, f, args, settings=None, **more):
    """After the number of rounds come the victims."""
    dead = sum(len(victims.split(",")) for victims in re.findall(r"(?<= )[\d,]+", args)[1:])
    return Case(f"communicators: {name}", n, f, says=content(n - dead), failures=dead,
                settings={**SURVIVORS, **(settings or {})},
                command=f"mpiexec.hydra -n {{n}} {{programs}}/communicators {args}", **more)


def is_victim(process):
    return process.name == "communicators" and process.rank == 2


COMMUNICATORS = [
    communicators("nobody dies", 4, 1, " 5"),
    communicators("nobody dies, native", 4, 1, " 5", {"FTCOLL_COMMUNICATORS": "native"}),
    communicators("a rank dies", 4, 1, " 5 1"),
    communicators("rank 0 dies", 3, 1, " 5 0"),
    communicators("one of two dies", 2, 1, " 5 1"),
    communicators("a rank dies, messages of 16 bytes", 4, 1, " 5 1", {"FTCOLL_MAX_BYTES": "16"}),
    communicators("one after the other, more than f in all", 6, 1, " 5 4 0 3 1"),
    communicators("two at once", 6, 2, " 5 1,4"),
    communicators("all but one", 4, 3, " 5 0,1,3"),
    communicators("two after two, in pieces", 8, 2, " 2 0,7 3,4", {"FTCOLL_MAX_BYTES": "32"}),
    communicators("killed from outside", 4, 1, "--outside 5 2",
                  hand=strike(signal.SIGKILL, is_victim)),
    *(Case(f"communicators: rank {victim} of {n} dies in the middle, after {us} us", n, 1, failures=1,
           settings=SURVIVORS, says=content(n - 1), limit_s=60, runs=2,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/communicators --anytime {us} 30 {victim}")
      for n, victim, us in ((2, 1, 9000), (3, 0, 3000), (4, 2, 14000), (5, 4, 31000))),
    communicators("made and freed 500 times", 3, 1, " 500 1", limit_s=120),
    communicators("threads, nobody dies", 3, 1, "--threads 30"),
    communicators("threads, a rank dies", 4, 1, "--threads 30 2", limit_s=60),
    Case("communicators: too many die", 4, 1, settings=SURVIVORS, status="failed",
         command="mpiexec.hydra -n {n} {programs}/communicators 0 1,2",
         says=(r"ftcoll: MPI_Comm_dup: 2 of 4 processes failed \(ranks 1, 2\), more than the f = 1",)),
    Case("communicators: Fortran 2008", 4, 1, settings=SURVIVORS, failures=1,
         command="mpiexec.hydra -n {n} {programs}/fortran08 communicators",
         says=("fortran: 6 communicators have 18 ranks",)),
    Case("communicators: mismatched calls", 3, 1, settings=SURVIVORS, status="failed",
         command="mpiexec.hydra -n {n} {programs}/wrong creation", limit_s=TEN_S,
         says=(r"mismatched collective calls: rank \d called MPI_Comm_(dup|split)\(\) at wrong\S*, "
               r"rank \d called MPI_Comm_(dup|split)\(\) at ",)),
]

# ---- threads ----

THREADS = [
    Case("threads, nobody dies", 3, 1, command="mpiexec.hydra -n {n} {programs}/threads 300 1000",
         says=("(is content(.|\n)*){3}",), failures=0),
    Case("threads, a rank is killed", 4, 1,
         command="mpiexec.hydra -n {n} {programs}/threads 300 50",
         says=("(is content(.|\n)*){3}",), failures=1, runs=3),
]

# ---- preloading is harmless ----

HARMLESS = [Case(name, 1, 1, command=command, rotate=False, status=status, says=says,
                 silent=("ftcoll",) + silent)
            for name, command, status, says, silent in (
    ("preload: true", "/bin/true", 0, (), ("(?s).",)),
    ("preload: false", "/bin/false", 1, (), ("(?s).",)),
    ("preload: ls", "ls /", 0, ("(?m)^tmp$",), ()),
    ("preload: bash", "bash -c 'echo a | cat; (exit 4)'", 4, (r"^a\n$",), ()),
    ("preload: python3", "python3 -c 'import threading, subprocess; "
                         "print(subprocess.call([\"true\"]) + 42)'", 0, (r"^42\n$",), ()),
    ("preload: sleep, killed", "sh -c 'kill -9 $$'", -9, (), ("(?s).",)),
    ("preload: mpiexec of no MPI program", "mpiexec.hydra -n 3 echo hello", 0,
     (r"^(hello\n){3}$",), ()),
    ("preload: mpiexec of a failing shell", "mpiexec.hydra -n 2 sh -c 'exit 5'", 5, (), ()),
    ("preload: no MPI, LD_BIND_NOW", "env LD_BIND_NOW=1 ls /", 0, ("(?m)^tmp$",), ()),
    ("preload: setuid program", "if [ $(id -u) = 0 ]; then exec setpriv --reuid=65534 "
     "--regid=65534 --clear-groups su --version; else exec su --version; fi", 0,
     (r"^su .*\n$",), ()),
)] + [
    Case("preload: singleton", 1, 1, command="{programs}/stream", finished=1, silent=("ftcoll",)),
    Case("preload: singleton, LD_BIND_NOW", 1, 1, command="{programs}/stream", finished=1,
         settings={"LD_BIND_NOW": "1"}, silent=("ftcoll",)),
    tolerated("preload: LD_BIND_NOW", 3, 1, "kill@10:1", settings={"LD_BIND_NOW": "1"}),
    Case("preload: under env", 4, 1, finished=3, failures=1,
         command="mpiexec.hydra -n {n} env A=1 {programs}/stream --fault kill@10:2"),
    Case("preload: under a shell", 4, 1, finished=3, failures=1,
         command="mpiexec.hydra -n {n} bash -c 'A=1 {programs}/stream --fault kill@10:2'"),
    Case("preload: standard input", 2, 1, finished=2, says=("(?m)^got word$",),
         command="printf 'word\\nmore\\n' | mpiexec.hydra -n {n} bash -c "
                 "'[ $PMI_RANK = 1 ] || read w; echo got $w; {programs}/stream'"),
    Case("preload: only by -genv", 4, 1, finished=3, failures=1, preload=False, command=
         "mpiexec.hydra -genv LD_PRELOAD {library} -n {n} {programs}/stream --fault kill@10:2"),
    Case("preload: program without ftcoll asks", 3, 1, command="mpiexec.hydra -n {n} "
         "{programs}/asks", preload=False, says=("(content without ftcoll(.|\n)*){3}",)),
    Case("enable = 0, nobody dies", 4, 1, ALLREDUCE, settings={"FTCOLL_ENABLE": "0"}, finished=4,
         silent=("ftcoll",)),
    Case("enable = 0, a rank is killed", 4, 1, stream("kill@10:1", ALLREDUCE),
         settings={"FTCOLL_ENABLE": "0"}, status="failed", says=(NATIVE_END,), silent=("ftcoll:",)),
]

# ---- settings ----


def one_line(job):
    lines = [line for line in job.text("stderr").splitlines() if "ftcoll" in line]
    return "" if len(lines) == 1 else f"{len(lines)} lines about settings, not 1"


def refused(name, settings, *says, files=""):
    command = f"{files}mpiexec.hydra -n {{n}} {{programs}}/stream"
    return Case(f"refused: {name}", 3, 1, command=command, settings=settings, rotate=False,
                status=2, says=says, check=one_line, silent=("BAD TERMINATION",))


SETTINGS = [
    refused("bad value", {"FTCOLL_F": "many"}, "ftcoll: environment: .*FTCOLL_F.*many"),
    refused("value out of range", {"FTCOLL_F": "65"}, r"FTCOLL_F.*65.*0\.\.64"),
    refused("bad word", {"FTCOLL_TREE": "oak"}, "FTCOLL_TREE.*oak.*binomial"),
    refused("unknown variable", {"FTCOLL_TREES": "binomial"}, "unknown variable FTCOLL_TREES"),
    refused("no file", {"FTCOLL_CONFIG": "/nowhere/ftcoll.conf"}, "/nowhere/ftcoll.conf"),
    refused("unknown key", {}, r"ftcoll\.conf.*2.*trees",
            files="printf '[ftcoll]\\ntrees = oak\\n' >ftcoll.conf; "),
    refused("bad value in a file", {"FTCOLL_CONFIG": "own.conf"}, r"own\.conf.*2.*max_bytes.*-1",
            files="printf '[ftcoll]\\nmax_bytes = -1\\n' >own.conf; "),
    Case("settings from a file", 3, 1, settings={"FTCOLL_F": None}, rotate=False, finished=1,
         command="printf '[ftcoll]\\nf = 2\\nreport = summary\\n' >ftcoll.conf; "
                 "mpiexec.hydra -n {n} {programs}/stream --fault kill@10:1,2",
         says=(r"1 of 3 ranks survived \(f = 2\)", "carried out by ftcoll")),
    Case("environment wins over the file", 3, 2, rotate=False, finished=1,
         command="printf '[ftcoll]\\nf = 0\\n' >ftcoll.conf; "
                 "mpiexec.hydra -n {n} {programs}/stream --fault kill@10:1,2",
         says=(r"1 of 3 ranks survived \(f = 2\)",)),
]

# The ranks that were started with the library say why they wait. They do so for as long as the others
# live, unless on_blocked = abort.
ALONE = [
    Case(f"some ranks {name}", 2, 1, preload=False, rotate=False, status="failed",
         command="mpiexec.hydra -genv FTCOLL_BLOCKED_MS 300 -genv FTCOLL_ON_BLOCKED abort "
                 f"-n 1 env LD_PRELOAD={{library}} FTCOLL_ENABLE=1 {{programs}}/stream : -n 1 {other} {{programs}}/stream",
         says=(r"ftcoll: rank 0 has been waiting in MPI_Init for 0\.3 s.*on_blocked = abort",))
    for name, other in (("without the library", "env"),
                        ("with enable = off", "env LD_PRELOAD={library} FTCOLL_ENABLE=off"))]

# ---- native fallback, report, questions ----

SUMMARY = {"FTCOLL_REPORT": "summary"}
FAILURE = (r"(?m)^ftcoll: rank 2 \(\S+, pid \d+\) killed by signal 9 \(Killed\); missed in "
           r"MPI_Allreduce #\d+ at stream\S*, noticed by rank \d after \d+ us; all survivors had "
           r"its result after \d+ us$")


def counted(call, count, text):
    return rf"(?m)^ftcoll: {call} +{count}  {text}$"


def report_files(job):
    new, old = job.text("report.1"), job.text("report")
    return "" if old == "older\n" and re.search(FAILURE, new) else "the file is not as it should be"


REPORT = [
    Case("native fallback", 4, 1, command="mpiexec.hydra -n {n} {programs}/fallback",
         settings=SUMMARY, says=(
             "fallback: all results are right", "no rank failed",
             counted("MPI_Allreduce", 1, "native: message larger than max_bytes"),
             counted("MPI_Reduce", 1, "native: message larger than max_bytes"),
             counted("MPI_Allreduce", 1, "native: operation is not commutative"),
             counted("MPI_Allreduce", 1, "native: intercommunicator"),
             counted("MPI_Allreduce", 1, "native: communicator has one process"),
             counted("MPI_Allreduce", 1, "native: count 0"),
             counted("MPI_Allreduce", 4, "native: arguments that native MPI rejects"),
             counted("MPI_Reduce", 1, "native: arguments that native MPI rejects"),
             counted("MPI_Allreduce", 1, "carried out by ftcoll"))),
    Case("native fallback without the library", 4, 1, preload=False,
         command="mpiexec.hydra -n {n} {programs}/fallback", says=("all results are right",)),
    tolerated("messages around max_bytes", 4, 1, "", "--calls allreduce --max-bytes 2048",
              settings={"FTCOLL_MAX_BYTES": "512", **SUMMARY},
              says=("message larger than max_bytes", "carried out by ftcoll")),
    tolerated("intercept = reduce", 4, 1, "", settings={"FTCOLL_INTERCEPT": "reduce", **SUMMARY},
              says=("MPI_Allreduce +\\d+  native: setting intercept does not name this call",
                    "MPI_Reduce +\\d+  carried out by ftcoll")),
    tolerated("compare", 4, 1, "", settings={"FTCOLL_COMPARE": "on"},
              says=(r"compared with native: \d+ calls of rank 0, \d+ results differ",)),
    tolerated("report: nobody dies", 3, 1, "", silent=("ftcoll",)),
    tolerated("report = off", 3, 1, "kill@10:2", settings={"FTCOLL_REPORT": "off"}, failures=0,
              silent=("ftcoll",)),
    tolerated("report = failures", 4, 1, "kill@10:2", ALLREDUCE, silent=("carried out", "setting"),
              says=(FAILURE, r"(?m)^ftcoll: 3 of 4 ranks survived \(f = 1\)$")),
    tolerated("report = summary, rank 0 dead", 4, 1, "kill@10:0", settings=SUMMARY,
              says=("calls of rank 1:", "MPI_Reduce +\\d+  carried out")),
    tolerated("report = full", 4, 1, "kill@10:2", ALLREDUCE, settings={"FTCOLL_REPORT": "full"},
              says=(FAILURE, r"(?m)^ftcoll:     #0 stream\(.*main", "setting report = full")),
    Case("report_file", 4, 1, settings={"FTCOLL_REPORT_FILE": "report"}, finished=3, failures=0,
         command="echo older >report; mpiexec.hydra -n {n} {programs}/stream --calls allreduce "
                 "--fault kill@10:2", check=report_files, silent=("ftcoll",)),
    Case("report_file that cannot be", 4, 1, stream("kill@10:2"), finished=3, failures=1,
         settings={"FTCOLL_REPORT_FILE": "/nowhere/report"}, says=("cannot create report_file",)),
    Case("a program asks", 4, 1, command="mpiexec.hydra -n {n} {programs}/asks", failures=1,
         says=("(content with ftcoll(.|\n)*){3}",)),
]

# ---- call sites, by setting report = coverage ----

SITES = {"FTCOLL_REPORT": "coverage"}


def site(calls, ranks, call, fate, where, why=""):
    text = rf"(?m)^ftcoll: +{calls} on +{ranks}  {call} +{fate} +{where}[.a-z0-9]*\+0x[0-9a-f]+\)"
    return text + (f": {why}$" if why else "$")


COVERAGE = [
    Case("coverage: nobody dies", 4, 1, command="mpiexec.hydra -n {n} {programs}/sites", settings=SITES,
         says=(site("1,200", 4, "MPI_Allreduce", "protected", r"sites\(energy"),
               site(4, 4, "MPI_Gather", "not protected", r"sites\(collect", "no protection for this call"),
               site(4, 4, "MPI_Allreduce", "not protected", r"sites\(spectrum",
                    "message larger than max_bytes"),
               site(4, 4, "MPI_Iallreduce", "not protected", r"sites\(late", "setting intercept does not name this call"),
               r"(?s)not protected.*1,200",  # the exposed come first
               r"\d % of 1,2\d\d calls that need other ranks are protected; a dead rank would leave the "
               r"others waiting at \d of \d call sites")),
    Case("coverage: also of a dead rank", 4, 1, settings=SITES, failures=1,
         command="mpiexec.hydra -n {n} {programs}/sites die",
         says=(site("1,203", 4, "MPI_Allreduce", "protected", r"sites\(energy"),
               "all 1,203 calls that need other ranks are protected")),
    Case("coverage: monitor = timeout, on_blocked = off", 2, 1,
         command="mpiexec.hydra -n {n} {programs}/sites",
         settings={**SITES, **SILENCE, "FTCOLL_ON_BLOCKED": "off"},
         says=(site(2, 2, "MPI_Gather", "not protected", r"sites\(collect", "no protection for this call"),)),
    Case("coverage: Fortran 2008", 4, 1, settings=SITES, failures=1,
         command="mpiexec.hydra -n {n} {programs}/fortran08",
         says=(site(4, 4, "MPI_Allreduce", "protected", r"fortran08\(MAIN__"),
               site(3, 3, "MPI_Reduce", "protected", r"fortran08\(MAIN__"))),
    Case("coverage: Fortran 77", 3, 1, settings={**SITES, "FTCOLL_INTERCEPT": "reduce"},
         command="mpiexec.hydra -n {n} {programs}/fortran77",
         says=(site(3, 3, "MPI_Reduce", "protected", r"fortran77\(total_"),
               site(3, 3, "MPI_Barrier", "not protected", r"fortran77\(meet_",
                    "setting intercept does not name this call"),
               "50.0 % of 6 calls that need other ranks are protected; a dead rank would leave the others "
               "waiting at 1 of 2 call sites")),
    # a line each: "not twice" is "never without the reason"
    Case("coverage: communicators = survivors", 4, 1, settings={**SITES, **SURVIVORS}, failures=1,
         command="mpiexec.hydra -n {n} {programs}/communicators 5 1",
         says=(site(7, 4, "MPI_Comm_dup", "protected", r"communicators\(copies", "by setting communicators"),
               site(15, 3, "MPI_Comm_split", "protected", r"communicators\(one_round", "by setting communicators")),
         silent=(site(r"\d+", r"\d", r"MPI_Comm_\w+", "protected", r"communicators\(\w+"),)),
] + [
    Case(f"coverage: p2p = {mode}", 4, 1, command="mpiexec.hydra -n {n} {programs}/sites ring",
         settings={**SITES, "FTCOLL_P2P": mode, "FTCOLL_INTERCEPT": "all"},
         says=(*(site(4, 4, f"MPI_{call}", fate, r"sites\(ring", why) for call in (
                   "Sendrecv", "Sendrecv_replace", "Send", "Probe", "Recv", "Ssend", "Wait", "Waitany", "Waitsome",
                   "Mprobe", "Mrecv", "Waitall")),
               site(4, 4, "MPI_Send", "needs nobody", r"sites\(ring", "MPI_PROC_NULL, or MPI_COMM_SELF"),
               site(4, 4, "MPI_Wait", "not protected", r"sites\(gather_late",
                    why if mode == "native" else "no protection for this call"),
               site(4, 4, "MPI_Wait", fate, r"sites\(late", why), "1,272 calls that need other ranks"))
    for mode, fate, why in (("native", "not protected", "setting p2p is native"),
                            ("error", "protected", "by setting p2p"), ("ignore", "protected", "by setting p2p"))
] + [
    Case("coverage is not asked for", 4, 1, command="mpiexec.hydra -n {n} {programs}/sites",
         settings=SUMMARY, says=("calls of rank 0",), silent=("call sites",)),
]

# ---- who is in a result: settings record_file and require_all_at ----


def recorded(what, n, f, points, missing=(), complete=(), calls="allreduce", operations=20, **more):
    """@points are those of setting crash; operations of the library, not of one communicator."""
    settings = {"FTCOLL_RECORD_FILE": "record", "FTCOLL_CRASH": points, **more.pop("settings", {})}
    return Case(f"record: {what}", n, f, settings=settings, **more,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/inclusion {calls} {operations}",
                check=inclusion.check(n, missing, complete))


# Rank 1 takes part in the world only: its operation is the world's. Others have two for each. Of mixed
# calls the root lives: a reduce whose root is known to be dead is no operation, and has no number.
RECORD = [
    recorded("nobody dies", 4, 1, "", complete=range(20)),
    recorded("dead before it contributed", 4, 1, "1:7:a0", complete=range(7), missing=range(7, 20)),
    recorded("dead, but in the result", 4, 1, "1:7:end", complete=range(8), missing=range(8, 20)),
    recorded("one in the result, one not", 6, 2, "1:7:end,3:14:a0", complete=range(7),
             missing=range(7, 20), runs=4, says=(r"(?m)^result 0 7 55$",)),
    recorded("rank 0 dies", 5, 1, "0:14:a0", complete=range(7), missing=range(7, 20)),
    recorded("the writer dies later", 5, 1, "1:3:a0,0:20:a1", runs=2),
    recorded("in all moments, allreduce", 6, 3, "1:3:b2,4:10:a2,2:20:b1", runs=6),
    recorded("in all moments, reduce", 6, 3, "1:3:b1,4:10:a1,2:20:b1", calls="reduce", runs=6),
    recorded("in all moments, mixed", 7, 2, "0:3:b1,1:8:a1,2:21:b2", calls="mixed", runs=6),
    recorded("by the paper's algorithm alone", 6, 1, "1:7:a0", missing=range(7, 20), runs=2,
             settings={"FTCOLL_ALGORITHM": "corrected"}, rotate=False),
    recorded("no reduce without its root", 3, 1, "1:7:a0", calls="reduce", runs=2),
    Case("record: a program with an odd name", 3, 1, settings={"FTCOLL_RECORD_FILE": "record", "FTCOLL_CRASH": "1:7:a0"},
         command="cp {programs}/inclusion 'in\"clu\\si\ton'; mpiexec.hydra -n {n} './in\"clu\\si\ton' allreduce 9",
         check=lambda job: "" if all(json.loads(line)["site"].startswith('in"clu\\si\ton(')
                                     for line in job.text("record").splitlines()) else "another site"),
    Case("record_file that cannot be", 4, 1, stream("kill@10:2"), finished=3, failures=1,
         settings={"FTCOLL_RECORD_FILE": "/nowhere/record"},
         says=(r"(?s)rank 0 cannot open record_file /nowhere/record: No such file",)),
    Case("record_file on a full device", 4, 1, stream("kill@10:0"), finished=3, failures=1,
         settings={"FTCOLL_RECORD_FILE": "/dev/full"},
         says=(r"rank 1 cannot write record_file /dev/full: No space left on device",)),
    # From 65 ranks on, who is in a value takes more room than what a broadcast adds to one.
    Case("record: values of max_bytes", 66, 1, settings={"FTCOLL_RECORD_FILE": "record", "FTCOLL_MAX_BYTES": "112", **SUMMARY},
         command="mpiexec.hydra -n {n} {programs}/widest 112", failures=1, limit_s=90,
         says=("the sums are right", counted("MPI_Allreduce", 2, "carried out by ftcoll"))),
    tolerated("record_file costs nothing that one could see", 6, 2, "kill@12:0,3", MIXED,
              settings={"FTCOLL_RECORD_FILE": "record"}),
]


def refused_at(expected, n):
    """@expected(communicator, operation) tells which incomplete results all survivors must refuse."""
    def compare(job):
        results, refusals = inclusion.told(job, "result"), inclusion.refusals(job)
        for key in results:
            survivors = n - 1 if key[0] == 0 else n - 2
            wanted = survivors if expected(*key) else 0
            if refusals.pop(key, 0) != wanted:
                return f"operation {key} was not refused on {wanted} ranks"
        return f"{refusals} were refused" if refusals or not results else ""
    return compare


def required(what, at, expected, n=5, intercept="all"):
    settings = {"FTCOLL_REQUIRE_ALL_AT": at, "FTCOLL_CRASH": "3:9:a0", "FTCOLL_INTERCEPT": intercept}
    return Case(f"require_all_at: {what}", n, 1, settings=settings, failures=1,
                command="mpiexec.hydra -n {n} {programs}/inclusion allreduce 20",
                check=refused_at(expected, n))


# Calls with even numbers come from here() on some ranks only: all must decide alike.
REQUIRED = [
    required("a function", "somewhere,here", lambda comm, number: number % 2 == 0),
    required("all functions", "here, there", lambda comm, number: True),
    required("a function that does not call", "main", lambda comm, number: False),
    required("part of a name", "her,ere", lambda comm, number: False),
]

# ---- point-to-point calls with dead ranks ----

def p2p(what, n, scenario, mode, **more):
    """@scenario of programs/p2p.c, which checks the calls itself."""
    expected = {"says": ("(?m)^0 wrong$",), "silent": ("wrong:",), **more}
    return Case(f"p2p = {mode}: {what}", n, n - 1, rotate=False, settings={"FTCOLL_P2P": mode},
                command=f"mpiexec.hydra -n {{n}} {{programs}}/p2p {scenario}", **expected)


P2P = [p2p(what, n, scenario, mode) for mode in ("error", "ignore") for what, n, scenario in (
    ("a rank that is known to be dead", 3, "before"),
    *((f"a rank dies while another waits for it, from call {first}", 8, f"while {first}")
      for first in (0, 7, 14, 21)),
    *((f"a dead rank's messages, from call {first}", 8, f"after {first}") for first in (0, 7, 14)),
    ("many messages of a dead rank", 2, "many"),
    ("large messages of a dead rank", 4, "large"),
    ("any source", 5, "any"),
    ("any source, each death once", 5, "once"),
    ("threads", 7, "threads"),
)] + [
    p2p("MPI_ERRORS_ARE_FATAL", 2, "fatal", "error", status=101, silent=("it went on",), says=(
        r"ftcoll: MPI_Recv: rank 1 of the communicator is dead: rank 1 of MPI_COMM_WORLD, "
        r"killed by signal 9",)),
    Case("p2p = error: Fortran 2008", 3, 2, rotate=False, settings={"FTCOLL_P2P": "error"},
         command="mpiexec.hydra -n {n} {programs}/p2p08", says=("(?m)^0 wrong$",)),
]


ALL = TOLERATED + AT_RANDOM + AT_POINTS + ENDS + SLOW + EXCESS + END + FAREWELL + LATE + TRAFFIC + POLICIES + ROUNDS + PENDING + WRONG + \
    BLOCKED + MIXED_CALLS + P2P + COMMUNICATORS + COVERAGE + RECORD + REQUIRED + THREADS + HARMLESS + SETTINGS + ALONE + REPORT
