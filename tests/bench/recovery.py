"""Time from the death of a rank to the survivors' result, one kill a job."""
import csv
import os
import time

from jobs import JobFailed, how_placed, mpich, note
from stats import Spread

TIMEOUTS_MS = (200, 5000)
COLUMNS = ["ranks", "timeout_ms", "victim", "recovery_us", "before_us", "first_us", "later_us"]


def measure(tools, options):
    """Jobs of both timeouts alternate, at least options.min_kills of each.

    Returns {(ranks, timeout_ms): {name: Spread}}.
    """
    records, results = [], {}
    print("\nSIGKILL of a rank to the result of all survivors, and the first and the next 100 operations"
          " after it: median (5th..95th percentile) over jobs.\n")
    print(f"{'n':>3} {'placement':20}{'timeout_ms':>11}{'jobs':>6}{'recovery us':>30}{'before us':>26}"
          f"{'first / before':>24}{'next / before':>22}")
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
    write_csv(records, os.path.join(tools.out, "recovery.csv"))
    return results


def one_job(tools, ranks, victim, timeout_ms):
    """(recovery, before, first, later) in microseconds, None if the job failed."""
    settings = {"timeout_ms": timeout_ms, "report": "off"}
    try:
        out = mpich(tools, ranks, "recovery", [victim], settings=settings, timeout_s=60)
        return [float(word) for word in out.strip().split(",")[2:]]
    except (JobFailed, ValueError) as failure:
        note(f"recovery job lost: n={ranks} victim={victim}: {failure}")
        return None


def summary(sample):
    recovery, before, first, later = zip(*sample)
    return {"recovery": Spread(recovery), "before": Spread(before),
            "first": Spread([a / b for a, b in zip(first, before)]),
            "later": Spread([a / b for a, b in zip(later, before)])}


def print_line(ranks, timeout_ms, s):
    print(f"{ranks:3} {how_placed(ranks):20}{timeout_ms:11}{s['recovery'].count:6}{s['recovery'].text(0):>30}"
          f"{s['before'].text(1):>26}{s['first'].text():>24}{s['later'].text():>22}", flush=True)


def write_csv(records, path):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(records)
