"""What becomes of the parts that rely on the inside of MPICH (shim/mpi/inside.def) where that is not known: the
programs run with their MPICH under a version number that there is not."""
from ..case import Case
from .common import ABORT, SURVIVORS, stream

WITHOUT = r"(?m)^ftcoll: MPICH 9\.\S+ \(ch\S+\).* is used without the parts .*{} \(without it .*; untested = on"
FINALIZE = WITHOUT.format("finalize, known for MPICH 4.0 to 5.0")
FAREWELL = r"(?s)(farewell: rank \d: {}, well.*){{{}}}"


def unknown(name, command, *says, n=4, settings=None, **more):
    return Case(f"unknown MPICH: {name}", n, 1, rotate=False, settings=settings or {}, says=says,
                command=f"env LD_LIBRARY_PATH={{programs}}/unknown mpiexec.hydra -n {{n}} {{programs}}/{command}", **more)


def only_attributes_are_wrong(job):
    wrong = [line for line in job.text("stdout").splitlines() if not line.endswith(": wrong")]
    wanted = [f"sessions: rank {rank}: wrong: attributes of MPI_COMM_SELF" for rank in (0, 1)]
    return "" if sorted(wrong) == wanted else f"it says {wrong}"


INSIDE = [
    unknown("nobody dies", "stream", FINALIZE, finished=4, failures=0, silent=("leave, known",)),
    unknown("a rank is killed", f"stream {stream('kill@10:1')}", FINALIZE, finished=3, failures=1),
    # The attributes of MPI_COMM_SELF are deleted natively, or not at all.
    unknown("a farewell of all", "farewell", FAREWELL.format("badc", 3), n=3),
    unknown("a farewell of some", "farewell die", FAREWELL.format("", 2), n=3, failures=1),
    unknown("sessions", "sessions across", r"(?s)(sessions: rank \d: well\n.*){3}", n=3),
    unknown("sessions of survivors", "sessions across die", n=3, failures=1, status=1, check=only_attributes_are_wrong),
    # Rank 1 is dead, and rank 0 receives from it.
    unknown("p2p", "p2p fatal", WITHOUT.format("messages, known for MPICH 4.0 to 5.0"), "it needs rank 1, which is dead",
            n=2, status="failed", settings={**ABORT, "FTCOLL_P2P": "error"}),
    unknown("nonblocking reductions", "pending many 10 {seed}",
            WITHOUT.format("requests, known for MPICH 4.0 to 5.0"), r"MPI_Iallreduce +\d+  native: nonblocking, and",
            settings={"FTCOLL_INTERCEPT": "all", "FTCOLL_REPORT": "summary"}),
    # In MPI_Finalize itself MPICH 4.2.1 with UCX 1.18 ends this program by an assertion, natively as well.
    unknown("new communicators, nobody dies in their middle", "communicators 5",
            WITHOUT.format("leave, known for MPICH 4.0 to 5.0 with device ch4:ucx, 4.0 to 4.0 with device ch4:ofi, "
                           "4.0 to 4.0 with device ch3:nemesis"),
            r"(communicators: rank \d is content(.|\n)*){4}", status=(0, "failed"), settings=SURVIVORS),
    unknown("untested = on", f"stream {stream('kill@10:1')}", finished=3, failures=1, silent=("without the parts",),
            settings={"FTCOLL_UNTESTED": "on"}),
]
