"""MOCASSIN: a spherical HII region (the Lexington benchmark HII40) on a coarse grid.

Each rank follows its share of the photons and owns every RANKS-th cell of the grid; all that ranks tell each
other is told in MPI_Allreduce and MPI_Barrier. So a dead rank takes along its photons and its cells: the latter
have temperature 0 from then on. What must stay sensible are the cells of the survivors.
"""
import filecmp
import os
import re
import shutil
import statistics

from job import Job, describe, fresh, need

PROGRAM = "mocassin"
BENCHMARK = "/usr/share/mocassin/benchmarks/gas/HII40"
ITERATIONS = 4
# Small enough for two cores, and for every message to stay below 64 KiB, the limit of max_bytes.
REDUCED = {"nx": "5", "ny": "5", "nz": "5", "nbins": "200", "nPhotons": "40000", "autoPackets": "0.20 2. 40000",
           "maxIterateMC": f"{ITERATIONS} 100."}
CLOCK = re.compile(r"finished at|total run time|^ftcoll:")
RANKS = 6
TRANSFER, FINISHED = r"Starting transfer for ionising source", r"Iteration +\d+ ; finished"
# Which ranks are killed when: as soon as rank 0 has printed a line so often.
KILLS = {
    "early": [(2, TRANSFER, 1)],
    "middle": [(3, FINISHED, 2)],
    "late": [(5, TRANSFER, ITERATIONS)],
    "twice": [(1, FINISHED, 1), (4, FINISHED, 3)],
}
# Of the survivors' mean temperature, which the loss of a sixth of the ionising photons, and of the absorption in
# a sixth of the cells, hardly changes: cooling sets it.
TOLERANCE = 0.10
# Of the H beta luminosity for each dead rank, whose cells are missing in it: a sixth, more or less, by where they are.
HBETA_LOST_AT_MOST = 0.30


def start(apps, name, ranks, preload):
    folder = fresh(apps.folder, "mocassin", name)
    os.makedirs(os.path.join(folder, "output"))
    shutil.copytree(BENCHMARK, os.path.join(folder, "input"))
    path = os.path.join(folder, "input", "input.in")
    with open(path) as f:
        text = f.read()
    for key, value in REDUCED.items():
        text, found = re.subn(rf"(?m)^{key}\b.*$", f"{key} {value}", text)
        need(found == 1, f"no {key} in {BENCHMARK}/input.in")
    with open(path, "w") as f:
        f.write(text)
    environment = {**apps.settings(), "GFORTRAN_UNBUFFERED_PRECONNECTED": "y"}
    return Job(folder, ranks, [PROGRAM], [*preload, apps.fixed_seed], environment, limit_s=apps.limit(90))


def output(job, name):
    return os.path.join(job.folder, "output", name)


def without_clock(path):
    """Lines sorted, as those of different ranks come in any order."""
    with open(path) as f:
        return sorted(line for line in f if not CLOCK.search(line))


def files_that_differ(a, b):
    names = sorted(os.listdir(os.path.join(a.folder, "output")))
    need(len(names) > 5 and names == sorted(os.listdir(os.path.join(b.folder, "output"))),
         f"other files than expected in {a.folder}/output and {b.folder}/output")
    bits = [name for name in names if name != "summary.out"
            and not filecmp.cmp(output(a, name), output(b, name), shallow=False)]
    text = [name for name in ("output/summary.out", "log")
            if without_clock(os.path.join(a.folder, name)) != without_clock(os.path.join(b.folder, name))]
    return bits + text


class Nebula:
    """The electron temperatures of the gas cells (K), and the luminosity in H beta (1e36 erg/s)."""

    def __init__(self, job):
        with open(output(job, "grid1.out")) as f:
            cells = [[float(x) for x in line.split()] for line in f]
        self.cells = [cell[0] for cell in cells if len(cell) == 3]
        need(self.cells and all(0 <= t < 20000 for t in self.cells), f"temperatures out of range: {job.folder}")
        with open(output(job, "lineFlux.out")) as f:
            found = re.search(r"Hbeta \[E36 erg/s\]: +(\S+)", f.read())
        need(found, f"no H beta: {job.folder}")
        self.hbeta = float(found.group(1))

    def temperature(self, where):
        return statistics.mean(self.cells[i] for i in where)

    def warm(self):
        return [i for i, t in enumerate(self.cells) if t > 0]

    def told(self):
        return f"Te {self.temperature(self.warm()):5.0f} K in {len(self.warm()):2} cells, Hbeta {self.hbeta:.2f}e36 erg/s"


def all_rerouted(job):
    report = job.report()
    need(set(report) == {"MPI_Allreduce", "MPI_Barrier"} and not any(n for _, n in report.values()),
         f"calls other than rerouted MPI_Allreduce and MPI_Barrier: {job.path}")
    return describe(report)


def undisturbed(apps):
    """Two summands have one order: all bits must be native's. More have several: the same in each run with ftcoll."""
    native = start(apps, "native-2", 2, []).must_end_well()
    again = start(apps, "native-2-again", 2, []).must_end_well()
    need(not files_that_differ(native, again), "native runs differ: the seed is not fixed")
    ours = start(apps, "ftcoll-2", 2, [apps.library]).must_end_well()
    apps.row("native, 2 ranks", native, Nebula(native).told())
    differ = files_that_differ(native, ours)
    need(not differ, f"differs from native in {differ}: {native.folder}, {ours.folder}")
    apps.row("ftcoll, 2 ranks", ours, "all output bit for bit as native, but for times of day")

    native = start(apps, f"native-{RANKS}", RANKS, []).must_end_well()
    first = start(apps, f"ftcoll-{RANKS}", RANKS, [apps.library]).must_end_well()
    second = start(apps, f"ftcoll-{RANKS}-again", RANKS, [apps.library]).must_end_well()
    differ = files_that_differ(first, second)
    need(not differ, f"two runs with ftcoll differ in {differ}: {first.folder}, {second.folder}")
    a, b = Nebula(native), Nebula(first)
    off = max(abs(x - y) / max(x, y, 1) for x, y in zip(a.cells, b.cells))
    need(off < 0.05 and abs(a.hbeta / b.hbeta - 1) < 0.01, f"other physics: {native.folder}, {first.folder}")
    apps.row(f"native, {RANKS} ranks", native, a.told())
    apps.row(f"ftcoll, {RANKS} ranks", first, f"{b.told()}; two runs bit for bit alike; Te within {100 * off:.1g} % of native's")
    apps.say(f"rerouted at rank 0: {all_rerouted(first)}; none native")
    return b


def start_and_kill(apps, name, kills):
    job = start(apps, f"killed-{name}", RANKS, [apps.library])
    for rank, pattern, times in kills:
        job.wait_for(pattern, times)
        job.kill(rank)
    job.must_end_well()
    need(len(job.told()) == len(kills), f"ftcoll told of {len(job.told())} deaths: {job.path}")
    all_rerouted(job)
    return job


def killed(apps, whole, name, kills):
    """The program's end and results are those of a job with survivors only."""
    job = start_and_kill(apps, name, kills)
    need("end simulation reached - clean exit" in job.log(), f"the program did not come to its end: {job.path}")
    dead = [rank for rank, _, _ in kills]
    left = Nebula(job)
    lost = set(whole.warm()) - set(left.warm())
    need(lost and all(i % RANKS in dead for i in lost), f"not only the cells of the dead are lost: {job.folder}")
    off = left.temperature(left.warm()) / whole.temperature(left.warm()) - 1
    need(abs(off) < TOLERANCE, f"temperature is {100 * off:.1f} % off: {job.folder}")
    need(1 - HBETA_LOST_AT_MOST * len(dead) < left.hbeta / whole.hbeta < 1, f"H beta is off: {job.folder}")
    apps.row(f"ftcoll, rank {' and '.join(map(str, dead))} killed{'' if len(dead) > 1 else ' ' + name}", job,
             f"{left.told()}; Te {100 * off:+.1f} % in the same cells")
    for line in job.told():
        apps.say(line)


def writer_killed(apps, whole):
    """Rank 0 alone writes. What it wrote after the last iteration before its death stays."""
    job = start_and_kill(apps, "rank-0", [(0, TRANSFER, 3)])
    left = Nebula(job)
    off = left.temperature(left.warm()) / whole.temperature(left.warm()) - 1
    need(left.warm() == whole.warm() and abs(off) < TOLERANCE, f"temperature is {100 * off:.1f} % off: {job.folder}")
    apps.row("ftcoll, rank 0 killed middle", job, f"{left.told()}, as of iteration 2: rank 0 is who writes")


def run(apps):
    whole = undisturbed(apps)
    for name, kills in KILLS.items():
        killed(apps, whole, name, kills)
    writer_killed(apps, whole)
