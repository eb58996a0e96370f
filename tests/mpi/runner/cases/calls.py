"""Protected calls of programs of several kinds, right ones and wrong ones."""
import re

from ..case import Case
from .common import ALLREDUCE, DEFECT, SURVIVORS, TEN_S, defect_if, release_when, stream, tolerated


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
    Case("an operation of MPICH's own", 3, 1, command="mpiexec.hydra -n {n} {programs}/equal", tags=DEFECT,
         says=(r"(equal: rank \d: 0 wrong(.|\n)*){3}",)),
    Case("critical_ranks", 4, 1, stream("exit0@6:2"), settings={"FTCOLL_CRITICAL_RANKS": "0,2"},
         status="failed", says=("the death of rank 2 ends the job: critical_ranks",)),
    tolerated("critical_ranks, another dies", 4, 1, "kill@6:1",
              settings={"FTCOLL_CRITICAL_RANKS": "0,2"}),
    Case("tolerate does not name an exit", 4, 1, stream("exit3@6:2"), settings={"FTCOLL_TOLERATE": "signal, host"},
         status=3, says=(r"(?m)^ftcoll: the death of rank 2 ends the job: setting tolerate does not name exit$",)),
    tolerated("tolerate names a signal", 4, 1, "kill@6:1", settings={"FTCOLL_TOLERATE": "signal"}),
    # It dies before the first operation: before a later one the others may still be in the one before that.
    Case("require_all", 3, 1, stream("kill@0:1", "--errors-return " + ALLREDUCE), failures=1, excess="--maybe-excess",
         settings={"FTCOLL_REQUIRE_ALL": "all"}, finished=(0, 1, 2), status=(0, 3),
         says=(r"MPI_Allreduce with \w+( operation)?: the result lacks 1 of 3 ranks, .*require_all requires all",
               r"(?m)missed in MPI_Allreduce #0 .*; it returned the error after \d+ us$"),
         silent=("had the result", "have their results"), tags=DEFECT),
]

# The message of a dead rank is read before the operation that it belongs to has started.
LATE = [Case(f"a dead rank's message, {n} ranks", n, 1, says=(f"late: the sum is {n}",), failures=1, tags=DEFECT,
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


UNSEEN = "has not seen its communicator being made"


def pending(name, n, arguments, alive=None, f=1, settings=None, says=(), **more):
    alive = n if alive is None else alive
    return Case(f"nonblocking: {name}, n = {n}", n, f, settings={**ALL_CALLS, **(settings or {})},
                command=f"mpiexec.hydra -n {{n}} {{programs}}/pending {arguments}",
                says=(CONTENT.format(alive), *says), failures=n - alive, **more)


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
    *(pending(f"datatypes and operations of the program's own{', ' + threads if threads else ''}", n, f"derived 20 {threads}".strip(),
              limit_s=TEN_S, settings={"FTCOLL_REPORT": "summary"}, says=("MPI_Iallgather +\\d+  carried out by ftcoll",))
      for n, threads in ((2, ""), (5, ""), (3, "threads"))),
    pending("products of complex numbers, without setting intercept = all", 8, "products", limit_s=TEN_S, tags=DEFECT,
            settings={"FTCOLL_INTERCEPT": "reduce,allreduce,ireduce,iallreduce", "FTCOLL_REPORT": "summary"},
            says=("MPI_Iallreduce +\\d+  carried out by ftcoll", "MPI_Reduce_init +\\d+  carried out by ftcoll")),
    pending("native MPI goes on in the wait", 3, "native", limit_s=TEN_S),
    *(pending("more at once than the rings take, in crossed order", n, "crossed",
              settings={"FTCOLL_REPORT": "summary"}, silent=(UNSEEN,), tags=defect_if(n == 2))
      for n in (2, 5)),
    pending("freed before the end", 3, "free"),
    # what the library has freed is overwritten
    pending("freed before the end of what is large", 3, "free", limit_s=TEN_S, tags=DEFECT,
            settings={"FTCOLL_LARGE": "protected", "FTCOLL_MAX_BYTES": "0", "MALLOC_PERTURB_": "90",
                      "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}),
    pending("stopped in one that the others free", 3, "outrun", settings={"FTCOLL_ALGORITHM": "optimistic"}, limit_s=120,
            tags=DEFECT),
    pending("more than f, the error comes out of the wait", 5, "excess", 3, limit_s=TEN_S),
    *(pending(f"threads in all of it, a rank dies in round {round}", 4, f"threads 10 {{seed}} 2 {round}", 3, runs=2,
              limit_s=TEN_S, tags=defect_if(round == 0)) for round in (0, 1, 4)),
    *(Case(f"origins: {scene}, n = {n}", n, 1, settings={**ALL_CALLS, **settings}, failures=0, limit_s=TEN_S,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/origins {scene}", says=(CONTENT.format(n),), tags=defect_if(n == 2))
      for n in (2, 3) for scene, settings in (
          ("waiting", {}), ("pending", SURVIVORS), ("parents", SURVIVORS), ("callback", {}), ("halves", {}))),
    *(Case(f"origins: {scene}, n = {n}", n, 1, settings={**ALL_CALLS, "FTCOLL_REPORT": "summary"}, failures=0, limit_s=TEN_S,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/origins {scene}",
           **{**says, "says": (CONTENT.format(n), *says.get("says", ()))})
      for n in (2, 3) for scene, says in (("unseen", {"says": (UNSEEN,)}), ("merged", {"silent": (UNSEEN,)}),
                                          ("threaded", {"says": (UNSEEN,)}),
                                          ("copied", {"silent": (UNSEEN,)}))),
    *(Case(f"origins: threaded, whose groups tell each other, n = {n}", n, 1, failures=0, limit_s=TEN_S,
           settings={**ALL_CALLS, **SURVIVORS, "FTCOLL_REPORT": "summary"}, silent=(UNSEEN,), says=(CONTENT.format(n),),
           command="mpiexec.hydra -n {n} {programs}/origins threaded", tags=defect_if(n == 2)) for n in (2, 3)),
    Case("nonblocking: topologies of Fortran 2008, in crossed order", 4, 1, failures=1, tags=DEFECT,
         command="mpiexec.hydra -n {n} {programs}/fortran08 topologies",
         settings={**ALL_CALLS, "FTCOLL_REPORT": "summary", "FTCOLL_REQUIRE_ALL": "prod"},
         says=("fortran: sums 4 and 40",), silent=("has not seen its communicator",)),
    Case("nonblocking: arrays of datatypes of Fortran 2008", 4, 1, failures=1, tags=DEFECT,
         command="mpiexec.hydra -n {n} {programs}/fortran08 datatypes",
         settings={**ALL_CALLS, "FTCOLL_REPORT": "summary", "FTCOLL_REQUIRE_ALL": "prod"},
         says=("fortran: with datatypes 0 wrong", *(f"MPI_{call} +1  carried out by ftcoll" for call in (
             "Ialltoallw", "Alltoallw_init", "Ineighbor_alltoallw", "Neighbor_alltoallw_init")))),
    Case("nonblocking: mismatched", 3, 1, settings=ALL_CALLS, status="failed", says=(MISMATCH,), limit_s=TEN_S,
         command="mpiexec.hydra -n {n} {programs}/pending wrong"),
]



def persistent(what, n, arguments, dead=0, f=1, settings=None, says=(), **more):
    return Case(f"persistent: {what}, n = {n}", n, f, settings={**ALL_CALLS, **(settings or {})}, limit_s=TEN_S,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/persistent {arguments}",
                says=(CONTENT.format(n - dead), *says), failures=dead, **more)


PERSISTENT = [
    *(persistent("nobody dies", n, f"20 {n}") for n in (2, 3, 8)),
    persistent("nobody dies, with settings that protect all", 3, "20 7", settings={"FTCOLL_PROTECT": "all", "FTCOLL_REPORT": "coverage"},
               says=(r"verdict: when a rank of this program dies, no MPI call waits", "MPI_Allreduce_init +\\d+  carried out by ftcoll")),
    *(persistent(f"rank {victim} dies", n, f"20 {{seed}} {victim} 8", 1, runs=2)
      for n, victim in ((2, 1), (4, 0), (5, 2), (8, 7))),
    *(persistent(f"rank {victim} dies at {point}", 4, f"10 5 {victim} -1", 1,
                 settings={"FTCOLL_CRASH": ",".join(f"{victim}:{operation}:{point}" for operation in range(30, 37))})
      for victim in range(4) for point in ("a0", "b1", "a1", "end")),
    # each in another round, so that more than f have died since some requests were started last
    persistent("one after the other, f = 1", 5, "10 3 1,2,4 -1", 3,
               settings={"FTCOLL_CRASH": "1:18:a0,2:28:a0,4:38:a0"}),
    persistent("with the corrected algorithm", 4, "10 3 2 5", 1, settings={"FTCOLL_ALGORITHM": "corrected"}),
    *(persistent(f"threads, rank 2 dies in round {round}", 4, f"8 {{seed}} 2 {round} threads", 1) for round in (0, 3)),
    persistent("native, as the default has it", 3, "0 1", settings={"FTCOLL_INTERCEPT": "reduce,allreduce", "FTCOLL_REPORT": "summary"},
               says=("MPI_Allreduce_init +\\d+  native: setting intercept does not name this call",)),
    *(Case(f"persistent: {requests} that live, {what}", n, 1, failures=dead, limit_s=120, settings={"FTCOLL_PROTECT": "all"},
           rotate=False, command=f"mpiexec.hydra -n {{n}} {{programs}}/many {requests} {victim}", tags=defect_if(dead > 0),
           says=(rf"(?s)(many: rank \d: 0 wrong.*){{{n - dead}}}",))
      for requests, n, dead, what, victim in ((5000, 3, 1, "a rank dies", 1), (20000, 2, 0, "nobody dies", ""))),
    *(Case(f"persistent: looked at among several requests, {what}", 3, 1, settings=settings, failures=dead, limit_s=TEN_S,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/looks {arguments}", says=("looks: 0 wrong",), tags=defect_if(what == "rank 2 dies"))
      for what, arguments, dead, settings in (
          ("nobody dies", "", 0, ALL_CALLS),
          ("rank 2 dies", "2", None, ALL_CALLS),
          ("rank 2 dies, p2p = error", "2", None, {**ALL_CALLS, "FTCOLL_P2P": "error"}))),
]

WRONG = [Case(f"mismatched {what}, {n} ranks", n, 1, status="failed", says=(MISMATCH,), limit_s=TEN_S,
              command=f"mpiexec.hydra -n {{n}} {{programs}}/wrong {what}")
         for n, what in ((3, "count"), (4, "op"), (3, "call"), (3, "root"), (2, "root"), (4, "type"))] + [
    Case("an error that native MPI finds", 4, 1, status="failed",
         command="mpiexec.hydra -n {n} {programs}/wrong send", limit_s=TEN_S),
]

# ---- reductions of nothing ----

# Native MPI may communicate in them, and then waits for the dead.
EMPTY = [Case(f"count 0: {'nobody' if victim is None else f'rank {victim}'} dies, n = {n}", n, 1, settings=ALL_CALLS,
              command=f"mpiexec.hydra -n {{n}} {{programs}}/empty {-1 if victim is None else victim}",
              failures=0 if victim is None else 1, says=("empty: all ranks have met",), limit_s=TEN_S,
              tags=defect_if(n == 2))
         for n, victim in ((3, None), (2, 1), (3, 0), (4, 2), (5, 4))] + [
    Case(f"count 0 of one rank only, n = {n}", n, 1, status="failed", limit_s=TEN_S, tags=defect_if(n == 2),
         command="mpiexec.hydra -n {n} {programs}/wrong empty",
         says=(r"rank \d called MPI_Allreduce\(count [01], MPI_INT, MPI_SUM\) at wrong\(\S+, "
               r"rank \d called MPI_Allreduce\(count [01], MPI_INT, MPI_SUM\) at wrong\(",))
    for n in (2, 3)]

def numbers_of(made, call):
    """Which of its calls the one (rank, text) is."""
    return {i for i, other in enumerate(other for other in made if other[0] == call[0]) if other == call}


def ends_naming_both(told):
    """Returns what is expected of a case of mismatch whose ranks end the job, once @told errors are as names_both() asks."""
    check = names_both(told)
    return {"check": check, "status": "failed", "hand_after": "mismatch: ", "hand": release_when(lambda job: not check(job))}


def names_both(told):
    """Each error names two calls that differ, of one operation, and that these ranks made; @told: at least so many errors."""
    def check(job):
        text = job.text("stdout")
        made = re.findall(r"(?m)^mismatch: rank (\d) calls (MPI_.*)$", text)
        errors = re.findall(r"(?m)^ftcoll: mismatched collective calls: (.*)$", text)
        for error in errors:
            named = re.findall(r"rank (\d) called (MPI_\w+\(.*?\)) at mismatch\(\w+\+0x\w+\)", error)
            if len(named) != 2 or not set(named) <= set(made):
                return f"not both calls as they were: {error}"
            is_of_one = not re.search("operations (later|earlier)", error)  # else the call that was meant is not known any more
            if is_of_one and (named[0][1] == named[1][1] or not numbers_of(made, named[0]) & numbers_of(made, named[1])):
                return f"not two calls of one operation: {error}"
        return "" if len(errors) >= told else f"{len(errors)} errors"
    return check


NAMED = [Case(f"mismatch: {scene}, n = {n}", n, f, settings=ALL_CALLS, limit_s=TEN_S, runs=runs,
              command=f"mpiexec.hydra -n {{n}} {{programs}}/mismatch {scene}", **ends_naming_both(told),
              tags=defect_if((scene, n) in (("leaf", 2), ("told", 3), ("roots", 2), ("unsigned", 2))))
         for scene, n, f, told, runs in (("leaf", 2, 0, 1, 2), ("told", 3, 1, 2, 3), ("told", 5, 1, 3, 3),
                                         ("blocks", 2, 1, 1, 1), ("blocks", 3, 1, 2, 1), ("roots", 2, 0, 1, 1), ("derived", 3, 1, 1, 1), ("unsigned", 2, 1, 1, 1))]

NAMED += [Case(f"mismatch: again, n = {n}", n, f, settings=ALL_CALLS, limit_s=TEN_S,
               command="mpiexec.hydra -n {n} {programs}/mismatch again", says=(f"(rank \\d had 1 errors(.|\n)*){{{n}}}",),
               tags=defect_if(n == 3))
          for n, f in ((3, 1), (4, 1), (5, 2))]

NAMED += [Case(f"mismatch: one of four calls, n = {n}", n, 1, settings=ALL_CALLS, limit_s=TEN_S,
               command="mpiexec.hydra -n {n} {programs}/mismatch in-turns", says=(f"(rank \\d had 100 errors and 0 wrong(.|\n)*){{{n}}}",))
          for n in (3, 4, 8)]

NAMED += [Case(f"mismatch: left, n = {n}", n, 0, settings=ALL_CALLS, limit_s=TEN_S, command="mpiexec.hydra -n {n} {programs}/mismatch left",
               says=(f"rank {n - 1} had 0, 1", f"(rank \\d had 1, (.|\n)*){{{n - 1}}}"), tags=defect_if(n == 8))
          for n in (4, 8)]

# Roots that are not the same: whoever names another rank sends to that one alone. With f = 2 a group is everybody, in a
# reduce as well.
NAMED += [Case(f"mismatched roots: {scene}, n = {n}, f = {f}", n, f, settings=ALL_CALLS, limit_s=TEN_S, runs=2,
               command=f"mpiexec.hydra -n {{n}} {{programs}}/mismatch {scene}", **ends_naming_both(1),
               tags=defect_if((n, f) == (3, 1) and scene in ("aside", "circle", "end")))
          for scene, n, fs in (("aside", 3, (0, 1, 2)), ("aside", 5, (1,)), ("end", 3, (1, 2)), ("numbers", 3, (0, 1, 2)),
                               ("request", 3, (1, 2)), ("far", 3, (1, 2)), ("flood", 3, (1, 2)), ("circle", 3, (1, 2)),
                               ("circle", 5, (1,)))
          for f in fs]

# What was sent before a collective call is there behind it, for a program that looks once.
NAMED += [Case(f"what came before an operation is found behind it{how}", 2, 1, settings=settings, tags=DEFECT,
               command="mpiexec.hydra -n {n} {programs}/drained 100", says=(r"(drained: MPI_\w+: 0 in vain\n){7}",))
          for how, settings in (("", {}), (", all is protected", {"FTCOLL_PROTECT": "all"}))]

# ---- threads ----

THREADS = [
    Case("threads, nobody dies", 3, 1, command="mpiexec.hydra -n {n} {programs}/threads 300 1000",
         says=("(is content(.|\n)*){3}",), failures=0),
    *(Case(f"threads: {scene} ahead of a root that does not come, n = {n}{died}", n, 1, settings=ALL_CALLS, failures=len(died) > 0,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/ahead {scene} {victim}",
           says=(CONTENT.format(n - (len(died) > 0)),), tags=defect_if(n == 3 and not died and scene in ("reduce", "gather")))
      for scene, n, victim in (("reduce", 3, ""), ("gather", 3, ""), ("ireduce", 3, ""), ("crossed", 3, ""), ("free", 3, ""),
                               ("reduce", 5, ""), ("reduce", 3, 0), ("gather", 3, 0), ("ireduce", 3, 0), ("reduce", 3, 2),
                               ("gather", 4, 1), ("ireduce", 4, 1))
      for died in (f", rank {victim} dies" if victim != "" else "",)),
    Case("threads, a rank is killed", 4, 1,
         command="mpiexec.hydra -n {n} {programs}/threads 300 50",
         says=("(is content(.|\n)*){3}",), failures=1, runs=3),
]
