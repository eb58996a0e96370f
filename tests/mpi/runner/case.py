"""A case: what to run, and what must come of it."""
import os
import re
import shlex
import subprocess
import zlib
from dataclasses import dataclass, field, replace
from typing import Callable, Optional

from .job import Gone, Hang, Job

FAILURE_LINE = r"(?m)^ftcoll: rank \d+ \(.*\) (killed by|exited with|silent for|lost with)"


@dataclass
class Case:
    """Fields may use {build}, {library}, {n}, {f} and {seed}."""

    name: str
    n: int = 4
    f: int = 1
    args: str = ""  # of stream
    launch: str = ""  # of mpiexec
    command: str = ""  # for the shell; instead of stream under mpiexec
    settings: dict = field(default_factory=dict)  # variables, as text or what becomes text when the job starts; None takes one away
    preload: bool = True
    rotate: bool = True  # settings that change nothing one could see take turns
    hand: Optional[Callable[[Job], None]] = None  # acts from outside, once it has printed
    hand_after: str = "go"
    status: object = 0  # exit status, "failed" for any but 0, or a tuple of these
    finished: object = None  # how many ranks come to the end, with right results
    excess: str = ""  # what verdict is told about more failures than f
    failures: Optional[int] = None  # that the report names
    says: tuple = ()  # regular expressions for standard error and output
    silent: tuple = ()
    check: Optional[Callable[[Job], str]] = None  # returns what is wrong, or ""
    limit_s: float = 30
    runs: int = 1
    skip: str = ""  # why it cannot be run here
    tags: tuple = ()  # beside those that its other fields mean (tags.py): "defect" where it shows one that had been found


def identifier(case):
    """The case's name in one word, any part of which pytest's -k takes."""
    return re.sub(r"[^\w.+]+", "-", case.name).strip("-")


# ---- settings that take turns ----

INFO = ("list", "count", "bit")
RING_MOST = 64  # that setting correction takes


def shapes(f):
    """Tree and correction. A ring of distance f reaches all only with some trees (doc/design.md, section 4); one of RING_MOST
    all ranks of each job here."""
    return (("binomial", "group"), ("kary:2", "group"), ("lame:3", "group"), ("optimal", "group"),
            ("binomial", f"ring:{min(max(1, 2 ** f - 1), RING_MOST)}"), (f"kary:{f + 1}", f"ring:{max(1, f)}"))


def rotated(name, f, seed):
    x = zlib.crc32(name.encode()) + seed
    tree, correction = shapes(f)[x % 6]
    return {"FTCOLL_TREE": tree, "FTCOLL_CORRECTION": correction,
            "FTCOLL_FAILURE_INFO": INFO[x // 6 % 3],
            "FTCOLL_ALGORITHM": ("corrected", "optimistic")[x // 18 % 2],
            "FTCOLL_DETERMINISTIC": ("on", "off")[x // 36 % 2]}


# ---- one run ----

def command_of(case, build, seed):
    programs = os.path.join(build, "tests", "mpi")
    text = case.command or (f"mpiexec.hydra {case.launch} -n {{n}} {{programs}}/stream "
                            f"--seed {{seed}} {case.args}")
    return text.format(programs=programs, build=build, n=case.n, f=case.f, seed=seed,
                       library=os.path.join(build, "libftcoll.so"))


def shell(command):
    """As one process, if it is one command."""
    return ["/bin/sh", "-c", command if re.search("[;|]|^if", command) else "exec " + command]


def environment_of(case, build, seed):
    env = {"FTCOLL_F": str(case.f)}
    if case.rotate:
        env.update(rotated(case.name, case.f, seed))
    env.update(case.settings)
    env = {k: v for k, v in env.items() if v is not None}
    if case.preload:
        env["LD_PRELOAD"] = os.path.join(build, "libftcoll.so")
    else:
        env = {k: v for k, v in env.items() if not k.startswith("FTCOLL_")}
    return env


def unused_settings(cases, seed):
    """Values of the settings that take turns which no case with a fault has, as text."""
    used = set()
    for case in cases:
        if case.rotate and "--fault" in case.args:
            used |= set(rotated(case.name, case.f, seed).items())
    wanted = {("FTCOLL_FAILURE_INFO", i) for i in INFO}
    wanted |= {("FTCOLL_ALGORITHM", a) for a in ("corrected", "optimistic")}
    wanted |= {("FTCOLL_DETERMINISTIC", d) for d in ("on", "off")}
    for tree, correction in shapes(1):
        wanted |= {("FTCOLL_TREE", tree), ("FTCOLL_CORRECTION", correction)}
    return ", ".join(f"{name}={value}" for name, value in sorted(wanted - used))


def one_of(expected, actual):
    """@expected is a value, "failed" for any but 0, or a tuple of these."""
    if isinstance(expected, tuple):
        return any(one_of(e, actual) for e in expected)
    return actual != 0 if expected == "failed" else actual == expected


def verdict(case, job):
    """What is wrong with the records that the ranks of stream left, or ""."""
    if case.finished is None:
        return ""
    finished = case.finished if isinstance(case.finished, tuple) else (case.finished,)
    command = [os.path.join(job.build, "tests", "mpi", "verdict"), ",".join(map(str, finished))]
    run = subprocess.run(command + case.excess.split(), cwd=job.directory, text=True,
                         stdout=subprocess.PIPE, check=False)
    return "" if run.returncode == 0 else run.stdout


def check_texts(case, text):
    for pattern in case.says:
        if not re.search(pattern, text):
            return f"it does not say '{pattern}'"
    for pattern in case.silent:
        if re.search(pattern, text):
            return f"it says '{pattern}'"
    count = len(re.findall(FAILURE_LINE, text))
    if case.failures is not None and count != case.failures:
        return f"the report names {count} failures, not {case.failures}"
    return ""


def reason_to_skip(text):
    """Why the program did not do what it was to do here, or ""."""
    reason = re.search(r"(?m)^skipped: (.*)", text)
    return reason[1] if reason else ""


def judge(case, job, status):
    text = job.text("stderr") + job.text("stdout")
    if reason_to_skip(text) and status == 0:
        return ""
    if not one_of(case.status, status):
        return f"exit status {status}, not {case.status}"
    return verdict(case, job) or check_texts(case, text) or (case.check(job) if case.check else "")


@dataclass
class Outcome:
    wrong: str = ""
    hang: str = ""
    left: str = ""
    status: Optional[int] = None  # None: it did not end
    settings: dict = field(default_factory=dict)  # of the case, as they were
    stdout: str = ""
    stderr: str = ""

    def complaint(self):
        """What went wrong, or ""."""
        left = self.left and f"left behind: {self.left}"
        return "\n".join(filter(None, (self.hang, self.wrong.rstrip(), left)))

    def skipped(self):
        """Why the program did not do what it was to do here, or ""."""
        return reason_to_skip(self.stdout + self.stderr)


def carry_out(case, job, seed):
    job.start(shell(command_of(case, job.build, seed)), environment_of(case, job.build, seed))
    if case.hand:
        job.await_text(case.hand_after, case.limit_s)
        case.hand(job)
    return job.await_end(case.limit_s)


def run_once(case, build, seed):
    case = replace(case, settings={name: value if value is None else str(value) for name, value in case.settings.items()})
    job, outcome = Job(build), Outcome(settings=case.settings)
    try:
        outcome.status = carry_out(case, job, seed)
        outcome.wrong = judge(case, job, outcome.status)
        outcome.left = job.leftovers()
    except Hang as hang:
        outcome.hang = str(hang)
    except Gone as gone:
        outcome.wrong = str(gone)
    finally:
        outcome.stdout, outcome.stderr = job.text("stdout"), job.text("stderr")
        job.close()
    return outcome


# ---- in words ----

SHOWN_LINES = 100


def end_of(text):
    return "".join(text.splitlines(keepends=True)[-SHOWN_LINES:])


def alternatives(expected):
    return " or ".join(map(str, expected if isinstance(expected, tuple) else (expected,)))


def expectations(case):
    yield f"exit status {alternatives(case.status)}"
    if case.finished is not None:
        yield f"{alternatives(case.finished) or 'no'} ranks come to the end, with right results {case.excess}".rstrip()
    if case.failures is not None:
        yield f"{case.failures} failures in the report"
    yield from (f"it says '{pattern}'" for pattern in case.says)
    yield from (f"it does not say '{pattern}'" for pattern in case.silent)
    yield f"it ends within {case.limit_s} s of an idle machine, and leaves nothing behind"


def describe(case, outcome, build, seed):
    """What went wrong in which run, and what had to come of it."""
    environment = environment_of(replace(case, settings=outcome.settings), build, seed)
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
    wanted = "\n             ".join(expectations(case))
    return (f"{case.name}: {outcome.complaint()}\n\n"
            f"command:     {command_of(case, build, seed)}\nenvironment: {settings}\n"
            f"exit status: {outcome.status}\nexpected:    {wanted}")
