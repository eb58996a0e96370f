"""Reports as JSON (setting report_format)."""
import json
import os
from datetime import datetime, timedelta

from .. import schema
from ..case import Case
from .common import ALLREDUCE, SILENCE, UNFINISHED, stream

# One job after the other, the first with its report as text; "report" is never overwritten.
TWICE = "FTCOLL_REPORT_FILE=text {0}; FTCOLL_REPORT_FORMAT=json FTCOLL_REPORT_FILE=json {0}"
AS_JSON = {"FTCOLL_REPORT_FORMAT": "json", "FTCOLL_REPORT_FILE": "json"}
HOURS = timedelta(hours=1)


def load(job, name="json"):
    """The one report in a file, which is a line."""
    text = job.text(name)
    if text.count("\n") != 1 or not text.endswith("}\n"):
        raise ValueError(f"{name} is not one line: '{text}'")
    return json.loads(text)


def is_now(text, offset):
    """A time of this hour, in a zone so far from UTC."""
    time = datetime.fromisoformat(text)
    return time.utcoffset() == offset and abs(datetime.now(time.tzinfo) - time) < HOURS


def strange(report, offset=timedelta(hours=5, minutes=30)):
    """What is wrong with a report on its own, or ""."""
    unknown = schema.undocumented(report)
    times = [report["time"]] + [failure["time"] for failure in report["failures"]]
    if unknown:
        return f"keys that ftcoll-report(5) does not have: {unknown}"
    if list(report) != list(schema.example()):
        return f"other keys than in the example of ftcoll-report(5), or in another order: {list(report)}"
    if not all(is_now(time, offset) for time in times):
        return f"not times of now: {times}"
    if report["failed"] != len(report["failures"]) or report["failures"] and not times[1] <= times[0]:
        return "it contradicts itself"
    return ""


def same_as_text(*more):
    """A check: both files say the same, and @more of the report holds."""
    def check(job):
        report = load(job)
        wrong = strange(report) or schema.difference(report, job.text("text"))
        for holds in more:
            wrong = wrong or ("" if holds(report) else f"not so: {report}")
        return wrong
    return check


def both(name, n, command, *holds, settings=None, **more):
    """The same job with a report of either form."""
    return Case(f"report_format = json: {name}", n, 1, command=TWICE.format(command), check=same_as_text(*holds),
                settings={"TZ": "XXX-5:30", "FTCOLL_NOTICE": "off", **(settings or {})}, rotate=False, **more)


def run(program):
    return f"mpiexec.hydra -n {{n}} {{programs}}/{program}"


def died_by(**fields):
    return lambda report: [{key: failure[key] for key in fields} for failure in report["failures"]] == [fields]


def is_early(report):
    return report["ended_early"] and report["writer"]["is_monitor_process"] and report["calls"] is None


def has_site(report):
    return report["failures"][0]["missed_in"]["site"].startswith("stream")


def one_line(job):
    """The report among the lines on standard error."""
    reports = [line for line in job.text("stderr").splitlines() if line.startswith("{")]
    return "" if len(reports) == 1 and not strange(json.loads(reports[0]), timedelta(0)) else f"reports: {reports}"


def all_keys(job):
    """What three jobs have written to files of their own has all keys of ftcoll-report(5), and no other; but one host has no links."""
    reports = [load(job, name) for name in ("json", "json.1", "json.2")]
    missing = [key for key in schema.missing_keys(reports) if not key.startswith("links.")]
    if missing:
        return f"ftcoll-report(5) has keys that there are not: {missing}"
    unknown = schema.undocumented(schema.example())
    return f"unknown in the example: {unknown}" if unknown else next(filter(None, (strange(r) for r in reports)), "")


def recorded_keys(job):
    lines = [json.loads(line) for line in job.text("record").splitlines()]
    wanted = sorted(schema.documented("record"))
    return "" if lines and all(sorted(line) == wanted for line in lines) else f"not {wanted}: {lines}"


def odd_name(job):
    """The program's name in the path and in the call site; half of a UTF-16 pair is no character."""
    name = 'o"\\\u00e4' + 3 * "\ufffd"
    report = load(job)
    site = report["failures"][0]["missed_in"]["site"]
    return "" if report["program"].endswith(f"/{name}") and site.startswith(f"{name}(") else f"{report['program']}, {site}"


JSON = [
    both("a death", 4, run("stream --fault kill@10:2 " + ALLREDUCE), died_by(rank=2, signal=9, exit_status=None), has_site,
         status=0),
    both("exit without MPI_Finalize", 3, run("stream --fault exit3@10:1 " + ALLREDUCE), died_by(rank=1, signal=None, exit_status=3)),
    both("all there is", 4, run("sites die"), settings={"FTCOLL_REPORT": "full"}),
    both("coverage", 4, run("sites"), settings={"FTCOLL_REPORT": "coverage"}),
    *(both(f"coverage, on_blocked = {word}", 3, run("sites ring"),
           settings={"FTCOLL_REPORT": "coverage", "FTCOLL_INTERCEPT": "all", "FTCOLL_ON_BLOCKED": word}) for word in ("warn", "abort")),
    both("require_all_at names nothing", 3, run("inclusion allreduce 9"), settings={"FTCOLL_REQUIRE_ALL_AT": "nobody,here,f(a, b)"}),
    both("summary, nobody dies", 4, run("fallback"), settings={"FTCOLL_REPORT": "summary"}),
    both("silence", 3, "mpiexec.hydra -disable-auto-cleanup -n {n} {programs}/stream --fault exit0@10:2 " + ALLREDUCE,
         lambda report: report["failures"][0]["suspected_by"] in (0, 1), settings=SILENCE, status=UNFINISHED),
    both("MPI_Abort after a death", 4, run("stream --fault kill@10:1 --abort 30 " + ALLREDUCE), is_early, has_site, status=7),
    both("MPI_Abort after a death, coverage", 4, run("stream --fault kill@10:1 --abort 30 " + ALLREDUCE), is_early,
         lambda report: report["coverage"]["calls"] > 0, settings={"FTCOLL_REPORT": "coverage"}, status=7),
    Case("report_format = json: on standard error", 4, 1, stream("kill@10:2", ALLREDUCE), finished=3, check=one_line,
         settings={"FTCOLL_REPORT_FORMAT": "json", "TZ": "UTC"}, silent=("ftcoll: rank 2", "survived")),
    Case("report_format = json: nothing to tell", 3, 1, stream(""), finished=3, settings=AS_JSON, silent=("ftcoll",),
         check=lambda job: "there is a file" if os.path.exists(job.path("json")) else ""),
    Case("report_format = json: a file that is there stays", 3, 1, settings=AS_JSON, rotate=False,
         command="echo older >json; " + run("stream --fault kill@10:1"),
         check=lambda job: "" if job.text("json") == "older\n" and load(job, "json.1")["failed"] == 1 else "the files are not as they should be"),
    Case("report_format = json: all keys are documented", 5, 1, check=all_keys, rotate=False,
         settings={**AS_JSON, "TZ": "XXX-5:30", "FTCOLL_NOTICE": "off"},
         command=f"FTCOLL_REPORT=full {run('sites die')}; FTCOLL_REPORT=coverage {run('sites')}; "
                 f"FTCOLL_REQUIRE_ALL_AT=nobody {run('inclusion allreduce 9')}"),
    Case("report_format = json: keys of a record are documented", 3, 1, check=recorded_keys,
         settings={"FTCOLL_RECORD_FILE": "record", "FTCOLL_CRASH": "1:7:a0"}, command=run("inclusion allreduce 9")),
    Case("report_format = json: a program with an odd name", 3, 1, settings={**AS_JSON, "FTCOLL_CRASH": "1:7:a0"}, check=odd_name,
         command="name=$(printf 'o\"\\\\\\303\\244\\355\\240\\200'); cp {programs}/inclusion \"$name\"; "
                 "mpiexec.hydra -n {n} \"./$name\" allreduce 9"),
]
