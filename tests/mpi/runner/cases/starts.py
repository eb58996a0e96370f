"""How the ranks come together in MPI_Init."""
import subprocess

from ..case import Case
from .common import DEFECT, needs_root, stream
from .settings import VICTIM

SUMS = r"(?s)(start: rank \d: the sum is {n}\n.*){{{n}}}"


def start(name, n, launch, *says, **more):
    """Of a job that @launch, if not in its usual way, starts, all ranks come to the end."""
    command = f"mpiexec.hydra {launch or '-n {n} {programs}/start'}"
    return Case(f"start: {name}", n, 1, command=command, rotate=False,
                says=(SUMS.format(n=n),) + says, **more)


def unprotected(name, n, launch, why, *says, **more):
    return start(name, n, launch, f"(?m)^ftcoll: not protected: {why}", *says, **more)


# Each native collective more costs 64 ranks on 2 cores about a second.
TWO = r"native calls of rank \d: 2: MPI_Ibcast MPI_Iallreduce\n"
FOREIGN = "unshare -rpm --fork --kill-child --mount-proc"  # a process that sees none of the others
# A container for each rank, which may not open what others hold. UCX's own shared memory does not work between these.
CONTAINER = "unshare --user --map-root-user --mount"
CONTAINED = {"UCX_TLS": "sysv,self", "FTCOLL_PROTECT": "all"}
NO_CONTAINER = "" if subprocess.run(CONTAINER.split() + ["true"], stderr=subprocess.DEVNULL, check=False).returncode == 0 \
    else "no user namespace can be made here"
# As a user who has no other process. Limits do not hold for root.
LIMITED = ("chmod 755 .; cp {{library}} {{programs}}/start .; setpriv --reuid=612{limit:02} --regid=61234 --clear-groups "
           "prlimit --nproc={limit} env LD_PRELOAD=$PWD/libftcoll.so FTCOLL_PROTECT=all mpiexec.hydra -n {{n}} ./start")
LEAVE = "sh -c 'exec {programs}/start leave 2>>told'"

STARTS = [
    start("two native collectives", 4,
          "-n {n} -genv LD_PRELOAD {library}:{programs}/libnative_calls.so {programs}/start",
          f"(?s)({TWO}.*){{4}}", silent=("ftcoll",)),
    start("two native collectives, with all that can be set", 4,
          "-n {n} -genv LD_PRELOAD {library}:{programs}/libnative_calls.so {programs}/start",
          f"(?s)({TWO}.*){{4}}", "communicators = survivors", settings={
              "FTCOLL_INTERCEPT": "all", "FTCOLL_P2P": "error", "FTCOLL_COMMUNICATORS": "survivors",
              "FTCOLL_REPORT": "full", "FTCOLL_RECORD_FILE": "record"}),
    start("MPI is ended past the library", 3, "-n {n} {programs}/start past", silent=("ftcoll",)),
    start("two hosts", 2, "-launcher fork -hosts localhost,127.0.0.1 {programs}/start", silent=("ftcoll",)),
    start("two hosts, monitor = timeout", 2, "-launcher fork -hosts localhost,127.0.0.1 {programs}/start", silent=("ftcoll",),
          settings={"FTCOLL_MONITOR": "timeout"}),
    start("two hosts, but all ranks on one", 2,
          "-launcher fork -hosts localhost,127.0.0.1 -ppn 2 -n {n} {programs}/start", silent=("ftcoll",)),
    # MPICH asks for it from 4.2 on.
    start("PMI-2", 3, "-n {n} {programs}/start", silent=("ftcoll",), settings={"MPIR_CVAR_PMI_VERSION": "2"}),
    Case("start: PMI-2, a rank is killed", 4, 1, stream("kill@10:1"), finished=3, failures=1,
         settings={"MPIR_CVAR_PMI_VERSION": "2"}),
    Case("start: PMI-2, MPI_Abort", 4, 1, "--abort 10", status="failed", settings={"MPIR_CVAR_PMI_VERSION": "2"}),
    Case("start: PMI-2, settings are refused", 3, 1, status=2, tags=DEFECT,
         settings={"MPIR_CVAR_PMI_VERSION": "2", "FTCOLL_TREE": "oak"}, says=("FTCOLL_TREE",)),
    # MPICH 5 knows this one.
    Case("start: MPI_Finalize is put off until exit, a rank is killed", 4, 1, stream("kill@10:1"), finished=3, failures=1,
         settings={"MPIR_CVAR_FINALIZE_ATEXIT": "1"}, tags=DEFECT),
    unprotected("a launcher without PMI_FD", 3, "-pmi-port -n {n} {programs}/start",
                "the launcher is not known: the environment has (.* of .*, )?PMI_[A-Z]+ of PMI, but not PMI_FD.*"
                "mpiexec.hydra"),
    # The launcher's word does not count then: MPICH is asked itself.
    start("MPICH takes one host for several", 3, "", silent=("ftcoll",), settings={"MPIR_CVAR_NOLOCAL": "1"}),
    unprotected("a rank without a monitor process", 3,
                "-n 2 {programs}/start : -n 1 -env FTCOLL_MONITOR timeout {programs}/start",
                "rank 2 has no monitor process"),
    unprotected("MPICH takes buffers in device memory at a rank", 3,
                "-n {n} -genv LD_PRELOAD {library}:{programs}/libdevice.so {programs}/start",
                "this MPICH accepts buffers in device memory; FTCOLL_DEVICE_BUFFERS=none protects a program that has none\n"),
    start("MPICH takes buffers in device memory, and the program has none", 3,
          "-n {n} -genv LD_PRELOAD {library}:{programs}/libdevice.so {programs}/start", silent=("ftcoll",),
          settings={"FTCOLL_DEVICE_BUFFERS": "none"}),
    unprotected("a monitor process does not answer", 2, "-n {n} {programs}/start stopped",
                "no memory, or no answer from a monitor process",
                r"ftcoll: monitor process \d+ did not map the shared memory", tags=DEFECT),
    # As where the user's limit of processes is reached. The program goes on, natively.
    *(Case(f"start: no threads, {name}", 4, 1, rotate=False, finished=4, settings=settings, silent=("Abort",),
           command="mpiexec.hydra -n {n} -genv LD_PRELOAD {programs}/libthreadless.so:{library} {programs}/stream --seed {seed} "
                   "--calls allreduce " + args,
           says=("ftcoll: not protected: no memory, or no answer from a monitor process",))
      for name, settings, args in (("reductions", {}, ""), ("all", {"FTCOLL_PROTECT": "all"}, "--comms mixed"))),
    # As batch systems set it. Natively 90,000 kB are enough.
    Case("start: the address space has a limit, a rank is killed", 4, 1, rotate=False, finished=3, failures=1, tags=DEFECT,
         settings={"FTCOLL_PROTECT": "all"}, silent=("not protected",),
         command="ulimit -v 200000; exec mpiexec.hydra -n {n} {programs}/stream --seed {seed} --fault kill@10:1"),
    # What MPI itself needs depends on the plugins that are installed. With less than 10,000 kB more the library does not start.
    Case("start: the address space has no room for the board", 4, 1, rotate=False, tags=DEFECT, settings={"FTCOLL_PROTECT": "all"},
         command="peak=$(LD_PRELOAD= mpiexec.hydra -n {n} {programs}/start peak); "
                 "exec mpiexec.hydra -n {n} prlimit --as=$(((peak + 16000) * 1024)) {programs}/start",
         says=(SUMS.format(n=4), r"(?m)^ftcoll: not protected: the limit of address space \(ulimit -v\) leaves rank 0 \d+ MiB, "
                                 r"and the library takes \d+\n")),
    start("files have a limit of size", 4, "-n {n} prlimit --fsize=300000000 {programs}/start", silent=("ftcoll",), tags=DEFECT,
          settings={"FTCOLL_PROTECT": "all"}),
    *(Case(f"start: memory is locked {when} MPI_Init", 8, 1, rotate=False, settings={"FTCOLL_PROTECT": "all"}, tags=DEFECT,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/locked {when} 65536",
           says=(r"(?s)(locked: (rank \d is content|skipped).*){8}",))
      for when in ("before", "after")),
    *(Case(f"start: {name}", 4, 1, rotate=False, settings=CONTAINED, finished=3, failures=1, skip=NO_CONTAINER, preload=preload,
           command=f"mpiexec.hydra -n {{n}} {CONTAINER} {inside}{{programs}}/stream --seed {{seed}} {stream('kill@10:2')}",
           silent=("not protected",), tags=DEFECT)
      for name, preload, inside in (
          ("a user namespace for each rank", True, ""),
          ("a container for each rank, with the library inside", False, "env LD_PRELOAD={library} "),
          ("a container with a network of its own for each rank", False, "--net env LD_PRELOAD={library} "))),
    # With a PID namespace each rank knows the others by other numbers.
    # Not to the end of MPI: between such processes UCX's own hangs now and then, without the library as well.
    Case("start: a rank that cannot reach the board", 3, 1, rotate=False, settings={"UCX_TLS": "tcp,self"},
         command=f"if ! {FOREIGN} true; then echo skipped: no namespaces >told; else "
                 f"mpiexec.hydra -n 2 {LEAVE} : -n 1 {FOREIGN} {LEAVE}; fi; cat told",
         says=("ftcoll: rank 2 cannot map the shared memory of process",
               "ftcoll: not protected: a rank has no shared memory with the others")),
] + needs_root(
    Case("start: a program that its user cannot read", 3, 1, rotate=False, settings={"UCX_TLS": "sysv,self"}, tags=DEFECT,
         command="cp {programs}/start .; chmod 711 start; " + VICTIM + "mpiexec.hydra -n {n} ./start", says=(SUMS.format(n=3),),
         silent=("ftcoll",)),
    # Natively 2 ranks and their launcher are 6 processes and threads, with the library 16.
    *(Case(f"start: the limit of processes is {limit}", 2, 1, rotate=False, preload=False, tags=DEFECT,
           command=LIMITED.format(limit=limit), says=(SUMS.format(n=2),) + says, silent=silent)
      for limit, says, silent in (
          (7, ("(?m)^ftcoll: not protected: rank 0 has no monitor process: the limit of processes \\(ulimit -u\\) leaves too few",),
           ("did not map", "failed")),
          (40, (), ("ftcoll",)))),
)
