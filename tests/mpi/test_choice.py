"""The choice of cases for `make check`, and the tags that it is made by."""
import pytest

from runner import cases
from runner.case import Case
from runner.choice import DEFECT, choose, kinds_of_fault, pairs_of
from runner.tags import tags_of


def case_of(name, tags, **fields):
    """A case that has @tags, a text, beside the tag of its program."""
    return Case(name, tags=tuple(tags.split()), **fields)


def names_of(chosen):
    return [case.name for case, _ in chosen]


def covered(some):
    return set().union(*(pairs_of(tags_of(case)) for case in some))


def test_what_adds_the_most_comes_first_and_what_adds_nothing_is_left():
    some = [case_of("few", "a"), case_of("most", "a b c"), case_of("other", "c d")]
    assert names_of(choose(some)) == ["most", "other"]


def test_of_two_that_add_the_same_the_cheaper_is_taken():
    some = [case_of("often", "a b", runs=3), case_of("wide", "a b", n=16), case_of("cheap", "a b")]
    assert names_of(choose(some)) == ["cheap"]


def test_each_pair_counts_not_only_each_tag():
    some = [case_of("ab", "a b"), case_of("bc", "b c"), case_of("ac", "a c")]
    assert sorted(names_of(choose(some))) == ["ab", "ac", "bc"]
    assert len(choose(some, lambda tags: tags)) == 2


def test_all_that_show_a_defect_are_taken():
    some = [case_of("all", f"a b {DEFECT}"), case_of("less", f"a {DEFECT}"), case_of("none", "a b")]
    assert names_of(choose(some)) == ["all", "less"]


def test_what_cannot_be_run_here_covers_nothing():
    some = [case_of("skipped", "a b", skip="this is not root"), case_of("run", "a")]
    assert names_of(choose(some)) == ["run"]


def test_the_choice_of_all_cases_covers_what_they_have():
    chosen = [case for case, _ in choose(cases.ALL)]
    possible = [case for case in cases.ALL if not case.skip]
    assert covered(chosen) == covered(possible)
    assert {case.name for case in possible if DEFECT in case.tags} <= {case.name for case in chosen}
    assert len(chosen) < len(possible)


@pytest.mark.parametrize("case, tags", [
    (Case("", args="--fault kill@in6:1,2 --calls reduce", failures=2),
     "call=stream reduce, death=kill, death=several, death=more than f, moment=in"),
    (Case("", args="--fault exit0@10:root"), "call=stream, death=exit, death=rank 0, moment=between operations"),
    (Case("", command="mpiexec.hydra -n {n} {programs}/rows pscatterv:1 300000 3", failures=0, settings={"FTCOLL_CRASH": "0:4:d50"}),
     "call=rows scatterv, form=persistent, size=large, death=none, death=rank 0, moment=in the data"),
    (Case("", command="mpiexec.hydra {programs}/rows inplace 2000 40", settings={"FTCOLL_MAX_BYTES": "65536", "FTCOLL_P2P": "error"}),
     "call=rows inplace, size=small, size=max_bytes, setting=p2p error"),
    (Case("", command="mpiexec.hydra {programs}/bridges --groups anytime {seed} 30", settings={"FTCOLL_TIMEOUT_MS": "2000"}),
     "call=bridges anytime, form=groups, moment=any, setting=timeout_ms"),
    (Case("", command="sh -c 'LD_PRELOAD={library}:{programs}/libheld.so {programs}/own >/dev/null'", hand=print),
     "call=own, moment=from outside"),
    (Case("", command="bash -c 'echo a'", tags=(DEFECT,)), "call=none of the tests, defect"),
])
def test_tags(case, tags):
    assert tags_of(case) == set(tags.split(", "))


def test_kinds_of_fault_do_not_tell_calls_apart():
    assert kinds_of_fault({"call=rows scan", "call=rows gather", "moment=end", "setting=p2p error"}) == {"call=rows", "moment=end"}
