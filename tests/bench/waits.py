"""Calls of native MPI in which ranks wait for each other where they share cores: natively, and with setting yield off and auto,
in jobs in turns, on the machine as it is and beside spinning processes."""
import contextlib
import csv
import subprocess

from jobs import CORES, JobFailed, mpich, note
from stats import Spread

ROUNDS = 10
SPINNING = 8
WAYS = {"native": None, "off": {"yield": "off"}, "auto": {"yield": "auto"}}


@contextlib.contextmanager
def spinning(count):
    processes = [subprocess.Popen(["sh", "-c", "while kill -0 $PPID; do :; done"], stderr=subprocess.DEVNULL) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def one_job(tools, ranks, threads, way, found):
    settings = WAYS[way]
    out = mpich(tools, ranks, "waits", [threads, ROUNDS], preload=settings is not None, settings=settings, timeout_s=300)
    for kind, us in csv.reader(out.splitlines()):
        found.setdefault(kind, {}).setdefault(way, []).append(float(us))


def line(kind, ranks, threads, beside, ways):
    ratio = Spread([auto / native for auto, native in zip(ways["auto"], ways["native"])])
    figures = "".join(f"{Spread(ways[way]).text(0):>28}" for way in WAYS)
    return f"{kind:10}{ranks:3}{threads:>6}{beside:4}{figures}{ratio.text(3):>24}", ratio


def measure(tools, options):
    """Returns {(kind, ranks, threads, spinning processes beside): ratio of auto to native}."""
    ratios = {}
    print(f"\nNative calls of ranks that share {CORES} cores: median microseconds a round in {options.waits_jobs} jobs of each kind in turns.\n")
    print(f"{'call':10}{'n':>3}{'threads':>6}{'+':>4}{'native':>28}{'yield = off':>28}{'yield = auto':>28}{'auto / native':>24}")
    for ranks in (2 * CORES, 4 * CORES):
        for threads, beside in (("one", 0), ("many", 0), ("one", SPINNING)):
            found = {}
            with spinning(beside):
                for _ in range(options.waits_jobs):
                    for way in WAYS:
                        try:
                            one_job(tools, ranks, threads, way, found)
                        except JobFailed as failure:
                            note(f"job lost: {failure}")
            for kind, ways in found.items():
                text, ratios[kind, ranks, threads, beside] = line(kind, ranks, threads, beside, ways)
                print(text, flush=True)
    return ratios
