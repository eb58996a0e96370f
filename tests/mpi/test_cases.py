"""Real runs under mpiexec: programs, faults, and what must come of them (the tables of runner/cases).

Each run has a time limit; one that exceeds it fails, with the stacks of all its processes."""
import collections

import pytest

from runner import cases
from runner.case import identifier, unused_settings
from runner.cases.common import DEFECT
from runner.choice import choose
from runner.parameters import parameters

CHOSEN = choose(cases.ALL)


@pytest.mark.parametrize("case", parameters(cases.ALL, CHOSEN))
def test_case(case, run_case, pytestconfig):
    first = pytestconfig.getoption("seed")
    for seed in range(first, first + (pytestconfig.getoption("runs") or case.runs)):
        run_case(case, seed)


def test_each_case_has_a_name_of_its_own():
    names = collections.Counter(map(identifier, cases.ALL))
    assert not [name for name, count in names.items() if count > 1]


def test_each_setting_that_takes_turns_has_a_chosen_case(pytestconfig):
    assert not unused_settings([case for case, _ in CHOSEN], pytestconfig.getoption("seed"))


def test_each_tag_is_known():
    assert {tag for case in cases.ALL for tag in case.tags} == set(DEFECT)
