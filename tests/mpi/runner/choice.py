"""The choice of cases that `make check` has time for; `make check-all` runs the others.

A choice has each case that shows a defect which had been found, and covers each pair of tags that occurs in any case:
what goes wrong mostly does so where two things meet. Cases are taken greedily, the one first that adds the most for its cost.

    make choice    prints the choice, with what each case adds"""
import heapq
from itertools import combinations

from .tags import tags_of

DEFECT = "defect"


def pairs_of(tags):
    """All pairs of tags, and each tag alone, for a case with one tag only."""
    return {frozenset(pair) for size in (1, 2) for pair in combinations(tags, size)}


def kinds_of_fault(tags):
    """For jobs on several hosts, which take longer: each moment, death, form and program once."""
    return ({tag for tag in tags if tag.startswith(("moment=", "death=", "form="))} |
            {tag.split()[0] for tag in tags if tag.startswith("call=")})


def cost(case):
    """The cost of a case, in no unit: a job takes a while to start, and each of its ranks needs a core."""
    return case.runs * (4 + case.n)


def choose(cases, covered_by=pairs_of):
    """Returns [(case, what it adds)] for the chosen ones of @cases, in the order in which they are taken.

    What a case adds becomes less with each one that is taken before it, so the queue has an upper bound for each case:
    the first one whose bound is exact adds the most."""
    covers = [(case, covered_by(tags_of(case))) for case in cases if not case.skip]
    left = set().union(*(adds for _, adds in covers))
    chosen = []

    def take(number):
        case, adds = covers[number]
        chosen.append((case, adds & left))
        left.difference_update(adds)

    def worth(number):
        case, adds = covers[number]
        return len(adds & left) / cost(case)

    for number, (case, _) in enumerate(covers):
        if DEFECT in case.tags:
            take(number)
    queue = [(-worth(number), number) for number in range(len(covers))]
    heapq.heapify(queue)
    while left:
        bound, number = heapq.heappop(queue)
        if -bound == worth(number):
            take(number)
        else:
            heapq.heappush(queue, (-worth(number), number))
    return chosen


def described(chosen, cases):
    """The lines that `make choice` prints."""
    for case, adds in chosen:
        what = DEFECT if DEFECT in case.tags else ", ".join(sorted(" + ".join(sorted(pair)) for pair in adds))
        yield f"{case.name}: {what}"
    pairs = set().union(*(pairs_of(tags_of(case)) for case, _ in chosen))
    yield f"{len(chosen)} of {len(cases)} cases, with {len(pairs)} tags and pairs of tags"


if __name__ == "__main__":
    from . import cases
    print("\n".join(described(choose(cases.ALL), cases.ALL)))
