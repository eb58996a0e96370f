"""Jobs under Slurm, and a Slurm for them."""
import contextlib

import pytest

from cluster import Cluster, Unavailable
from runner.case import Case
from runner.cases.common import stream

LIMIT_S = 40  # of a job; on a busy machine it takes Slurm several seconds to start one
SRUN = "srun --quiet --mpi=pmi2 -n {n} "
STREAM = "{programs}/stream --calls allreduce "


def job(name, n, command, **expected):
    return Case(name, n, 1, command=command, rotate=False, **{"limit_s": LIMIT_S, **expected})


def slurm(name, n, program, options="", **expected):
    return job(name, n, SRUN.replace(" -n", f" {options} -n") + program, **expected)


def killed(name, operations=40, **expected):
    return slurm(name, 4, STREAM + stream("kill@10:1", f"--ops {operations}"), **expected)


@contextlib.contextmanager
def started(*arguments):
    with contextlib.ExitStack() as stack:
        try:
            cluster = stack.enter_context(Cluster(*arguments))
        except Unavailable as why:
            pytest.skip(f"jobs under Slurm: {why}")
        yield cluster
