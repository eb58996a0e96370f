"""MPI sessions beside MPI_Init and MPI_Finalize."""
from ..case import Case
from .common import DEFECT, one_line


def sessions(what, well, *says, n=3, name="", **more):
    return Case(f"sessions: {what or 'none'}{name}", n, 1, rotate=False,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/sessions {what}",
                says=(r"(?s)(sessions: rank \d: well\n.*)" + f"{{{well}}}",) + says, **more)


WITHOUT_INIT = "(?m)^ftcoll: not protected: MPI sessions without MPI_Init$"
TOO_LATE = r"ftcoll: rank \d: MPI_Session_init after MPI_Finalize is an error"

SESSIONS = [
    sessions("only", 3, WITHOUT_INIT, check=one_line),
    sessions("around", 3, "ftcoll: no rank failed", settings={"FTCOLL_REPORT": "summary"}),
    sessions("across", 3, silent=("ftcoll",)),
    sessions("within", 3, silent=("ftcoll",), tags=DEFECT),
    sessions("within", 3, "MPI_Intercomm_create_from_groups returns error", "some MPI calls return errors", name=", protect = all",
             settings={"FTCOLL_PROTECT": "all", "FTCOLL_REPORT": "coverage"}),
    sessions("around die", 2, failures=1),
    sessions("across die", 2, failures=1, tags=DEFECT),
    sessions("across late", 2, failures=1),
    sessions("after", 3, f"(?s)({TOO_LATE}.*){{3}}", tags=DEFECT),
    sessions("after die", 2, f"(?s)({TOO_LATE}.*){{2}}", failures=1),
    sessions("after fatal", 0, TOO_LATE, status="failed"),
    Case("sessions: Fortran 2008", 3, 1, rotate=False, command="mpiexec.hydra -n {n} {programs}/sessions08",
         says=("(?s)(sessions08: well\n.*){2}", f"(?s)({TOO_LATE}.*){{2}}"), failures=1),
]
