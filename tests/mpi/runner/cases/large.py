"""Calls whose data are too large for messages: a data phase and a vote."""
import re

from ..case import Case
from .calls import ends_naming_both
from .common import DEFECT, SILENCE, TEN_S, UNFINISHED, defect_if

PROTECTED = {"FTCOLL_INTERCEPT": "all", "FTCOLL_LARGE": "protected"}
KEEP = {"FTCOLL_ON_DEAD_ROOT": "keep"}
THROUGH = r"(?s)(is through.*){{{}}}"

# Several blocks, of which the last is not whole; and one.
MANY, ONE = 3_000_016, 40_000


def large(name, n, arguments, crash="", alive=None, f=1, settings=None, says=(), **more):
    """@crash: as in setting crash. A round of bulk is two operations, the first of them large."""
    alive = n - (crash.count(",") + 1 if crash else 0) if alive is None else alive
    variables = {**PROTECTED, **({"FTCOLL_CRASH": crash} if crash else {}), **(settings or {})}
    return Case(f"large: {name}, n = {n}", n, f, settings=variables, failures=n - alive,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/bulk {arguments}",
                says=(THROUGH.format(alive), *says), **more)


CALLS = ("allreduce", "inplace", "reduce:1", "reduce_inplace:2", "matrix", "gaps", "pairs", "nonblocking", "bcast:1",
         "packed:2", "ibcast:1")

# Reductions that have no data phase: with a request and calls into MPI, or of elements that no block of one holds. And an
# operation with data in the second round of bulk: 6 MiB take four rounds.
BULK_ROUNDS = (("imatrix", MANY, 2), ("igaps", MANY, 2), ("wide", 3 * 2**21, 6), ("iwide", 3 * 2**21, 7))


def second(call):
    """The operation with the data of the second round."""
    return 3 if call == "nonblocking" else 2


FIRST, MIDDLE, LAST = "d0", "d50", "d100"

LARGE = [
    *(large(f"{call}, nobody dies", n, f"{call} {size} 3") for call in CALLS for n, size in ((3, MANY), (5, ONE))),
    *(large(f"{call}, nobody dies", 3, f"{call} {size} 3") for call, size, _ in BULK_ROUNDS),
    *(large(f"{call}, rank {victim} dies at {point}", 4, f"{call} {size} 3", f"{victim}:{operation}:{point}")
      for call, size, operation in BULK_ROUNDS for victim, point in ((0, "a0"), (2, "a1"))),
    large("persistent, nobody dies", 3, f"persistent {MANY} 3", tags=DEFECT),
    large("persistent, rank 2 dies in the middle", 4, f"persistent {MANY} 3", "2:2:d50"),
    large("two ranks", 2, f"allreduce {MANY} 5"),
    large("two ranks, in place", 2, f"inplace {MANY} 5"),
    large("as many elements as none", 3, "matrix 0 3"),
    *(large(f"{call}, rank {victim} dies at {point}", 4, f"{call} {MANY} 3", f"{victim}:{second(call)}:{point}")
      for call in CALLS[:8] for victim, point in ((0, MIDDLE), (1, FIRST), (2, LAST)) if not call.endswith(f":{victim}")),
    *(large(f"allreduce, rank {victim} dies at {point}", 3, f"inplace {MANY} 3", f"{victim}:2:{point}")
      for victim, point in ((0, FIRST), (1, "d1"), (2, "d20"), (0, "d80"), (1, "d99"), (2, LAST), (0, "a0"), (1, "a1"),
                            (2, "end"))),
    *(large(f"bcast, rank {victim} dies at {point}", 4, f"bcast:1 {MANY} 3", f"{victim}:2:{point}", settings=KEEP)
      for victim, point in ((0, MIDDLE), (2, FIRST), (1, FIRST), (1, MIDDLE), (1, LAST))),
    *(large(f"ibcast, rank {victim} dies at {MIDDLE}", 4, f"ibcast:1 {MANY} 3", f"{victim}:2:{MIDDLE}", settings=KEEP)
      for victim in (1, 2)),
    *(Case(f"large: with protect = all, {call}, {deaths} of 4 ranks die", 4, 1, failures=deaths,
           settings={"FTCOLL_PROTECT": "all", **({"FTCOLL_CRASH": "2:2:d50"} if deaths else {})},
           command=f"mpiexec.hydra -n {{n}} {{programs}}/bulk {call} {MANY} 3", says=(THROUGH.format(4 - deaths),))
      for call in ("inplace", "matrix") for deaths in (0, 1)),
    Case("large: a broadcast whose root dies is an error", 3, 1, settings={**PROTECTED, "FTCOLL_CRASH": "1:2:d50"},
         command=f"mpiexec.hydra -n {{n}} {{programs}}/bulk bcast:1 {MANY} 3", status="failed", says=("MPI_Bcast: its root, rank 1 of the communicator, is dead, and no rank has its data",)),
    large("the root of a reduce dies", 4, f"reduce:1 {MANY} 3", "1:2:d50"),
    large("two die in one try", 5, f"inplace {MANY} 3", "1:2:d30,3:2:d30", f=2),
    large("one dies in the first try and one in the second", 5, f"inplace {MANY} 3", "1:2:d50,3:3:d50", f=2),
    large("one dies in the vote of the second try", 5, f"inplace {MANY} 3", "1:2:d50,3:3:a1", f=2),
    large("one after the other, more than f in all", 5, f"allreduce {MANY} 6", "1:2:d50,3:5:d50,0:8:d20"),
    *(large(f"the dead are told by {scheme}", 4, f"inplace {MANY} 3", "2:2:d50", settings={"FTCOLL_FAILURE_INFO": scheme},
            rotate=False) for scheme in ("list", "count", "bit")),
    large("threads", 3, f"threads {MANY} 10", settings={"FTCOLL_REPORT": "summary"}, limit_s=30),
    # Of five operations in a row, of three threads, one at least is large.
    large("threads, a rank dies", 4, f"threads {MANY} 10", ",".join(f"2:{i}:d50" for i in range(20, 25)), alive=3, limit_s=30),
    Case("large: two of four die at once", 4, 1, status="failed", settings={**PROTECTED, "FTCOLL_CRASH": "1:2:d50,2:2:d50"},
         command=f"mpiexec.hydra -n {{n}} {{programs}}/bulk inplace {MANY} 3",
         says=("MPI_Allreduce: 2 of 4 processes failed",)),
    Case("large: memory for the copy is short", 3, 1, status="failed", limit_s=TEN_S,
         settings={**PROTECTED, "FTCOLL_LARGE_MEMORY": "2"},
         command=f"mpiexec.hydra -n {{n}} {{programs}}/bulk inplace {MANY} 3", says=("more than the 2 MiB of setting large_memory",)),
    large("no copy is needed", 3, f"allreduce {MANY} 3", settings={"FTCOLL_LARGE_MEMORY": "0"}),
    *(Case(f"large: mismatch: {scene}, n = {n}", n, 1, limit_s=TEN_S, settings=PROTECTED,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/mismatch {scene}", **ends_naming_both(told))
      for scene in ("large", "sizes") for n, told in ((2, 1), (3, 2))),
    Case("large: required of all", 3, 1, status="failed",
         settings={**PROTECTED, "FTCOLL_CRASH": "1:2:d50", "FTCOLL_REQUIRE_ALL": "sum"},
         command=f"mpiexec.hydra -n {{n}} {{programs}}/bulk allreduce {MANY} 3",
         says=("the result lacks 1 of 3 ranks, .*require_all requires all",)),
    large("the record has whom a result lacks", 3, f"allreduce {MANY} 3", "1:2:d50",
          settings={"FTCOLL_RECORD_FILE": "record"},
          check=lambda job: "" if '"missing":[1]' in job.text("record") else "no such line in the record"),
    *(Case(f"large: {requests} persistent calls at once, {form}", 3, 1, settings={"FTCOLL_PROTECT": "all"}, failures=0,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/crowd {form} {requests}", says=(r"(?s)(is content.*){3}",),
           tags=defect_if((form, requests) in (("allreduce", 17), ("allgather", 65))))
      for form in ("allreduce", "allgather") for requests in (17, 65)),
    *(Case(f"large: training, {victims} of {n} ranks die", n, 1, settings=PROTECTED, failures=victims, limit_s=TEN_S * 3,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/sgd 16777216 8 {victims} {{seed}}",
           says=(rf"(?s)(0 of 2097152 weights are wrong.*){{{n - victims}}}",))
      for n, victims in ((2, 0), (3, 1), (4, 2))),
    Case("large: taken for dead in the middle of the data", 3, 1, settings={**PROTECTED, **SILENCE}, failures=1,
         status=UNFINISHED,
         command="mpiexec.hydra -disable-auto-cleanup -n {n} {programs}/bulk asleep:1 8000000 3",
         says=("rank 1 .*stops: rank . declared it dead",)),
]

# ---- what ranks describe by different datatypes ----

ONE_POST, POSTS = 150_000, 900_000  # doubles: with a request, one operation of a broadcast, or five


def unlike(name, n, arguments, crash="", alive=None, tags=()):
    alive = n - (1 if crash else 0) if alive is None else alive
    return Case(f"large: unlike: {name}, n = {n}", n, 1, limit_s=TEN_S, failures=n - alive,
                settings={**PROTECTED, **KEEP, **({"FTCOLL_CRASH": crash} if crash else {})},
                command=f"mpiexec.hydra -n {{n}} {{programs}}/unlike {arguments}", says=(THROUGH.format(alive),), tags=tags)


def available_gib():
    with open("/proc/meminfo", encoding="ascii") as file:
        return int(re.search(r"MemAvailable: +(\d+) kB", file.read())[1]) / 2**20


def huge(call, crash="", told="all of it"):
    """A block of more than 2 GiB, of which two ranks together have four copies; two cases may run at once. It takes a machine
    a while to give so much memory: huge has more calls, for other days."""
    return Case(f"large: huge: {call}{crash and ', crash ' + crash}", 2, 1, failures=1 if crash else 0, limit_s=120,
                settings={**PROTECTED, **KEEP, **({"FTCOLL_CRASH": crash} if crash else {})},
                command=f"mpiexec.hydra -n {{n}} {{programs}}/huge {call}", says=(f"huge: rank 1: {told}",),
                skip="" if available_gib() > 17 else f"{available_gib():.0f} GiB of memory are free, and it takes up to 17")


def too_huge(call):
    return Case(f"large: huge: {call}, more than large_memory", 3, 1, settings={**PROTECTED, "FTCOLL_LARGE_MEMORY": "1024"},
                tags=defect_if(call == "ialltoallv"),
                command=f"mpiexec.hydra -n {{n}} {{programs}}/huge {call}",
                says=(r"(?s)(MPI_ERR_NO_MEM: +or more than the 1024 MiB of setting large_memory.*){3}",))


LARGE += [
    *(unlike(f"{form}, {count} doubles", 3, f"{form} {count} 3",
             tags=defect_if(count == ONE_POST and form in ("ibcast:1", "init:1")))
      for form in ("bcast:1", "Rbcast", "ibcast:1", "Ribcast", "init:1", "Rinit") for count in (ONE_POST, POSTS)),
    *(unlike(f"{form}, rank {victim} dies at {point}", 4, f"{form}:1 {ONE_POST} 3", f"{victim}:2:{point}")
      for form, victim, point in (("ibcast", 1, FIRST), ("ibcast", 2, MIDDLE), ("Ribcast", 1, LAST), ("init", 1, MIDDLE),
                                  ("init", 0, FIRST), ("Rinit", 3, LAST), ("bcast", 1, MIDDLE), ("Rbcast", 2, MIDDLE))),
    *(unlike(f"{form} in rounds, rank {victim} dies in operation {operation} at {point}", 4, f"{form}:1 {POSTS} 3",
             f"{victim}:{operation}:{point}")
      for form, victim, operation, point in (("ibcast", 1, 8, "a0"), ("ibcast", 2, 8, "a1"), ("Ribcast", 1, 10, "d90"))),
    huge("ialltoallv"), huge("gather", crash="0:700:b1", told="nothing"),
    *(too_huge(call) for call in ("bcast", "ibcast", "scatter", "gather", "ialltoallv")),
]

# ---- what ranks post in shared memory, instead of a data phase ----

EVEN = ("allgather", "allgatherv", "inplace", "gather:1", "scatter:1", "alltoall", "turned", "spread", "scan", "exscan",
        "reduce_scatter")
UNEVEN = ("gatherv:1", "scatterv:1", "alltoallv", "alltoallw", "ring", "around")  # no rank knows how much the others give

# Of 4 ranks, the second has no room for an alltoall at once: three rounds, each an operation.
ONE_ROUND, ROUNDS = 300_000, 1_500_000


def rounds(name, n, arguments, crash="", alive=None, f=1, settings=None, says=(), **more):
    alive = n - (crash.count(",") + 1 if crash else 0) if alive is None else alive
    variables = {**PROTECTED, **KEEP, **({"FTCOLL_CRASH": crash} if crash else {}), **(settings or {})}
    return Case(f"rounds: {name}, n = {n}", n, f, settings=variables, failures=n - alive, limit_s=TEN_S,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/rows {arguments}",
                says=(THROUGH.format(alive), *says), **more)


def in_second(call):
    """The operation with the data of the second round of rows: that of an uneven call follows one that is too small."""
    return 4 if call.lstrip("ip") in UNEVEN or call in UNEVEN else 2


# Blocks that fit one operation, which carries their heads alone.
EXPOSED = {"FTCOLL_MAX_BYTES": "65536"}

IN_ROUNDS = [
    *(rounds(f"{call}, exposed, nobody dies", n, f"{call} 2000 40", settings=EXPOSED)
      for call in (*EVEN, *UNEVEN) for n in (2, 5)),
    *(rounds(f"{call}, exposed, rank {victim} dies at {point}", 4, f"{call} 2000 20", f"{victim}:{operation}:{point}", settings=EXPOSED)
      for call in ("allgather", "turned", "scatter:1", "scan", "alltoallv", "around")
      for victim, operation, point in ((0, 2, "a0"), (1, 12, "a1"), (2, 20, "b1"), (3, 30, "end"))),
    # More than a message together.
    *(rounds(f"{call}, exposed beside max_bytes, nobody dies", n, f"{call} 3000 40")
      for call in ("allgather", "scatter:1", "alltoall", "scatterv:1", "gatherv:1") for n in (2, 5)),
    *(rounds(f"{call}, exposed beside max_bytes, rank {victim} dies at {point}", 4, f"{call} 3000 20", f"{victim}:{operation}:{point}")
      for call, victim, operation, point in (("scatter:1", 1, 12, "a1"), ("allgather", 2, 20, "b1"), ("gatherv:1", 3, 30, "end"))),
    *(rounds(f"{call}, nobody dies", n, f"{call} {size} 3")
      for call in (*EVEN, *UNEVEN) for n, size in ((3, ROUNDS * 3), (4, ONE_ROUND))),
    *(rounds(f"{form}{call}, nobody dies", 3, f"{form}{call} {ONE_ROUND} 3")
      for form in "ip" for call in (*EVEN, *UNEVEN) if call != "inplace"),
    rounds("no data", 3, "alltoall 0 3"),
    *(rounds(f"{call}, rank {victim} dies at {point}", 4, f"{call} {ONE_ROUND} 3", f"{victim}:{in_second(call)}:{point}")
      for call in (*EVEN, *UNEVEN) for victim, point in ((0, FIRST), (1, MIDDLE), (2, LAST))),
    *(rounds(f"{form}{call}, rank {victim} dies at {MIDDLE}", 4, f"{form}{call} {ONE_ROUND} 3",
             f"{victim}:{in_second(form + call)}:{MIDDLE}")
      for form, victim in (("i", 2), ("p", 0)) for call in ("alltoall", "alltoallv", "spread", "around", "scan")),
    *(rounds(f"alltoall in rounds, rank {victim} dies in operation {operation} at {point}", 4, f"{call} {ROUNDS} 3",
             f"{victim}:{operation}:{point}")
      for call, victim, operation, point in (
          ("alltoall", 0, 4, FIRST), ("alltoall", 1, 4, "d10"), ("alltoall", 2, 5, "d40"), ("alltoall", 3, 5, "d50"),
          ("alltoall", 0, 5, "a1"), ("turned", 1, 6, "d75"), ("turned", 2, 6, "d90"), ("alltoall", 3, 6, LAST),
          ("ialltoall", 1, 5, "d50"), ("alltoall", 1, 6, "end"))),
    *(rounds(f"allgather, rank {victim} dies at {point}", 3, f"allgather {ONE_ROUND} 3", f"{victim}:2:{point}")
      for victim, point in ((0, "a0"), (1, "a1"), (2, "end"), (0, "d40"), (1, "d67"))),
    rounds("gather in rounds, its root dies between two", 3, f"gather:1 {ROUNDS * 3} 3", "1:5:a0", tags=DEFECT),
    rounds("two die in one call", 5, f"alltoall {ONE_ROUND} 3", "1:2:d0,3:2:d50", f=2),
    rounds("one after the other, more than f in all", 5, f"allgather {ONE_ROUND} 6", "1:2:d50,3:4:d50,0:6:d0"),
    *(rounds(f"the dead are told by {scheme}", 4, f"allgather {ONE_ROUND} 3", "2:2:d50",
             settings={"FTCOLL_FAILURE_INFO": scheme}, rotate=False) for scheme in ("list", "count", "bit")),
    *(Case(f"rounds: memory for the rounds is short: {call}", 3, 1, status="failed", limit_s=TEN_S,
           settings={**PROTECTED, "FTCOLL_LARGE_MEMORY": "2"},
           command=f"mpiexec.hydra -n {{n}} {{programs}}/rows {call} 4000000 3",
           says=("more than the 2 MiB of setting large_memory",)) for call in ("allgather", "alltoall", "iscan")),
    Case("rounds: a scatter whose root dies is an error", 3, 1, settings={**PROTECTED, "FTCOLL_CRASH": "1:2:d0"},
         command=f"mpiexec.hydra -n {{n}} {{programs}}/rows scatter:1 {ONE_ROUND} 3", status="failed",
         says=("MPI_Scatter: its root, rank 1 of the communicator, is dead",)),
    Case("rounds: required of all", 3, 1, status="failed",
         settings={**PROTECTED, "FTCOLL_CRASH": "1:2:d0", "FTCOLL_REQUIRE_ALL": "sum"},
         command=f"mpiexec.hydra -n {{n}} {{programs}}/rows reduce_scatter {ONE_ROUND} 3",
         says=("the result lacks 1 of 3 ranks, .*require_all requires all",)),
]
