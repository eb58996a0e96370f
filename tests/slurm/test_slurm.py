"""Jobs under Slurm, which is started for them: srun --mpi=pmi2 on one node, and Hydra inside of a job."""
import pytest

from cluster import ask, signal_jobs
from jobs import LIMIT_S, SRUN, STREAM, job, killed, slurm, started
from runner.case import Case, identifier
from runner.cases.common import ABORT, SILENCE, stream
from runner.job import wait_for

ENDLESS = 200000
STRUCK = STREAM + f"--ops {ENDLESS} --go 50 --await {ENDLESS}:done"

HYDRA = "mpiexec.hydra -n {n} " + STREAM
SALLOC = "salloc --quiet -n {n} "
# The shell's status is the job's, as sbatch --wait says it.
SBATCH = "sbatch --quiet --wait -n {{n}} -o out -e err --wrap '{}'; status=$?; cat out; cat err >&2; (exit $status)"


def cancel(_):
    for number in ask("squeue", "-h", "-o", "%i").split():
        ask("scancel", number)


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
    slurm("MPI ends a rank, which is killed on its way out", 4, "{programs}/fatal call-crash", status="failed", silent=("went on",)),
    slurm("a signal arrives once", 3, "{programs}/signalled", hand=signal_twice,
          says=("(got it 1 times\n(.|\n)*){3}",), silent=(r"got it ([02-9]|\d\d)",)),
    # As doc/recipes.md has it.
    Case("the batch script of the recipes", 8, 1, preload=False, rotate=False, limit_s=LIMIT_S,
         command="export FTCOLL_CRASH=3:20:b1; sbatch --quiet --wait build/recipes/job.sbatch && cat volume-*.out volume.report",
         says=(r"answer: volume 5\.1\d+ \(exact 5\.16771, [0-4]\.\d standard", "7 of 8 ranks survived"), failures=1),
    slurm("too many", 4, STREAM + stream("kill@10:1,2", "--meet 10"), status="failed",
          says=(r"2 of 4 processes failed \(ranks 1, 2\), more than the f = 1",)),
    slurm("too many, errors return", 4, STREAM + stream("kill@10:1,2", "--meet 10 --errors-return"), finished=2,
          excess="--excess", failures=2),
    slurm("scancel", 4, STRUCK, hand=cancel, status="failed", finished=None),
    slurm("the time limit", 4, STRUCK, "--time=0:01", status="failed", finished=None, limit_s=120,
          says=("DUE TO TIME LIMIT",)),
    # For Slurm a monitor process ends well.
    slurm("a rank is killed, --kill-on-bad-exit", 4, STREAM + stream("kill@10:1"), "--kill-on-bad-exit=1", finished=3,
          failures=1),
    slurm("a rank is killed, --no-kill", 4, STREAM + stream("kill@10:1"), "--no-kill", finished=3, failures=1),
    job("Hydra in salloc: nobody dies", 4, SALLOC + HYDRA, finished=4, failures=0, silent=("not protected",)),
    job("Hydra in salloc: a rank is killed", 4, SALLOC + HYDRA + stream("kill@10:1"), finished=3, failures=1),
    job("Hydra in salloc: critical_ranks", 4, SALLOC + HYDRA + stream("kill@10:1", f"--ops {ENDLESS}"), status="failed",
        settings={"FTCOLL_CRITICAL_RANKS": "1"},
        says=("the death of rank 1 ends the job: critical_ranks",)),
    job("Hydra in salloc: MPI_Abort", 4, SALLOC + HYDRA + "--abort 10", status="failed"),
    job("Hydra in sbatch: nobody dies", 4, SBATCH.format(HYDRA), finished=4, failures=0),
    job("Hydra in sbatch: a rank is killed", 4, SBATCH.format(HYDRA + stream("kill@10:1")), finished=3, failures=1),
    job("srun in sbatch: a rank is killed", 4, SBATCH.format(SRUN + STREAM + stream("kill@10:1")), finished=3, failures=1),
    # MPICH speaks to none of these.
    job("without PMI", 3, "srun --quiet --mpi=none -n {n} {programs}/tooled",
        says=("not protected: Slurm's srun has started 3 processes, and each is rank 0 of 1 .* srun --mpi=pmi2",)),
    # The wire alone (tests/slurm/pmi2.c).
    slurm("PMI-2, the end of accounts", 3, "{programs}/pmi2 finalize", preload=False,
          says=(r"(pmi2: process \d: \(vector,\(0,1,3\)\)(.|\n)*){3}", r"(pmi2: process \d: through(.|\n)*){3}")),
    slurm("PMI-2, the end of the job", 3, "{programs}/pmi2 abort", preload=False, status="failed", silent=("pmi2:",)),
    slurm("PMI-2, the end of the job before MPI", 3, "{programs}/pmi2 abort-early", preload=False, status="failed",
          silent=("pmi2:",)),
    # Without a monitor process Slurm sees the signal, and says so by its status.
    killed("monitor = timeout", settings=SILENCE, status=137, finished=3),
    slurm("without its monitor process", 3, "{programs}/orphan prctl pause", status=137, failures=1,
          silent=("orphan: it still",), says=("orphan: rank 0 goes on with 2", "orphan: rank 2 goes on with 2")),
]


@pytest.fixture(scope="module", params=("linuxproc", "pgid"))
def cluster(request):
    """For all cases, once with each way of finding the processes of a job."""
    with started(request.param) as one:
        yield one


@pytest.fixture
def idle_cluster(cluster):
    yield cluster
    cluster.end_jobs()


@pytest.mark.usefixtures("idle_cluster")
@pytest.mark.parametrize("case", [pytest.param(case, id=identifier(case)) for case in CASES])
def test_case(case, run_case):
    run_case(case)
