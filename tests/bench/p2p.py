"""Point-to-point messages of two ranks with p2p = error, beside native ones: in turns in one job, and by jobs in turns."""
import csv

from jobs import JobFailed, in_turns, mpich, note
from stats import Spread

ROUNDS = 20  # blocks in a job
SECONDS = 3  # bound of the time that a round of all kinds takes on a busy machine


class Row:
    """One kind of message of one size: microseconds natively, and with the library; ratios."""

    def __init__(self, kind, size):
        self.kind, self.size = kind, size
        self.native, self.ours, self.in_process, self.by_jobs = [], [], [], []

    def add(self, native, ours):
        """The blocks (past the library, with it) of a native job and of one with the library, run side by side."""
        alone, with_it = Spread([b for _, b in native]).median, Spread([b for _, b in ours]).median
        self.native.append(alone)
        self.ours.append(with_it)
        self.by_jobs.append(with_it / alone)
        self.in_process += [b / a for a, b in ours]

    def line(self):
        return (f"{self.kind:10}{self.size:9}{Spread(self.native).text(3):>28}{Spread(self.ours).text(3):>28}"
                f"{Spread(self.in_process).text(3):>24}{Spread(self.by_jobs).text(3):>24}")


def blocks(tools, preload, settings):
    found = {}
    out = mpich(tools, 2, "p2p", [ROUNDS], preload=preload, settings=settings, timeout_s=ROUNDS * SECONDS)
    for kind, size, past, ours in csv.reader(out.splitlines()):
        found.setdefault((kind, int(size)), []).append((float(past), float(ours)))
    return found


def measure(tools, options):
    """Returns the rows."""
    rows, settings = {}, {"p2p": "error"}
    for job in range(options.p2p_jobs):
        try:
            pair = {preload: blocks(tools, preload, settings) for preload in in_turns(job)}
        except JobFailed as failure:
            note(f"pair of jobs lost: {failure}")
            continue
        for (kind, size), native in pair[False].items():
            rows.setdefault((kind, size), Row(kind, size)).add(native, pair[True][kind, size])
    print(f"\nPoint-to-point messages, 2 ranks, p2p = error: medians of jobs, microseconds a message, and ours / native:"
          f" by blocks of one job (the library, and past it), and by {options.p2p_jobs} jobs in turns.\n")
    print(f"{'kind':10}{'bytes':>9}{'native us':>28}{'ours us':>28}{'by blocks':>24}{'by jobs':>24}")
    for row in rows.values():
        print(row.line(), flush=True)
    return list(rows.values())
