"""Jobs on several hosts, which are namespaces of this machine (network.py): mpiexec runs on the first of them, and
reaches the others by a stand-in for ssh (rsh)."""
import ctypes
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from fixtures import network_or_skip
from network import HERE, SUBNET
from runner.case import Case
from runner.cases.calls import ends_naming_both
from runner.cases.common import ABORT, ALLREDUCE, DEFECT, MIXED, REDUCE, SILENCE, SILENT_FOR, deaths_of, defect_if, release_when, stream
from runner.cases.reports import SITES, site
from runner.cases.traces import TRACE, checked, form, must
from runner.choice import choose, kinds_of_fault
from runner.job import Hang, Patience, wait_for
from runner.parameters import parameters

HOSTS = 4
LIMIT_S = 40
RSH = os.path.join(HERE, "rsh")
# Beside shared memory, which UCX would use between namespaces of one machine too.
# A host that has to wait for a core is not to be lost.
# FTCOLL_LINK of whoever runs the tests counts for the jobs.
UCX = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0", "FTCOLL_UNREACHABLE_MS": "20000",
       "FTCOLL_LINK": os.environ.get("FTCOLL_LINK", "auto")}
PRELOAD = "env LD_PRELOAD={library} "


def on(hosts, each, n, program):
    """The command for a job of @n ranks, @each at a time on each of the first @hosts hosts."""
    names = ",".join(f"node{i + 1}" for i in range(hosts))
    return (f"{RSH} --all node1 {PRELOAD}mpiexec.hydra -launcher ssh -launcher-exec {RSH} -hosts {names} -ppn {each} "
            f"-n {n} {program}")


def job(name, hosts, each, n, f, faults="", args="", settings=None, program="stream", **more):
    dead = deaths_of(faults)
    if program == "stream":
        more = {"finished": n - dead, "failures": dead, **more}
        args = f"--seed {{seed}} {stream(faults, args)}"
    return Case(f"hosts: {name}", n, f, command=on(hosts, each, n, f"{{programs}}/{program} {args}"),
                settings={**UCX, **(settings or {})}, preload=False if more.pop("native", False) else True,
                **{"limit_s": LIMIT_S, **more})


# ---- a job without deaths ----

WELL = [
    job("nobody dies, 2 x 1", 2, 1, 2, 1),
    job("nobody dies, 2 x 2", 2, 2, 4, 1, "", MIXED),
    job("all that can be is protected", 2, 2, 4, 1, "", "4", {"FTCOLL_PROTECT": "all"}, "survivors", failures=0,
        says=(r"(?s)(survivors: rank \d is through.*){4}",)),
    # With a list an allreduce tells all who is dead.
    *(job(f"idup {scene}", 2, 2, 4, 1, "", scene, {"FTCOLL_COMMUNICATORS": "survivors", "FTCOLL_FAILURE_INFO": "list"}, "idup", failures=1,
          says=(r"(?s)(idup: rank \d is content.*){3}",)) for scene in ("dead", "traits")),
    *(job(f"between two groups, {scene}", 2, 2, 4, 1, "", scene, {"FTCOLL_PROTECT": "all"}, program, failures=1,
          says=(rf"(?s)({program}: rank \d is content.*){{3}}",))
      for program, scene in (("bridges", "3"), ("bridges", "leader"), ("bridges", "anytime {seed} 20"), ("between", "3 5 1 9"),
                             ("between", "3 20000 2 14"))),
    job("all that can be is protected, a rank dies", 2, 2, 4, 1, "", "4", {"FTCOLL_PROTECT": "all", "FTCOLL_CRASH": "1:30:a0"},
        "survivors", failures=1, says=(r"(?s)(survivors: rank \d is through.*){3}",)),
    job("persistent requests, a rank dies", 2, 2, 4, 1, "", "8 3 2 3", {"FTCOLL_INTERCEPT": "all"}, "persistent", failures=1,
        says=(r"(?s)(persistent: rank \d is content.*){3}",)),
    job("in rounds, a rank dies", 2, 2, 4, 1, "", "2 persistent uneven",
        {"FTCOLL_INTERCEPT": "all", "FTCOLL_MAX_BYTES": "40", "FTCOLL_CRASH": "1:17:a0"}, "survivors", failures=1,
        says=(r"(?s)(survivors: rank \d is through.*){3}",)),
    job("nobody dies, 3 x 2", 3, 2, 6, 2, "", MIXED),
    job("nobody dies, round robin", 2, 1, 5, 1, "", MIXED),
    job("nobody dies, 4 hosts, uneven", 4, 2, 7, 1, "", MIXED),
    job("nobody dies, 8 ranks", 2, 4, 8, 1, "", MIXED),
    job("nobody dies, a tree inside of a host", 2, 5, 8, 1, "", MIXED),
    job("large values", 2, 2, 4, 1, "", "--max-bytes 65536", {"FTCOLL_MAX_BYTES": "65536"}),
    job("coverage has the call sites of all hosts", 2, 1, 4, 1, "", "", SITES, "sites", failures=0, tags=DEFECT,
        says=(site("1,200", 4, "MPI_Allreduce", "protected", r"sites\(energy"),
              site(4, 4, "MPI_Gather", "not protected", r"sites\(collect", "setting intercept does not name this call"))),
    job("coverage has those of the dead of other hosts", 2, 1, 4, 1, "", "die", SITES, "sites", failures=1,
        says=(site("1,203", 4, "MPI_Allreduce", "protected", r"sites\(energy"),
              "all 1,203 calls that need other ranks are protected")),
    job("coverage advises what protects large data", 2, 1, 2, 1, "", "allreduce 1000000 3",
        {"FTCOLL_REPORT": "coverage"}, "bulk", failures=0, says=(r"MPI_Allreduce .*not protected.*FTCOLL_LARGE=protected",)),
]

# Of ranks 0 and 2, both of node1, only rank 0 shares its core, with rank 1 of node2: in a communicator of the two both still
# do the same.
WELL.append(job("one of two ranks of a host shares its core", 2, 1, 3, 1, "", MIXED))
WELL[-1].command = WELL[-1].command.replace("{programs}/stream", f"{HERE}/bound {{programs}}/stream")

# A rank's first message for another may be one that nobody waits for any more, because the reduction is through
# there: whoever is in native MPI's wait meanwhile, for that rank even, still lets it in.
WELL.append(Case("hosts: a first message that comes late", 5, 1, rotate=False, limit_s=LIMIT_S, tags=DEFECT,
                 command=on(2, 2, 5, "{build}/tests/semantics/nonblocking ."),
                 settings={**UCX, "FTCOLL_INTERCEPT": "reduce,allreduce", "FTCOLL_ALGORITHM": "corrected"}))

# The same where the root computes: whoever has the message is through with the reduction nevertheless.
WELL.append(job("the root computes before another's message is out", 3, 1, 3, 1, "", "", None, "through", failures=0,
                says=("through: the sum is 3",), tags=DEFECT))

# ---- a trace, which each host writes of itself ----

def traces(n, hosts, dead):
    def check_host(trace, number):
        here = {rank for rank in range(n) if rank // (n // hosts) == number}
        must({e["pid"] for e in trace.of("operation")} == here, "not the operations of the ranks of this host")
        must({e["pid"] for e in trace.of("death")} == dead, "not the deaths of the job")
        must({e["pid"] for e in trace.of("noticed")} >= here - dead, "not all ranks here have noticed it")
        far = [e for e in trace.of("message", "i") if "taken" not in e["args"]]
        must(far and all(e["args"].get("to", e["args"].get("from")) not in here for e in far), "not the messages of other hosts")

    def check(job):
        for number in range(hosts):
            wrong = checked(form(n), lambda trace, at=number: check_host(trace, at), name=f"trace.json.node{number + 1}",
                            left=hosts)(job)
            if wrong:
                return wrong
        return ""
    return check


WELL.append(job("each host has its trace", 2, 2, 4, 1, "kill@10:2", ALLREDUCE, TRACE, check=traces(4, 2, {2})))

# ---- who is silent ----

SILENT = [
    job("monitor = timeout, nobody dies", 3, 2, 6, 1, "", MIXED, SILENCE),
    job("monitor = timeout, a rank is killed", 2, 2, 4, 1, "kill@10:other", "", SILENCE),
    *(job(f"monitor = timeout, rank {rank} is silent", 3, 2, n, 1, f"freeze@10:{rank}", "", SILENCE, finished=n - 1, failures=1,
          says=(rf"rank {rank} \(.*\) {SILENT_FOR}",)) for rank, n in ((0, 5), (2, 6))),
    job("monitor = timeout, two ranks of one host are silent", 2, 2, 4, 1, "freeze@10:2 freeze@10:3", "", SILENCE, finished=2,
        failures=2),
    job("monitor = timeout, a rank is stopped while others test requests", 2, 2, 4, 1, "", "",
        {**SILENCE, "FTCOLL_INTERCEPT": "all"}, "frozen", failures=1, says=(r"(?s)(is through, 3 in the last sum.*){3}",),
        tags=DEFECT),
    job("monitor = timeout, longer silent in the program than stopped", 2, 2, 4, 1, "stop900@10:other", "", SILENCE),
]

# ---- calls whose data are too large for one operation ----

# An operation carries 4096 bytes of such a call.
PROTECTED = {"FTCOLL_INTERCEPT": "all", "FTCOLL_LARGE": "protected", "FTCOLL_ON_DEAD_ROOT": "keep",
             "FTCOLL_MAX_BYTES": "256"}
THROUGH = r"(?s)(is through.*){{{}}}"


def large(name, hosts, each, program, args, crash="", f=1, settings=None, alive=None, **more):
    """@crash: as in setting crash."""
    n = hosts * each
    alive = n - (crash.count(",") + 1 if crash else 0) if alive is None else alive
    variables = {**PROTECTED, **({"FTCOLL_CRASH": crash} if crash else {}), **(settings or {})}
    return job(f"large: {program}, {name}", hosts, each, n, f, "", args, variables, program,
               **{"failures": n - alive, "rotate": False, "says": (THROUGH.format(alive),), **more})


WIDE = {"FTCOLL_MAX_BYTES": "4096"}  # 65536 bytes
NO_MEMORY = "more than the 2 MiB of setting large_memory"
MEBIBYTE, TEN, ODD = 1 << 20, 40_000, 200_004  # ten slices of 4096 bytes, the last of them not whole
SLICES = 10

# Those of bulk that are pipelined slices, combined on their way; and those whose blocks travel.
PIPELINED = ("allreduce", "inplace", "reduce:1", "reduce_inplace:2", "gaps", "pairs", "nonblocking")
BLOCKS = ("matrix", "bcast:1", "packed:2", "ibcast:1")
ROWS = ("allgather", "allgatherv", "inplace", "gather:1", "scatter:1", "alltoall", "turned", "spread", "scan", "exscan",
        "reduce_scatter", "gatherv:1", "scatterv:1", "alltoallv", "alltoallw", "ring", "around")


def in_second(slice_number):
    """The operation with that slice in the second round of bulk: a round is so many slices, and one to compare."""
    return SLICES + 1 + slice_number


def recorded_once(j, missing):
    """The file is on a disk that all hosts share."""
    lines = [json.loads(line) for line in j.text("record").splitlines()]
    if not lines or any(line["missing"] != missing for line in lines):
        return f"not all lines of the record lack {missing}: {lines}"
    operations = [line["operation"] for line in lines]
    return "" if len(operations) == len(set(operations)) else f"operations with two lines: {operations}"


def ends_saying(pattern):
    """Returns what is expected of a case of mismatch whose ranks end the job, once they have said @pattern."""
    return {"status": "failed", "says": (pattern,), "hand_after": "mismatch: ",
            "hand": release_when(lambda j: re.search(pattern, j.text("stdout")))}


def in_turn(calls, *ways):
    """Each with one of the ways: all with all would take minutes."""
    return list(zip(calls, itertools.cycle(ways)))


LARGE = [
    *(large(f"{call}, {size} bytes, nobody dies", hosts, 2, "bulk", f"{call} {size} 2", settings=WIDE)
      for call, (hosts, size) in in_turn((*PIPELINED, *BLOCKS), (2, MEBIBYTE), (3, ODD))),
    *(large(f"{call}, rank {victim} dies in slice {number} at {point}", 2, 2, "bulk", f"{call} {TEN} 3",
            f"{victim}:{in_second(number)}:{point}")
      for call, victim, number, point in (
          ("allreduce", 1, 0, "a0"), ("allreduce", 3, 4, "a0"), ("inplace", 0, 4, "a1"), ("inplace", 2, 9, "a0"),
          ("inplace", 1, 9, "a1"), ("inplace", 3, 9, "end"), ("allreduce", 0, 5, "end"), ("reduce:1", 2, 5, "a0"),
          ("reduce_inplace:2", 2, 5, "a0"), ("nonblocking", 1, 5, "a0"), ("nonblocking", 2, 7, "end"), ("gaps", 0, 3, "a1"))),
    large("two die in one call, and one in the second try", 3, 2, "bulk", f"inplace {TEN} 3",
          f"1:{in_second(3)}:a0,4:{in_second(7)}:a1,0:{in_second(12)}:a0", f=3),
    large("all of a host dies in one call", 2, 2, "bulk", f"inplace {TEN} 3",
          f"2:{in_second(3)}:a0,3:{in_second(5)}:a0"),
    large("threads, a rank dies", 2, 2, "bulk", f"threads {TEN} 10", "2:60:a0", alive=3),
    *(large(f"{call}, rank {victim} dies in the middle", 2, 2, "bulk", f"{call} {TEN} 3", f"{victim}:{operation}:a0")
      for call, victim, operation in (("matrix", 3, 80), ("bcast:1", 1, 17), ("packed:2", 2, 17), ("packed:2", 0, 17),
                                      ("ibcast:1", 1, 17))),
    *(large(f"{call}, nobody dies", hosts, 2, "rows", f"{call} {size} 2", settings=WIDE)
      for call, (hosts, size) in in_turn(ROWS, (2, MEBIBYTE // 8), (3, 20_008))),
    *(large(f"{call}, rank {victim} dies in the middle", 2, 2, "rows", f"{call} {TEN} 3", f"{victim}:50:a0")
      for call, victim in in_turn(ROWS, 1, 2)),
    *(large(f"{form}{call}, nobody dies", 2, 2, "rows", f"{form}{call} {TEN} 2", settings=WIDE)
      for form in "ip" for call in ("alltoall", "gatherv:1", "spread", "around", "scan")),
    *(large(f"{form}{call}, rank {victim} dies in the middle", 2, 2, "rows", f"{form}{call} {TEN} 3", f"{victim}:50:a0")
      for form, victim in (("i", 2), ("p", 0)) for call in ("alltoall", "gatherv:1", "spread", "scan")),
    large("no data", 2, 2, "bulk", "matrix 0 3"),
    large("max_bytes = 0", 2, 2, "bulk", "inplace 2000 3", "1:13:a0", settings={"FTCOLL_MAX_BYTES": "0"}),  # 8 slices a round
    *(large(f"memory is short, {arguments}", 2, 2, program, arguments, failures=0, status="failed", says=(NO_MEMORY,),
            settings={**WIDE, "FTCOLL_LARGE_MEMORY": "2"})
      for program, arguments in (("bulk", "allreduce 3000016 3"), ("bulk", "reduce:1 3000016 3"),
                                 ("bulk", "bcast:1 3000016 3"), ("rows", "allgather 1000000 3"), ("rows", "iscan 1000000 3"))),
    large("required of all", 2, 2, "bulk", f"allreduce {TEN} 3", f"1:{in_second(4)}:a0", status="failed", failures=None,
          says=("the result lacks 1 of 4 ranks, .*require_all requires all",), settings={"FTCOLL_REQUIRE_ALL": "sum"}),
    large("the record has whom a result lacks, once", 2, 2, "bulk", f"allreduce {TEN} 3", f"1:{in_second(4)}:a0",
          settings={"FTCOLL_RECORD_FILE": "record"}, check=lambda j: recorded_once(j, [1]), tags=DEFECT),
    *(large(f"the root of {arguments} dies, which is an error", 2, 2, program, arguments, "1:17:a0", status="failed",
            failures=None, says=(f"{name}: its root, rank 1 of the communicator, is dead",), settings={"FTCOLL_ON_DEAD_ROOT": "error"})
      for program, arguments, name in (("bulk", f"bcast:1 {TEN} 3", "MPI_Bcast"),
                                       ("rows", f"scatter:1 {TEN} 3", "MPI_Scatter"))),
    *(large(f"mismatch: {scene}", 2, 1, "mismatch", scene, failures=0, **ends_saying(
        r"mismatched collective calls: rank 0 called MPI_Allreduce\(count 300000, .*, rank 1 called MPI_All"))
      for scene in ("large", "sizes")),
]

# ---- calls that do not match ----

# Who finds it tells those of other hosts with whom it has no link yet: before one of them ends the job, most hear of it.
WRONG = [job(f"mismatch: told, {algorithm}", 4, 1, n, 1, "", "told", {"FTCOLL_ALGORITHM": algorithm}, "mismatch", failures=0,
             silent=(r"\) at 0x",), **ends_saying(f"(?s)(mismatched collective calls: rank .*){{{n // 2 + 1}}}"))
         for algorithm, n in (("optimistic", 4), ("corrected", 4), ("corrected", 7))]

WRONG += [job(f"mismatch: {scene}, n = {n}", 2, 1, n, 1, "", scene, {"FTCOLL_INTERCEPT": "all"}, "mismatch", failures=0,
              **ends_naming_both(told), tags=defect_if(scene == "roots"))
          for scene, n, told in (("roots", 2, 1), ("leaf", 2, 1), ("blocks", 3, 1))]

# ---- deaths of processes ----

TOLERATED = [job(*row) for row in (
    # name, hosts, ranks at a time, n, f, faults (see mpi/programs/fault.h), further arguments of stream
    ("kill between operations, elsewhere", 2, 1, 2, 1, "kill@10:last"),
    ("kill between operations, of rank 0", 2, 1, 2, 1, "kill@10:zero"),
    ("kill inside an operation, elsewhere", 2, 2, 4, 1, "kill@in10:last"),
    ("kill inside an operation, of rank 0", 2, 2, 4, 1, "kill@in10:zero"),
    ("kill before MPI_Finalize", 2, 2, 4, 1, "kill@finalize:other"),
    ("kill before MPI_Finalize, round robin", 2, 1, 4, 1, "kill@finalize:last"),
    ("exit(3) between operations", 3, 1, 3, 1, "exit3@8:last"),
    ("segv inside an operation", 2, 2, 4, 1, "segv@in9:last"),
    ("abort before MPI_Finalize", 2, 1, 3, 1, "abort@finalize:1"),
    ("before the first operation", 2, 2, 4, 1, "kill@0:other"),
    ("in the first operation", 2, 2, 4, 1, "kill@in0:zero"),
    ("in the last operation", 2, 2, 4, 1, "kill@in39:other"),
    ("root of a reduce, inside", 2, 2, 4, 1, "kill@in6:root", REDUCE),
    ("rank 0 of an allreduce, inside", 3, 2, 6, 2, "kill@in6:zero", ALLREDUCE),
    ("two at once, on one host", 3, 2, 6, 2, "kill@8:2,3"),
    ("two at once, on two hosts", 3, 2, 6, 2, "kill@8:1,4"),
    ("all of a host, one after the other", 2, 2, 4, 1, "kill@6:2 kill@20:3", ALLREDUCE),
    ("all but one", 2, 2, 4, 3, "kill@8:0,1,3", ALLREDUCE),
    ("one after the other, more than f in all", 3, 2, 6, 1, "kill@6:1 segv@14:3 kill@22:0 exit3@30:5", ALLREDUCE),
    ("inside, in all communicators", 3, 2, 6, 2, "kill@in12:4", MIXED),
    ("inside, one that collects for another", 2, 5, 8, 1, "kill@in10:3", ALLREDUCE),
    ("three at once inside", 4, 2, 8, 3, "kill@in8:1,2,5", ALLREDUCE),
)] + [job(*row, runs=3) for row in (
    ("random instant", 2, 2, 4, 1, "kill@~10:other"),
    ("random instant, two", 3, 2, 6, 2, "kill@~10:1,4"),
    ("random instant, three", 4, 2, 8, 3, "kill@~10:0,3,6", MIXED),
)]

# ---- deaths at exact points of the protocol, by setting crash (shim/progress/crash.h) ----

# Some have returned with the result, on one host, and others need it, on another: they ask for it.
POINTS = [
    Case(f"hosts: rank {rank} dies at {point}, {algorithm}, {hosts} x {each}", hosts * each, 1, rotate=False,
         command=on(hosts, each, hosts * each, "{programs}/stream --seed {seed} --calls allreduce"),
         settings={**UCX, "FTCOLL_ALGORITHM": algorithm, "FTCOLL_CRASH": f"{rank}:5:{point}"},
         finished=hosts * each - 1, failures=1, limit_s=LIMIT_S)
    for hosts, each, rank, algorithm, point in (
        (2, 2, 0, "corrected", "a2"), (2, 2, 0, "corrected", "a3"), (2, 2, 0, "optimistic", "a1"),
        (2, 2, 1, "optimistic", "a1"), (3, 1, 0, "corrected", "a2"), (3, 1, 0, "optimistic", "a1"),
        (3, 1, 1, "optimistic", "end"))]

# Hosts that are far from each other: four leaders tell each other in one round.
FAR = [
    Case(f"hosts: far, {name}", 4 * each, 1, rotate=False,
         command=on(4, each, 4 * each, f"{HERE}/far {{programs}}/stream --seed {{seed}} --calls allreduce"),
         settings={**UCX, "FTCOLL_CRASH": crash}, finished=4 * each - (crash != ""), failures=int(crash != ""), limit_s=LIMIT_S)
    for name, each, crash in (
        ("nobody dies", 2, ""), ("rank 0 dies in a round", 1, "0:5:a2"), ("rank 1 dies in a round", 1, "1:5:b3"),
        ("rank 3 dies before it", 1, "3:5:a0"), ("a leader dies in a round", 2, "2:5:a1"))]

# ---- messages that go by UCX ----

BY_UCX = {"FTCOLL_LINK": "ucx", "FTCOLL_REPORT": "summary"}
# Whoever reports: all of his links, where they had the time.
WITH_UCX = {"silent": ("messages go by TCP",), "says": (r"had links with ([1-9]\d*) ranks of other hosts, \1 of them by UCX",)}


def has_ucx():
    try:
        ctypes.CDLL("libucp.so.0")
    except OSError:
        return False
    return True


UCX_PATHS = [job(f"by UCX: {name}", *row, settings=BY_UCX, **WITH_UCX) for name, *row in (
    ("nobody dies", 2, 2, 4, 1, "", "--ops 2000"),
    ("nobody dies, mixed", 3, 2, 6, 2, "", f"{MIXED} --ops 2000"),
    ("kill between operations", 2, 2, 4, 1, "kill@1500:last", "--ops 2000"),
    ("kill inside an operation", 2, 2, 4, 1, "kill@in1500:zero", "--ops 2000"),
    ("all of a host, one after the other", 2, 2, 4, 1, "kill@1200:2 kill@1300:3", f"{ALLREDUCE} --ops 2000"),
    ("two at once, on two hosts", 3, 2, 6, 2, "kill@1500:1,4", f"{MIXED} --ops 2000"),
    ("kill before MPI_Finalize", 2, 2, 4, 1, "kill@finalize:other", "--ops 2000"),
)] + [
    large("in slices, by UCX", 2, 2, "bulk", f"inplace {TEN} 60", settings=BY_UCX,
          says=(THROUGH.format(4), WITH_UCX["says"][0])),
    large("in slices, by UCX, a rank dies", 2, 2, "bulk", f"inplace {TEN} 60", f"1:{in_second(500)}:a0", settings=BY_UCX),
]

# ---- what people are told ----

TOLD = (r"rank 3 \(node2, pid \d+\) killed by signal 9 \(Killed\); 3 of 4 ranks go on",
        r"all survivors \(3\) have their results, .* after the death of rank 3",
        r"(?m)^ftcoll: rank 3 \(node2, pid \d+\) killed by signal 9 .*missed in MPI_.*noticed by rank \d after \d+ us; "
        r"all survivors had the result after \d+ us")


def await_told(j):
    """The end of the job tells the rest, and would be in time for neither line."""
    if not wait_for(lambda: "all survivors (" in j.text("stderr") or j.process.poll() is not None, LIMIT_S):
        raise Hang(f"the second line does not come\n{j.stacks()}")
    j.allow("told")


def told_once(j):
    """Each line is one process's, whichever hosts know of the death."""
    text = j.text("stderr")
    for line in (" go on (f = 1 host)", "all survivors (", "ranks survived"):
        if text.count(line) != 1:
            return f"'{line}' comes {text.count(line)} times"
    return ""


# ---- what ends the job ----

ENDLESS = "--ops 1000000"


def interrupt(j):
    j.strike(signal.SIGINT, lambda p: p.name.startswith("mpiexec"))


def kill_one_of_each(j):
    """Two deaths on two hosts, each of which is one too few for its own host."""
    ranks = j.ranks()
    for rank in (1, 3):
        os.kill(ranks[rank].pid, signal.SIGKILL)


def ended_once(j):
    """Why the job ends is said, and reported, by one host."""
    text = j.text("stderr")
    for line in ("ends the job: ", "the job ended before MPI_Finalize returned"):
        if text.count(line) != 1:
            return f"'{line}' comes {text.count(line)} times"
    return ""


def reported_once(count):
    def check(j):
        line = f"the job ended before MPI_Finalize returned: {count} of 4 ranks had failed"
        lines = j.text("stderr").count(line)
        return "" if lines == 1 else f"'{line}' comes {lines} times"
    return check


def kill_one_of_each_then_go_on(j):
    """All know of the deaths before they meet them."""
    kill_one_of_each(j)
    if not wait_for(lambda: j.text("stderr").count("ranks go on") == 2, LIMIT_S):
        raise Hang("the deaths are not told")
    j.allow("told")


BELOW = f"{HERE}/below {{programs}}/stream --seed {{seed}} "

ENDS = [
    # Ranks on both hosts end the job.
    job("an error on all", 2, 2, 4, 1, "", f"--go 10 --await 10:told {ALLREDUCE}", finished=None, failures=2, status="failed",
        hand=kill_one_of_each_then_go_on, says=("2 of 4 processes failed",), check=reported_once(2), tags=DEFECT),
    job("an error that returns", 2, 2, 4, 1, "kill@0:3", f"--errors-return {ALLREDUCE}", {"FTCOLL_REQUIRE_ALL": "all"},
        finished=(0, 1, 2, 3), status=(0, 3), excess="--maybe-excess", silent=("had the result", "have their results"),
        says=(r"(?m)missed in MPI_Allreduce #0 .*; it returned the error after \d+ us$",)),
    # A monitor process below a shell tells of no death before that is seen to go on.
    Case("hosts: an error on all at once", 4, 1, command=on(2, 2, 4, BELOW + stream("kill@10:3", ALLREDUCE)), status="failed",
         settings={**UCX, "FTCOLL_REQUIRE_ALL": "all"}, limit_s=LIMIT_S, check=reported_once(1), tags=DEFECT),
    job("critical_ranks", 3, 1, 3, 1, "kill@10:2", ENDLESS, {"FTCOLL_CRITICAL_RANKS": "2"}, finished=None, failures=None,
        status="failed", says=("the death of rank 2 ends the job: critical_ranks",), check=ended_once, tags=DEFECT),
    job("tolerate", 3, 1, 3, 1, "kill@10:2", ENDLESS, {"FTCOLL_TOLERATE": "exit,host"}, finished=None, failures=None,
        status="failed", says=("the death of rank 2 ends the job: setting tolerate does not name signal",), check=ended_once),
    job("max_failed", 2, 2, 4, 1, "kill@10:3", ENDLESS, {"FTCOLL_MAX_FAILED": "0"}, finished=None, failures=None,
        status="failed", says=("the death of rank 3 ends the job: it is number 1, max_failed = 0",), check=ended_once),
    job("max_failed, by deaths on two hosts", 2, 2, 4, 2, "", ENDLESS + " --go 10", {"FTCOLL_MAX_FAILED": "1"},
        finished=None, failures=None, status="failed", hand=kill_one_of_each, says=("max_failed = 1",), check=ended_once,
        tags=DEFECT),
    job("MPI_Abort", 2, 2, 4, 1, "", "--abort 10", finished=None, failures=None, status="failed"),
    # Natively the status is 0, 2 or 255 then, by chance.
    job("Ctrl-C", 2, 2, 4, 1, "", ENDLESS + " --go 10", finished=None, failures=None, status=(0, "failed"),
        hand=interrupt, silent=("ftcoll: .* go on",)),
]

# ---- a native call that waits for the dead, and may go on without them: all of the job stand still, on all hosts ----


def told_by_one_host(j):
    lines = j.text("stderr").count("on_blocked")
    return "" if lines <= 1 else f"{lines} ranks say who is blocked"


MPIS_OWN_ERROR = 15  # MPI_ERR_OTHER


def told_unless_mpi_ends_the_job(j):
    """UCX may be the first to see that a rank to which something is sent has gone. Hydra may drop MPI's words."""
    if j.process.returncode == MPIS_OWN_ERROR:
        return ""
    if not re.search(r"rank 0 has been in MPI_Allgather .*it needs rank 1, which is dead .*on_blocked = abort", j.text("stderr")):
        return "no line on the call of rank 0"
    return told_by_one_host(j)


def still(scene, *says, check=told_by_one_host):
    return Case(f"hosts: all stand still, {scene}", 4, 1, command=on(2, 2, 4, f"{{programs}}/blocked {scene}"), limit_s=LIMIT_S,
                settings={**UCX, "FTCOLL_UNREACHABLE_MS": Patience(3000), **ABORT}, status="failed", says=says,
                check=check, tags=defect_if(scene != "waits"))


STILL = [
    still("root", r"rank \d has been in MPI_Bcast .*it may need rank 1, which is dead .*on_blocked = abort"),
    still("polls", r"rank \d has called MPI_\w+ .* again and again .*on_blocked = abort"),
    still("waits", check=told_unless_mpi_ends_the_job),
]

# ---- who else is in the network ----

STRANGER = """
import os, resource, socket
held = []
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
for i in range({count}):
    for address in {listeners}:
        s = socket.socket()
        s.settimeout(5)
        try:
            s.connect(address)
            if i % 3 == 0:
                s.sendall(os.urandom(20 + i % 60))
        except OSError:
            pass
        if i % 3 == 1 and len(held) < most - 100:
            held.append(s)
        else:
            s.close()
print(len(held), "stay")
"""


def listening(pid):
    """(address, port) by inode, of all that listens in the network of process @pid."""
    listeners = {}
    with open(f"/proc/{pid}/net/tcp", encoding="ascii") as file:
        for line in file.read().splitlines()[1:]:
            word = line.split()
            if word[3] == "0A":
                address, port = word[1].split(":")
                listeners[word[9]] = (socket.inet_ntoa(bytes.fromhex(address)[::-1]), int(port, 16))
    return listeners


def listeners_of(process):
    """What the library listens at in @process, which may end: its descriptors are high, those of UCX are not."""
    found = []
    try:
        listeners, descriptors = listening(process.pid), os.listdir(f"/proc/{process.pid}/fd")
    except OSError:
        return found
    for fd in descriptors:
        try:
            inode = re.findall(r"socket:\[(\d+)\]", os.readlink(f"/proc/{process.pid}/fd/{fd}"))
        except OSError:
            continue
        if inode and inode[0] in listeners and (process.is_monitor() or int(fd) >= 700):
            found.append(listeners[inode[0]])
    return found


def knock(network, count):
    """From a host that has no part in the job, at all listeners of the job."""
    def hand(j):
        listeners = [listener for p in j.processes() for listener in listeners_of(p)]
        if len(listeners) < 2 * 4 or not any(p.name.startswith("mpiexec") and listeners_of(p) for p in j.processes()):
            raise Hang(f"listeners: {listeners}")
        elsewhere = [listener for listener in listeners if not listener[0].startswith((SUBNET, "127."))]
        if elsewhere:
            raise Hang(f"it listens at {elsewhere}, which the launcher does not use")
        subprocess.run(["nsenter", "-t", str(network.first["node4"]), "-n", sys.executable, "-c",
                        STRANGER.format(count=count, listeners=listeners)], check=True)
        j.allow("knocked")
    return hand


@pytest.fixture(scope="module")
def network():
    with network_or_skip(HOSTS) as started:
        yield started


# ---- a monitor process is killed, with its rank; it may be the agent of its host ----

def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def name_of(pid):
    with open(f"/proc/{pid}/comm", encoding="ascii", errors="replace") as file:
        return file.read().strip()


def kill_monitors(*ranks):
    def hand(j):
        for rank in ranks:
            j.strike(signal.SIGKILL, lambda p, rank=rank: p.is_monitor() and p.rank == rank and
                     name_of(parent_of(p.pid)) == "below")
        j.allow("killed")
    return hand


# One of the three monitor processes of node2 is its agent. Afterwards a rank of each host dies as well.
AGENTS = [
    Case(f"hosts: the monitor processes of ranks {first} and {second} are killed", 6, 3, rotate=False,
         command=on(2, 3, 6, f"{HERE}/below {{programs}}/stream --seed {{seed}} --calls allreduce --go 10 "
                             "--await 20:killed " + stream("kill@30:1")),
         settings=UCX, hand=kill_monitors(first, second), finished=3, failures=3, status=(0, "failed"), limit_s=LIMIT_S)
    for first, second in ((3, 4), (4, 5), (3, 5))]


def after_silence(ms, hand):
    """Nothing is told between hosts for longer than @ms."""
    def wait(j):
        time.sleep(2 * ms / 1000)
        hand(j)
    return wait


# Without a lease the agents of other hosts wait for news only; where those come from a process that has died, another one is
# asked. Both of node2 are killed, as any of them may be the one.
QUIET_MS = 1000
AGENTS.append(
    Case("hosts: who tells the news is killed after a long silence", 6, 2, rotate=False,
         command=on(2, 3, 6, f"{HERE}/below {{programs}}/stream --seed {{seed}} --calls allreduce --go 10 "
                             "--await 20:killed " + stream("kill@30:1"))
         .replace("env LD_PRELOAD={library} mpiexec.hydra", "env -u LD_PRELOAD mpiexec.hydra -genv LD_PRELOAD {library}"),
         settings={**UCX, "FTCOLL_UNREACHABLE_MS": str(QUIET_MS)}, hand=after_silence(QUIET_MS, kill_monitors(3, 4)), finished=3,
         failures=3, status=(0, "failed"), limit_s=LIMIT_S, tags=DEFECT))

CASES = WELL + SILENT + LARGE + WRONG + TOLERATED + POINTS + FAR + UCX_PATHS + ENDS + STILL + AGENTS + [
    job("what people are told", 2, 2, 4, 1, "kill@10:3", ALLREDUCE + " --go 9 --await 40:told", hand=await_told, says=TOLD,
        check=told_once)]


# make check-all tries one of four large calls; make check-hosts-all tries all of them.
THOROUGH = [case for i, case in enumerate(LARGE) if i % 4 != 0]
CHOSEN = choose([case for case in CASES if case not in THOROUGH], kinds_of_fault)


def marks_of(case):
    if case in THOROUGH:
        yield pytest.mark.thorough
    if case in UCX_PATHS:
        yield pytest.mark.skipif(not has_ucx(), reason="there is no libucp.so.0")


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("case", parameters(CASES, CHOSEN, marks_of))
def test_case(case, run_case, pytestconfig):
    first = pytestconfig.getoption("seed")
    for seed in range(first, first + (pytestconfig.getoption("runs") or case.runs)):
        run_case(case, seed)


# ---- hosts that are containers on one machine ----

CORES = sorted(os.sched_getaffinity(0))
SLICES_TELL = (os.sched_getscheduler(0) == os.SCHED_OTHER and
               tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) >= (6, 12))


def on_cores(of_rank, expected):
    """Two hosts with a rank on each, which may use a core each; what both say of their slice."""
    return Case(f"hosts: ranks on cores {of_rank}", 2, 1, rotate=False, limit_s=LIMIT_S, settings=UCX,
                command=on(2, 1, 2, f"{{programs}}/slice {of_rank[0]} {of_rank[1]}"), failures=0,
                says=(rf"(?s)(slice: rank \d has {expected} one.*){{2}}",))


@pytest.mark.usefixtures("network")
@pytest.mark.skipif(not SLICES_TELL, reason="slices are those of Linux 6.12 or later, and of the usual scheduling policy")
@pytest.mark.parametrize("shared", [True, pytest.param(False, marks=pytest.mark.skipif(len(CORES) < 2, reason="one core"))])
def test_ranks_of_several_hosts_that_share_cores_are_counted(shared, run_case):
    run_case(on_cores((CORES[0], CORES[0 if shared else 1]), "a short" if shared else "the usual"), 1)


@pytest.mark.parametrize("count", [300, pytest.param(3334, marks=pytest.mark.thorough, id="ten thousand")])
def test_strangers_neither_end_nor_delay_a_job(network, run_case, count):
    """Garbage, connections that say nothing and stay, and many of them, while a rank dies. @count at each listener of the
    job, of which a third stays: it has eight and more, and so ten thousand at once."""
    run_case(job(f"{count} strangers", 2, 2, 4, 1, "kill@30:3", "--go 10 --await 20:knocked", hand=knock(network, count)))
