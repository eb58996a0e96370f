"""Starts MPI jobs and hands back what they print."""
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

CORES = len(os.sched_getaffinity(0))


class JobFailed(Exception):
    pass


class Tools:
    """Where the library and the benchmark programs are."""

    def __init__(self, build):
        self.build = os.path.relpath(build)  # LD_PRELOAD cannot hold blanks and colons, which may be above
        self.out = os.path.join(self.build, "bench")
        self.library = os.path.join(self.build, "libftcoll.so")

    def openmpi(self):
        """Open MPI's launcher, installed or unpacked by openmpi-here."""
        return shutil.which("mpiexec.openmpi") or os.path.join(self.build, "openmpi", "bin", "mpiexec.openmpi")

    def program(self, name):
        return os.path.join(self.out, name)

    def has(self, name):
        return os.path.exists(self.program(name))


def in_turns(job):
    """Whether job number @job of a pair is preloaded: who goes first changes, as the second finds the caches warm."""
    return (True, False) if job % 2 else (False, True)


def placement(ranks):
    """One rank a core where there are enough, else free to move."""
    return ["-bind-to", "core"] if ranks <= CORES else []


def how_placed(ranks):
    return "one a core" if ranks <= CORES else f"oversubscribed on {CORES}"


def run_command(command, timeout_s, environment=None):
    """Standard output of @command; the whole process group ends with it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, **(environment or {})}, start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        raise JobFailed(f"no end within {timeout_s} s: {' '.join(command)}")
    if process.returncode != 0:
        told = "\n".join(err.splitlines()[:4])
        raise JobFailed(f"exit status {process.returncode}: {' '.join(command)}\n{told}")
    return out


def mpich(tools, ranks, program, arguments=(), preload=True, settings=None, timeout_s=120):
    """Runs one of the benchmark programs under MPICH. @settings are FTCOLL_ variables."""
    command = ["mpiexec.hydra", *placement(ranks), "-n", str(ranks)]
    if preload:
        command += ["-genv", "LD_PRELOAD", tools.library]
        for key, value in (settings or {}).items():
            command += ["-genv", f"FTCOLL_{key.upper()}", str(value)]
    return run_command(command + [tools.program(program), *map(str, arguments)], timeout_s)


def openmpi(tools, ranks, program, arguments=(), own_sessions=False, timeout_s=120):
    """The same under Open MPI, which yields the core while it waits when it is told of oversubscription.

    Hydra gives each rank a session of its own, Open MPI does not. With autogroup scheduling a session is a
    scheduling group, and a rank that yields in a group of one yields to nobody in particular; on a busy machine
    that costs milliseconds. @own_sessions puts Open MPI's ranks into the same situation.
    """
    command = [tools.openmpi(), "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]
    if ranks <= CORES:
        command += ["--bind-to", "core"]
    if own_sessions:
        command += ["setsid", "-w"]
    return run_command(command + [tools.program(program), *map(str, arguments)], timeout_s)


class Neighbours:
    """How much of the machine others use meanwhile: on a busy one the spread tells about them."""

    def __init__(self):
        self.start = self.now()

    @staticmethod
    def now():
        """(time, seconds all cores were busy, seconds that our jobs used)"""
        with open("/proc/stat") as file:
            user, nice, system, _, _, irq, softirq, *_ = map(int, file.readline().split()[1:])
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
        return time.monotonic(), busy, children.ru_utime + children.ru_stime

    def cores(self):
        seconds, busy, ours = (b - a for a, b in zip(self.start, self.now()))
        return max(0.0, busy - ours) / seconds


def note(text):
    print(f"# {text}", file=sys.stderr, flush=True)
