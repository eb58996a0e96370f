"""Memory of a rank with its monitor process, beside the same program without the library."""
from jobs import JobFailed, mpich, note

RANKS = (2, 4, 8, 16)


def kib_per_rank(tools, ranks, preload):
    out = mpich(tools, ranks, "operations", [10], preload=preload)
    return sum(int(line.split(",")[2]) for line in out.split()) / ranks


def measure(tools, options):
    """Returns {ranks: KiB a rank above native}."""
    above = {}
    print("\nKiB of memory a rank, with its monitor process: own pages, and a part of shared ones, without"
          " files.\n")
    print(f"{'n':>3}{'native':>10}{'ours':>10}{'difference':>12}")
    for ranks in [n for n in RANKS if not options.quick or n <= 8]:
        try:
            native, ours = (kib_per_rank(tools, ranks, preload) for preload in (False, True))
        except JobFailed as failure:
            note(f"memory not measured: n={ranks}: {failure}")
            continue
        above[ranks] = ours - native
        print(f"{ranks:3}{native:10.0f}{ours:10.0f}{above[ranks]:12.0f}", flush=True)
    if len(above) > 1:
        constant, slope = line(above)
        print(f"about {constant:.0f} + {slope:.0f} n KiB a rank (least squares)")
    return above


def line(points):
    """Least squares through {x: y}: (constant, slope)."""
    n = len(points)
    mean_x, mean_y = sum(points) / n, sum(points.values()) / n
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in points.items()) /
             sum((x - mean_x) ** 2 for x in points))
    return mean_y - slope * mean_x, slope
