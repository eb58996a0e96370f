"""Calls whose values are put together from the blocks of all ranks: each of them, with each root, and deaths at every
point of their protocol. The program judges the results; operations of setting crash are the numbers of its calls, behind GRID."""
from ..case import Case
from .common import SILENCE, TEN_S

CALLS, UNEVEN = 17, 5  # of a round of survivors
GRID = 1  # operation before the first of them: the making of the grid for calls of a neighborhood
POINTS = ("a0", "b1", "a1", "b2", "a2", "end")  # sends that there are not kill nobody
ALL = {"FTCOLL_PROTECT": "all"}


def blocks(what, n, f, arguments, crash="", settings=None, **more):
    settings = {**ALL, **(settings or {}), **({"FTCOLL_CRASH": crash} if crash else {})}
    return Case(f"blocks: {what}, n = {n}", n, f, settings=settings, limit_s=more.pop("limit_s", TEN_S),
                command=f"mpiexec.hydra -n {{n}} {{programs}}/survivors {arguments}",
                says=more.pop("says", (r"survivors: rank \d is through",)), **more)


def each_call(n, calls, in_round, arguments="", settings=None):
    """In each call, in the first round, in one in the middle and in the last, another rank dies at another point."""
    for call in range(calls):
        deaths = [((call + 2 * i) % n, 3 * i * in_round + call, POINTS[(call + i) % 6]) for i in range(3)]
        crash = ",".join(f"{rank}:{GRID + operation}:{point}" for rank, operation, point in deaths)
        yield blocks(f"a rank dies in call {call} {arguments}", n, 1, f"7 {arguments}", crash, settings)


def each_point(n, call, ranks):
    """Of one call with root 0: each of the ranks at each point."""
    for rank in ranks:
        for point in POINTS:
            yield blocks(f"call {call}, rank {rank} at {point}", n, 1, "2", f"{rank}:{GRID + call}:{point}")


# Of which no rank knows how much the others give, and more than fits: each call takes several operations, some 12 to 40.
IN_ROUNDS = {"FTCOLL_MAX_BYTES": "40"}
BY_ROUNDS = {**IN_ROUNDS, "FTCOLL_LARGE": "native"}


def in_parts(n, form, how, settings):
    yield blocks(f"{how}, nobody dies, {form}", n, 1, f"3 {form} uneven", settings=settings, failures=0)
    for i, operation in enumerate((0, 1, 3, 6, 11, 17, 24, 32, 41)):
        yield blocks(f"{how}, a rank dies in operation {operation}, {form}", n, 1, f"3 {form} uneven",
                     f"{i % n}:{GRID + operation}:{POINTS[i % 6]}", settings)


# Calls between two groups, 6 for all and 4 for each root in a round.
CONTENT = r"(?s)(between: rank \d is content.*){{{}}}"


def between(what, n, count, victim=-1, call=-1, crash="", dead=0, **more):
    return Case(f"between: {what}, {count} integers, n = {n}", n, more.pop("f", 1), limit_s=TEN_S,
                settings={"FTCOLL_PROTECT": "all", "FTCOLL_ON_BLOCKED": "abort", "FTCOLL_REPORT": "coverage",
                          **({"FTCOLL_CRASH": crash} if crash else {}), **more.pop("settings", {})},
                command=f"mpiexec.hydra -n {{n}} {{programs}}/between 3 {count} {victim} {call}",
                says=(CONTENT.format(n - dead), *more.pop("says", ())), failures=dead, **more)


BETWEEN = [
    *(between("nobody dies", n, count, says=("the program aborts, for example in MPI_Intercomm_create at ",), silent=("not protected  ",))
      for n in (2, 3, 5) for count in (3, 20000)),
    *(between(f"rank {call % 4} dies before call {call}", 4, 5 if call % 2 else 20000, call % 4, call, dead=1)
      for call in range(1, 22)),
    *(between(f"rank {operation % 5} dies in operation {operation} at {point}", 5, 5 if operation % 2 else 20000,
              operation % 5, crash=f"{operation % 5}:{operation}:{point}", dead=1)
      for operation, point in ((40 + i, ("a0", "end", "b1")[i % (3 if i % 5 else 2)]) for i in range(30))),
    between("only small ones", 4, 20000, settings={"FTCOLL_LARGE": "native"},
            says=(r"MPI_Bcast +\d+  native: message larger",)),
]

GATHER, ALLTOALL, ALLTOALLV, ALLTOALLW, SCATTER, ORDERED_REDUCE = 0, 4, 5, 6, 7, 13  # in the order of survivors.c

BLOCKS = [
    *(blocks("nobody dies", n, 1, "4", failures=0) for n in (2, 3, 4, 7)),
    blocks("nobody dies, nonblocking", 5, 1, "4 nonblocking", failures=0),
    *each_call(5, CALLS, CALLS),
    *each_call(5, ALLTOALLW + 1, CALLS, "zero", {"FTCOLL_DEAD_BLOCKS": "zero"}),
    *each_call(5, CALLS, CALLS, "nonblocking"),
    blocks("nobody dies, persistent", 5, 1, "4 persistent", failures=0),
    *each_call(5, CALLS, CALLS, "persistent"),
    *in_parts(5, "nonblocking", "in rounds", BY_ROUNDS), *in_parts(4, "persistent", "in rounds", BY_ROUNDS),
    *in_parts(5, "nonblocking", "rounds", IN_ROUNDS), *in_parts(4, "persistent", "rounds", IN_ROUNDS),
    blocks("in rounds without a byte for each", 4, 1, "1 nonblocking uneven", failures=0,
           settings={**BY_ROUNDS, "FTCOLL_MAX_BYTES": "3", "FTCOLL_REPORT": "summary"},
           says=(r"MPI_Ialltoallv +\d+  native: nonblocking, no rank knows how much the others send, and max_bytes",)),
    *each_point(3, GATHER, range(3)), *each_point(3, ALLTOALLV, range(3)), *each_point(3, SCATTER, (0,)),
    blocks("two at once", 6, 2, "6", f"1:{GRID + CALLS + ALLTOALL}:b1,4:{GRID + CALLS + ALLTOALL}:b1", failures=2),
    blocks("a root and the next", 6, 2, "6", f"0:{GRID + SCATTER}:a1,1:{GRID + SCATTER}:a0", failures=2),
    blocks("all but one", 4, 3, "6", f"0:{GRID + GATHER}:a0,1:{GRID + ALLTOALL}:a0,2:{GRID + ORDERED_REDUCE}:a0", failures=3),
    blocks("threads", 3, 1, "3 threads", failures=0),
    blocks("threads, a rank dies", 4, 1, "6 threads", "2:100:a0", failures=1, runs=2),
    blocks("with the corrected algorithm", 5, 1, "6", f"3:{GRID + 2 * CALLS + ALLTOALLV}:a1",
           settings={"FTCOLL_ALGORITHM": "corrected"}, failures=1),
    *BETWEEN,
    blocks("with monitor = timeout", 3, 1, "3", settings=SILENCE, failures=0),
]
