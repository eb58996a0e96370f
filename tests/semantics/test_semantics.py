"""Programs for each rule of MPI, run natively and with ftcoll: their results must be the same bytes.

Each rank writes what it got to a file; the files of a run with ftcoll are compared with those of the native run of as
many ranks. A run with ftcoll must also have carried out calls itself, or there would be nothing to compare. Each run
has a time limit. The programs are in programs.py."""
import functools
import itertools
import os
import shlex

import pytest

import programs
from runner.job import Hang, Job

RUN_LIMIT_S = 30
SHOWN_CHARACTERS = 160
SHOWN_LINES = 25
ALGORITHMS = ("corrected", "optimistic")
USUAL_SIZE = 3


class Wrong(Exception):
    """What is not as it should be."""


def results_of(job):
    directory = job.path("results")
    found = {}
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            found[name] = file.read().splitlines()
    return found


def complain(what, job):
    title, _, stacks = what.partition("\n")
    said = (job.text("stderr") + job.text("stdout")).splitlines()[-SHOWN_LINES:]
    command = shlex.join(job.process.args).replace(job.build, os.path.realpath(job.build))
    reached = [f"{name}: {len(lines)} lines, the last: {lines[-1][:SHOWN_CHARACTERS] if lines else ''}"
               for name, lines in results_of(job).items()]
    raise Wrong("\n".join([title, f"command: {command}", *said, *reached, stacks]))


def unwritten(preloaded):
    """Bytes for what no call writes (output_blank; memory of malloc), with other bits in native runs than in those with
    ftcoll: nothing that MPI leaves undefined can be alike by chance."""
    pattern = 0x5a if "ftcoll" in preloaded else 0xa5
    return {"TEST_PATTERN": str(pattern), "MALLOC_PERTURB_": str(pattern)}


def one_run(program, build, n, preloaded, settings):
    """What the ranks wrote, and how many calls ftcoll carried out; raises Wrong."""
    job = Job(build)
    where = os.path.join(job.build, "tests", "semantics")
    try:
        os.mkdir(job.path("results"))
        libraries = [os.path.join(job.build, "libftcoll.so") if name == "ftcoll" else os.path.join(where, name + ".so")
                     for name in preloaded]
        environment = {"LD_PRELOAD": ":".join(libraries), **unwritten(preloaded), **program.environment, **settings}
        job.start(["mpiexec.hydra", "-n", str(n), os.path.join(where, program.binary), job.path("results"),
                   *program.arguments], environment)
        try:
            status = job.await_end(RUN_LIMIT_S)
        except Hang as hang:
            complain(str(hang), job)
        if status != 0:
            complain(f"exit status {status}", job)
        found = results_of(job)
        cut = [name for name, lines in found.items() if lines[-1:] != ["end"]]
        if cut or len(found) < n:
            complain(f"{len(found)} files of results, not complete: {cut}", job)
        return found, sum(map(int, program.counted.findall(job.text("stderr"))))
    finally:
        job.close()


def compare(expected, ours):
    """Raises Wrong with the first difference."""
    if expected.keys() != ours.keys():
        raise Wrong(f"files {sorted(ours)}, expected {sorted(expected)}")
    for name, lines in expected.items():
        for number, (e, o) in enumerate(zip(lines, ours[name]), 1):
            if e != o:
                raise Wrong(f"{name}, line {number}: '{o[:SHOWN_CHARACTERS]}', expected '{e[:SHOWN_CHARACTERS]}'")
        if len(lines) != len(ours[name]):
            raise Wrong(f"{name}: {len(ours[name])} lines, expected {len(lines)}")


def run_native(program, build, n):
    return one_run(program, build, n, program.stacked("yielding"), {})[0]


def with_contributors(n):
    """Values that carry who is in them must be the same bits: every other size has them."""
    return {"FTCOLL_RECORD_FILE": "record", "FTCOLL_REPORT": "coverage"} if n % 2 else {}


def run_ours(program, build, n, algorithm):
    """What the ranks wrote, and how many calls ftcoll carried out, which must be as many as it should."""
    settings = {"FTCOLL_F": "1", "FTCOLL_INTERCEPT": "all", "FTCOLL_ALGORITHM": algorithm, "FTCOLL_REPORT": "summary",
                **with_contributors(n), **program.settings}
    found, calls = one_run(program, build, n, program.stacked("ftcoll", "yielding"), settings)
    if calls == 0:
        raise Wrong("ftcoll carried out no call, nothing was compared")
    if program.calls not in (None, calls):
        raise Wrong(f"ftcoll carried out {calls} calls of rank 0, not {program.calls}")
    return found, calls


@functools.lru_cache(maxsize=None)
def expected_of(program, build, n, algorithm):
    """What the program writes natively or, with an @algorithm, in another run with ftcoll."""
    return run_ours(program, build, n, algorithm)[0] if algorithm else run_native(program, build, n)


def check(program, build, n, algorithm):
    """Returns how many lines were compared and how many calls were ftcoll's; raises Wrong."""
    expected = expected_of(program, build, n, algorithm if program.compared_with != "native" else None)
    ours, calls = run_ours(program, build, n, algorithm)
    compare(expected, ours)
    return sum(map(len, ours.values())), calls


def parameters():
    """Each program with each size and algorithm. `make check` has one size of each, and the algorithms in turn."""
    for number, program in enumerate(programs.ALL):
        size = USUAL_SIZE if USUAL_SIZE in program.sizes else program.sizes[0]
        for n, algorithm in itertools.product(program.sizes, ALGORITHMS):
            is_chosen = n == size and algorithm == ALGORITHMS[number % len(ALGORITHMS)]
            yield pytest.param(program, n, algorithm, id=f"{program.name}-{n}-{algorithm}",
                               marks=() if is_chosen else pytest.mark.rest)


@pytest.mark.parametrize("program, n, algorithm", parameters())
def test_semantics(program, n, algorithm, build, record_property):
    try:
        lines, calls = check(program, build, n, algorithm)
    except Wrong as wrong:
        raise pytest.fail.Exception(f"{program.what}: {wrong}", pytrace=False) from None
    record_property("results alike", lines)
    record_property("calls of rank 0 by ftcoll", calls)
