"""Programs that people write, which know nothing of failures, or only what MPI tells them: ranks die at random, bound
to how far the program has come (programs/victims.c), and what the others have is right (runner/patterns.py)."""
import zlib

from .. import patterns
from ..case import Case

ALL = {"FTCOLL_PROTECT": "all"}
ZERO = {"FTCOLL_DEAD_BLOCKS": "zero"}
LARGER = {"FTCOLL_MAX_BYTES": "65536"}  # all keys


def killing(name, victims, calls, first=0, spared=0):
    """The launcher, which has ranks killed. The cases have different seeds."""
    number = zlib.crc32(name.encode()) % 1000
    return (f"mpiexec.hydra -genv LD_PRELOAD {{programs}}/libvictims.so:{{library}} -genv VICTIMS {victims} "
            f"-genv VICTIMS_SEED {number}{{seed}} -genv VICTIMS_FIRST_CALL {first} -genv VICTIMS_CALLS {calls} "
            f"-genv VICTIMS_FROM {spared}")


def pattern(program, n, victims, calls, check, settings=None, command="{programs}/{program}", **more):
    """@calls: among which of its first ones each victim dies; the program makes more in any run."""
    name = f"pattern: {program}, {victims} of {n} ranks die"
    command = f"{killing(name, victims, calls)} -n {{n}} {command.replace('{program}', program)}"
    return Case(name, n, max(1, victims), settings={**ALL, **(settings or {})}, failures=victims, check=check,
                command=command, **more)


LAST = 36  # number of the first call of the last checkpoint, which is of 7 calls


def interrupted(n, victims, when="", first=0, calls=LAST, runs=2):
    """A run that writes checkpoints, and one that goes on from the last of them."""
    name, program = f"pattern: checkpoint, {victims} of {n} ranks die{when}", "{build}/recipes/checkpoint"
    status = "!=" if victims == n else "="
    return Case(name, n, victims, settings=ALL, failures=None if victims == n else victims, runs=runs,
                check=patterns.checkpoint(n, 80, LAST),
                command=f"{killing(name, victims, calls, first)} -n {{n}} {program} state 60; "
                        f"[ $? {status} 0 ] || exit 9; mpiexec.hydra -n {n // 2} {program} state 80")


def workers(n, victims):
    """The recipe: no worker is sure to get many tasks, so none is sure to die."""
    name = f"pattern: workers, {victims} of {n} ranks die"
    settings = {"FTCOLL_P2P": "error", "FTCOLL_INTERCEPT": "all", "FTCOLL_CRITICAL_RANKS": "0"}
    return Case(name, n, victims, settings=settings,
                says=("(?m)^148933 primes below 2000000$",), check=patterns.as_many_failures, runs=2,
                command=f"{killing(name, victims, 100, spared=1)} -n {{n}} {{build}}/recipes/workers")


PATTERNS = [
    *(pattern("jacobi", n, victims, 1000, patterns.jacobi(n, dims), runs=runs)
      for n, victims, dims, runs in ((4, 0, (2, 2), 1), (4, 1, (2, 2), 2), (6, 2, (3, 2), 2))),
    *(pattern("cg", n, victims, 120, patterns.cg(n), ZERO, runs=runs)
      for n, victims, runs in ((4, 0, 1), (4, 1, 2), (8, 3, 2))),
    *(pattern("nbody", n, victims, 65, patterns.nbody(n), ZERO, runs=runs)
      for n, victims, runs in ((5, 0, 1), (4, 1, 2), (7, 2, 2))),
    *(pattern("fft", n, victims, 32, patterns.fft(n), ZERO, "{build}/recipes/fft frames", runs=runs)
      for n, victims, runs in ((4, 0, 1), (4, 1, 2), (8, 3, 2))),
    *(pattern("samplesort", n, victims, 5, patterns.samplesort(n), LARGER, runs=runs)
      for n, victims, runs in ((4, 0, 1), (4, 1, 2), (7, 2, 2))),
    interrupted(4, 1), interrupted(7, 3), interrupted(4, 4, runs=1),
    interrupted(5, 1, " in the last one", LAST, 7, runs=3),
    workers(4, 1), workers(6, 3),
]
