"""Jobs drawn at random, ranks of which are killed from outside at random instants, or kill themselves
at exact points of the protocol (setting crash)."""
import os
import random
import signal
import struct
import time
from dataclasses import dataclass

from .case import Case, run_once
from .job import send

POINTS = ("a0", "b1", "a1", "b2", "a2", "b3", "a3", "b4", "end")
FORMS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT,
         signal.SIGTERM)


@dataclass
class Kill:
    delay_s: float  # after the one before
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


def draw_kills(draw, n, count):
    """One after the other or at once, within 1 to 300 ms: about as long as the operations take."""
    within_s = 0.001 * 300 ** draw.random()
    ranks = draw.sample(range(n), count)
    return [Kill(0 if draw.random() < 0.3 else draw.uniform(0, within_s), rank,
                 int(draw.choice(FORMS))) for rank in ranks]


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
    def hand(job):
        ranks = job.ranks()
        for kill in kills:
            if kill.point:
                continue
            time.sleep(kill.delay_s)
            if kill.rank in ranks:
                kill.done = True
                send(kill.form, ranks[kill.rank].pid)
    return hand


def finished(job, rank):
    """How far the rank came: 0, 1 (all operations) or 2 (MPI_Finalize too)."""
    try:
        with open(job.path(f"rank.{rank}"), "rb") as file:
            return struct.unpack("=4I", file.read(16))[3]
    except (OSError, struct.error):
        return 0


def draw_case(seed):
    """The case and its kills. Up to f deaths must be tolerated; with more, an error is allowed."""
    draw = random.Random(seed)
    n = draw.randint(2, 8)
    f = draw.randint(1, min(3, n - 1))
    count = draw.randint(1, f) if draw.random() < 0.7 else draw.randint(1, n - 1)
    kills = draw_kills(draw, n, count)
    draw_points(draw, kills)
    args = (f"--ops {draw.choice((300, 1000, 3000))} --go 5 --errors-return "
            f"--calls {draw.choice(('reduce', 'allreduce', 'allreduce', 'mixed'))} "
            f"--comms {draw.choice(('world', 'mixed'))} "
            f"--max-bytes {draw.choice((8, 64, 512, 4096))}")
    case = Case(f"stress {seed}", n, f, args, hand=hand_of(kills), limit_s=60,
                settings=crash_setting(kills),
                status=(0, "failed"), finished=tuple(range(n - count, n + 1)),
                excess="--maybe-excess" if count > f else "")
    case.check = lambda job: check_status(case, job, kills)
    return case, kills


def check_status(case, job, kills):
    """A job fails only if a rank was killed when it was through with its operations."""
    late = any(finished(job, kill.rank) for kill in kills if kill.done)
    for kill in kills:
        kill.done |= bool(kill.point) and not finished(job, kill.rank)
    status = job.process.returncode
    return "" if status == 0 or late else f"exit status {status} of {case.name}"


def describe(case, kills):
    what = ", ".join(f"rank {k.rank} in its operation {k.point}" if k.point else
                     f"rank {k.rank} by signal {k.form} after {k.delay_s * 1e3:.1f} ms"
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
