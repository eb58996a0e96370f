"""MPI_Init and whole jobs that do nothing else, natively and with the library, in jobs run alternately."""
import csv
import os
import time

from jobs import JobFailed, in_turns, mpich, note
from stats import Spread

MIN_JOBS = 3


def run_job(tools, ranks, preload):
    """Seconds: MPI_Init of the rank that took longest, MPI_Finalize likewise, and the job."""
    began = time.monotonic()
    out = mpich(tools, ranks, "start_up", preload=preload)
    job = time.monotonic() - began
    rows = [list(map(float, line.split()))[1:] for line in out.splitlines()]
    if len(rows) != ranks:
        raise JobFailed(f"{len(rows)} of {ranks} ranks told their times")
    return max(init for init, _ in rows), max(end for _, end in rows), job


def measure_ranks(tools, options, ranks):
    """[(native, ours)], each as of run_job."""
    deadline = time.monotonic() + options.start_up_seconds
    pairs = []
    for job in range(options.jobs):
        if job >= MIN_JOBS and time.monotonic() > deadline:
            break
        try:
            sides = {preload: run_job(tools, ranks, preload) for preload in in_turns(job)}
            pairs.append((sides[False], sides[True]))
        except JobFailed as failure:
            note(f"pair of jobs lost: n={ranks}: {failure}")
    return pairs


def print_line(ranks, what, native, ours):
    ratio = Spread([b / a for a, b in zip(native, ours)])
    print(f"{ranks:3} {what:14}{ratio.count:5}{Spread(native).text(3):>28}{Spread(ours).text(3):>28}"
          f"{ratio.text():>24}", flush=True)
    return ratio


def measure(tools, options):
    """Returns {(ranks, what): Spread of ratios}, each ratio from a pair of neighbouring jobs."""
    print("\nStart-up in seconds, ours / native: median (5th..95th percentile) over jobs, run alternately; of the"
          " calls the\nslowest rank's.\n")
    print(f"{'n':>3} {'':14}{'jobs':>5}{'native s':>28}{'ours s':>28}{'ours / native':>24}")
    ratios, records = {}, []
    for ranks in options.start_up_ranks:
        pairs = measure_ranks(tools, options, ranks)
        for i, what in enumerate(("MPI_Init", "MPI_Finalize", "job")):
            sample = [(native[i], ours[i]) for native, ours in pairs]
            records += [[ranks, what, *pair] for pair in sample]
            if sample:
                ratios[ranks, what] = print_line(ranks, what, *zip(*sample))
    with open(os.path.join(tools.out, "start_up.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ranks", "what", "native_s", "ours_s"])
        writer.writerows(records)
    return ratios
