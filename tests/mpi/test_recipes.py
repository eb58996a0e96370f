"""The commands of doc/recipes.md, run as they stand there, with a rank killed."""
import json
import os
import re
import shlex
import signal
import subprocess
from dataclasses import dataclass, replace
from typing import Optional

import pytest

from runner.case import Case, identifier
from runner.cases.common import strike
from runner.job import slowness

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return file.read()


def sections():
    """{heading: text} of the page."""
    parts = re.split(r"(?m)^## (.*)$", read("doc/recipes.md"))[1:]
    return dict(zip(parts[::2], parts[1::2]))


def command_of(text):
    """The command of a section: its lines that begin with "$", and those that continue them."""
    found = re.findall(r"(?m)^    \$ ((?:.*\\\n)*.*)$", text)
    assert len(found) == 1, f"not one command, but {len(found)}: {text}"
    return found[0]


def anchor(heading):
    return heading.lower().replace(" ", "-")


@dataclass
class Recipe:
    """What is right after the death of a rank."""
    n: int
    says: tuple
    crash: str = ""  # where the library kills the rank
    after: str = ""  # or what has been printed when it, which stands still (libheld.so), is killed from outside
    limit_s: float = 30
    victim: int = 2  # of those
    status: object = 0
    failures: Optional[int] = 1
    file: str = ""  # in which the report is; else standard error



def kill(rank):
    return strike(signal.SIGKILL, lambda process: process.rank == rank and not process.is_monitor())


RECIPES = {
    "Monte Carlo": Recipe(8, (r"answer: volume 5\.1\d+ \(exact 5\.16771, [0-4]\.\d standard errors off\)", "7 of 8 ranks survived"),
                          crash="3:20:b1"),
    "SGD": Recipe(4, (r"step 100: .*128 samples", r"step 400: .* 96 samples", "(?m)^learned: ", "3 of 4 ranks survived"),
                  crash="3:200:b1"),
    "Solver": Recipe(4, (r"(?m)^step \d+ is repeated by 3 ranks$", "(?m)^solved in ", "3 of 4 ranks survived"), crash="2:20:b1"),
    "Halo exchange": Recipe(4, ("converged after .* of 3 ranks are straight", "3 of 4 ranks survived"), crash="2:10:b1"),
    "Master and workers": Recipe(4, ("(?m)^148933 primes below 2000000$", r"worker 2 is dead, task \d+ goes to another",
                                     "3 of 4 ranks survived"), after="20 tasks done"),
    "Blocks of all ranks": Recipe(4, (r"(?s)(rank \d has 12 frames, the last by 3 of 4 ranks.*){3}", "3 of 4 ranks survived"),
                                  crash="2:20:b1"),
    "Checkpoints": Recipe(4, (r"(?s)(rank \d has 60 walkers at step 200.*){3}", "3 of 4 ranks survived"), crash="2:20:b1"),
    "Libraries": Recipe(5, ("rank 1: 2 of 2 in its last part, 4 in all", "rank 4: 2 of 2 in its last part, 4 in all",
                            "4 of 5 ranks survived"), crash="2:45:b1"),
    "Nonblocking reductions": Recipe(4, ("the mean of 6000 numbers in the last round", "3 of 4 ranks survived"), crash="3:50:b1"),
    "Coarrays": Recipe(4, (r"pi is about  3\.1\d+ by 1[23]\d{5} darts, at most \d+ hits", "3 of 4 ranks survived"), crash="2:50:b1"),
    "Python": Recipe(4, (r"pi is about 3\.14\d*, the last round with 3072 of 4096 intervals", "3 of 4 ranks survived"), crash="3:50:b1"),
    "Batch script": Recipe(8, (r"answer: volume 5\.1\d+ \(exact 5\.16771, [0-4]\.\d standard errors off\)",), crash="3:20:b1",
                           failures=0, file="volume.report"),
}


def report_is_there(recipe):
    def check(job):
        text = job.text(recipe.file)
        return "" if "7 of 8 ranks survived" in text else f"{recipe.file} does not name the survivors: {text!r}"
    return check if recipe.file else None


def without_rank_0(recipe):
    """The lowest living rank has the answer, or the job ends."""
    if recipe.crash:
        return replace(recipe, crash="0" + recipe.crash[1:].replace("b1", "a0"))
    return replace(recipe, victim=0, status="failed", failures=None,
                   says=("the death of rank 0 ends the job: critical_ranks",))


def case_of(heading, text, recipe, what=""):
    before = f"export FTCOLL_CRASH={recipe.crash}; " if recipe.crash else "export HELD=2; "
    command = command_of(text)
    if recipe.after:
        command = command.replace("LD_PRELOAD=", "LD_PRELOAD={programs}/libheld.so:")
    return Case(f"recipe: {heading}{what}", recipe.n, status=recipe.status, command=before + command, preload=False, rotate=False,
                hand=kill(recipe.victim) if recipe.after else None, hand_after=recipe.after, says=recipe.says, failures=recipe.failures,
                silent=("not protected",), check=report_is_there(recipe), limit_s=recipe.limit_s)


CASES = [case for heading, text in sections().items() if heading in RECIPES
         for case in (case_of(heading, text, RECIPES[heading]),
                      case_of(heading, text, without_rank_0(RECIPES[heading]), ", rank 0 dies"))]


def rest(case):
    """Marks those without rank 0, but for one of each kind of end."""
    is_rest = case.name.endswith("rank 0 dies") and not re.search("Monte Carlo|Master", case.name)
    return (pytest.mark.rest,) if is_rest else ()


@pytest.mark.parametrize("case", [pytest.param(case, id=identifier(case), marks=rest(case)) for case in CASES])
def test_recipe(case, build, run_case):
    program = re.findall(r"build/(recipes/[\w.]+)", case.command)[-1]
    if "darts" in program and not os.path.exists(os.path.join(build, program)):
        pytest.skip("OpenCoarrays for MPICH is missing (Debian: libcoarrays-mpich-dev), or is linked with another MPI")
    run_case(case)


def test_each_recipe_is_run():
    assert list(sections()) == list(RECIPES)


def settings_in(text):
    return sorted(re.findall(r"FTCOLL_\w+=[\w.,]+", text))


def test_the_table_has_these_recipes():
    """Each row of the page's table leads to a recipe, and has the settings of its command."""
    rows = re.findall(r"(?m)^\| [^|]* \| \[.*\]\(#([\w-]+)\) \| (.*?) \|", read("doc/recipes.md"))
    assert [name for name, _ in rows] == [anchor(heading) for heading in RECIPES]
    commands = {anchor(heading): command_of(text) for heading, text in sections().items()}
    commands["batch-script"] = read("tests/recipes/job.sbatch")
    assert {name: settings_in(text) for name, text in rows} == {name: settings_in(text) for name, text in commands.items()}


# ---- the verdict of coverage, and what a rehearsal finds ----

GONE_WELL = {"same output", "lived"}
ERRORS = {"error", "aborted", "crashed"}
VERDICTS = {"does not wait": GONE_WELL, "waits only for any source": GONE_WELL | {"blocked", "over the limit"}, "returns errors": GONE_WELL | ERRORS, "aborts": GONE_WELL | ERRORS,
            "aborts after blocked_ms": GONE_WELL | ERRORS | {"blocked", "over the limit"}}
DATA = {"reductions", "blocks", "any source", "receives", "roots", "communicators", "files", "errors"}
LOOPS = {"receives", "communicators", "errors"}
CONDITIONS = {"other output": DATA, "no output": DATA | {"rank 0"}, "aborted": DATA, "crashed": DATA, "error": DATA - {"reductions"},
              "blocked": LOOPS, "over the limit": DATA}  # an iteration on wrong data may not converge


def refutes(coverage, settings, outcome):
    """Whether neither the verdict nor a condition of @coverage allows for @outcome of a death."""
    end = outcome["end"]
    conditions = {condition["condition"] for condition in coverage["conditions"]}
    is_wanted = any(setting.startswith("FTCOLL_CRITICAL_RANKS") for setting in settings) and "ends the job" in outcome["detail"]
    return end not in VERDICTS[coverage["verdict"]["outcome"]] and not is_wanted and not conditions & CONDITIONS[end]


@pytest.mark.parametrize("verdict, conditions, end, is_refuted", [
    ("does not wait", (), "same output", False), ("does not wait", ("rank 0",), "other output", True),
    ("does not wait", ("blocks",), "other output", False), ("does not wait", ("reductions",), "blocked", True),
    ("does not wait", ("any source",), "blocked", True), ("waits only for any source", (), "blocked", False),
    ("waits only for any source", (), "other output", True), ("aborts", (), "blocked", True), ("aborts", (), "error", False)])
def test_what_refutes_a_verdict(verdict, conditions, end, is_refuted):
    coverage = {"verdict": {"outcome": verdict}, "conditions": [{"condition": condition} for condition in conditions]}
    assert refutes(coverage, (), {"end": end, "detail": ""}) == is_refuted


@pytest.mark.rest
@pytest.mark.parametrize("heading", [heading for heading in RECIPES if heading != "Batch script"])
def test_no_rehearsal_refutes_the_verdict(heading, build, tmp_path):
    words = shlex.split(command_of(sections()[heading]).replace("\\\n", "").replace("build/recipes/", f"{build}/recipes/"))
    settings = [word for word in words if word.startswith("FTCOLL_")]
    command = [word for word in words if not word.startswith(("FTCOLL_", "LD_PRELOAD="))]
    if not os.path.exists(next(word for word in command if word.startswith(build))):
        pytest.skip("the recipe's program is missing")
    folder = tmp_path / "files"
    folder.mkdir()

    def ftcoll(*arguments):
        return subprocess.run([f"{build}/ftcoll", *arguments, *settings, "--", *command], cwd=folder, text=True, check=True,
                              timeout=600 * slowness(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout
    rehearsed = json.loads(ftcoll("rehearse", "--json", "--deaths", "4", "--outputs", str(folder), "blocked_ms=2000"))
    ftcoll("run", "report=coverage", "report_format=json", f"report_file={tmp_path}/report")
    coverage = json.loads((tmp_path / "report").read_text())["coverage"]
    refuting = [death for death in rehearsed["deaths"] if refutes(coverage, settings, death["outcome"])]
    assert not refuting, (coverage["verdict"], coverage["conditions"])
