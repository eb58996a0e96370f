"""Memory of a rank with its monitor process, beside the same program without the library."""
from jobs import JobFailed, mpich, note, run_command

RANKS = (2, 4, 8, 16)
PAIRED = (2, 8, 32)  # each two of which talk with each other
MANY = 256


def kib_per_rank(tools, ranks, preload, *how):
    out = mpich(tools, ranks, "operations", [10, *how], preload=preload, timeout_s=300)
    return sum(int(line.split(",")[2]) for line in out.split()) / ranks


def above_native(tools, numbers, *how):
    """Returns {ranks: KiB a rank above native}, and prints a table."""
    above = {}
    print(f"{'n':>3}{'native':>10}{'ours':>10}{'difference':>12}")
    for ranks in numbers:
        try:
            native, ours = (kib_per_rank(tools, ranks, preload, *how) for preload in (False, True))
        except JobFailed as failure:
            note(f"memory not measured: n={ranks}: {failure}")
            continue
        above[ranks] = ours - native
        print(f"{ranks:3}{native:10.0f}{ours:10.0f}{above[ranks]:12.0f}", flush=True)
    return above


def board_kib(tools, numbers):
    """What a rank takes of the board by its geometry, once it has talked with each other rank: {ranks: KiB}."""
    rows = [line.split(",") for line in run_command([tools.program("board_memory"), *map(str, numbers)], 10).split()]
    return {int(ranks): int(kib) for ranks, _, kib in rows}


def measure_pairs(tools, numbers):
    """Returns {ranks: KiB a rank above native}, measured and for MANY computed."""
    print("\nThe same once each two ranks have talked with each other.\n")
    above = above_native(tools, numbers, "--pairs")
    if numbers[0] not in above:
        return above
    board = board_kib(tools, (*numbers, MANY))
    besides = above[numbers[0]] - board[numbers[0]]
    print(f"\ncomputed: {besides:.0f} KiB as measured at n={numbers[0]}, and what the board has for a rank")
    for ranks in (*numbers[1:], MANY):
        checked = f"; measured {above[ranks] / (besides + board[ranks]):.2f} of that" if ranks in above else ""
        print(f"n={ranks}: {besides + board[ranks]:.0f} KiB{checked}")
    return {**above, MANY: besides + board[MANY]}


def measure(tools, options):
    """Returns {ranks: KiB a rank above native}, and the same of ranks that have all talked with each other."""
    print("\nKiB of memory a rank, with its monitor process: own pages, and a part of shared ones, without"
          " files.\n")
    above = above_native(tools, [n for n in RANKS if not options.quick or n <= 8])
    if len(above) > 1:
        constant, slope = line(above)
        print(f"about {constant:.0f} + {slope:.0f} n KiB a rank (least squares)")
    return above, measure_pairs(tools, [n for n in PAIRED if not options.quick or n <= 8])


def line(points):
    """Least squares through {x: y}: (constant, slope)."""
    n = len(points)
    mean_x, mean_y = sum(points) / n, sum(points.values()) / n
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in points.items()) /
             sum((x - mean_x) ** 2 for x in points))
    return mean_y - slope * mean_x, slope
