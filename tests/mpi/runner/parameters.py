"""Cases as parameters of a test."""
import pytest

from .case import identifier


def parameters(cases, chosen, marks_of=lambda case: ()):
    """@cases with @marks_of(case); those that are not among @chosen, the cases of `make check`, have the mark "rest", too."""
    names = {case.name for case, _ in chosen}
    return [pytest.param(case, id=identifier(case), marks=[*marks_of(case), *([] if case.name in names else [pytest.mark.rest])])
            for case in cases]
