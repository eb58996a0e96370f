"""The tags of a case: the calls, forms, sizes, moments, deaths and settings that it has, read off its fields.

A tag is a text KIND=VALUE. A choice of cases covers pairs of tags (choice.py), so a kind has few values: numbers become
classes, and ranks, roots and paths are left out."""
import re

FORMS = {"nonblocking", "persistent", "threads", "between", "groups", "leader", "uneven", "zero", "mixed"}
FORM_PREFIXES = {"i": "nonblocking", "p": "persistent"}  # rows and unlike call MPI_Iscan iscan, MPI_Scan_init pscan
PREFIXED = {"rows", "unlike"}
SIZED = {"bulk", "rows", "unlike", "huge", "between", "crowd"}  # programs with a size among their arguments
LARGE_BYTES = 65536
TINY_MAX_BYTES = 64
PROGRAM = r"\{(?:programs|build)\}/(?:recipes/|tests/semantics/)?([\w.]+)"
NUMBER = r"[-\d,.]*\d[\d,.]*|\{\w+\}"
POINTS = {"a": "after a send", "b": "before a send", "d": "in the data", "end": "end"}  # of setting crash


def program_of(case):
    """The program of the job and its arguments. Libraries, and programs that start another one, come before it."""
    if not case.command:
        return "stream", case.args.split()
    found = [m for m in re.finditer(PROGRAM, case.command) if not m[1].endswith(".so")]
    if not found:
        return "none of the tests", []
    return found[-1][1], re.split(r"[;|&<>)'\"]", case.command[found[-1].end():])[0].split()


def scene_of(program, words):
    """The call or scene that the program is asked for, without a root, and the form that its prefix means."""
    if program == "stream":
        calls = re.search(r"--calls (\w+)", " ".join(words))
        return calls[1] if calls else "", ""
    names = [w for w in words if re.match("[A-Za-z]", w) and w not in FORMS]
    name = names[0].split(":")[0] if names else ""
    form = FORM_PREFIXES.get(name[:1], "") if program in PREFIXED and name not in ("inplace", "init") else ""
    return (name[1:], form) if form else (name, form)


def calls(case):
    program, words = program_of(case)
    scene, form = scene_of(program, words)
    yield f"call={program} {scene}".rstrip()
    yield from (f"form={form}" for form in {w.lstrip("-") for w in words} & FORMS | {form} - {""})


def sizes(case):
    program, words = program_of(case)
    numbers = [int(w) for w in words if w.isdigit()]
    if program in SIZED and numbers:
        yield "size=large" if max(numbers) >= LARGE_BYTES else "size=small"
    most = case.settings.get("FTCOLL_MAX_BYTES")
    if most:
        yield "size=max_bytes tiny" if int(most) <= TINY_MAX_BYTES else "size=max_bytes"


def crash_points(case):
    """(rank, letter of the point) of setting crash."""
    return re.findall(r"(\d+):[^:,]+:([a-z]+)", str(case.settings.get("FTCOLL_CRASH", "")))


def faults(case):
    """(kind, moment, ranks) of the faults that stream is given."""
    return re.findall(r"--fault ([a-z]+)\d*@([^:\s]*):?(\S*)", " ".join(program_of(case)[1]))


def moments(case):
    yield from (f"moment={POINTS.get(point, point)}" for _, point in crash_points(case))
    for _, moment, _ in faults(case):
        yield f"moment={re.sub('[0-9]+', '', moment) or 'between operations'}"
    if case.hand:
        yield "moment=from outside"
    if "anytime" in case.command:
        yield "moment=any"


def deaths(case):
    yield from (f"death={kind}" for kind, _, _ in faults(case))
    if case.failures is not None:
        yield "death=" + ("none", "one", "several")[min(case.failures, 2)]
    if (case.failures or 0) > case.f:
        yield "death=more than f"
    ranks = {rank for rank, _ in crash_points(case)}.union(*(whom.split(",") for *_, whom in faults(case)))
    if ranks & {"0", "root"}:
        yield "death=rank 0"


def settings(case):
    """A number, a list and a path count as any other."""
    for name, value in case.settings.items():
        if name not in ("FTCOLL_CRASH", "FTCOLL_MAX_BYTES"):
            word = f" {value}" if re.fullmatch("[a-z_]+", str(value)) else ""
            yield f"setting={name.removeprefix('FTCOLL_').lower()}{word}"


def tags_of(case):
    return frozenset(case.tags).union(calls(case), sizes(case), moments(case), deaths(case), settings(case))
