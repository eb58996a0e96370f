"""ftcoll report: tables of what ftcoll-report(5) calls reports and records, and of nothing else in the files."""
import copy
import json
import re

import pytest

REPORT = {
    "ftcoll": "report", "schema": 1, "version": "0.1.0", "time": "2026-11-22T14:03:11.480+01:00",
    "program": "/home/me/montecarlo", "writer": {"rank": 0, "is_monitor_process": False, "host": "node2"},
    "ended_early": False, "ranks": 8, "failed": 1, "f": 1, "failure_domain": "rank",
    "failures": [{
        "rank": 3, "host": "node2", "pid": 4711, "time": "2026-11-22T14:03:07.012+01:00",
        "death": "killed by signal 9 (Killed)", "signal": 9, "exit_status": None, "suspected_by": None,
        "missed_in": {"call": "MPI_Allreduce", "operation": 78, "site": "montecarlo(main+0x18b)", "stack": [],
                      "noticed_by": 5, "noticed_after_us": 64.25, "result_after_us": 1303.006, "error_after_us": None}}],
    "require_all_at_unnamed": [],
    "calls": [{"call": "MPI_Allreduce", "count": 317, "native_because": None},
              {"call": "MPI_Reduce", "count": 12, "native_because": "message larger than max_bytes"}],
    "links": None,
    "coverage": {
        "call_sites": [{"call": "MPI_Gather", "site": "sites(collect+0x3a)", "calls": 4, "ranks": 4,
                        "fate": "not protected", "because": "setting intercept does not name this call",
                        "settings": ["FTCOLL_INTERCEPT=all", "FTCOLL_MAX_BYTES=65536"]},
                       {"call": "MPI_Allreduce", "site": "sites(energy+0x33)", "calls": 1200, "ranks": 4,
                        "fate": "protected", "because": None, "settings": []}],
        "elsewhere": {"calls": 0, "not_protected": 0}, "calls": 1204, "protected_percent": 99.6, "places": 2,
        "places_that_wait": 1, "places_that_wait_or_abort": 1, "places_not_protected": 1,
        "verdict": {"outcome": "waits", "example": {"call": "MPI_Gather", "site": "sites(collect+0x3a)",
                                                    "because": "no protection for this call"}},
        "better": {"settings": ["FTCOLL_INTERCEPT=all", "FTCOLL_P2P=ignore"],
                   "verdict": {"outcome": "does not wait", "example": None}},
        "conditions": [{"condition": "roots", "meaning": "a dead root's calls leave the buffer as it was",
                        "sites": ["sites(share+0x1a)", "sites(spread+0x2b)"]}]},
    "settings": [{"setting": "f", "value": "1", "origin": "default"}],
}
RECORD = {
    "ftcoll": "record", "schema": 1, "time": "2026-11-21T12:24:04.987+01:00", "call": "MPI_Allreduce",
    "operator": "MPI_SUM", "communicator": "4c74934be8a43364", "size": 8, "operation": 7, "writer": 0,
    "in": [0, 1, 2, 4, 5, 6, 7], "missing": [3], "writer_world": 0, "in_world": [0, 1, 2, 4, 5, 6, 7],
    "missing_world": [3], "site": "montecarlo(main+0x18b)",
}


def line(value, **changed):
    return json.dumps({**value, **changed}, separators=(",", ":")) + "\n"


def words(text):
    """Lines with one blank between words, as the widths of columns are no matter here."""
    return [" ".join(part.split()) for part in text.splitlines()]


@pytest.fixture
def reported(ftcoll, tmp_path):
    """A function that writes a file and returns what is told of it."""
    def report(text, status=0, name="report.json"):
        (tmp_path / name).write_text(text)
        said = ftcoll("report", name)
        assert said.returncode == status, said
        assert (said.stderr == "") == (status == 0)
        return said
    return report


def test_all_of_a_report(reported):
    told = words(reported(line(REPORT)).stdout)
    for wanted in [
            "report.json:1: /home/me/montecarlo, written 2026-11-22T14:03:11.480+01:00 by rank 0 on node2",
            "7 of 8 ranks survived (f = 1).",
            "3 node2 4711 2026-11-22T14:03:07.012+01:00 killed by signal 9 (Killed)",
            "3 MPI_Allreduce 78 5 64.2 1303.0 - montecarlo(main+0x18b)",
            "317 MPI_Allreduce -",
            "12 MPI_Reduce message larger than max_bytes",
            "4 4 MPI_Gather not protected sites(collect+0x3a) setting intercept does FTCOLL_INTERCEPT=all",
            "not name this call FTCOLL_MAX_BYTES=65536",
            "1200 4 MPI_Allreduce protected sites(energy+0x33) - -",
            "99.6 % of 1204 calls that need other ranks are protected. A dead rank would leave the others waiting",
            "at 1 of 2 call sites. It would leave them waiting or end the job at 1, and it would do one of these",
            "or cause errors at 1.",
            "When a rank of this program dies, the program waits for ever, for example in MPI_Gather at",
            "sites(collect+0x3a) (no protection for this call).",
            "With FTCOLL_INTERCEPT=all FTCOLL_P2P=ignore no MPI call waits for the dead rank (at the call sites",
            "and message sizes of this run); ftcoll rehearse shows how the program then ends.",
            "a dead root's calls leave the buffer as it was sites(share+0x1a) sites(spread+0x2b)",
            "f 1 default"]:
        assert wanted in told


def test_what_a_report_does_not_have_is_not_told(reported):
    told = reported(line(REPORT, failed=0, failures=[], calls=None, coverage=None, settings=None)).stdout
    assert words(told)[1:] == ["8 of 8 ranks survived (f = 1)."]


@pytest.mark.parametrize("f, said", [(1, "f = 1 host"), (2, "f = 2 hosts")])
def test_what_f_counts(reported, f, said):
    told = reported(line(REPORT, failure_domain="host", f=f)).stdout
    assert words(told)[1] == f"7 of 8 ranks survived ({said})."


def test_rare_parts(reported):
    more = copy.deepcopy(REPORT)
    more["failures"][0]["missed_in"]["stack"] = ["inner(f+0x1)", "outer(g+0x2)"]
    more["failures"].append({**more["failures"][0], "rank": 4, "missed_in": None})
    more["writer"]["is_monitor_process"] = more["ended_early"] = True
    more["require_all_at_unnamed"] = ["solve"]
    more["links"] = {"ranks": 6, "by_ucx": 2}
    more["coverage"]["elsewhere"] = {"calls": 9, "not_protected": 2}
    told = words(reported(line(more)).stdout)
    for wanted in ["The job ended before MPI_Finalize returned.",
                   "The stack at which rank 3 was missed:", "inner(f+0x1)", "outer(g+0x2)",
                   "4 - - - - - - -",
                   "require_all_at: no rank called a protected reduction from solve.",
                   "It had links with 6 ranks of other hosts, 2 of them by UCX.",
                   "and 9 calls elsewhere, 2 of them not protected"]:
        assert wanted in told
    assert " by the monitor process of rank 0 on node2" in " ".join(told[:2])


@pytest.mark.parametrize("first, column, values", [
    ("  count ", "call ", ("MPI_Allreduce", "MPI_Reduce")),
    ("  calls ", "call site", ("sites(collect", "sites(energy")),
    ("  calls ", "because", ("setting intercept", "- ")),
    ("  calls ", "with", ("FTCOLL_INTERCEPT", "-\n")),
])
def test_columns_are_flush(reported, first, column, values):
    told = reported(line(REPORT)).stdout.splitlines(keepends=True)
    head = next(row for row in told if row.startswith(first))
    rows = (row for row in told[told.index(head) + 1:] if row[:len(first)].strip())
    for row, value in zip(rows, values):
        assert row[:len(first)].strip().isdigit()
        assert row.index(value) == head.index(column)


def test_no_line_is_above_120_columns(reported):
    """Whatever is long goes on in the next line, below itself, and nothing of it is lost."""
    site, host = "app(" + "function_" * 27 + "+0x1f)", "node" * 16
    long = json.loads(json.dumps(REPORT).replace("sites(collect+0x3a)", site).replace("node2", host))
    told = reported(line(long, program="/home/" + "directory/" * 30 + "app")).stdout
    assert max(map(len, told.splitlines())) <= 120
    rows = told[told.index("Coverage:"):].splitlines()[1:]
    place, width = rows[0].index("call site"), rows[0].index("because") - rows[0].index("call site")
    cells = [row[place:place + width].strip() for row in rows[1:]]
    assert "".join(cells).startswith(site)
    records = reported(line(RECORD, site=site, missing_world=list(range(64, 128))), name="who.jsonl").stdout
    assert max(map(len, records.splitlines())) <= 120


# ---- where they are ----

def test_in_a_log(reported):
    log = "hello\n{ not ours\n{}\n" + line(REPORT) + '{"ftcoll":"of tomorrow"}\nftcoll: 7 of 8 ranks\n' + line(REPORT, ranks=64)
    told = reported(log).stdout
    assert re.findall(r"^report\.json:(\d+):", told, re.M) == ["4", "7"]


def test_in_a_log_with_members_in_another_order(reported):
    log = "hello\n" + json.dumps(dict(sorted(REPORT.items()))) + "\n"
    assert reported(log).stdout.startswith("report.json:2: /home/me/montecarlo, ")


def test_over_many_lines(reported):
    assert words(reported(json.dumps(REPORT, indent=2)).stdout)[1] == "7 of 8 ranks survived (f = 1)."


def test_several_are_compared_first(ftcoll, tmp_path):
    (tmp_path / "a").write_text(line(REPORT))
    (tmp_path / "b").write_text(line(REPORT, ranks=64, failed=3, coverage=None, ended_early=True))
    told = words(ftcoll("report", "a", "b").stdout)
    assert told[:3] == ["written ranks failed f ended early when a rank dies program report",
                        "2026-11-22T14:03:11.480+01:00 8 1 1 no waits /home/me/montecarlo a:1",
                        "2026-11-22T14:03:11.480+01:00 64 3 1 yes - /home/me/montecarlo b:1"]
    assert "61 of 64 ranks survived (f = 1)." in told


def test_records(reported):
    told = reported(line(RECORD) + line(RECORD, time="2026-11-21T12:25:00.000+01:00", operation=8)
                    + line(RECORD, missing_world=[3, 5]), name="who.jsonl").stdout
    assert words(told) == [
        "who.jsonl: results that are not of all ranks",
        "results call operator first last lack ranks call site",
        "2 MPI_Allreduce MPI_SUM 2026-11-21T12:24:04 2026-11-21T12:25:00 3 montecarlo(main+0x18b)",
        "1 MPI_Allreduce MPI_SUM 2026-11-21T12:24:04 2026-11-21T12:24:04 3, 5 montecarlo(main+0x18b)"]


def test_many_missing_ranks_are_listed_as_far_as_there_is_room(reported):
    told = " ".join(words(reported(line(RECORD, missing_world=list(range(64, 128))), name="who.jsonl").stdout))
    listed = re.search(r" (64, .*), \.\.\.$", told.replace(" montecarlo(main+0x18b)", "")).group(1).split(", ")
    assert listed == [str(rank) for rank in range(64, 64 + len(listed))]
    assert len(listed) > 50


# ---- what is wrong ----

@pytest.mark.parametrize("text", ["", "hello\n", "{}\n", "[1]\n", '{"ftcoll":"trace"}\n', '{"ftcoll":1}\n', "\0\0\n"])
def test_a_file_without_a_report(reported, text):
    said = reported(text, status=1)
    assert said.stdout == ""
    assert said.stderr == ("ftcoll: report.json: there is no report in it that is JSON, and no record; report_format = json "
                           "makes them\n")


@pytest.mark.parametrize("damaged", [line(REPORT)[:300], line(REPORT).replace("node2", "no\x01de"), line(REPORT)[:-2] + "x}\n"])
def test_a_damaged_line_is_told_and_the_others_are_read(reported, damaged):
    said = reported("first\n" + damaged.rstrip("\n") + "\n" + line(REPORT), status=1)
    assert said.stderr.startswith("ftcoll: report.json:2: the line is cut or damaged: ") and said.stderr.count("\n") == 1
    assert "7 of 8 ranks survived" in said.stdout


def test_a_schema_of_tomorrow_is_told(ftcoll, tmp_path):
    (tmp_path / "a").write_text(line(REPORT, schema=2))
    said = ftcoll("report", "a")
    assert said.returncode == 0
    assert said.stderr == "ftcoll: a:1: the report is of schema 2, and this command knows 1; something may be missing\n"


@pytest.mark.parametrize("name, why", [("nowhere", "No such file or directory"), (".", "cannot be read")])
def test_a_file_that_cannot_be_read(ftcoll, name, why):
    said = ftcoll("report", name)
    assert (said.returncode, said.stdout, said.stderr) == (1, "", f"ftcoll: {name}: {why}\n")


def mutations(value, path=()):
    """Each place of @value, with something of another type in it."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        for other in (None, 7, "x", [], {}, True, 1.5, [[1]], {"a": 1}):
            changed = copy.deepcopy(REPORT)
            at = changed
            for step in path:
                at = at[step]
            at[key] = other
            if changed["ftcoll"] == "report":
                yield changed
        yield from mutations(child, (*path, key))


def test_members_of_other_types_do_no_harm(ftcoll, tmp_path):
    (tmp_path / "odd").write_text("".join(map(line, mutations(REPORT))))
    said = ftcoll("report", "odd")
    assert said.returncode == 0
    assert said.stdout.count("ranks survived") == (tmp_path / "odd").read_text().count("\n")


def test_control_characters_do_not_reach_the_terminal(reported):
    told = reported(line(REPORT, program="a\x1b[2Jb\nc")).stdout
    assert told.startswith("report.json:1: a?[2Jb?c, written ")


@pytest.mark.parametrize("character", ["\x80", "\x9b", "\x9f", "\x7f"])
def test_control_characters_of_utf8_do_not_reach_the_terminal(reported, character):
    told = reported(line(REPORT, program=f"a{character}2Jb\xa0\xdb")).stdout
    assert told.startswith("report.json:1: a?2Jb\xa0\xdb, written ")


# ---- jobs ----

def test_the_report_and_the_record_of_a_job(ftcoll, build, tmp_path):
    job = ftcoll("run", "report_format=json", "report_file=report.json", "record_file=who.jsonl", "report=full", "--",
                 "mpiexec.hydra", "-n", 4, f"{build}/tests/mpi/asks")
    assert job.returncode == 0, job.stderr
    said = ftcoll("report", "report.json", "who.jsonl")
    assert (said.returncode, said.stderr) == (0, "")
    told = words(said.stdout)
    assert "3 of 4 ranks survived (f = 1)." in told
    assert re.search(r"^3 \S+ \d+ \S+ killed by signal 9 \(Killed\)$", "\n".join(told), re.M)
    assert "report full environment" in told
    assert re.search(r"^\d+ MPI_Allreduce \S+ \S+ \S+ 3 asks\(", "\n".join(told), re.M)
