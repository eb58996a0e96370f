#!/usr/bin/env python3
"""Pictures of what `make scale` leaves in a CSV file.

    tests/scale/pictures.py CSV L:o:g [L:o:g]     draws latency-n.svg and latency-f.svg beside CSV

and for a second cost of a message, one that was measured here, in nanoseconds, latency-n-here.svg and -f-here.svg."""
import csv
import math
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pictures"))

import panels
from panels import Axis, Line, Panel, Picture

N_OF_F, F_OF_N = 4096, 1  # of the picture by f, and of that by n

TREES = {"optimal": ("optimal tree", panels.VERMILLION, panels.UP), "binomial": ("binomial tree", panels.GREEN, panels.DIAMOND),
         "kary:2": ("binary tree", panels.PURPLE, panels.DOWN), "kary:4": ("4-ary tree", panels.SKY, panels.SQUARE)}

# (operation, algorithm) of what the literature has, by panel.
YARDSTICKS = {"allreduce": [("allreduce", "recursive doubling", "recursive doubling"),
                            ("allreduce", "binomial reduce and broadcast", "binomial reduce, bcast"),
                            ("broadcast", "optimal", "optimal broadcast")],
              "reduce": [("reduce", "binomial", "binomial reduce")]}


def read(path, cost):
    """The rows of @cost, a tuple of texts, without failures."""
    with open(path, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if (row["L"], row["o"], row["g"]) == cost and row["dead"] == "0"]


def is_power_of_two(n):
    return n & (n - 1) == 0


def points(rows, x, **wanted):
    found = {int(row[x]): float(row["latency"]) for row in rows
             if all(row[key] == value for key, value in wanted.items()) and row["correction"] != "ring"}
    return sorted((at, ticks) for at, ticks in found.items() if x != "n" or is_power_of_two(at))


def tree_lines(rows, operation, x):
    for tree, (name, colour, mark) in TREES.items():
        line = points(rows, x, operation=operation, algorithm="corrected", tree=tree)
        if line:
            yield Line(name, colour, line, mark, bold=tree == "optimal")


def yardsticks(rows, operation):
    for of, algorithm, name in YARDSTICKS[operation]:
        line = points(rows, "n", operation=of, algorithm=algorithm)
        if line:
            yield Line(name, panels.GREY, line, panels.DOT, dashed=True)


def optimistic(rows):
    line = points(rows, "n", operation="allreduce", algorithm="optimistic")
    return [Line("ftcoll", panels.BLUE, line, panels.DOT, bold=True)] if line else []


def subtitle(cost, unit):
    words = "L = {}, o = {}, g = {}".format(*cost)
    if unit == "ns":
        return f"Nanoseconds by LogP with a message's cost here, {words}."
    return f"Ticks of the LogP model, {words}."


def by_n(rows, cost, unit):
    with_f = [row for row in rows if row["f"] == str(F_OF_N)]
    largest = max(int(row["n"]) for row in rows)
    ticks = [(2 ** k, f"{2 ** k:,}") for k in range(1, int(math.log2(largest)) + 1, 3)]
    return Picture(f"What an operation takes in theory, by the number of processes (f = {F_OF_N})",
                   f"{subtitle(cost, unit)} Dashed: without tolerance. Trees: of the corrected algorithm.",
                   [Panel("allreduce", [*yardsticks(rows, "allreduce"), *tree_lines(with_f, "allreduce", "n"), *optimistic(rows)]),
                    Panel("reduce", [*yardsticks(rows, "reduce"), *tree_lines(with_f, "reduce", "n")])],
                   Axis("processes", ticks, 2), Axis(unit), panel_height=400)


def by_f(rows, cost, unit):
    at_n = [row for row in rows if row["n"] == str(N_OF_F)]
    tolerated = sorted({int(row["f"]) for row in at_n})
    return Picture(f"What tolerance takes in theory, with {N_OF_F:,} processes",
                   f"{subtitle(cost, unit)} Trees: of the corrected algorithm.",
                   [Panel(operation, list(tree_lines(at_n, operation, "f"))) for operation in ("allreduce", "reduce")],
                   Axis("f, failures tolerated in one operation", [(f, str(f)) for f in tolerated]), Axis(unit),
                   panel_height=400)


def main():
    path = sys.argv[1]
    if not panels.can_draw():
        print("no pictures: gnuplot is not here (package gnuplot-nox)")
        return
    for text, suffix, unit in zip(sys.argv[2:], ("", "-here"), ("ticks", "ns")):
        cost = tuple(text.split(":"))
        rows = read(path, cost)
        for axis, picture in (("n", by_n), ("f", by_f)):
            target = os.path.join(os.path.dirname(path), f"latency-{axis}{suffix}.svg")
            panels.draw(picture(rows, cost, unit), target)
            print(target)


if __name__ == "__main__":
    main()
