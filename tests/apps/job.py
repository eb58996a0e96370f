"""One job of a published program under mpiexec, in a folder of its own, with or without ftcoll."""
import os
import re
import shutil
import signal
import subprocess
import time

from runner.job import wait_for


class Failed(Exception):
    """What was to be shown is not what happened."""


def need(condition, text):
    if not condition:
        raise Failed(text)


class Job:
    """Starts at once. @preload: libraries; @environment: further variables. Standard output and error go to
    `log`, all else that the program writes to the folder that it runs in."""

    running = []

    def __init__(self, folder, ranks, command, preload=(), environment=None, limit_s=120):
        self.folder = folder
        self.name = os.path.basename(command[0])
        self.ranks = ranks
        self.path = os.path.join(folder, "log")
        self.limit_s = limit_s  # of each wait, on an idle machine
        self.began = time.monotonic()
        variables = {**os.environ, **(environment or {}), "APPS_JOB": folder}
        variables.pop("LD_PRELOAD", None)
        # LD_PRELOAD splits at blanks and colons: the libraries are named from the folder.
        names = [os.path.relpath(library, folder) for library in preload]
        genv = ["-genv", "LD_PRELOAD", " ".join(names)] if names else []
        with open(self.path, "wb") as log:
            self.process = subprocess.Popen(["mpiexec.hydra", *genv, "-n", str(ranks), *command], cwd=folder,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                            env=variables, start_new_session=True)
        Job.running.append(self)

    def log(self):
        with open(self.path, errors="replace") as f:
            return f.read()

    def processes(self, rank=None):
        """Of this job, also the monitor processes; with @rank only the process that runs the program as that
        rank. Hydra's own processes have no PMI_RANK."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    variables = f.read().split(b"\0")
                with open(f"/proc/{pid}/comm") as f:
                    comm = f.read().strip()
            except OSError:
                continue
            if f"APPS_JOB={self.folder}".encode() not in variables:
                continue
            if rank is None or (f"PMI_RANK={rank}".encode() in variables and comm == self.name[:15]):
                found.append(int(pid))
        return found

    def wait_for(self, pattern, times):
        """Until the program has printed @pattern so often."""
        def has_printed():
            return len(re.findall(pattern, self.log())) >= times

        self._await(lambda: has_printed() or self.process.poll() is not None)
        need(has_printed(), f"the job ended before it printed '{pattern}' {times} times")

    def kill(self, rank):
        pids = self.processes(rank)
        need(len(pids) == 1, f"rank {rank} is not one process but {pids}")
        os.kill(pids[0], signal.SIGKILL)

    def _await(self, condition):
        if not wait_for(condition, self.limit_s):
            self.stop()
            raise Failed(f"no end in time: {self.path}")

    def stop(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        Job.running.remove(self)

    def wait(self):
        """Returns the exit status. Nothing of the job may be left."""
        self._await(lambda: self.process.poll() is not None)
        self.seconds = time.monotonic() - self.began
        left = self.processes()
        self.stop()
        need(not left, f"processes {left} of {self.name} were left behind")
        return self.process.returncode

    def must_end_well(self):
        status = self.wait()
        need(status == 0, f"exit status {status}: {self.path}")
        return self

    def report(self):
        """What ftcoll told: {call: (carried out, {reason: native})}."""
        calls = {}
        for call, number, how in re.findall(r"^ftcoll: (MPI_\w+) +(\d+)  (.*)$", self.log(), re.M):
            done, native = calls.get(call, (0, {}))
            if how == "carried out by ftcoll":
                done += int(number)
            else:
                native = {**native, how.removeprefix("native: "): int(number)}
            calls[call] = (done, native)
        return calls

    def told(self):
        return [line for line in self.log().splitlines() if line.startswith("ftcoll: rank")]


def fresh(*parts):
    folder = os.path.abspath(os.path.join(*parts))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def rerouted(report):
    return sum(done for done, _ in report.values())


def describe(report):
    """One line: how many calls went which way, at rank 0."""
    native = {}
    for _, reasons in report.values():
        for reason, number in reasons.items():
            native[reason] = native.get(reason, 0) + number
    parts = [f"{done} {call}" for call, (done, _) in report.items() if done]
    return ", ".join(parts) + "".join(f"; {n} native ({why})" for why, n in native.items())
