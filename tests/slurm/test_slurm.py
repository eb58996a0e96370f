"""Jobs under Slurm, which is started for them: srun --mpi=pmi2, one node."""
import contextlib

import pytest

from cluster import Cluster, Unavailable, signal_jobs
from runner.case import Case, identifier
from runner.cases.common import ABORT, SILENCE, stream
from runner.job import wait_for

LIMIT_S = 40  # of a job; on a busy machine it takes Slurm several seconds to start one
SRUN = "srun --quiet --mpi=pmi2 -n {n} "
STREAM = "{programs}/stream --calls allreduce "


def slurm(name, n, command, **expected):
    return Case(name, n, 1, command=SRUN + command, rotate=False, limit_s=LIMIT_S, **expected)


def killed(name, operations=40, **expected):
    return slurm(name, 4, STREAM + stream("kill@10:1", f"--ops {operations}"), **expected)


ENDLESS = 200000


def signal_twice(job):
    signal_jobs("USR1")
    wait_for(lambda: job.text("stdout").count("has one") == 3, LIMIT_S)
    signal_jobs("USR2")


CASES = [
    slurm("nobody dies", 4, STREAM, finished=4, failures=0),
    killed("a rank is killed", finished=3, failures=1),
    slurm("a rank exits", 4, STREAM + stream("exit3@10:2"), finished=3, failures=1),
    killed("critical_ranks", ENDLESS, status="failed", settings={"FTCOLL_CRITICAL_RANKS": "1"},
           says=("the death of rank 1 ends the job: critical_ranks",)),
    killed("max_failed", ENDLESS, status="failed", settings={"FTCOLL_MAX_FAILED": "0"},
           says=("ends the job: it is number 1, max_failed = 0",)),
    # Rank 1 is dead, and others need it in a native call.
    slurm("on_blocked = abort", 3, "{programs}/blocked waits 100", status="failed", settings=ABORT,
          says=("which is dead .*on_blocked = abort",)),
    slurm("bad settings", 3, STREAM, status="failed", settings={"FTCOLL_F": "many"},
          says=("ftcoll: environment: .*FTCOLL_F.*many",)),
    slurm("MPI_Abort", 4, STREAM + "--abort 10", status="failed"),
    slurm("a signal arrives once", 3, "{programs}/signalled", hand=signal_twice,
          says=("(got it 1 times\n(.|\n)*){3}",), silent=(r"got it ([02-9]|\d\d)",)),
    # As doc/recipes.md has it.
    Case("the batch script of the recipes", 8, 1, preload=False, rotate=False, limit_s=LIMIT_S,
         command="export FTCOLL_CRASH=3:20:b1; sbatch --quiet --wait build/recipes/job.sbatch && cat volume-*.out volume.report",
         says=(r"answer: volume 5\.1\d+ \(exact 5\.16771, [0-4]\.\d standard", "7 of 8 ranks survived"), failures=1),
    # Without a monitor process Slurm sees the signal, and says so by its status.
    killed("monitor = timeout", settings=SILENCE, status=137, finished=3),
    slurm("without its monitor process", 3, "{programs}/orphan prctl pause", status=137, failures=1,
          silent=("orphan: it still",), says=("orphan: rank 0 goes on with 2", "orphan: rank 2 goes on with 2")),
]


@pytest.fixture(scope="module", params=("linuxproc", "pgid"))
def cluster(request):
    """For all cases, once with each way of finding the processes of a job."""
    with contextlib.ExitStack() as stack:
        try:
            started = stack.enter_context(Cluster(request.param))
        except Unavailable as why:
            pytest.skip(f"jobs under Slurm: {why}")
        yield started


@pytest.fixture
def idle_cluster(cluster):
    yield cluster
    cluster.end_jobs()


@pytest.mark.usefixtures("idle_cluster")
@pytest.mark.parametrize("case", [pytest.param(case, id=identifier(case)) for case in CASES])
def test_case(case, run_case):
    run_case(case)
