"""How a program comes to its MPI, and what else stands before it."""
import re

from ..case import Case
from .common import ABORT, DEFECT, ENDED, TEN_S, defect_if, one_line

OFF = {"FTCOLL_ENABLE": "off"}


def dies_in(call, site):
    return rf"ftcoll: rank 1 .* killed by signal 9 .*missed in {call} #\d+ at {site}"


# ---- a PMPI tool: it and ftcoll count each call once, in whichever order they come ----

COUNTS = r"init 1, allreduce 20, reduce 10, barrier 4, send"


def counted(job):
    """By the tool, on the two ranks that live, and by ftcoll."""
    said = job.text("stdout")
    lines = re.findall(rf"(?m)^tool: rank \d: {COUNTS} (\d)$", said)
    if sorted(lines) != ["0", "1"]:
        return f"the tool's counts are not those of the program: {re.findall('tool: .*', said)}"
    wanted = {"MPI_Allreduce": "20", "MPI_Reduce": "10", "MPI_Barrier": "4"}
    found = dict(re.findall(r"(?m)^ftcoll: (\w+) +(\d+)  ", job.text("stderr")))
    return "" if {**found, **wanted} == found else f"ftcoll's counts are {found}"


def tooled(name, preloaded, program="tooled", **more):
    libraries = ":".join(preloaded)
    name_only = program.split()[0]
    return Case(f"tool {name}", 3, 1, preload=False, rotate=False, failures=1, **{
        "command": f"mpiexec.hydra -genv LD_PRELOAD {libraries} -genv FTCOLL_REPORT summary -n {{n}} "
                   f"{{programs}}/{program}",
        "says": ("(tooled: rank [02]: 2 in the last sum\n(.|\n)*){2}",
                 dies_in("MPI_Allreduce", rf"{name_only}\((energy|main)[.\w]*\+")),
        "check": counted, **more})


FTCOLL, TOOL, ASKS = "{library}", "{programs}/libtool.so", "{programs}/libasks.so"

TOOLS = [
    tooled("behind ftcoll", (FTCOLL, TOOL), tags=DEFECT),
    tooled("before ftcoll", (TOOL, FTCOLL), tags=DEFECT),
    tooled("linked with the program", (FTCOLL,), "tooled_linked"),
    tooled("that asks dlsym, behind ftcoll", (FTCOLL, ASKS)),
    tooled("that asks dlsym, before ftcoll", (ASKS, FTCOLL)),
    tooled("is the program itself: it calls PMPI_Allreduce", (FTCOLL,), "tooled pmpi", check=None),
    Case("tool behind ftcoll, enable = off", 2, 1, preload=False, status=ENDED, silent=("ftcoll:",),
         command="mpiexec.hydra -genv LD_PRELOAD {library}:{programs}/libtool.so -genv FTCOLL_ENABLE off -n 3 "
                 "{programs}/tooled"),
]

# ---- a library that has threads before the program begins ----

EARLY = "mpiexec.hydra -genv LD_PRELOAD {library}:{programs}/libearly.so -n {n} {programs}/"

THREADED = [
    Case("threads before the program begins", 4, 1, command=EARLY + "stream --fault kill@10:1", finished=3, failures=1, tags=DEFECT,
         says=("(early: its thread answers(.|\n)*){3}",)),
    # The monitor process was made while the dynamic linker was at work.
    Case("threads before the program begins: a blocked call of C++", 3, 1, command=EARLY + "names gather", tags=DEFECT,
         settings={"FTCOLL_CRASH": "1:2:a0", **ABORT}, status="failed", limit_s=TEN_S,
         says=(r"in MPI_Gather at names\(model::collect\(int\)\+0x[0-9a-f]+\) for",)),
]

# ---- a program whose threads have large variables of their own ----

OWN = [
    Case(f"variables of threads' own: {program}", 3, 1, command=f"mpiexec.hydra -n {{n}} {{programs}}/{program}", failures=1,
         says=("(own: rank [02]: 2 in the last sum\n(.|\n)*){2}",), silent=("not protected",), tags=DEFECT)
    for program in ("own", "own_less")
]

# ---- a program that opens MPI itself ----

LAST_SUMS = "(opened: rank [02]: 2 in the last sum\n(.|\n)*){2}"


def opened(name, arguments, site="opened", **more):
    return Case(f"opened: {name}", 3, 1, rotate=False, **{
        "failures": 1, "says": (LAST_SUMS, dies_in("MPI_Allreduce", rf"{site}\((run|main)")),
        "command": f"mpiexec.hydra -n {{n}} {{programs}}/opened {arguments}", **more})


CTYPES = """
import ctypes, os, signal
mpi = ctypes.CDLL("libmpich.so.12")
mpi.MPI_Init(None, None)
rank, one, total = ctypes.c_int(), ctypes.c_int(1), ctypes.c_int()
mpi.MPI_Comm_rank(0x44000000, ctypes.byref(rank))
for i in range(20):
    if rank.value == 1 and i == 10:
        os.kill(os.getpid(), signal.SIGKILL)
    mpi.MPI_Allreduce(ctypes.byref(one), ctypes.byref(total), 1, 0x4c000405, 0x58000003, 0x44000000)
os.write(1, f"opened: rank {rank.value}: {total.value} in the last sum\\n".encode())
mpi.MPI_Finalize()
"""

OPENED = [opened(f"libmpich, {flags}", f"libmpich.so.12 {flags}", tags=defect_if(flags == "local")) for flags in
          ("local", "local,now", "global", "deep,now")] + [
    opened("a module that is linked with MPI", "{programs}/module.so local module", r"module\.so"),
    opened("a module, LD_BIND_NOW", "{programs}/module.so local,now module", r"module\.so",
           settings={"LD_BIND_NOW": "1"}),
    opened("a module, enable = off", "{programs}/module.so local module", settings=OFF, status=ENDED, failures=0,
           says=(), silent=("ftcoll:", "signal 11|EXIT CODE: 139")),
    opened("no MPI", "absent", command="{programs}/opened absent", failures=0, says=("opened: MPI is absent",)),
    opened("by Python's ctypes", "", settings={"CTYPES": CTYPES}, says=(LAST_SUMS, "2 of 3 ranks survived"),
           command="mpiexec.hydra -n {n} /usr/bin/python3 -c 'import os; exec(os.environ[\"CTYPES\"])'"),
]

# ---- what the library hands on ----


def keeps_secret(name, program):
    return Case(f"no key in the environment: {name}", 3, 1, command=f"mpiexec.hydra -n {{n}} {program}", silent=("secret: .*found",),
                says=("(secret: before MPI_Init: nothing(.|\n)*){3}", "(secret: after MPI_Init: nothing(.|\n)*){3}"), limit_s=TEN_S)


SECRET = [
    keeps_secret("of a program", "{programs}/secret"),
    keeps_secret("below a script", "sh -c '{programs}/secret || exit 1'"),
]

# ---- another MPI ----


def other(name, program, what, **more):
    return Case(f"another MPI: {name}", 3, 1, command=f"mpiexec.hydra -n {{n}} {{programs}}/{program}", **{
        "says": ("(other: 41\n(.|\n)*){3}", rf"ftcoll: not protected: the program's MPI library is {what}"),
        "check": one_line, **more})


OPEN_MPI = r"Open MPI v4\.1\.4 \(libmpi\.so\.40\), .*; the program runs as without ftcoll"

OTHER = [
    other("Open MPI", "other", OPEN_MPI, tags=DEFECT),
    other("Open MPI, LD_BIND_NOW", "other", OPEN_MPI, settings={"LD_BIND_NOW": "1"}),
    other("Open MPI, opened", "other_opens {programs}/libmpi.so.40", OPEN_MPI),
    other("the standard ABI", "other_abi", r"MPICH Version: +5\.0\.1 \(libmpi_abi\.so\.0\)"),
    other("Open MPI, enable = off", "other", "", settings=OFF, says=("(other: 41\n){3}",), silent=("ftcoll:",),
          check=None),
    Case("another MPI: no launcher", 1, 1, command="{programs}/other", check=one_line,
         says=("other: 41", "not protected: .*Open MPI v4")),
]

# ---- another launcher, and none ----

ALONE = "each is rank 0 of 1 for its MPI library, libmpich.so.12; start the job with"


def singletons(name, size, rank, *says, **more):
    """@size and @rank: the launcher's variables; with the processes one after the other."""
    run = "; ".join(f"{size}=3 {rank}={i} {{programs}}/tooled" for i in (0, 1, 2))
    return Case(f"another launcher: {name}", 1, 1, command=run, rotate=False, says=says,
                **{"check": one_line, **more})


ABOUT = [
    singletons("Open MPI's", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
               rf"not protected: Open MPI's mpiexec has started 3 processes, and {ALONE}", tags=DEFECT),
    singletons("Slurm's without PMI", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
               rf"not protected: Slurm's srun has started 3 processes, and {ALONE}"),
    singletons("enable = off", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", settings=OFF, silent=("ftcoll:",),
               check=None),
    Case("executed: version and settings", 1, 1, command="{library}", preload=False, rotate=False, tags=DEFECT,
         says=(r"^libftcoll\.so \d+\.\d+\.\d+: ", r"setting f = 1 \(default\)", r"setting crash = ")),
    Case("executed: a bad setting", 1, 1, command="env FTCOLL_F=many {library}", preload=False, rotate=False, status=1,
         says=(r"^libftcoll\.so \d", "FTCOLL_F.*many.*allowed")),
]

LOADING = TOOLS + THREADED + OWN + OPENED + SECRET + OTHER + ABOUT
