"""What program inclusion tells of its results, and what the library writes to record_file."""
import itertools
import json
import re


def told(job, word):
    """What ranks of inclusion printed: {(communicator, operation): last number}."""
    rows = re.findall(rf"(?m)^{word} (\d) (\d+) ?(\d*)$", job.text("stdout"))
    return {(int(comm), int(operation)): int(bits or 0) for comm, operation, bits in rows}


def bits_of(ranks):
    return sum(1 << rank for rank in ranks)


def refusals(job):
    """Which calls returned an error: {(communicator, operation): how many ranks}."""
    rows = re.findall(r"(?m)^refused (\d) (\d+)$", job.text("stdout"))
    return {(int(c), int(o)): rows.count((c, o)) for c, o in rows}


def wrong_line(line, n, results):
    """What is wrong with one line of the record; takes its result out of @results."""
    is_world = line["size"] == n
    world = range(n) if is_world else [r for r in reversed(range(n)) if r != 1]
    key = (0 if is_world else 1, line["operation"])
    if key not in results:
        return "there is no such result, or it was told before"
    if bits_of(line["in"]) != results.pop(key):
        return "the result is of other ranks"
    if sorted(line["in"] + line["missing"]) != list(range(line["size"])):
        return "not each rank is in it or missing"
    for ranks in ("in", "missing"):
        if [world[r] for r in line[ranks]] != line[ranks + "_world"]:
            return "the ranks of the world are others"
    if world[line["writer"]] != line["writer_world"] or line["writer"] in line["missing"]:
        return "that one did not write it"
    if not re.match(r"inclusion\(\w+[.\w]*\+0x[0-9a-f]+\)$", line["site"]):
        return "not the call site"
    if not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$", line["time"]):
        return "not a time"
    if (line["ftcoll"], line["schema"]) != ("record", 1):
        return "not a line of this form"
    if (line["call"], line["operator"]) not in itertools.product(("MPI_Reduce", "MPI_Allreduce"),
                                                                 ("MPI_SUM", "user operation")):
        return "not the call"
    return ""


def check(n, missing=(), complete=()):
    """The record and what the ranks had are the same. Results with the numbers of @missing are incomplete
    in the world, those of @complete are not."""
    def compare(job):
        results = told(job, "result")
        for number in missing:
            if (0, number) not in results:
                return f"result {number} is complete"
        for number in complete:
            if (0, number) in results:
                return f"result {number} is not complete"
        for text in job.text("record").splitlines():
            wrong = wrong_line(json.loads(text), n, results)
            if wrong:
                return f"{wrong}: {text}"
        return f"not in the record: {results}" if results else ""
    return compare
