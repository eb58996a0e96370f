"""ftcoll timeline: from traces that are made here; those of jobs are in tests/mpi (trace:)."""
import json
import xml.dom.minidom

import pytest

COMM = "00000000000000aa"


class Making:
    """A trace: times are microseconds, operations of communicator COMM."""

    def __init__(self, ranks):
        self.ranks, self.events, self.arrows = ranks, [], 0

    def add(self, phase, category, name, rank, ts, seq=None, **more):
        arguments = {} if seq is None else {"args": {"communicator": COMM, "seq": seq, **more.pop("args", {})}}
        self.events.append({"ph": phase, "cat": category, "name": name, "pid": rank, "tid": 1, "ts": ts, **arguments, **more})

    def span(self, category, name, rank, seq, begin, end):
        self.add("X", category, name, rank, begin, seq, dur=end - begin)

    def message(self, seq, name, sender, receiver, sent, came):
        self.arrows += 1
        self.add("s", "message", name, sender, sent, seq, id=self.arrows, args={"to": receiver})
        self.add("f", "message", name, receiver, came, seq, id=self.arrows, bp="e", args={"from": sender})

    def death(self, rank, ts):
        self.add("i", "death", f"rank {rank} killed by signal 9 (Killed)", rank, ts, s="g")

    def notice(self, rank, seq, ts, dead):
        self.add("i", "noticed", f"death of rank {dead} noticed", rank, ts, seq, args={"rank": dead})

    def write(self, path):
        self.events.sort(key=lambda e: (e["ts"], -e.get("dur", 0)))
        names = [{"ph": "M", "name": "process_name", "pid": r, "args": {"name": f"rank {r}"}} for r in range(self.ranks)]
        path.write_text(json.dumps({"otherData": {"ranks": self.ranks, "f": 1}, "traceEvents": names + self.events}))
        return path.name


def recovery(making, seq, begin, dead, alive):
    for rank in (*alive, dead):
        making.span("operation", f"MPI_Allreduce #{seq}", rank, seq, begin, begin + (20 if rank == dead else 5000))
        making.span("phase", "recursive doubling", rank, seq, begin + 1, begin + (20 if rank == dead else 4900))
    making.death(dead, begin + 20)
    for rank in alive:
        making.notice(rank, seq, begin + 4900, dead)
        making.span("phase", "tree", rank, seq, begin + 4901, begin + 4999)
        making.add("i", "result", f"result of MPI_Allreduce #{seq}", rank, begin + 4999.5, seq)
    making.message(seq, "tree", alive[-1], alive[0], begin + 4910, begin + 4920)
    making.add("i", "message", "tree", alive[0], begin + 4950, seq, args={"to": dead, "taken": False})


@pytest.fixture
def trace(tmp_path):
    """Two deaths, each in an operation of its own, and an operation between them; of 4 ranks."""
    making = Making(4)
    recovery(making, 7, 1000, 2, (0, 1, 3))
    for rank in (0, 1, 3):
        making.span("operation", "MPI_Allreduce #8", rank, 8, 7000, 7001)
    recovery(making, 9, 9000, 1, (0, 3))
    return making.write(tmp_path / "trace.json")


def picture(path):
    svg = xml.dom.minidom.parse(str(path)).getElementsByTagName("svg")[0]
    marks = [g.getAttribute("class") for g in svg.getElementsByTagName("g") if g.getElementsByTagName("title")]
    texts = [t.firstChild.data for t in svg.getElementsByTagName("text")]
    arrows = [p for p in svg.getElementsByTagName("path") if p.getAttribute("marker-end")]
    return svg, marks, texts, arrows


@pytest.mark.parametrize("number, dead, alive", [(1, 2, (0, 1, 3)), (2, 1, (0, 3))])
def test_picture(ftcoll, tmp_path, trace, number, dead, alive):
    said = ftcoll("timeline", trace, "-o", "out.svg", "--recovery", number)
    assert (said.returncode, said.stdout, said.stderr) == (0, f"out.svg: recovery {number} of 2\n", "")
    svg, marks, texts, arrows = picture(tmp_path / "out.svg")
    assert sorted(marks) == sorted(["mark death"] + ["mark noticed", "mark result"] * len(alive))
    assert f"rank {dead} killed by signal 9 (Killed); missed in MPI_Allreduce #{5 + 2 * number}" in texts
    assert [t for t in texts if t.startswith("rank ") and len(t) == 6] == [f"rank {r}" for r in sorted((*alive, dead))]
    assert len(arrows) == 1
    hints = [t.firstChild.data for t in svg.getElementsByTagName("title")]
    assert f"rank {alive[-1]} to rank {alive[0]}: tree\n4890.0 µs to 4900.0 µs (10.0 µs)" in hints
    assert any("which no rank took" in hint for hint in hints)
    assert not any("#8" in hint for hint in hints)
    assert any(t.endswith(" ms") for t in texts)  # what the axis leaves out
    assert {"operation", "message that no rank took", "time left out"} <= set(texts)
    assert texts.count(f"#{5 + 2 * number}") == len(alive) + 1


@pytest.mark.parametrize("lasts_us, unit, duration", [(900, "µs", "900.0 µs"), (90000, "ms", "90.0 ms")])
def test_units(ftcoll, tmp_path, lasts_us, unit, duration):
    making = Making(2)
    making.death(1, 1000)
    making.span("operation", "MPI_Allreduce #7", 0, 7, 1000, 1000 + lasts_us)
    for part in range(1, 8):
        making.notice(0, 7, 1000 + lasts_us * part / 8, 1)
    making.add("i", "result", "result of MPI_Allreduce #7", 0, 1000 + lasts_us, 7)
    assert ftcoll("timeline", making.write(tmp_path / "trace.json"), "-o", "out.svg").returncode == 0
    svg, _, texts, _ = picture(tmp_path / "out.svg")
    assert f"{unit} since death" in texts
    assert any(f"({duration})" in t.firstChild.data for t in svg.getElementsByTagName("title"))


def test_all_lies_in_the_picture(ftcoll, tmp_path, trace):
    assert ftcoll("timeline", trace, "-o", "out.svg").returncode == 0
    svg = picture(tmp_path / "out.svg")[0]
    width, height = (float(svg.getAttribute(name)) for name in ("width", "height"))
    for rect in svg.getElementsByTagName("rect"):
        if rect.parentNode == svg and rect.getAttribute("x"):
            x, y, w, h = (float(rect.getAttribute(name)) for name in ("x", "y", "width", "height"))
            assert 92 <= x <= x + w <= width and 0 <= y <= y + h <= height and h > 0


def test_page(ftcoll, tmp_path, trace):
    """It needs nothing from elsewhere, and has the colours of both themes."""
    assert ftcoll("timeline", trace, "-o", "out.html").returncode == 0
    text = (tmp_path / "out.html").read_text()
    page = xml.dom.minidom.parse(str(tmp_path / "out.html")).documentElement
    assert page.tagName == "html" and text.startswith("<!DOCTYPE html>")
    assert not [part for part in ("src=", "href=", "@import", "<script") if part in text]
    assert text.count("http") == text.count("http://www.w3.org/2000/svg") == 1
    assert text.count("prefers-color-scheme:dark") == 2


def test_part_of_the_trace(ftcoll, tmp_path, trace):
    assert ftcoll("timeline", trace, "-o", "out.json", "-r", 2).returncode == 0
    whole, part = (json.loads((tmp_path / name).read_text())["traceEvents"] for name in (trace, "out.json"))
    expected = [e for e in whole if e["ph"] == "M" or e.get("args", {}).get("seq") == 9
                or (e["cat"], e["pid"]) == ("death", 1)]
    assert part == expected
    assert ftcoll("timeline", "out.json", "-o", "again.svg").stdout == "again.svg: recovery 1 of 1\n"


def test_two_deaths_of_one_operation_are_one_recovery(ftcoll, tmp_path):
    making = Making(5)
    recovery(making, 7, 1000, 2, (0, 1, 3))
    making.death(4, 1010)
    making.notice(0, 7, 5905, 4)
    making.notice(3, 8, 6005, 4)  # it had been through that one
    making.span("operation", "MPI_Allreduce #8", 3, 8, 6001, 6009)
    said = ftcoll("timeline", making.write(tmp_path / "trace.json"), "-o", "out.svg")
    assert (said.returncode, said.stdout) == (0, "out.svg: recovery 1 of 1\n")
    svg, marks, texts, _ = picture(tmp_path / "out.svg")
    assert marks.count("mark death") == 2
    assert "rank 4 killed by signal 9 (Killed), and 1 more; missed in MPI_Allreduce #7" in texts
    assert any("MPI_Allreduce #8" in t.firstChild.data for t in svg.getElementsByTagName("title"))


def test_many_ranks(ftcoll, tmp_path):
    making = Making(64)
    recovery(making, 7, 1000, 5, tuple(r for r in range(64) if r != 5))
    ftcoll("timeline", making.write(tmp_path / "trace.json"), "-o", "out.svg")
    svg, marks, texts, _ = picture(tmp_path / "out.svg")
    assert marks.count("mark result") == 63 and "rank 63" in texts and svg.getAttribute("class") == "dense"
    assert float(svg.getAttribute("height")) < 1200


def test_names_are_no_markup(ftcoll, tmp_path):
    making = Making(2)
    recovery(making, 7, 1000, 1, (0,))
    making.span("operation", "<b>&\"\t\u00b5", 0, 7, 999, 1000)
    assert ftcoll("timeline", making.write(tmp_path / "trace.json"), "-o", "out.html").returncode == 0
    xml.dom.minidom.parse(str(tmp_path / "out.html"))


@pytest.mark.parametrize("text, line", [
    (None, "unable to open trace.json: No such file or directory"),
    ("{\"traceEvents\": [", "trace.json:1: no JSON: "),
    ("[]", "trace.json: not a trace that setting trace_file has made: it has no list traceEvents"),
    ('{"traceEvents": []}', "trace.json: not a trace that setting trace_file has made: it has no number of ranks"),
    ('{"traceEvents": [], "otherData": {"ranks": 2}}', "trace.json: no operation in this trace met a death"),
    ('{"traceEvents": [1, {}, {"cat": "noticed", "ts": -1, "pid": 9, "args": {"rank": 7}}], "otherData": {"ranks": 2}}',
     "trace.json: no operation in this trace met a death"),
])
def test_what_is_no_trace(ftcoll, tmp_path, text, line):
    if text is not None:
        (tmp_path / "trace.json").write_text(text)
    said = ftcoll("timeline", "trace.json", "-o", "out.html")
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.startswith(f"ftcoll: {line}") and said.stderr.count("\n") == 1
    assert not (tmp_path / "out.html").exists()


@pytest.mark.parametrize("arguments, status, line", [
    (("trace.json", "-o", "out.svg", "-r", "3"), 1, "ftcoll: trace.json: it has 2 recoveries, not 3\n"),
    (("trace.json", "-o", "out.svg", "-r", "0"), 2, "ftcoll timeline: --recovery 0 is not allowed; allowed: a number from 1 on\n"),
    (("trace.json", "-o", "out.png"), 2, "ftcoll timeline: -o needs a file of the form NAME.html, NAME.svg or NAME.json\n"),
    (("trace.json",), 2, "ftcoll timeline: -o needs a file of the form "),
    (("-o", "out.svg"), 2, "ftcoll timeline: which trace?\n"),
    (("trace.json", "other.json", "-o", "out.svg"), 2, "ftcoll timeline: one trace at a time\n"),
    (("trace.json", "-o", "nowhere/out.svg"), 1, "ftcoll: nowhere/out.svg: No such file or directory\n"),
    (("trace.json", "-o", "full.svg"), 1, "ftcoll: full.svg: cannot be written: No space left on device\n"),
])
def test_misuse(ftcoll, tmp_path, trace, arguments, status, line):
    (tmp_path / "full.svg").symlink_to("/dev/full")
    said = ftcoll("timeline", *arguments)
    assert (said.returncode, said.stdout) == (status, "")
    assert said.stderr.startswith(line)
