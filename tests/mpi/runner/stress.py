"""Jobs drawn at random, ranks of which are killed from outside in random operations, or kill themselves
at exact points of the protocol (setting crash)."""
import os
import random
import signal
import struct
import time
from dataclasses import dataclass

from .case import Case, run_once
from .job import Hang, send, wait_for

POINTS = ("a0", "b1", "a1", "b2", "a2", "b3", "a3", "b4", "end")
GO = 5  # the operation before which they wait for each other and for the hand
LIMIT_S = 60
FORMS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT,
         signal.SIGTERM)


@dataclass
class Kill:
    operation: int  # that the rank has come to, at least; it is killed before it is through with all
    rank: int
    form: int
    point: str = ""  # of the protocol: the rank kills itself there, if it gets there
    done: bool = False


@dataclass
class Sums:
    jobs: int = 0
    kills: int = 0
    hangs: int = 0
    wrong: int = 0
    leftovers: int = 0

    def failures(self):
        return self.hangs + self.wrong + self.leftovers


def draw_kills(draw, n, count, ops):
    """One after the other or at once; some early, some anywhere."""
    within = int(ops ** draw.uniform(0.3, 1))
    kills, at = [], GO
    for rank in draw.sample(range(n), count):
        at = at if kills and draw.random() < 0.3 else draw.randint(GO, GO + within)
        kills.append(Kill(min(at, ops - 1), rank, int(draw.choice(FORMS))))
    return sorted(kills, key=lambda kill: kill.operation)


def draw_points(draw, kills):
    """Half of the jobs have some."""
    share = draw.choice((0, 0, 0.5, 1))
    for kill in kills:
        if draw.random() < share:
            kill.point = f"{draw.randint(0, 60)}:{draw.choice(POINTS)}"


def crash_setting(kills):
    text = ",".join(f"{kill.rank}:{kill.point}" for kill in kills if kill.point)
    return {"FTCOLL_CRASH": text} if text else {}


def hand_of(kills):
    """The ranks wait for it before operation GO, and when they are through with all."""
    def hand(job):
        ranks = job.ranks()
        job.allow("begin")
        for kill in kills:
            if not kill.point and kill.rank in ranks:
                strike(job, kill, ranks[kill.rank].pid)
        job.allow("end")
    return hand


def strike(job, kill, pid):
    """As soon as the rank has come to that operation. If the job ends before, its status tells why."""
    def is_time():
        return progress(job, kill.rank)[1] >= kill.operation or job.process.poll() is not None
    if not wait_for(is_time, LIMIT_S, pause_s=0.0002):
        raise Hang(f"rank {kill.rank} did not come to operation {kill.operation}\n{job.stacks()}")
    kill.done = job.process.poll() is None
    if kill.done:
        send(kill.form, pid)


def progress(job, rank):
    """How far it came (record.h): finished is 0, 1 (all operations) or 2 (MPI_Finalize too); and the operation."""
    try:
        with open(job.path(f"rank.{rank}"), "rb") as file:
            _, _, _, finished, _, reached = struct.unpack("=4IQI", file.read(28))
            return finished, reached
    except (OSError, struct.error):
        return 0, 0


def draw_case(seed):
    """The case and its kills. Up to f deaths must be tolerated; with more, an error is allowed."""
    draw = random.Random(seed)
    n = draw.randint(2, 8)
    f = draw.randint(1, min(3, n - 1))
    count = draw.randint(1, f) if draw.random() < 0.7 else draw.randint(1, n - 1)
    ops = draw.choice((300, 1000, 3000))
    kills = draw_kills(draw, n, count, ops)
    draw_points(draw, kills)
    args = (f"--ops {ops} --go {GO} --await {GO}:begin --await {ops}:end --errors-return "
            f"--calls {draw.choice(('reduce', 'allreduce', 'allreduce', 'mixed'))} "
            f"--comms {draw.choice(('world', 'mixed'))} "
            f"--max-bytes {draw.choice((8, 64, 512, 4096))}")
    case = Case(f"stress {seed}", n, f, args, hand=hand_of(kills), limit_s=LIMIT_S,
                settings=crash_setting(kills),
                status=(0, "failed"), finished=tuple(range(n - count, n + 1)),
                excess="--maybe-excess" if count > f else "")
    case.check = lambda job: check_status(case, job, kills)
    return case, kills


def check_status(case, job, kills):
    """No rank is through with its operations when it is killed: all deaths are such that a job bears them."""
    for kill in kills:
        kill.done |= bool(kill.point) and not progress(job, kill.rank)[0]
    status = job.process.returncode
    return "" if status == 0 else f"exit status {status} of {case.name}"


def describe(case, kills):
    what = ", ".join(f"rank {k.rank} in its operation {k.point}" if k.point else
                     f"rank {k.rank} by signal {k.form} from operation {k.operation} on"
                     for k in kills)
    return f"n={case.n} f={case.f} {case.args}; killed: {what}"


def run_one(build, seed, sums):
    case, kills = draw_case(seed)
    outcome = run_once(case, build, seed)
    sums.jobs += 1
    sums.kills += sum(kill.done for kill in kills)
    sums.hangs += bool(outcome.hang)
    sums.wrong += bool(outcome.wrong)
    sums.leftovers += bool(outcome.left)
    if str(outcome):
        again = f"tests/mpi/run --build {os.path.relpath(build)} --seed {seed} --stress 0"
        print(f"FAIL {case.name} ({describe(case, kills)}): {outcome}\n  repeat with: {again}",
              flush=True)


def run(build, seed, limit_s):
    """Returns the exit status."""
    sums, start = Sums(), time.monotonic()
    while sums.jobs == 0 or time.monotonic() < start + limit_s:
        run_one(build, seed + sums.jobs, sums)
    print(f"stress: {sums.jobs} jobs, {sums.kills} kills, {sums.hangs} hangs, {sums.wrong} wrong, "
          f"{sums.leftovers} with leftovers in {time.monotonic() - start:.0f} s (seed {seed})")
    return 1 if sums.failures() else 0
