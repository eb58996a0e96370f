"""ftcoll timeline: from traces that are made here; those of jobs are in tests/mpi (trace:)."""
import json
import re
import subprocess
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


def parts(path):
    """The script of a page, and its trace."""
    text = path.read_text()
    return re.findall(r"<script>\n(.*?)</script>", text, re.S)[0], re.findall(r'id="trace">\n(.*)</script>', text, re.S)[0]


@pytest.fixture
def pictures(ftcoll, tmp_path):
    """Returns the pictures of a trace, one for each recovery, as the script of its page draws them."""
    def draw(trace):
        said = ftcoll("timeline", trace, "-o", "out.html")
        assert (said.returncode, said.stdout, said.stderr) == (0, "", "")
        script, data = parts(tmp_path / "out.html")
        (tmp_path / "page.js").write_text(f"{script}\nprint(JSON.stringify(findRecoveries({data}).map(draw)));\n")
        drawn = subprocess.run(["duk", "page.js"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
        return [Picture(svg) for svg in json.loads(drawn.stdout)]
    return draw


class Picture:
    def __init__(self, text):
        self.svg = xml.dom.minidom.parseString(text).documentElement
        self.marks = [g.getAttribute("class") for g in self.all("g") if g.getElementsByTagName("title")]
        self.texts = [t.firstChild.data for t in self.all("text")]
        self.hints = [t.firstChild.data for t in self.all("title")]
        self.arrows = [p for p in self.all("path") if p.getAttribute("marker-end")]

    def all(self, name):
        return self.svg.getElementsByTagName(name)


def test_picture(pictures, trace):
    drawn = pictures(trace)
    assert len(drawn) == 2
    for number, dead, alive in (1, 2, (0, 1, 3)), (2, 1, (0, 3)):
        p = drawn[number - 1]
        assert sorted(p.marks) == sorted(["mark death"] + ["mark noticed", "mark result"] * len(alive))
        assert f"rank {dead} killed by signal 9 (Killed); missed in MPI_Allreduce #{5 + 2 * number}" in p.texts
        assert f"noticed first by rank {alive[0]}, after 4880.0 µs; the last result after 4979.5 µs, at rank {alive[-1]}" in p.texts
        assert [t for t in p.texts if t.startswith("rank ") and len(t) == 6] == [f"rank {r}" for r in sorted((*alive, dead))]
        assert len(p.arrows) == 1
        assert f"rank {alive[-1]} to rank {alive[0]}: tree\n4890.0 µs to 4900.0 µs (10.0 µs)" in p.hints
        assert any("which no rank took" in hint for hint in p.hints)
        assert not any("#8" in hint for hint in p.hints)
        assert "4.9 ms" in p.texts  # what the axis leaves out
        assert {"operation", "message that no rank took", "time left out"} <= set(p.texts)
        assert p.texts.count(f"#{5 + 2 * number}") == len(alive) + 1


@pytest.mark.parametrize("lasts_us, unit, duration", [(900, "µs", "900.0 µs"), (90000, "ms", "90.0 ms")])
def test_units(pictures, tmp_path, lasts_us, unit, duration):
    making = Making(2)
    making.death(1, 1000)
    making.span("operation", "MPI_Allreduce #7", 0, 7, 1000, 1000 + lasts_us)
    for part in range(1, 8):
        making.notice(0, 7, 1000 + lasts_us * part / 8, 1)
    making.add("i", "result", "result of MPI_Allreduce #7", 0, 1000 + lasts_us, 7)
    p, = pictures(making.write(tmp_path / "trace.json"))
    assert f"{unit} since death" in p.texts
    assert any(f"({duration})" in hint for hint in p.hints)
    ticks = [float(t.firstChild.data) for t in p.all("text") if "tick" in t.getAttribute("class")]
    assert len(ticks) > 5 and ticks == sorted(ticks) and ticks[-1] <= float(duration.split()[0])


def test_all_lies_in_the_picture(pictures, trace):
    for p in pictures(trace):
        width, height = (float(p.svg.getAttribute(name)) for name in ("width", "height"))
        for rect in p.all("rect"):
            if rect.parentNode == p.svg:
                x, y, w, h = (float(rect.getAttribute(name)) for name in ("x", "y", "width", "height"))
                assert 92 <= x <= x + w <= width and 0 <= y <= y + h <= height and h > 0


def test_page(ftcoll, tmp_path, trace):
    """It needs nothing from elsewhere, and has all of the recoveries and the colours of both themes."""
    assert ftcoll("timeline", trace, "-o", "out.html").returncode == 0
    text = (tmp_path / "out.html").read_text()
    assert text.startswith("<!DOCTYPE html>") and text.endswith("</script></body></html>\n")
    assert not [part for part in ("src=", "@import", "url(h", "fetch(") if part in text]
    assert text.count("http") == text.count("http://www.w3.org/2000/svg") == 1
    assert text.count("prefers-color-scheme: dark") == 1
    whole, kept = json.loads((tmp_path / trace).read_text()), json.loads(parts(tmp_path / "out.html")[1])
    assert kept["otherData"] == whole["otherData"]
    assert kept["traceEvents"] == [e for e in whole["traceEvents"] if e.get("args", {}).get("seq") in (7, 9) or e.get("cat") == "death"]


def test_two_deaths_of_one_operation_are_one_recovery(pictures, tmp_path):
    making = Making(5)
    recovery(making, 7, 1000, 2, (0, 1, 3))
    making.death(4, 1010)
    making.notice(0, 7, 5905, 4)
    making.notice(3, 8, 6005, 4)  # it had been through that one
    making.span("operation", "MPI_Allreduce #8", 3, 8, 6001, 6009)
    p, = pictures(making.write(tmp_path / "trace.json"))
    assert p.marks.count("mark death") == 2
    assert "rank 4 killed by signal 9 (Killed), and 1 more; missed in MPI_Allreduce #7" in p.texts
    assert any("MPI_Allreduce #8" in hint for hint in p.hints)


def test_many_ranks(pictures, tmp_path):
    making = Making(64)
    recovery(making, 7, 1000, 5, tuple(r for r in range(64) if r != 5))
    p, = pictures(making.write(tmp_path / "trace.json"))
    assert p.marks.count("mark result") == 63 and "rank 63" in p.texts and p.svg.getAttribute("class") == "dense"
    rows = [float(t.getAttribute("y")) for t in p.all("text") if t.getAttribute("class") == "rank"]
    assert len(rows) == 64 and min(b - a for a, b in zip(rows, rows[1:])) >= 16  # legible


def test_names_are_no_markup(ftcoll, pictures, tmp_path):
    making = Making(2)
    recovery(making, 7, 1000, 1, (0,))
    making.span("operation", "</script><b>&\"\t\u00b5", 0, 7, 999, 1000)
    p, = pictures(making.write(tmp_path / "trace.json"))
    assert any("</script><b>&\" \u00b5" in hint for hint in p.hints)
    assert (tmp_path / "out.html").read_text().count("</script>") == 2


def test_strange_events_are_left_out(pictures, tmp_path):
    making = Making(2)
    recovery(making, 7, 1000, 1, (0,))
    for strange in ({"pid": 9}, {"pid": 0.5}, {"ts": -1}, {"ts": "0"}, {"dur": 1e300}, {"cat": "toString"}, {"args": {"to": 7}}, {"id": {}}):
        making.events.append({"ph": "s", "cat": "message", "name": "strange", "pid": 0, "ts": 1001,
                              "args": {"communicator": COMM, "seq": 7, "to": 0}, **strange})
    making.events[-1]["ph"] = "f"
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"otherData": {"ranks": 2}, "traceEvents": [7, None, *making.events]}))
    p, = pictures(path.name)
    assert not any("strange" in hint for hint in p.hints)


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
    (("trace.json",), 2, "ftcoll timeline: -o needs the name of the page\n"),
    (("-o", "out.html"), 2, "ftcoll timeline: which trace?\n"),
    (("trace.json", "other.json", "-o", "out.html"), 2, "ftcoll timeline: one trace at a time\n"),
    (("trace.json", "-o", "nowhere/out.html"), 1, "ftcoll: nowhere/out.html: No such file or directory\n"),
    (("trace.json", "-o", "full.html"), 1, "ftcoll: full.html: cannot be written: No space left on device\n"),
])
def test_misuse(ftcoll, tmp_path, trace, arguments, status, line):
    (tmp_path / "full.html").symlink_to("/dev/full")
    said = ftcoll("timeline", *arguments)
    assert (said.returncode, said.stdout) == (status, "")
    assert said.stderr.startswith(line)
