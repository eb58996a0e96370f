"""Rerouted calls of MPICH beside the plain ones of Debian's Open MPI, in jobs run alternately."""
import csv
import os
import time

from jobs import JobFailed, how_placed, mpich, note, openmpi
from side_by_side import BLOCKS, BLOCKS_RANKS_MAX, read_blocks
from stats import Spread, quantile

MIN_JOBS = 2


class Kind:
    """Calls that are measured in one pair of jobs."""

    def __init__(self, algorithm, calls, sizes, **settings):
        self.algorithm, self.calls, self.sizes = algorithm, calls, sizes
        self.settings = {"f": 1, "algorithm": algorithm, **settings}

    def arguments(self, block_ms):
        return ["--sides", "one", "--calls", ",".join(self.calls), "--bytes", ",".join(map(str, self.sizes)),
                "--seconds", 0.3, "--block-ms", block_ms]


def kinds_of(ranks, algorithms):
    kinds = [Kind(algorithm, ("allreduce",), (8, 4096)) for algorithm in algorithms]
    if ranks <= BLOCKS_RANKS_MAX:
        kinds.append(Kind("optimistic", BLOCKS, (8, 1024), intercept="all", max_bytes=65536))
    return kinds


def medians(text):
    """{(call, bytes): microseconds}"""
    return {(key[0], int(key[2])): quantile([float(b["us"]) for b in blocks], 0.5)
            for key, blocks in read_blocks(text).items()}


def median_by_bytes(text):
    """The same of a program that measures one call."""
    return {size: us for (_, size), us in medians(text).items()}


def measure(tools, options):
    """Returns {(call, algorithm, ranks, bytes): Spread of ratios}, each ratio from a pair of neighbouring jobs."""
    if not tools.has("latency.openmpi"):
        note("not compared with Open MPI: mpicc.openmpi is not here (make bench unpacks it, tests/bench/openmpi-here)")
        return {}
    sessions = "each rank in a session of its own" if options.own_sessions else "as it starts them"
    print(f"\nOurs (f = 1) / plain Open MPI, {sessions}: medians of blocks, jobs run alternately; bytes are a rank's.\n")
    print(f"{'call':13}{'n':>3} {'placement':20}{'bytes':>6} {'algorithm':11}{'jobs':>5}{'Open MPI us':>30}{'ours us':>30}"
          f"{'ours / Open MPI':>24}")
    results, records = {}, []
    for ranks in options.job_ranks:
        for kind, pairs in measure_ranks(tools, options, ranks).items():
            for call, size in pairs[0][0] if pairs else ():
                sample = [(theirs[call, size], ours[call, size]) for theirs, ours in pairs]
                records += [[call, ranks, size, kind.algorithm, *pair] for pair in sample]
                results[call, kind.algorithm, ranks, size] = print_line(call, ranks, size, kind.algorithm, sample)
    with open(os.path.join(tools.out, "openmpi.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["call", "ranks", "bytes", "algorithm", "openmpi_us", "ours_us"])
        writer.writerows(records)
    return results


def measure_ranks(tools, options, ranks):
    """{kind: [(Open MPI's medians, ours)]}"""
    deadline = time.monotonic() + options.openmpi_seconds
    pairs = {kind: [] for kind in kinds_of(ranks, options.algorithms)}
    for job in range(options.jobs):
        if job >= MIN_JOBS and time.monotonic() > deadline:
            break
        for kind, sample in pairs.items():
            arguments = kind.arguments(options.block_ms)
            try:
                theirs = medians(openmpi(tools, ranks, "latency.openmpi", arguments, options.own_sessions))
                sample.append((theirs, medians(mpich(tools, ranks, "latency", arguments, settings=kind.settings))))
            except JobFailed as failure:
                note(f"pair of jobs lost: n={ranks} {kind.algorithm}: {failure}")
    return pairs


def print_line(call, ranks, size, algorithm, sample):
    theirs, ours = (Spread(us) for us in zip(*sample))
    ratio = Spread([b / a for a, b in sample])
    print(f"{call:13}{ranks:3} {how_placed(ranks):20}{size:6} {algorithm:11}{ratio.count:5}{theirs.text():>30}"
          f"{ours.text():>30}{ratio.text():>24}", flush=True)
    return ratio
