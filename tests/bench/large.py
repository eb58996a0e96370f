"""Calls that are too large for messages: beside native MPI, allreduces beside Open MPI, and with a kill in the middle."""
import csv
import os
import time

import openmpi
import side_by_side
from jobs import JobFailed, how_placed, mpich, note
from stats import Spread

BYTES = (65536, 1048576, 16777216)
MOVING = ("allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv", "alltoall", "alltoallv", "alltoallw", "scan",
          "exscan", "reduce_scatter", "reduce_scatter_block", "neighbor_allgather", "neighbor_alltoall", "neighbor_alltoallv",
          "iallgather", "ialltoall", "ialltoallv", "iscan", "alltoall_init", "alltoallv_init")
MOVING_BYTES = (65536, 1048576)  # of a block: what one rank has for one other
KILLED_BYTES = 16777216
SETTINGS = {"large": "protected", "f": 1, "report": "off"}
MIN_JOBS = 3


def measure(tools, options):
    """(rows of ours and native, {(ranks, bytes): Spread of ours / Open MPI}, {ranks: Spread of recovery / undisturbed})"""
    return (beside_native(tools, options), beside_openmpi(tools, options), recoveries(tools, options))


def beside_native(tools, options):
    print("\nLarge calls, in microseconds: median (5th..95th percentile) over blocks; ratios by pair of blocks.\n")
    print(side_by_side.HEADING, flush=True)
    rows = []
    for ranks in options.large_ranks:
        if ranks > 2:
            continue  # native MPI does not yield the core that the others want: Open MPI is the yardstick there
        rows += rows_of(tools, ranks, ("allreduce",), BYTES, options.large_seconds)
        for call in MOVING:
            rows += rows_of(tools, ranks, (call,), MOVING_BYTES, options.large_seconds / 4)
    side_by_side.write_csv(rows, os.path.join(tools.out, "large.csv"))
    return rows


def rows_of(tools, ranks, calls, sizes, seconds):
    arguments = ["--calls", ",".join(calls), "--bytes", ",".join(map(str, sizes)), "--seconds", seconds, "--block-ms", 50]
    rows = []
    out = mpich(tools, ranks, "latency", arguments, timeout_s=300,
                settings={**SETTINGS, "intercept": "all", "pcontrol": "on"})
    for key, blocks in side_by_side.read_blocks(out).items():
        rows.append(side_by_side.Row(key, 1, "large", blocks))
        print(rows[-1].line(), flush=True)
    return rows


def beside_openmpi(tools, options):
    if not tools.has("latency.openmpi"):
        note("not compared with Open MPI: mpicc.openmpi is not here (packages openmpi-bin, libopenmpi-dev)")
        return {}
    print("\nLarge allreduces, ours / plain Open MPI: medians of blocks, jobs run alternately.\n")
    print(f"{'n':>3} {'placement':20}{'bytes':>9}{'jobs':>5}{'Open MPI us':>34}{'ours us':>34}{'ours / Open MPI':>24}")
    results = {}
    for ranks in options.large_ranks:
        if ranks > 2:
            results.update(beside_openmpi_at(tools, options, ranks))
    return results


def beside_openmpi_at(tools, options, ranks):
    arguments = ["--sides", "one", "--calls", "allreduce", "--bytes", ",".join(map(str, BYTES)), "--seconds", 0.5,
                 "--block-ms", 50]
    pairs, deadline = [], time.monotonic() + options.openmpi_seconds
    for job in range(options.jobs):
        if job >= MIN_JOBS and time.monotonic() > deadline:
            break
        try:
            theirs = openmpi.openmpi(tools, ranks, "latency.openmpi", arguments, options.own_sessions, timeout_s=300)
            ours = mpich(tools, ranks, "latency", arguments, settings=SETTINGS, timeout_s=300)
            pairs.append((openmpi.median_by_bytes(theirs), openmpi.median_by_bytes(ours)))
        except JobFailed as failure:
            note(f"pair of jobs lost: n={ranks}: {failure}")
    results = {}
    for size in BYTES if pairs else ():
        theirs, ours = Spread([a[size] for a, _ in pairs]), Spread([b[size] for _, b in pairs])
        ratio = results[ranks, size] = Spread([b[size] / a[size] for a, b in pairs])
        print(f"{ranks:3} {how_placed(ranks):20}{size:9}{ratio.count:5}{theirs.text():>34}{ours.text():>34}"
              f"{ratio.text():>24}", flush=True)
    return results


def recoveries(tools, options):
    print(f"\nSIGKILL in the middle of an allreduce of {KILLED_BYTES} bytes to the result of all survivors, and that call"
          " undisturbed: one kill a job.\n")
    print(f"{'n':>3} {'placement':20}{'jobs':>5}{'undisturbed us':>34}{'recovery us':>34}{'ratio':>24}")
    results, records = {}, []
    for ranks in options.large_ranks:
        sample, deadline = [], time.monotonic() + options.recovery_seconds
        for job in range(options.jobs):
            if job >= options.min_kills and time.monotonic() > deadline:
                break
            figures = one_kill(tools, ranks, job % ranks)
            if figures:
                sample.append(figures)
                records.append([ranks, job % ranks, *figures])
        if sample:
            undisturbed, recovery = (Spread(us) for us in zip(*sample))
            ratio = results[ranks] = Spread([b / a for a, b in sample])
            print(f"{ranks:3} {how_placed(ranks):20}{ratio.count:5}{undisturbed.text(0):>34}{recovery.text(0):>34}"
                  f"{ratio.text():>24}", flush=True)
    with open(os.path.join(tools.out, "recovery_large.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ranks", "victim", "undisturbed_us", "recovery_us"])
        writer.writerows(records)
    return results


def one_kill(tools, ranks, victim):
    """(undisturbed, recovery) in microseconds; None if the job failed, or the call was over before the timer."""
    try:
        out = mpich(tools, ranks, "recovery_large", [victim, KILLED_BYTES], settings=SETTINGS, timeout_s=120)
        undisturbed, recovery = (float(word) for word in out.strip().split(",")[3:])
    except (JobFailed, ValueError) as failure:
        note(f"recovery job lost: n={ranks} victim={victim}: {failure}")
        return None
    return (undisturbed, recovery) if recovery > 0 else None
