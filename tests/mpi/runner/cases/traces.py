"""The trace of a job (setting trace_file): whole at any end of the job, and with all that belongs to a death."""
import collections
import json
import os
import signal

from ..case import Case
from .common import ALLREDUCE, DEFECT, SILENCE, TEN_S, deaths_of, stream
from .notices import AFTER, RECOVERY, UNTIL_DONE, done, end_by, of_death, when_told

TRACE = {"FTCOLL_TRACE_FILE": "trace.json", "FTCOLL_ALGORITHM": "optimistic"}


class Wrong(Exception):
    """What is wrong with a trace."""


def must(condition, text):
    if not condition:
        raise Wrong(text)


def key_of(event):
    return event["pid"], event["args"]["communicator"], event["args"]["seq"]


def is_inside(event, span):
    return span["ts"] <= event["ts"] < span["ts"] + span["dur"]


class Trace:
    """A file as Perfetto reads it; times are whole nanoseconds, ends also what others make of them by adding."""

    def __init__(self, job, name="trace.json"):
        try:
            self.root = json.loads(job.text(name))
        except json.JSONDecodeError as error:
            raise Wrong(f"{name}: {error}") from error
        self.events = [e for e in self.root["traceEvents"] if e["ph"] != "M"]
        for e in self.events:
            e.update(begin_us=e["ts"], end_us=e["ts"] + e.get("dur", 0))
            e.update({key: round(1000 * e[key]) for key in ("ts", "dur") if key in e})
        self.rows = [e for e in self.root["traceEvents"] if e["ph"] == "M"]

    def of(self, category, *phases):
        return [e for e in self.events if e["cat"] == category and (not phases or e["ph"] in phases)]

    def operations(self):
        return {key_of(e): e for e in self.of("operation")}


def check_form(trace, n):
    """What holds for each trace."""
    must(trace.root["otherData"]["ranks"] == n, "another number of ranks")
    times = [e["ts"] for e in trace.events]
    must(times == sorted(times), "events are not in the order of time")
    must(all(e["ts"] >= 0 and e.get("dur", 0) >= 0 and 0 <= e["pid"] < n for e in trace.events), "no time, or no rank")
    must({e["pid"] for e in trace.rows if e["name"] == "process_name"} == set(range(n)), "not each rank has a name")
    must(trace.of("operation"), "there is no operation")


def check_nesting(trace):
    """Attempts lie in operations, phases in attempts, and the ends of messages in phases."""
    spans = collections.defaultdict(list)
    for e in trace.events:
        if e["ph"] == "X":
            spans[e["pid"], e["tid"]].append(e)
    for row in spans.values():
        open_spans = []
        for e in row:
            while open_spans and open_spans[-1]["ts"] + open_spans[-1]["dur"] <= e["ts"]:
                must(open_spans.pop()["end_us"] <= e["begin_us"], f"{e} overlaps what is before it, by floating-point numbers")
            end = e["ts"] + e["dur"]
            must(all(end <= s["ts"] + s["dur"] for s in open_spans), f"{e} does not lie in {open_spans}")
            must(all(e["end_us"] <= s["end_us"] for s in open_spans), f"{e} ends later, by floating-point numbers")
            must(len(open_spans) == ("operation", "attempt", "phase").index(e["cat"]), f"{e} lies in {open_spans}")
            open_spans.append(e)
    for e in trace.of("message", "s", "f"):
        must(any(s["cat"] == "phase" and is_inside(e, s) for s in spans[e["pid"], e["tid"]]), f"{e} is in no phase")


def check_messages(trace):
    """Each arrow has one beginning and one end, of the same name, and does not go back in time."""
    begun = {e["id"]: e for e in trace.of("message", "s")}
    ended = {e["id"]: e for e in trace.of("message", "f")}
    must(len(begun) == len(trace.of("message", "s")) and begun.keys() == ended.keys(), "arrows without beginning or end")
    for number, s in begun.items():
        f = ended[number]
        must(s["name"] == f["name"] and s["ts"] <= f["ts"], f"{s} ends as {f}")
        must((s["args"]["to"], f["args"]["from"]) == (f["pid"], s["pid"]), f"{s} comes to {f}")


def check_death(trace, dead, n):
    """Who has died, who has noticed it, and who had the result of each operation that met it."""
    survivors = set(range(n)) - dead
    deaths = {e["pid"]: e for e in trace.of("death")}
    must(deaths.keys() == dead and len(trace.of("death")) == len(dead), f"deaths of {deaths.keys()}, not {dead}")
    for rank in dead:
        noticed = {e["pid"]: e for e in trace.of("noticed") if e["args"]["rank"] == rank}
        must(survivors <= noticed.keys(), f"the death of rank {rank} was noticed by {noticed.keys()} alone")
        for pid in survivors:
            must(noticed[pid]["ts"] >= deaths[rank]["ts"], f"rank {pid} notices the death {deaths[rank]['ts'] - noticed[pid]['ts']} ns before it comes")
        must(any(e["name"] != "recursive doubling" and e["ts"] > deaths[rank]["ts"] for e in trace.of("phase")),
             f"no corrected attempt after the death of rank {rank}")
    results = {key_of(e): e for e in trace.of("result")}
    for e in trace.of("noticed"):
        if e["pid"] in dead:
            continue
        operation, result = trace.operations().get(key_of(e)), results.get(key_of(e))
        must(operation and is_inside(e, operation) and operation["args"]["over"], f"{e} is in no operation that is over")
        must(result and result["ts"] >= e["ts"] and result["args"]["verdict"] == "value", f"no result after {e}")
    for pid in dead:
        last = [e for e in trace.of("operation") if e["pid"] == pid]
        must(last and last[-1]["ts"] + last[-1]["dur"] <= deaths[pid]["ts"], f"rank {pid} goes on after its death")


def checked(*checks, name="trace.json", left=1):
    """A case's check. @left: files whose names begin with trace."""
    def check(job):
        try:
            trace = Trace(job, name)
            for one in (check_nesting, check_messages, *checks):
                one(trace)
        except (Wrong, KeyError, TypeError) as error:
            return f"{name}: {error!r}"
        files = [file for file in os.listdir(job.directory) if file.startswith("trace")]
        return "" if len(files) == left else f"there are {files}"
    return check


def form(n):
    return lambda trace: check_form(trace, n)


def death(n, *dead):
    return lambda trace: check_death(trace, set(dead), n)


def nobody(trace):
    must(not trace.of("death") and not trace.of("noticed"), "there is a death")


def first_of_all(trace):
    """Who dies in the end of a job may not be told of any more."""
    deaths = [e["pid"] for e in trace.of("death")]
    must(deaths[:1] == [1] and len(deaths) >= 2, f"deaths of {deaths}")
    must(any(e["args"]["rank"] == 1 for e in trace.of("noticed")), "nobody noticed the first")


def all_over(trace):
    must(all(e["args"]["over"] for e in trace.of("operation")), "an operation is not over")
    through = {e["pid"] for e in trace.of("operation") if e["name"] == "MPI_Finalize"}
    must(through == set(range(trace.root["otherData"]["ranks"])) - {e["pid"] for e in trace.of("death")},
         f"{through} are through MPI_Finalize")


def traced(name, n, f, faults, args="", settings=None, also=(), **more):
    dead = [int(r) for fault in faults.split() for r in fault.split(":")[1].split(",")]
    expected = {"finished": n - len(dead), "failures": deaths_of(faults) or None,
                "check": checked(form(n), death(n, *dead), *also), **more}
    return Case(f"trace: {name}", n, f, stream(faults, args), settings={**TRACE, **(settings or {})}, limit_s=TEN_S, **expected)


def after_death(name, end, **more):
    """It was written when all had their results: before the job ends."""
    return Case(f"trace: {name} after a death", 4, 1, AFTER, settings=TRACE, limit_s=TEN_S,
                hand=when_told(of_death(1, 3, 4, 1), end), **{"status": (0, "failed"), "check": checked(form(4)), **more})


TRACES = [
    traced("one death", 4, 1, "kill@10:2", ALLREDUCE, also=(all_over,), runs=3),
    traced("three deaths", 7, 3, "kill@10:1,3,5", ALLREDUCE, also=(all_over,), runs=3),
    traced("two recoveries", 5, 1, "kill@10:1 kill@30:3", ALLREDUCE, also=(all_over,)),
    traced("root dead", 3, 1, "kill@10:0", ALLREDUCE, also=(all_over,)),
    traced("the paper's algorithm", 4, 1, "kill@10:2", ALLREDUCE, {"FTCOLL_ALGORITHM": "corrected"}),
    # Many times as many events come after the death as a ring holds.
    traced("long after a death", 3, 1, "kill@10:1", "--ops 5000 " + ALLREDUCE),
    traced("several communicators", 4, 1, "kill@100:2", "--comms mixed --ops 200", check=checked(form(4))),
    traced("monitor = timeout", 4, 1, "exit0@10:2", ALLREDUCE, SILENCE, launch="-disable-auto-cleanup", status=(0, 1)),
    Case("trace: 64 ranks, three deaths", 64, 3, command="mpiexec.hydra -n {n} {programs}/last 3", settings=TRACE,
         rotate=False, failures=3, hand=when_told(RECOVERY.format(61, r"\d+"), done),
         check=checked(form(64), death(64, 61, 62, 63))),
    Case("trace: nobody has died", 4, 1, settings=TRACE, finished=4, check=checked(form(4), nobody, all_over),
         silent=("ftcoll",), tags=DEFECT),
    Case("trace: threads and nonblocking calls", 3, 1, "--calls mixed", settings={**TRACE, "FTCOLL_INTERCEPT": "all"},
         finished=3, check=checked(form(3), nobody, all_over)),
    Case("trace: never another's file", 3, 1, command="echo here >trace.json; exec mpiexec.hydra -n {n} {programs}/stream",
         settings=TRACE, finished=3, check=lambda job: checked(form(3), all_over, name="trace.json.1", left=2)(job)
         or ("" if job.text("trace.json") == "here\n" else "it was overwritten")),
    Case("trace: a file that cannot be", 3, 1, finished=3, settings={**TRACE, "FTCOLL_TRACE_FILE": "/nowhere/trace"},
         says=(r"(?m)^ftcoll: trace_file /nowhere/trace cannot be created: No such file or directory; unless that changes, "
               r"there is no trace$",)),
    Case("trace: written while the job goes on", 4, 1, stream("kill@10:2", UNTIL_DONE), settings=TRACE, limit_s=TEN_S,
         finished=3, check=checked(form(4), death(4, 2), all_over),
         hand=when_told(RECOVERY.format(3, 2), lambda job: (job.await_file("trace.json", TEN_S), done(job)))),
    *(after_death(name, end_by(number)) for name, number in (("SIGTERM", signal.SIGTERM), ("SIGINT", signal.SIGINT))),
    Case("trace: MPI_Abort after a death", 4, 1, stream("kill@10:1", "--abort 30 " + ALLREDUCE), settings=TRACE, status=7,
         check=checked(form(4), death(4, 1))),
    Case("trace: SIGTERM, nobody has died", 4, 1, AFTER.replace("--fault kill@10:1", ""), settings=TRACE, limit_s=TEN_S,
         hand=end_by(signal.SIGTERM), status=(0, "failed"), check=checked(form(4), nobody)),
    Case("trace: without MPI_Finalize", 4, 3, stream("kill@10:1 exit0@30:0,2,3", ALLREDUCE), status=9,
         settings={**TRACE, "FTCOLL_F": "3"}, check=checked(form(4), first_of_all), limit_s=TEN_S),
]
