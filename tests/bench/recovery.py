"""Time from the death of a rank to the survivors' result, one kill a job."""
import csv
import os
import time

from jobs import JobFailed, how_placed, mpich, note
from stats import Spread

TIMEOUTS_MS = (200, 5000)
TIMES = ("before", "first", "later")  # each 100 operations: mean and median
COLUMNS = ["ranks", "timeout_ms", "victim", "recovery_us",
           *(f"{when}_{what}_us" for when in TIMES for what in ("mean", "median"))]


def measure(tools, options):
    """Jobs of both timeouts alternate, at least options.min_kills of each.

    Returns {(ranks, timeout_ms): {name: Spread}}, and with timeout_ms None what both have in all.
    """
    records, results = [], {}
    print("\nSIGKILL of a rank to the result of all survivors, and the 100 operations before it, the first 100"
          " after it and the next: median (5th..95th percentile) over jobs. A hundred operations are compared by"
          " their means, and by their medians, which leave out the one or two that wait for the kernel to take the"
          " dead process apart.\n")
    print(f"{'n':>3} {'placement':20}{'timeout_ms':>11}{'jobs':>6}{'recovery us':>24}{'before us':>22}"
          f"{'first / before, mean':>24}{'median':>22}{'next / before, mean':>24}{'median':>22}")
    for ranks in options.job_ranks:
        samples = {t: [] for t in TIMEOUTS_MS}
        deadline = time.monotonic() + options.recovery_seconds
        for job in range(max(options.jobs, options.min_kills)):
            if job >= options.min_kills and time.monotonic() > deadline:
                break
            for timeout_ms in TIMEOUTS_MS:
                figures = one_job(tools, ranks, job % ranks, timeout_ms)
                if figures:
                    samples[timeout_ms].append(figures)
                    records.append([ranks, timeout_ms, job % ranks, *figures])
        for timeout_ms, sample in samples.items():
            if sample:
                results[ranks, timeout_ms] = summary(sample)
                print_line(ranks, timeout_ms, results[ranks, timeout_ms])
        both = [figures for sample in samples.values() for figures in sample]
        if both:
            results[ranks, None] = summary(both)
    write_csv(records, os.path.join(tools.out, "recovery.csv"))
    return results


def one_job(tools, ranks, victim, timeout_ms):
    """What follows the victim in COLUMNS, in microseconds; None if the job failed."""
    settings = {"timeout_ms": timeout_ms, "report": "off"}
    try:
        out = mpich(tools, ranks, "recovery", [victim], settings=settings, timeout_s=60)
        return [float(word) for word in out.strip().split(",")[2:]]
    except (JobFailed, ValueError) as failure:
        note(f"recovery job lost: n={ranks} victim={victim}: {failure}")
        return None


def summary(sample):
    recovery, before, before_median, first, first_median, later, later_median = zip(*sample)

    def ratio(after, before):
        return Spread([a / b for a, b in zip(after, before)])

    return {"recovery": Spread(recovery), "before": Spread(before),
            "first": ratio(first, before), "first_median": ratio(first_median, before_median),
            "later": ratio(later, before), "later_median": ratio(later_median, before_median)}


def print_line(ranks, timeout_ms, s):
    print(f"{ranks:3} {how_placed(ranks):20}{timeout_ms:11}{s['recovery'].count:6}{s['recovery'].text(0):>24}"
          f"{s['before'].text(1):>22}{s['first'].text():>24}{s['first_median'].text():>22}"
          f"{s['later'].text():>24}{s['later_median'].text():>22}", flush=True)


def write_csv(records, path):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(records)
