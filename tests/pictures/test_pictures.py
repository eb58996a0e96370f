"""The pictures of make bench and make scale: what is in them can be read."""
import csv
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "bench")]

import panels  # noqa: E402
import pictures  # noqa: E402  (of tests/bench)

SVG = "{http://www.w3.org/2000/svg}"

needs_gnuplot = pytest.mark.skipif(not panels.can_draw(), reason="gnuplot is missing (Debian: gnuplot-nox)")

# Of an idle machine: native MPICH is off the scale where ranks share cores.
NATIVE = {2: (0.45, 2.7), 4: (3000, 9000), 16: (40000, 150000)}
OURS = {2: (0.33, 1.8), 4: (9.1, 15.6), 16: (139, 198)}
OPENMPI = {4: (8.0, 35), 16: (97, 351)}
SIZES = (8, 4096)


def latency_rows():
    for ranks, native in NATIVE.items():
        for algorithm, factor in (("optimistic", 1), ("corrected", 1.2)):
            for f in (0, 1):
                for size, theirs, ours in zip(SIZES, native, OURS[ranks]):
                    yield {"call": "allreduce", "ranks": ranks, "placement": "one a core" if ranks == 2 else "oversubscribed on 2",
                           "bytes": size, "f": f, "algorithm": algorithm, "native_us_median": theirs,
                           "ours_us_median": factor * ours}


def openmpi_rows():
    for ranks, values in OPENMPI.items():
        for size, us in zip(SIZES, values):
            yield {"call": "allreduce", "ranks": ranks, "bytes": size, "algorithm": "optimistic", "openmpi_us": us}
            yield {"call": "scan", "ranks": ranks, "bytes": size, "algorithm": "optimistic", "openmpi_us": 99 * us}


def scale_rows():
    for n in (2, 16, 1024, 4096):
        for operation in ("allreduce", "reduce"):
            for tree, factor in (("optimal", 2), ("binomial", 2.2), ("kary:2", 2.4), ("kary:4", 2.6)):
                for f in (0, 1, 2):
                    yield row(n, f, operation, "corrected", tree, factor * (n.bit_length() + f))
        yield row(n, 1, "allreduce", "optimistic", "", n.bit_length())
        yield row(n, 1, "allreduce", "recursive doubling", "", n.bit_length())
        yield row(n, 1, "reduce", "binomial", "", n.bit_length() - 1)


def row(n, f, operation, algorithm, tree, latency):
    return {"n": n, "f": f, "operation": operation, "algorithm": algorithm, "tree": tree,
            "correction": "group", "dead": 0, "latency": latency}


def write(path, rows):
    rows = list(rows)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def bench(tmp_path):
    write(tmp_path / "latency.csv", latency_rows())
    write(tmp_path / "openmpi.csv", openmpi_rows())
    return [read(path) for path in pictures.draw(str(tmp_path))]


@pytest.fixture
def scale(tmp_path):
    costs = ({"L": 2, "o": 1, "g": 1}, {"L": 12, "o": 1243, "g": 1371})
    write(tmp_path / "scale.csv", [{**cost, **row, "latency": row["latency"] * cost["o"]} for cost in costs for row in scale_rows()])
    script = os.path.join(HERE, "..", "scale", "pictures.py")
    drawn = subprocess.run([sys.executable, script, str(tmp_path / "scale.csv"), "2:1:1", "12:1243:1371"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    return [read(path) for path in drawn.split()]


class Drawn:
    def __init__(self, text):
        self.text, self.root = text, xml.fromstring(text)
        self.width, self.height = (float(self.root.get(name)) for name in ("width", "height"))
        self.words = [self.placed(g) for g in self.root.iter(SVG + "g") if g.find(SVG + "text") is not None]

    @staticmethod
    def placed(group):
        """(text, left, right, top, bottom)"""
        text = "".join(group.find(SVG + "text").itertext()).strip()
        x, y = map(float, re.match(r"translate\(([-\d.]+),([-\d.]+)\)", group.get("transform")).groups())
        size = float(group.get("font-size"))
        width = 0.52 * size * len(text)
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[group.get("text-anchor")]
        return text, left, left + width, y - 0.72 * size, y + 0.18 * size

    def texts(self):
        return [word[0] for word in self.words]


def read(path):
    with open(path, encoding="utf-8") as file:
        return Drawn(file.read())


def collisions(words):
    for i, (a, left, right, top, bottom) in enumerate(words):
        for b, other_left, other_right, other_top, other_bottom in words[:i]:
            if left < other_right and other_left < right and top < other_bottom and other_top < bottom:
                yield a, b


def check_can_be_read(drawn):
    assert not list(collisions(drawn.words))
    assert not [word for word in drawn.words if word[1] < 0 or word[2] > drawn.width or word[3] < 0 or word[4] > drawn.height]
    assert "prefers-color-scheme:dark" in drawn.text


@needs_gnuplot
def test_bench(bench):
    for drawn in bench:
        check_can_be_read(drawn)
        assert {"2 ranks, one a core", "4 ranks, sharing 2 cores", "16 ranks, sharing 2 cores"} <= set(drawn.texts())
        assert drawn.texts().count("ftcoll") == drawn.texts().count("corrected") == 3
        assert any("MPI_Allreduce" in text for text in drawn.texts())
    sizes, _ = bench
    assert sizes.texts().count("Open MPI") == 2


@needs_gnuplot
def test_native_calls_squeeze_nothing(bench):
    """They are drawn where they can be compared, and told in words where they are far above."""
    for drawn in bench:
        assert drawn.texts().count("native MPICH") == 1
        assert [text for text in drawn.texts() if "spins" in text]
    assert "native MPICH, which spins: 40 to 150 ms" in bench[0].texts()


@needs_gnuplot
def test_scale(scale):
    assert len(scale) == 4
    for drawn in scale:
        check_can_be_read(drawn)
        assert drawn.texts().count("optimal tree") == 2
    assert {"recursive doubling", "binomial reduce", "ftcoll"} <= set(scale[0].texts())


def test_without_a_table(tmp_path, capsys):
    assert pictures.draw(str(tmp_path)) == []
    assert "no pictures" in capsys.readouterr().err


@pytest.mark.parametrize("wanted", ([10, 12, 11], [0, 0, 0, 0], [99, 100, 50], [5], []))
def test_names_stand_apart(wanted):
    placed = panels.spread(wanted, 0, 100)
    ordered = sorted(placed)
    assert all(b - a >= panels.LINE - 1e-9 for a, b in zip(ordered, ordered[1:]))
    assert all(0 <= y <= 100 for y in placed)
    assert sorted(range(len(wanted)), key=lambda i: (wanted[i], i)) == sorted(range(len(wanted)), key=lambda i: placed[i])


def test_a_name_stays_where_there_is_room():
    assert panels.spread([80, 20], 0, 100) == [80, 20]
