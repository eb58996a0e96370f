"""What is right for the survivors of the programs that people write: by the mathematics of each, and from the files
that the ranks have left. Nothing here asks the library.

Who died in which of its calls is in the files of programs/victims.c. An allreduce, allgather or alltoall that a rank
has come out of may still leave it out: the others were not yet through when it died in the next call."""
import cmath
import glob
import itertools
import math
import os
import re
import struct

from .case import FAILURE_LINE


def victims(job):
    """{rank: the number of the call in which it died}."""
    names = glob.glob(job.path("victim.*"))
    return {int(name.rsplit(".", 1)[1]): int(job.text(os.path.basename(name))) for name in names}


def survivors(job, n):
    return [rank for rank in range(n) if rank not in victims(job)]


def as_many_failures(job):
    """A check: what the report says and what has been done."""
    told, done = len(re.findall(FAILURE_LINE, job.text("stderr"))), len(victims(job))
    return "" if told == done else f"the report names {told} failures, not {done}"


def rows(job, name):
    return [[float(number) for number in line.split()] for line in job.text(name).splitlines()]


def subsets(ranks):
    """From all of them to none."""
    return itertools.chain.from_iterable(itertools.combinations(ranks, k) for k in range(len(ranks), -1, -1))


def differ(found, right, tolerance):
    """Two lists of numbers."""
    return len(found) != len(right) or any(not abs(a - b) <= tolerance for a, b in zip(found, right))


# ---- jacobi: the equation holds in each living cell; what stands beside a dead tile is what that had sent last ----

CELLS = 4
SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))


def plate_edge(x, y):
    return (x * 3 + y * 5) % 16 / 16


def undisturbed(dims, rounds):
    """The whole plate with its edges, after so many rounds of the program."""
    height, width = dims[0] * CELLS + 2, dims[1] * CELLS + 2
    inner = list(itertools.product(range(1, height - 1), range(1, width - 1)))
    plate = {(x, y): plate_edge(x, y) for x in range(height) for y in range(width)}
    plate.update((place, 0.0) for place in inner)
    for _ in range(rounds):
        old = dict(plate)
        for x, y in inner:
            plate[x, y] = (old[x - 1, y] + old[x + 1, y] + old[x, y - 1] + old[x, y + 1]) / 4
    return plate


class Tiles:
    """What the ranks of jacobi have written: the tiles of survivors, each with its halo."""

    def __init__(self, job, n, dims):
        self.dims = dims
        self.tile = {place: rows(job, f"tile.{place[0]}.{place[1]}") for place in map(self.place, survivors(job, n))}

    def place(self, rank):
        return divmod(rank, self.dims[1])

    def on_plate(self, place, i, j):
        return place[0] * CELLS + i, place[1] * CELLS + j

    def beside(self, place, i, j):
        """What stands in cell i, j of a tile or its halo, on whose tile it is: None for the edge of the plate."""
        across = place[0] + (i > CELLS) - (i < 1), place[1] + (j > CELLS) - (j < 1)
        if across in self.tile:
            return self.tile[across][(i - 1) % CELLS + 1][(j - 1) % CELLS + 1]
        return self.tile[place][i][j]

    def wrong_cell(self):
        for place, tile in self.tile.items():
            if len(tile) != CELLS + 2:
                return f"tile {place} is not there"
            for i, j in itertools.product(range(1, CELLS + 1), repeat=2):
                rest = 4 * tile[i][j] - sum(self.beside(place, i + x, j + y) for x, y in SIDES)
                if not abs(rest) <= 1e-5:
                    return f"cell {i}, {j} of tile {place} is off by {rest}"
        return ""

    def halo(self, place, side):
        """[(cell of the plate, value)] of one side of a tile."""
        cells = [(i, j) for i, j in itertools.product(range(CELLS + 2), repeat=2)
                 if (i == (0 if side[0] < 0 else CELLS + 1) and 1 <= j <= CELLS if side[0] else
                     j == (0 if side[1] < 0 else CELLS + 1) and 1 <= i <= CELLS)]
        return [(self.on_plate(place, i, j), self.tile[place][i][j]) for i, j in cells]


CALLS_OF_ROUND = 10  # behind the one that makes the grid


def wrong_halo(tiles, job):
    """At the tile of the rank that died first, and at the edge of the plate."""
    died = victims(job)
    first = min(died, key=died.get) if died else None
    if first is None or sorted(died.values())[:2].count(died[first]) > 1:
        return ""
    last_round = max(0, died[first] - 1) // CALLS_OF_ROUND
    sent = [undisturbed(tiles.dims, k) for k in (max(0, last_round - 1), last_round)]
    for place in tiles.tile:
        for side in SIDES:
            across = place[0] + side[0], place[1] + side[1]
            at_edge = not (0 <= across[0] < tiles.dims[0] and 0 <= across[1] < tiles.dims[1])
            halo = tiles.halo(place, side)
            if ((at_edge or across == tiles.place(first))
                    and not any(all(plate[cell] == value for cell, value in halo) for plate in sent)):
                return f"beside tile {place}, towards {across}, is not what was there last: {halo}"
    return ""


def jacobi(n, dims):
    def check(job):
        tiles = Tiles(job, n, dims)
        return tiles.wrong_cell() or wrong_halo(tiles, job)
    return check


# ---- cg: the equations of the living rows are solved, with zeros for the others ----

WIDTH, ROWS = 10, 150


def dealt_out(n):
    """The first row of each rank, and behind the last."""
    return [0] + [ROWS * (r + 1) * (r + 2 + n) // (n * (2 * n + 1)) for r in range(n)]


def star(x, row):
    at = row % WIDTH
    return (4 * x[row] - (x[row - 1] if at > 0 else 0) - (x[row + 1] if at < WIDTH - 1 else 0)
            - (x[row - WIDTH] if row >= WIDTH else 0) - (x[row + WIDTH] if row < ROWS - WIDTH else 0))


def cg(n):
    def check(job):
        living = survivors(job, n)
        solutions = {job.text(f"solution.{rank}") for rank in living}
        if len(solutions) != 1:
            return f"the survivors have {len(solutions)} solutions"
        x, first = [float(line) for line in solutions.pop().split()], dealt_out(n)
        if len(x) != ROWS:
            return "the solution is not whole"
        for rank in range(n):
            for row in range(first[rank], first[rank + 1]):
                if rank not in living and x[row] != 0:
                    return f"row {row} of rank {rank}, which is dead, is not 0 but {x[row]}"
                if rank in living and not abs(star(x, row) - 1 - row % 7) <= 1e-9:
                    return f"row {row} of rank {rank} is off by {star(x, row) - 1 - row % 7}"
        return ""
    return check


# ---- nbody: the bodies are where they are in a serial run that drops those of the dead at the same steps ----

OWN, STEPS, SHOWN_EACH = 2, 60, 10


def placed(body):
    """x, y, speed in x and y."""
    return [body * 5 % 11, body * 7 % 13, (body % 5 - 2) / 4, (body % 7 - 3) / 4]


def pull(at, bodies, attracting):
    ax = ay = 0.0
    for j in attracting:
        dx, dy = bodies[j][0] - at[0], bodies[j][1] - at[1]
        r2 = dx * dx + dy * dy + 0.05
        strength = (1 + j % 3) / (r2 * math.sqrt(r2))
        ax, ay = ax + strength * dx, ay + strength * dy
    return ax, ay


def orbits(n, missed_from):
    """The bodies at the end; those of rank r are gone from step missed_from[r] on."""
    bodies = [placed(body) for body in range(n * OWN)]
    for step in range(STEPS):
        there = [b for b in range(n * OWN) if step < missed_from.get(b // OWN, STEPS)]
        for b, (ax, ay) in [(b, pull(bodies[b], bodies, there)) for b in there]:
            bodies[b][2] += 0.01 * ax
            bodies[b][3] += 0.01 * ay
        for b in there:
            bodies[b][0] += 0.01 * bodies[b][2]
            bodies[b][1] += 0.01 * bodies[b][3]
    return bodies


def first_missed(call):
    """In which step a rank that died in this call may first be missing."""
    steps = [step for step in range(STEPS) for _ in range(2 if step % SHOWN_EACH == 0 else 1)]
    return range(steps[call] - 1, steps[call] + 2)


def nbody(n):
    def check(job):
        died, living = victims(job), survivors(job, n)
        found = {rank: rows(job, f"bodies.{rank}") for rank in living}
        for drops in itertools.product(*map(first_missed, died.values())):
            right = orbits(n, dict(zip(died, drops)))
            if not any(differ(sum(found[r], []), sum(right[r * OWN:(r + 1) * OWN], []), 1e-9) for r in living):
                return ""
        return f"the bodies are where they are in no run that loses the ranks of {died}: {found}"
    return check


# ---- fft: each frame is the one of a serial filter in which the dead's rows and columns are zero ----

SIDE, CUT, FRAMES = 16, 5, 12
TURN = {(sign, k): cmath.exp(sign * 2j * cmath.pi * k / SIDE) for sign in (1, -1) for k in range(SIDE)}


def transform(row, sign):
    return [sum(value * TURN[sign, j * k % SIDE] for j, value in enumerate(row)) for k in range(SIDE)]


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def frequency(k):
    return min(k, SIDE - k)


def filtered(frame, n, ranks):
    """Rows of the filtered frame, to which @ranks have contributed theirs."""
    given = [i // (SIDE // n) in ranks for i in range(SIDE)]
    zeros = [0] * SIDE
    lines = [transform([(frame * 31 + y * 17 + x * 13 + y * x) % 64 for x in range(SIDE)], -1) if given[y] else zeros
             for y in range(SIDE)]
    columns = [transform(column, -1) if given[x] else zeros for x, column in enumerate(transposed(lines))]
    passed = [[value / SIDE ** 2 if frequency(x) + frequency(y) < CUT else 0 for y, value in enumerate(column)]
              for x, column in enumerate(columns)]
    back = transposed([transform(column, 1) if given[x] else zeros for x, column in enumerate(passed)])
    return [[value.real for value in transform(line, 1)] for line in back]


def fft(n):
    def contributors(frames, frame, living, dead):
        """Who has contributed to this frame: those by whom all that living ranks have of it is right."""
        own = SIDE // n
        for others in subsets(dead):
            right = filtered(frame, n, (*living, *others))
            if not any(differ(frames[r][frame], sum(right[r * own:(r + 1) * own], []), 1e-8) for r in living):
                return others
        return None

    def check(job):
        living, dead = survivors(job, n), tuple(victims(job))
        frames = {rank: rows(job, f"frames.{rank}") for rank in range(n)}
        for rank in living:
            if len(frames[rank]) != FRAMES:
                return f"rank {rank} has {len(frames[rank])} frames"
        for frame in range(FRAMES):
            left = contributors(frames, frame, living, dead)
            if left is None:
                return f"frame {frame} is right for no ranks out of {living} and {dead}"
            done = {rank: len(frames[rank]) for rank in dead}  # perhaps one more than the others, which did that again
            if any(rank in left and done[rank] < frame for rank in dead) or any(
                    rank not in left and done[rank] > frame + 1 for rank in dead):
                return f"frame {frame} is of {living} and {left}, and the dead had done {done}"
            dead = left
        return ""
    return check


# ---- samplesort: the parts are in order, and have each survivor's keys once ----

KEYS = 1200


def keys_of(rank):
    x, keys = rank + 1, []
    for _ in range(KEYS):
        x = (x * 1664525 + 1013904223) % 2 ** 32
        keys.append(x >> 4)
    return keys


def samplesort(n):
    def check(job):
        living = survivors(job, n)
        lines = re.findall(r"(?m)^samplesort: rank (\d+) of (\d+), sorted in round (\d+)$", job.text("stdout"))
        told = {rank: told for rank, *told in lines}
        ends = {tuple(told.get(str(rank), ())) for rank in living}
        if len(ends) != 1 or () in ends:
            return f"the survivors do not agree: {told}"
        size, last = map(int, ends.pop())
        found = [int(line) for part in range(size) for line in job.text(f"part.{last}.{part}").splitlines()]
        if found != sorted(found):
            return "the keys are not in order"
        for others in itertools.combinations(victims(job), size - len(living)):
            if found == sorted(sum(map(keys_of, (*living, *others)), [])):
                return ""
        return f"the keys are not those of {size} ranks out of {living} and {list(victims(job))}"
    return check


# ---- checkpoint: the file has the walkers of the living, each where its steps have brought it ----

WALKERS = 240
WALKER = struct.Struct("=QQQ")


def place_of(walker, steps):
    place = walker
    for _ in range(steps):
        place = (place * 6364136223846793005 + walker) % 2 ** 64
    return place


def checkpoint(n, steps, last):
    """Who died before call number @last is not in the last checkpoint. If nobody survived, that is an earlier one."""
    def check(job):
        with open(job.path("state"), "rb") as file:
            walkers = list(WALKER.iter_unpack(file.read()))
        for walker, taken, place in walkers:
            if taken != steps or place != place_of(walker, taken):
                return f"walker {walker} is at {place} after {taken} steps"
        found, died, living = sorted(walker for walker, _, _ in walkers), victims(job), survivors(job, n)
        perhaps = [rank for rank in died if died[rank] >= last or not living]
        ranks = {walker % n for walker in found}
        if not ranks or not ranks.issubset(living + perhaps) or not ranks.issuperset(living):
            return f"there are walkers of {ranks}, not of {living} and perhaps of {perhaps}"
        if found != [walker for walker in range(WALKERS) if walker % n in ranks]:
            return f"there are not all walkers of {ranks} once: {found}"
        return ""
    return check
