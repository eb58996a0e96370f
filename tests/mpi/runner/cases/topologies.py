"""Grids and graphs that are made after a failure (programs/topologies.c)."""
from ..case import Case
from .common import ABORT, DEFECT, SURVIVORS


def topologies(name, args, f=1, n=6, settings=None, **more):
    dead = sum(len(victims.split(",")) for victims in args.split())
    return Case(f"topologies: {name}", n, f, failures=dead, settings={**SURVIVORS, **(settings or {})},
                says=(rf"(topologies: rank \d is content(.|\n)*){{{n - dead}}}",),
                command=f"mpiexec.hydra -n {{n}} {{programs}}/topologies {args}", **more)


TOPOLOGIES = [
    topologies("nobody dies", "", tags=DEFECT),
    topologies("nobody dies, native", "", settings={"FTCOLL_COMMUNICATORS": "native"}),
    topologies("a rank dies", "1"),
    topologies("a rank dies, all calls protected", "4", settings={"FTCOLL_PROTECT": "all"}),
    topologies("rank 0 dies", "0"),
    topologies("the spare rank dies", "5"),
    topologies("a row dies", "3,4,5", f=3),
    topologies("all of a row but one die", "3,4", f=2, tags=DEFECT),
    topologies("one after the other, of eight", "2 0,7 5", f=2, n=8),
    *(Case(f"topologies: rank {victim} dies in the middle", 6, 1, failures=1, settings=SURVIVORS, limit_s=60, runs=2,
           says=(r"(topologies: rank \d is content(.|\n)*){5}",),
           command=f"mpiexec.hydra -n {{n}} {{programs}}/topologies --anytime {{seed}} 10 {victim}") for victim in (0, 3)),
    Case("topologies: a rank dies, native", 6, 1, settings={"FTCOLL_COMMUNICATORS": "native", **ABORT}, status="failed",
         command="mpiexec.hydra -n {n} {programs}/topologies 1",
         says=(r"in MPI_Cart_create at topologies\(.*it needs rank 1, .*on_blocked = abort",)),
]
