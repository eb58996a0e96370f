"""Pictures of the latency table, drawn by gnuplot."""
import os
import shutil
import subprocess

from jobs import note

COMMON = """set terminal svg size 900,560 background "white"
set output "{path}"
set title "{title}"
set ylabel "microseconds, median over blocks"
set logscale y
set key outside right
set grid
set xlabel "{xlabel}"
"""


def curves(rows, x):
    """{label: sorted points} for native and ours; @x picks the abscissa."""
    lines = {}
    for row in rows:
        where = f"n={row.ranks}"
        lines.setdefault(f"native {where}", {}).setdefault(x(row), []).append(row.native.median)
        lines.setdefault(f"{row.algorithm} {where}", {}).setdefault(x(row), []).append(row.ours.median)
    return {label: sorted((at, sum(us) / len(us)) for at, us in points.items())
            for label, points in lines.items()}


def draw(lines, path, title, xlabel, setup=""):
    script = COMMON.format(path=path, title=title, xlabel=xlabel) + setup
    names = list(lines)
    plots = []
    for i, name in enumerate(names):
        script += f"$d{i} << END\n" + "".join(f"{at} {us}\n" for at, us in lines[name]) + "END\n"
        dashes = " dashtype 2" if name.startswith("native") else ""
        plots.append(f'$d{i} using 1:2 with linespoints title "{name}"{dashes}')
    script += "plot " + ", ".join(plots) + "\n"
    subprocess.run(["gnuplot"], input=script, text=True, check=True, timeout=60)


def pictures(tools, rows):
    """Returns the files drawn."""
    allreduce = [row for row in rows if row.call == "allreduce"]
    if not shutil.which("gnuplot"):
        note("no pictures: gnuplot is not here (package gnuplot-nox)")
        return []
    if not allreduce:
        note("no pictures: no allreduce was measured")
        return []
    f = 1 if any(row.f == 1 for row in allreduce) else allreduce[0].f
    smallest = min(row.bytes for row in allreduce)
    by_size = os.path.join(tools.out, "latency-bytes.svg")
    by_f = os.path.join(tools.out, "latency-f.svg")
    draw(curves([r for r in allreduce if r.f == f], lambda r: r.bytes), by_size,
         f"MPI_Allreduce, f = {f}", "bytes", "set logscale x 2\nset offsets graph 0.1, graph 0.1\n")
    draw(curves([r for r in allreduce if r.bytes == smallest], lambda r: r.f), by_f,
         f"MPI_Allreduce, {smallest} bytes", "f", "set xtics 1\nset xrange [-0.5:3.5]\n")
    return [by_size, by_f]
