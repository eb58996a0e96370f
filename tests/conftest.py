"""What all tests under pytest have in common: the build that they are of, and how one case is run and shown."""
import os
import shutil
import sys

import pytest

# No bytecode in the tree. That of this file is written before its first line runs.
sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
shutil.rmtree(os.path.join(HERE, "__pycache__"), ignore_errors=True)

from runner.case import describe, end_of, run_once  # noqa: E402


def pytest_addoption(parser):
    group = parser.getgroup("ftcoll")
    group.addoption("--build", default=os.path.join(os.path.dirname(HERE), "build"), metavar="DIR",
                    help="where the library and the programs are (build)")
    group.addoption("--command", metavar="FILE", help="the command ftcoll, if it is another than that of the build")
    group.addoption("--seed", type=int, default=1, help="of the first run of each case (1)")
    group.addoption("--runs", type=int, metavar="N", help="how often each case is run, with a seed of its own each time; "
                    "without it: as often as the case wants")


@pytest.fixture(scope="session")
def build(pytestconfig):
    path = os.path.abspath(pytestconfig.getoption("build"))
    if not os.path.exists(os.path.join(path, "libftcoll.so")):
        pytest.exit(f"there is no {path}/libftcoll.so: make all mpi-programs semantics-programs", 2)
    return path


@pytest.fixture
def run_case(request, build):
    """A function that runs a case once: the test fails if not all is as it must be, with what one needs to know why."""
    def run(case, seed=1):
        if case.skip:
            pytest.skip(f"{case.name}: {case.skip}")
        outcome = run_once(case, build, seed)
        if outcome.complaint():
            node = os.path.relpath(os.path.join(HERE, request.node.nodeid))
            again = f"pytest-3 --build={os.path.relpath(build)} --seed={seed} --runs=1 '{node}'"
            for name in ("stderr", "stdout"):
                request.node.add_report_section("call", name, end_of(getattr(outcome, name)))
            pytest.fail(f"{describe(case, outcome, build, seed)}\nrepeat with: {again}", pytrace=False)
        if outcome.skipped():
            pytest.skip(f"{case.name}: {outcome.skipped()}")
    return run
