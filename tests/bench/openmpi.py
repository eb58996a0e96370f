"""Rerouted MPI_Allreduce of MPICH beside the plain one of Debian's Open MPI, in jobs run alternately."""
import csv
import os
import time

from jobs import JobFailed, how_placed, mpich, note, openmpi
from side_by_side import read_blocks
from stats import Spread, quantile

BYTES = (8, 4096)
MIN_JOBS = 2


def median_by_bytes(text):
    return {int(key[2]): quantile([float(b["us"]) for b in blocks], 0.5)
            for key, blocks in read_blocks(text).items()}


def measure(tools, options):
    """Returns {(algorithm, ranks, bytes): Spread of ratios}, each ratio from a pair of neighbouring jobs."""
    if not tools.has("latency.openmpi"):
        note("not compared with Open MPI: mpicc.openmpi is not here (make bench unpacks it, tests/bench/openmpi-here)")
        return {}
    sessions = "each rank in a session of its own" if options.own_sessions else "as it starts them"
    print(f"\nMPI_Allreduce, ours (f = 1) / plain Open MPI, {sessions}: medians of blocks, jobs run"
          " alternately.\n")
    print(f"{'n':>3} {'placement':20}{'bytes':>6} {'algorithm':11}{'jobs':>5}{'Open MPI us':>30}{'ours us':>30}"
          f"{'ours / Open MPI':>24}")
    results, records = {}, []
    for ranks in options.job_ranks:
        pairs = measure_ranks(tools, options, ranks)
        for algorithm in options.algorithms:
            for size in BYTES:
                sample = [(theirs[size], ours[size]) for a, theirs, ours in pairs if a == algorithm]
                records += [[ranks, size, algorithm, *pair] for pair in sample]
                if sample:
                    results[algorithm, ranks, size] = print_line(ranks, size, algorithm, sample)
    with open(os.path.join(tools.out, "openmpi.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ranks", "bytes", "algorithm", "openmpi_us", "ours_us"])
        writer.writerows(records)
    return results


def measure_ranks(tools, options, ranks):
    """[(algorithm, Open MPI's medians by size, ours)]"""
    arguments = ["--sides", "one", "--calls", "allreduce", "--bytes", ",".join(map(str, BYTES)),
                 "--seconds", 0.3, "--block-ms", options.block_ms]
    deadline = time.monotonic() + options.openmpi_seconds
    pairs = []
    for job in range(options.jobs):
        if job >= MIN_JOBS and time.monotonic() > deadline:
            break
        for algorithm in options.algorithms:
            try:
                theirs = median_by_bytes(openmpi(tools, ranks, "latency.openmpi", arguments,
                                                 options.own_sessions))
                ours = median_by_bytes(mpich(tools, ranks, "latency", arguments,
                                             settings={"f": 1, "algorithm": algorithm}))
                pairs.append((algorithm, theirs, ours))
            except JobFailed as failure:
                note(f"pair of jobs lost: n={ranks} {algorithm}: {failure}")
    return pairs


def print_line(ranks, size, algorithm, sample):
    theirs, ours = (Spread(us) for us in zip(*sample))
    ratio = Spread([b / a for a, b in sample])
    print(f"{ranks:3} {how_placed(ranks):20}{size:6} {algorithm:11}{ratio.count:5}{theirs.text():>30}"
          f"{ours.text():>30}{ratio.text():>24}", flush=True)
    return ratio
