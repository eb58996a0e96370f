"""Reports as JSON: what ftcoll-report(5) says of their keys, and the same report as text."""
import json
import os
import re

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "doc", "ftcoll-report.5.in")


# ---- keys ----

def section():
    with open(PAGE, encoding="utf-8") as file:
        return re.search(r'(?s)^\.SH "REPORTS AS JSON"\n(.*?)^\.SH ', file.read(), re.M)[1]


def documented(kind):
    """Paths of keys, as 'failures[].rank', of a report; names of keys of a record."""
    report, record = section().split("A line of \\fBrecord_file\\fR", 1)
    names = re.findall(r"(?m)^\.TP\n(.*)$", report if kind == "report" else record)
    return [key for line in names for key in re.findall(r"\\fB(.*?)\\fR", line)]


def example():
    """The one in the manual page."""
    text = re.search(r"(?s)\.nf\n(.*?)\.fi\n", section())[1]
    return json.loads(text.replace("\\-", "-"))


def paths(value, path=""):
    """Of all keys of a report, and of elements of arrays. What is in a better verdict is as in the verdict."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{path}[]")
    if path and not isinstance(value, list):
        yield path
    elif path and not value:
        yield f"{path}[]"


def known(path):
    """The path under which the manual page has @path: an array that is null or has objects has that of its elements."""
    path = path.replace("coverage.better.verdict.", "coverage.verdict.")
    names = documented("report")
    return path if path in names or f"{path}[]" not in names else f"{path}[]"


def undocumented(report):
    return sorted({path for path in paths(report) if known(path) not in documented("report")})


def missing_keys(reports):
    """Keys that the manual page has, and none of these reports."""
    seen = {known(path) for report in reports for path in paths(report)}
    return [key for key in documented("report") if key not in seen]


# ---- the text ----

RUN = "(at the call sites and message sizes of this run)"
NO_WAIT = f"no MPI call waits for the dead rank {RUN}"
ANY_SOURCE = f"MPI calls wait only in receives and probes from any source {RUN}"
IF_MESSAGES = ", if MPI_Wait calls wait for messages only"
REHEARSE = "; ftcoll rehearse shows how the program then ends"


def _outcome(verdict):
    words = {"does not wait": NO_WAIT, "does not wait if MPI_Wait is for messages": NO_WAIT + IF_MESSAGES,
             "waits only for any source": ANY_SOURCE, "waits only for any source if MPI_Wait is for messages": ANY_SOURCE + IF_MESSAGES,
             "returns errors": "some MPI calls return errors", "aborts": "the program aborts", "waits": "the program waits for ever",
             "aborts after blocked_ms": "the program aborts after blocked_ms (on_blocked = abort)"}
    is_protected = verdict["outcome"].startswith(("does not wait", "waits only"))
    example = "" if is_protected else _example(verdict["example"])
    rehearse = REHEARSE if is_protected or verdict["outcome"] == "returns errors" else ""
    return words[verdict["outcome"]] + example + rehearse


def _example(example):
    if not example:
        return ", at a call site that is not listed"
    because = f" ({example['because']})" if example["because"] else ""
    return f", for example in {example['call']} at {example['site']}{because}"


def _condition(meaning, sites, shown=3):
    places = f", at {', '.join(sites[:shown])}" if sites else ""
    return f"ftcoll: condition: {meaning}{places}" + (f" and {len(sites) - shown} more" if len(sites) > shown else "")


def _failure(failure):
    name = "ftcoll: rank {rank} ({host}, pid {pid}) {death}".format(**failure)
    missed = failure["missed_in"]
    if not missed:
        yield f"{name}; no operation missed it"
        return
    number = "" if missed["operation"] is None else f" #{missed['operation']}"
    site = f" at {missed['site']}" if missed["site"] else ""
    ends = (("result_after_us", "all survivors had the result"), ("error_after_us", "it returned the error"))
    result = "".join(f"; {what} after {missed[key]:.0f} us" for key, what in ends if missed[key] is not None)
    yield (f"{name}; missed in {missed['call']}{number}{site}, noticed by rank {missed['noticed_by']} "
           f"after {missed['noticed_after_us']:.0f} us{result}")
    for number, place in enumerate(missed["stack"]):
        yield f"ftcoll:     #{number} {place}"


def _calls(calls, rank):
    yield f"ftcoll: calls of rank {rank}:"
    for call in calls:
        why = f"native: {call['native_because']}" if call["native_because"] else "carried out by ftcoll"
        yield f"ftcoll: {call['call']:<18} {call['count']:>10}  {why}"


def _coverage_sum(coverage):
    calls = f"{coverage['calls']:,}"
    would = {"places_that_wait": "leave the others waiting", "places_that_wait_or_abort": "end the job", "places_not_protected": "cause errors"}
    worst = next((key for key in would if coverage[key]), None)
    if coverage["calls"] == 0:
        return "ftcoll: no call needed another rank"
    if not worst:
        return f"ftcoll: all {calls} calls that need other ranks are protected: no rank would wait for a dead one"
    return (f"ftcoll: {coverage['protected_percent']:.1f} % of {calls} calls that need other ranks are protected; a dead rank "
            f"would {would[worst]} at {coverage[worst]} of {coverage['places']} call sites")


def _coverage(coverage):
    yield f"ftcoll: {'calls':>12} on ranks {'call':<17} {'':<13}  call site"
    for site in coverage["call_sites"]:
        why = f": {site['because']}" if site["because"] else ""
        remedies = f"; {' '.join(site['settings'])}" if site["settings"] else ""
        if "FTCOLL_ON_DEAD_ROOT=keep" in site["settings"]:
            remedies += " (buffers keep their contents if the root is dead)"
        yield (f"ftcoll: {site['calls']:>12,} on {site['ranks']:>4}  {site['call']:<18} {site['fate']:<13}  "
               f"{site['site']}{why}{remedies}")
    if coverage["elsewhere"]["calls"]:
        yield ("ftcoll: and {calls:,} calls at other call sites, {not_protected:,} of them not protected"
               .format(**coverage["elsewhere"]))
    yield _coverage_sum(coverage)
    yield f"ftcoll: verdict: when a rank of this program dies, {_outcome(coverage['verdict'])}"
    if coverage["better"]:
        yield (f"ftcoll: verdict with {' '.join(coverage['better']['settings'])}: "
               f"{_outcome(coverage['better']['verdict'])}")
    elif not coverage["verdict"]["outcome"].startswith(("does", "returns")):
        yield "ftcoll: no setting changes that"
    for condition in coverage["conditions"]:
        yield _condition(condition["meaning"], condition["sites"])


def _summary(report):
    if report["ended_early"]:
        yield ("ftcoll: the job ended before MPI_Finalize returned: {failed} of {ranks} ranks had failed (f = {f})"
               .format(**report))
    elif report["failed"]:
        yield f"ftcoll: {report['ranks'] - report['failed']} of {report['ranks']} ranks survived (f = {report['f']})"
    elif report["calls"] is not None:
        yield "ftcoll: no rank failed ({ranks} ranks, f = {f})".format(**report)


def as_text(report):
    """The lines that the library writes of the same job with report_format = text."""
    lines = [line for failure in report["failures"] for line in _failure(failure)]
    lines += [f"ftcoll: require_all_at: no rank called a protected reduction from '{name}'"
              for name in report["require_all_at_unnamed"] or ()]
    lines += _summary(report)
    if report["calls"] is not None:
        lines += _calls(report["calls"], report["writer"]["rank"])
    if report["links"]:
        lines.append("ftcoll: rank {} had links with {ranks} ranks of other hosts, {by_ucx} of them by UCX"
                     .format(report["writer"]["rank"], **report["links"]))
    if report["coverage"]:
        lines += _coverage(report["coverage"])
    lines += ["ftcoll: setting {setting} = {value} ({origin})".format(**setting) for setting in report["settings"] or ()]
    return lines


# What differs from job to job.
VOLATILE = ((r"pid \d+", "pid"), (r"missed in (\w+) #\d+", r"missed in \1"), (r"noticed by rank \d+", "noticed"), (r"after \d+ us", "after"),
            (r"(    #\d+ [^+]*)\+0x[0-9a-f]+", r"\1"), # of the call that missed the rank: who is late is in the one before
            (r"mean time [\d.]+ us here, [\d.]+ us natively", "mean time"),
            (r"setting report_(format|file) = .*", "setting"))


# The same of a job that somebody ends in the middle of a call of others.
COUNTS = ((r" +[\d,]+ on ", " n on "), (r"[\d,]+ calls", "n calls"))


def settled(line, volatile):
    for pattern, word in volatile:
        line = re.sub(pattern, word, line)
    return line


def difference(report, text):
    """Between a report as JSON and another as text, of two jobs that did the same; "" if there is none."""
    volatile = VOLATILE + (COUNTS if report["ended_early"] else ())
    mine, theirs = ([settled(line, volatile) for line in lines] for lines in (as_text(report), text.splitlines()))
    if mine == theirs:
        return ""
    return "\n".join(["another text:"] + [f"  json {line}" for line in mine if line not in theirs] +
                     [f"  text {line}" for line in theirs if line not in mine])
