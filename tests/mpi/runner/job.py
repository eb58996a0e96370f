"""One job in a private directory: started, bounded in time, searched for what it left behind."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

# Not FTCOLL_...: the library refuses variables of its own prefix that it does not know.
MARK = "TEST_JOB_ID"
PAUSE_S = 0.005  # between two looks at a condition
CLEAN_UP_S = 10  # for what ends after mpiexec, or is about to be removed by another job
MPICHS_OWN = "mpich_shar_tmp"  # of its device ch3, when a rank was killed while it sent: left natively, too
SLOWEST = 20  # as many times as long things may take
ENOUGH_SHARE = 4
LONGEST_PASS_S = 1  # between two looks of a process that runs
HYDRA_HEAD = r"(?m)^\[(?:proxy:\S+|mpiexec@\S+)\] \w+ \(\S+:\d+\): "


class Gone(Exception):
    """A process that a test wants to signal is not there."""


class Hang(Exception):
    """A condition did not come true within its time limit; the text has the stacks."""


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def slowness():
    """How many processes, now or in the last minute, had to share a core: as many times as long all things take."""
    minute, _, _, now, _ = _read("/proc/loadavg").decode().split()
    running = max(float(minute), int(now.split("/")[0]))
    return min(SLOWEST, max(1, running / len(os.sched_getaffinity(0))))


def pause(idle_s):
    """Waits for what takes other processes less than @idle_s on an idle machine, and of which nothing shows that it is done."""
    time.sleep(idle_s * slowness())


class Patience:
    """Milliseconds for a setting after which the library takes a process for silent. They grow with the load, because a
    living process has to wait for a core. @idle_ms are enough while up to ENOUGH_SHARE processes share a core."""

    def __init__(self, idle_ms):
        self.idle_ms = idle_ms

    def __str__(self):
        return str(round(self.idle_ms * max(1, slowness() / ENOUGH_SHARE)))


def wait_for(condition, limit_s, pause_s=PAUSE_S):
    """True as soon as @condition is, False if it is not within @limit_s of an idle machine. Time in which this process
    did not run, on a machine that was suspended for instance, is none in which the others could."""
    waited, last = 0, time.monotonic()
    while not condition():
        if waited > limit_s and waited > limit_s * slowness():
            return False
        time.sleep(pause_s)
        now = time.monotonic()
        waited += min(now - last, LONGEST_PASS_S)
        last = now
    return True


class Process:
    """A living process of a job."""

    def __init__(self, pid, environ):
        self.pid = pid
        self.name = _read(f"/proc/{pid}/comm").decode(errors="replace").strip()
        self.command = _read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode(errors="replace")
        self.rank = None
        for variable in environ:
            if variable.startswith(b"PMI_RANK="):
                self.rank = int(variable[9:])

    def is_monitor(self):
        return self.name == "ftcoll-monitor"

    def __str__(self):
        rank = "" if self.rank is None else f", rank {self.rank}"
        return f"{self.pid} ({self.name}{rank})"


def send(number, pid):
    """It does no harm if the process ends meanwhile."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def _is_zombie(pid):
    stat = _read(f"/proc/{pid}/stat")
    return not stat or stat.rsplit(b")", 1)[1].split()[0] in b"ZX"


def _shared_memory():
    return {name for name in os.listdir("/dev/shm") if not name.startswith(MPICHS_OWN)}


def _named_sockets(directory):
    """Names of unix sockets in this directory, and abstract ones of the library."""
    names = (line.split(None, 7)[7:] for line in _read("/proc/net/unix").splitlines()[1:])
    ours = (directory.encode() + b"/", b"@ftcoll")
    return {name[0] for name in names if name and name[0].startswith(ours)}


def _is_in_use(shared_memory):
    """By any process: other jobs may run on this machine at the same time."""
    path = f"/dev/shm/{shared_memory}".encode()
    return any(path in _read(f"/proc/{pid}/maps") for pid in os.listdir("/proc") if pid.isdigit())


def _private_directory():
    """One whose name LD_PRELOAD, which splits at blanks and colons, can hold, and a shell without quotes."""
    usual = tempfile.gettempdir()
    return tempfile.mkdtemp(prefix="ftcoll-test-", dir=usual if re.fullmatch(r"[\w./+-]+", usual) else "/tmp")


class Job:
    def __init__(self, build):
        """@build: where the library and the programs are, which the job reaches as self.build."""
        self.mark = uuid.uuid4().hex
        self.directory = _private_directory()
        self.build = self.path("build")
        os.symlink(os.path.abspath(build), self.build)
        self.temporary = os.path.join(self.directory, "tmp")
        os.mkdir(self.temporary)
        self.process = None
        self.shared_memory = _shared_memory()
        self.sockets = _named_sockets(self.directory)

    def start(self, command, environment):
        """Starts @command, a list, with what is in @environment beside this process's own."""
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith(("FTCOLL_", "PMI_", "HYDI_", "PYTEST_")) and k != "LD_PRELOAD"}
        clean.update(environment)
        clean.update({MARK: self.mark, "TMPDIR": self.temporary, "HOME": self.directory})
        with open(self.path("stdout"), "wb") as out, open(self.path("stderr"), "wb") as err:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=err, cwd=self.directory, env=clean,
                                            start_new_session=True,
                                            umask=0o022)  # settings files that are to be read

    def path(self, name):
        return os.path.join(self.directory, name)

    def allow(self, name):
        """Lets ranks of stream go on that --await a file of this name."""
        with open(self.path(name), "wb"):
            pass

    def text(self, name):
        """Hydra writes the head of an error and its words apart: what another process says between is on a line of its own."""
        return re.sub(HYDRA_HEAD + "(?=ftcoll: )", r"\g<0>\n", _read(self.path(name)).decode(errors="replace"))

    def processes(self):
        """All that live: they have the job's mark in their environment."""
        mark = f"{MARK}={self.mark}".encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            environ = _read(f"/proc/{pid}/environ").split(b"\0")
            if mark in environ and not _is_zombie(pid):
                found.append(Process(int(pid), environ))
        return found

    def ranks(self):
        """The program's processes by rank, without monitors and children."""
        return {p.rank: p for p in reversed(self.processes())
                if p.rank is not None and not p.is_monitor()}

    def strike(self, number, whom):
        """Sends signal @number to all living processes for which @whom is true; raises Gone."""
        pids = [p.pid for p in self.processes() if whom(p)]
        if not pids:
            raise Gone(f"no process to send signal {number} to: the job has ended already")
        for pid in pids:
            send(number, pid)

    def await_text(self, text, limit_s):
        """Until the job has printed @text, or is over; raises Hang."""
        if not wait_for(lambda: text in self.text("stdout") or self.process.poll() is not None,
                        limit_s):
            raise Hang(f"it did not print '{text}' within {limit_s} s\n{self.stacks()}")

    def await_file(self, name, limit_s):
        """Until there is a file of this name; raises Hang."""
        if not wait_for(lambda: os.path.exists(self.path(name)), limit_s):
            raise Hang(f"there is no {name} after {limit_s} s\n{self.stacks()}")

    def await_end(self, limit_s):
        """Returns the exit status, negative for a signal; raises Hang."""
        if not wait_for(lambda: self.process.poll() is not None, limit_s):
            raise Hang(f"it did not end within {limit_s} s of an idle machine\n{self.stacks()}")
        return self.process.returncode

    def stacks(self):
        """Ranks first, then monitor processes, then the launcher's."""
        found = sorted(self.processes(), key=lambda p: (p.rank is None, p.is_monitor(), p.rank))
        return "\n".join(_stack(p) for p in found)

    def kill(self):
        """Ends all processes of the job, and no other."""
        while self.processes():
            for p in self.processes():
                send(signal.SIGKILL, p.pid)
            if self.process:
                self.process.poll()
            time.sleep(PAUSE_S)

    def leftovers(self):
        """What is still there although the job is over, as text; empty if nothing. Shared memory that comes later is
        that of another job, which may be on its way; what was there may be so, too, and goes."""
        memory = _shared_memory() - self.shared_memory
        return "" if wait_for(lambda: not self._left(memory), CLEAN_UP_S) else ", ".join(self._left(memory))

    def _left(self, memory):
        left = [f"process {p}" for p in self.processes()]
        left += [f"shared memory {name}" for name in memory & _shared_memory() if not _is_in_use(name)]
        left += [f"socket {name.decode()}" for name in _named_sockets(self.directory) - self.sockets]
        return left + [f"temporary file {name}" for name in os.listdir(self.temporary)]

    def close(self):
        self.kill()
        if self.process:
            self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def _frame(line):
    """Where a frame of gdb's is: the function, and the line if it is known."""
    found = re.match(r"#\d+ +(?:0x\w+ in )?(\S+)(?:.*:(\d+)$)?", line)
    return ":".join(filter(None, found.groups()))


def _stack(process):
    """Each thread's calls, the innermost first, in a line."""
    try:
        out = subprocess.run(["gdb", "-p", str(process.pid), "-batch", "-nx",
                              "-ex", "thread apply all bt"], timeout=20 * slowness(), text=True, check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"  process {process}: {process.command}\n    no stack: {error}"
    threads = [" < ".join(_frame(line) for line in thread.splitlines() if line.startswith("#"))
               for thread in re.split(r"^Thread ", out, flags=re.M)[1:]]
    return "\n    ".join([f"  process {process}: {process.command}", *threads])
