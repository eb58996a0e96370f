"""Native and rerouted latency, measured in alternating blocks of one process set."""
import csv
import os

from jobs import JobFailed, how_placed, mpich, note
from stats import Spread

COLUMNS = ["call", "ranks", "placement", "bytes", "f", "algorithm", "pairs",
           "native_us_median", "native_us_p5", "native_us_p95",
           "ours_us_median", "ours_us_p5", "ours_us_p95",
           "ratio_median", "ratio_p5", "ratio_p95", "messages_per_process"]


class Row:
    """One call, number of ranks, size, f and algorithm."""

    def __init__(self, key, f, algorithm, blocks):
        self.call, self.ranks, self.bytes = key[0], int(key[1]), int(key[2])
        self.f, self.algorithm = f, algorithm
        us = {(b["pair"], b["side"]): float(b["us"]) for b in blocks}
        pairs = sorted({b["pair"] for b in blocks}, key=int)
        self.native = Spread([us[p, "native"] for p in pairs])
        self.ours = Spread([us[p, "ours"] for p in pairs])
        self.ratio = Spread([us[p, "ours"] / us[p, "native"] for p in pairs])
        self.pairs = len(pairs)
        self.messages = next((b["messages"] for b in blocks if b["side"] == "ours"), "")

    def record(self):
        spreads = [f"{getattr(s, q):.4f}" for s in (self.native, self.ours, self.ratio)
                   for q in ("median", "p5", "p95")]
        return [self.call, self.ranks, how_placed(self.ranks), self.bytes, self.f, self.algorithm,
                self.pairs, *spreads, self.messages]

    def line(self):
        digits = 3 if self.native.median > 20 * self.ours.median else 2
        return (f"{self.call:13}{self.ranks:3} {how_placed(self.ranks):20}{self.bytes:6}{self.f:3} "
                f"{self.algorithm:11}{self.native.text():>36}{self.ours.text():>32}"
                f"{self.ratio.text(digits):>24} {self.messages:>8}")


# Calls whose values are put together from blocks; an alltoall of 1 KiB a pair of 8 ranks fits max_bytes.
BLOCKS = ("allgather", "gather", "scatter", "alltoall", "scan")
BLOCKS_RANKS_MAX = 8

# As the OSU programs time them: the call alone, and not the barrier after it (latency --time call).
ALONE = ("bcast", "scatter", "scatterv", "gatherv")
ALONE_BYTES = (8, 1024, 4096)

HEADING = (f"{'call':13}{'n':>3} {'placement':20}{'bytes':>6}{'f':>3} {'algorithm':11}"
           f"{'native us':>36}{'ours us':>32}{'ours / native':>24} {'messages':>8}")


def read_blocks(text):
    names = ["call", "ranks", "bytes", "pair", "side", "us", "iterations", "messages"]
    groups = {}
    for record in csv.reader(text.splitlines()):
        block = dict(zip(names, record))
        groups.setdefault((block["call"], block["ranks"], block["bytes"]), []).append(block)
    return groups


def plan(ranks_list, f_list, algorithms):
    """(ranks, f, algorithm, calls): no f beyond the ranks, and a reduce has only one algorithm."""
    for ranks in ranks_list:
        for f in f_list:
            if f >= ranks:
                continue
            for algorithm in algorithms:
                calls = ["allreduce"]
                if algorithm == algorithms[0]:
                    calls += ["reduce"] + (["reduce-turns"] if ranks == 2 else [])
                yield ranks, f, algorithm, calls


def measure_job(tools, ranks, f, algorithm, arguments, settings, name="{}"):
    """Prints the rows of one job, whose calls are called @name, and returns them."""
    rows = []
    try:
        out = mpich(tools, ranks, "latency", arguments,
                    settings={"f": f, "algorithm": algorithm, "pcontrol": "on", **settings})
    except JobFailed as failure:
        note(f"not measured: n={ranks} f={f} {algorithm}: {failure}")
        return rows
    for key, blocks in read_blocks(out).items():
        row = Row((name.format(key[0]), *key[1:]), f, algorithm, blocks)
        print(row.line(), flush=True)
        rows.append(row)
    return rows


def measure(tools, options):
    """Prints the table as it grows; returns its rows."""
    rows = []
    print("\nLatency in microseconds: median (5th..95th percentile) over blocks; ratios by pair of blocks.\n")
    print(HEADING, flush=True)
    for ranks, f, algorithm, calls in plan(options.ranks, options.f, options.algorithms):
        # The sizes between are left to f = 1.
        sizes = options.bytes if f == 1 else sorted({options.bytes[0], options.bytes[-1]})
        arguments = ["--calls", ",".join(calls + options.more_calls), "--bytes", ",".join(map(str, sizes)),
                     "--seconds", options.seconds, "--block-ms", options.block_ms]
        intercept = ",".join(["reduce", "allreduce", *options.more_calls])
        settings = {"intercept": intercept, "max_bytes": max(options.bytes)}
        rows += measure_job(tools, ranks, f, algorithm, arguments, settings)
    for ranks in [n for n in options.ranks if n <= BLOCKS_RANKS_MAX]:
        arguments = ["--calls", ",".join(BLOCKS), "--bytes", "8,1024", "--seconds", options.seconds,
                     "--block-ms", options.block_ms]
        for algorithm in options.algorithms:
            rows += measure_job(tools, ranks, 1, algorithm, arguments, {"intercept": "all", "max_bytes": 65536})
    if 2 in options.ranks:
        arguments = ["--time", "call", "--calls", ",".join(ALONE), "--bytes", ",".join(map(str, ALONE_BYTES)),
                     "--seconds", options.seconds, "--block-ms", options.block_ms]
        rows += measure_job(tools, 2, 1, "optimistic", arguments, {"protect": "all"}, "{} alone")
    write_csv(rows, os.path.join(tools.out, "latency.csv"))
    return rows


def write_csv(rows, path):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(row.record() for row in rows)
