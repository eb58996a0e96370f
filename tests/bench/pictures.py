#!/usr/bin/env python3
"""Pictures of the tables that `make bench` leaves in CSV files.

    tests/bench/pictures.py FOLDER     draws FOLDER/latency-bytes.svg and -f.svg from FOLDER/latency.csv, openmpi.csv
"""
import csv
import os
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pictures"))

import panels
from jobs import note
from panels import Axis, Line, Panel, Picture

# As a line that is so many times above all others would squeeze these, it is told in words.
OFF_SCALE = 12

NAMES = {"native": ("native MPICH", panels.GREY, panels.SQUARE), "optimistic": ("ftcoll", panels.BLUE, panels.DOT),
         "corrected": ("corrected", panels.VERMILLION, panels.UP), "openmpi": ("Open MPI", panels.GREEN, panels.DIAMOND)}


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def points(samples):
    """[(x, median of y)] of pairs (x, y)."""
    by_x = {}
    for x, y in samples:
        by_x.setdefault(x, []).append(y)
    return [(x, statistics.median(ys)) for x, ys in sorted(by_x.items())]


def lines_of(rows, x):
    """{kind of NAMES: points} of rows of latency.csv; @x names the abscissa's column."""
    samples = {}
    for row in rows:
        at = float(row[x])
        samples.setdefault("native", []).append((at, float(row["native_us_median"])))
        samples.setdefault(row["algorithm"], []).append((at, float(row["ours_us_median"])))
    return {kind: points(pairs) for kind, pairs in samples.items()}


def lines_of_openmpi(rows, ranks, sizes):
    return points((float(row["bytes"]), float(row["openmpi_us"])) for row in rows
                  if (row["call"], row["ranks"]) == ("allreduce", ranks) and float(row["bytes"]) in sizes)


def span(values):
    """The least and the greatest, in milliseconds of two digits."""
    low, high = (f"{us / 1000:.{1 if us < 10000 else 0}f}" for us in (min(values), max(values)))
    return f"{low} ms" if low == high else f"{low} to {high} ms"


def panel(title, kinds):
    """A panel of {kind: points}; native calls are not drawn where they are far above the others."""
    note, others = "", [y for kind, line in kinds.items() if kind != "native" for _, y in line]
    native = [y for _, y in kinds.get("native", [])]
    if native and others and min(native) > OFF_SCALE * max(others):
        note = f"native MPICH, which spins: {span(native)}"
        kinds = {kind: line for kind, line in kinds.items() if kind != "native"}
    lines = [Line(name, colour, kinds[kind], mark, dashed=kind in ("native", "openmpi"), bold=kind == "optimistic")
             for kind, (name, colour, mark) in NAMES.items() if kinds.get(kind)]
    return Panel(title, lines, note)


def title_of(rows):
    ranks, placement = rows[0]["ranks"], rows[0]["placement"]
    return f"{ranks} ranks, " + (placement.replace("oversubscribed on", "sharing") + " cores"
                                 if placement.startswith("over") else "one a core")


def panels_of(rows, x, openmpi):
    for ranks in sorted({row["ranks"] for row in rows}, key=int):
        chosen = [row for row in rows if row["ranks"] == ranks]
        kinds = lines_of(chosen, x)
        if x == "bytes":
            kinds["openmpi"] = lines_of_openmpi(openmpi, ranks, {float(row["bytes"]) for row in chosen})
        yield panel(title_of(chosen), kinds)


def bytes_text(count):
    return f"{count // 1024} KiB" if count >= 1024 and count % 1024 == 0 else f"{count}"


def by_bytes(rows, openmpi):
    f = "1" if any(row["f"] == "1" for row in rows) else rows[0]["f"]
    chosen = [row for row in rows if row["f"] == f]
    sizes = sorted({int(row["bytes"]) for row in chosen})
    return Picture(f"How long an MPI_Allreduce takes, by its size (f = {f})",
                   "Microseconds, median over blocks, both axes logarithmic. corrected is the paper's algorithm from the start.",
                   list(panels_of(chosen, "bytes", openmpi)),
                   Axis("bytes", [(size, bytes_text(size)) for size in sizes], 2), Axis("µs", base=10))


def by_f(rows):
    smallest = min((row["bytes"] for row in rows), key=int)
    chosen = [row for row in rows if row["bytes"] == smallest]
    tolerated = sorted({int(row["f"]) for row in chosen})
    return Picture(f"What it costs to tolerate f failures: an MPI_Allreduce of {smallest} bytes",
                   "Microseconds, median over blocks. corrected is the paper's algorithm from the start.",
                   list(panels_of(chosen, "f", [])),
                   Axis("f, failures tolerated in one operation", [(f, str(f)) for f in tolerated]), Axis("µs"))


def draw(folder):
    """Returns the files drawn."""
    rows = [row for row in read(os.path.join(folder, "latency.csv")) if row["call"] == "allreduce"]
    if not rows:
        note(f"no pictures: {folder}/latency.csv has no allreduce")
        return []
    if not panels.can_draw():
        note("no pictures: gnuplot is not here (package gnuplot-nox)")
        return []
    drawn = {"latency-bytes.svg": by_bytes(rows, read(os.path.join(folder, "openmpi.csv")))}
    if len({row["f"] for row in rows}) > 1:
        drawn["latency-f.svg"] = by_f(rows)
    paths = []
    for name, picture in drawn.items():
        paths.append(os.path.join(folder, name))
        panels.draw(picture, paths[-1])
    return paths


if __name__ == "__main__":
    print("\n".join(draw(sys.argv[1])))
