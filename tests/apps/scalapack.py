"""ScaLAPACK's own test of its Cholesky factorization and linear least squares, which check residuals.

It also uses point-to-point calls, which stay native, so that it is run undisturbed only.
"""
import os
import re

from job import Job, describe, fresh, need, rerouted

FOLDER = "/usr/lib/x86_64-linux-gnu/scalapack/mpich-tests"
INPUTS = "/usr/share/scalapack"
PROGRAM = os.path.join(FOLDER, "xdllt")
RANKS = 2
TESTS = {"xdllt": "LLT.dat", "xdls": "LS.dat"}
# The process grids 1 x 2 and 2 x 1.
GRIDS = {"number of process grids": "2", "values of P": "1 2", "values of Q": "2 1"}


def job(apps, test, name, preload):
    folder = fresh(apps.folder, "scalapack", f"{test}-{name}")
    with open(os.path.join(INPUTS, TESTS[test])) as f:
        text = f.read()
    for key, value in GRIDS.items():
        text, found = re.subn(rf"(?m)^[\d \t]+({key})", rf"{value} \1", text)
        need(found == 1, f"no '{key}' in {INPUTS}/{TESTS[test]}")
    with open(os.path.join(folder, TESTS[test]), "w") as f:
        f.write(text)
    command = [os.path.join(FOLDER, test)]
    return Job(folder, RANKS, command, preload, apps.settings(), limit_s=apps.limit(60)).must_end_well()


def verdicts(job):
    """Everything that is told but for times and rates, which have a decimal point."""
    lines = [line for line in job.log().splitlines() if line.startswith("WALL") or "tests" in line]
    return [re.sub(r"\S*\.\S*", "", line).split() for line in lines]


def run(apps):
    for test in TESTS:
        native, ours = job(apps, test, "native", []), job(apps, test, "ftcoll", [apps.library])
        a, b = verdicts(native), verdicts(ours)
        passed = sum("PASSED" in line for line in b)
        need(a == b, f"other verdicts: {native.path}, {ours.path}")
        need(passed > 10 and not any("FAILED" in line for line in b), f"{passed} tests passed: {ours.path}")
        need(rerouted(ours.report()) > 10, f"hardly any call was rerouted: {ours.path}")
        apps.row(f"{test}, native", native, f"{passed} residual tests passed")
        apps.row(f"{test}, ftcoll", ours, f"the same {passed} passed")
        apps.say(f"rerouted at rank 0: {describe(ours.report())}")
