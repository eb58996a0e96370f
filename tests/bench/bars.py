"""What the library promises, beside what has just been measured."""
from costs import PASSED_BY_BLOCKS, PASSED_NS, TRACED
from side_by_side import ALONE, ALONE_BYTES, BLOCKS
from stats import Spread

DEFAULT_ALGORITHM = "optimistic"


class Bars:
    def __init__(self):
        self.lines = []

    def add(self, figure, value, limit, digits=2):
        """@value: Spread, number or None (not measured)."""
        if value is None:
            text, verdict = "not measured", ""
        else:
            judged = value.median if isinstance(value, Spread) else value
            text = value.text(digits) if isinstance(value, Spread) else f"{value:.{digits}f}"
            verdict = "met" if judged <= limit else "MISSED"
        self.lines.append((figure, f"{limit:g}", text, verdict))

    def print(self):
        print("\nBars: median (5th..95th percentile); the median counts unless said otherwise.\n")
        for figure, limit, text, verdict in [("figure", "at most", "measured", "")] + self.lines:
            print(f"{figure:74}{limit:>8}  {text:30}{verdict}")


def find(rows, call, ranks, size, algorithm):
    """The ratio of a row at f = 1; None if it was not measured."""
    return next((r.ratio for r in rows if (r.call, r.ranks, r.bytes, r.f, r.algorithm) ==
                 (call, ranks, size, 1, algorithm)), None)


def latency(bars, rows, options):
    """The bars of the ranks and sizes that were to be measured."""
    def add(call, ranks, size, algorithm, limit, digits):
        if ranks in options.ranks and size in options.bytes:
            where = "one a core" if ranks == 2 else "oversubscribed"
            bars.add(f"{call}, {size} B, n={ranks} {where}, f=1, {algorithm}: ours / native",
                     find(rows, call, ranks, size, algorithm), limit, digits)

    for algorithm in options.algorithms:
        for size in (8, 1024, 4096):
            add("allreduce", 2, size, algorithm, 1.1 if (algorithm, size) == ("corrected", 4096) else 1.25, 2)
    for size in options.bytes if "bcast" in options.more_calls else ():
        add("bcast", 2, size, DEFAULT_ALGORITHM, 1.0, 2)
    for call in BLOCKS:
        for size in (8, 1024):
            bars.add(f"{call}, {size} B a rank, n=2 one a core, f=1: ours / native",
                     find(rows, call, 2, size, DEFAULT_ALGORITHM), 1.5, 2)
    for call, size in ((call, size) for call in ALONE for size in ALONE_BYTES if 2 in options.ranks):
        bars.add(f"{call} alone, {size} B, n=2 one a core, f=1, protect = all: ours / native",
                 find(rows, f"{call} alone", 2, size, DEFAULT_ALGORITHM), 1.5 if call == "bcast" else 2.0 if size == 4096 else 1.8, 2)
    for call in ("reduce", "reduce-turns"):
        add(call, 2, 8, options.algorithms[0], 1.25, 2)
    for ranks in (4, 8, 16):
        for size in (8, 4096):
            for algorithm in options.algorithms:
                add("allreduce", ranks, size, algorithm, 0.1, 4)
            add("reduce", ranks, size, options.algorithms[0], 0.1, 4)


def openmpi(bars, results):
    for (call, algorithm, ranks, size), ratio in results.items():
        bars.add(f"{call}, {size} B, n={ranks} oversubscribed, {algorithm}: ours / Open MPI", ratio,
                 1.5 if call != "allreduce" else 1.0 if algorithm == DEFAULT_ALGORITHM else 2.0)


def recovery(bars, results):
    in_order = sorted(results.items(), key=lambda item: (item[0][0], item[0][1] or float("inf")))
    for (ranks, timeout_ms), s in in_order:
        if timeout_ms is not None:
            bars.add(f"SIGKILL to the survivors' result, us, n={ranks}, timeout_ms={timeout_ms}", s["recovery"], 2000, 0)
            continue
        kills = f"n={ranks}, all {s['recovery'].count} kills"
        bars.add(f"the same, 95th percentile, {kills}", s["recovery"].p95, 5000, 0)
        # The first 100 share the cores with the end of the dead process, which takes more time than they do.
        bars.add(f"latency 100 operations after a failure / before, {kills}", s["later_median"], 1.1)


def costs(bars, figures):
    # Not by pairs of jobs: two jobs without the library differ by a half as well.
    bars.add(PASSED_BY_BLOCKS, figures.get(PASSED_BY_BLOCKS), 1.01, 4)
    bars.add(PASSED_NS, figures.get(PASSED_NS), 60, 0)
    bars.add(TRACED, figures.get(TRACED), 1.1)


def p2p(bars, rows):
    for row in rows:
        if row.kind == "ping-pong" and row.size >= 16384:
            for how, ratios in (("blocks", row.in_process), ("jobs", row.by_jobs)):
                bars.add(f"ping-pong, {row.size} B, p2p = error: ours / native, by {how}", Spread(ratios), 1.05, 3)


def waits(bars, ratios):
    for (kind, ranks, threads, beside), ratio in ratios.items():
        spinning = f", {beside} spinning processes beside" if beside else ""
        bars.add(f"{kind}, n={ranks}, {threads} thread{'s' if threads == 'many' else ''}{spinning}: yield = auto / native", ratio,
                 0.1 if (kind, beside) == ("dup", 0) else 1.0)


def large(bars, rows, beside_openmpi, recoveries):
    for row in rows:
        bars.add(f"{row.call}, {row.bytes} B, n={row.ranks} one a core, large = protected: ours / native", row.ratio,
                 1.1 if row.call == "allreduce" else 3 if row.call[0] == "i" or row.call.endswith("_init") else 1.5)
    for (ranks, size), ratio in beside_openmpi.items():
        bars.add(f"allreduce, {size} B, n={ranks} oversubscribed: ours / Open MPI", ratio, 1.0)
    for ranks, ratio in recoveries.items():
        bars.add(f"SIGKILL in the middle of 16 MiB to the result / that call undisturbed, n={ranks}", ratio, 2.5)


def hosts(bars, rows, beside_openmpi, recovery):
    for row in rows:
        if row.algorithm == DEFAULT_ALGORITHM:
            bars.add(f"allreduce, {row.bytes} B, 2 hosts x 1, f=1: ours / native, both over TCP", row.ratio, 1.1)
    for (count, each, size), ratio in beside_openmpi.items():
        bars.add(f"allreduce, {size} B, {count} hosts x {each}, oversubscribed: ours / Open MPI, both over TCP", ratio, 1.5)
    bars.add("SIGKILL to the survivors' result, us, 3 hosts x 2", recovery, 5000, 0)


def memory(bars, above, in_pairs):
    bars.add("memory a rank above native, n=8, KiB", above.get(8), 2048, 0)
    bars.add("the same of 256 ranks that have all talked with each other, computed", in_pairs.get(256), 8192, 0)


def start_up(bars, ratios):
    for (ranks, what), ratio in ratios.items():
        if what != "MPI_Finalize":
            bars.add(f"{what}, n={ranks}: ours / native", ratio, 1.3)
