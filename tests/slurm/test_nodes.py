"""Two nodes, which are both this machine."""
import pytest

from jobs import STREAM, slurm, started
from runner.case import identifier
from runner.cases.common import stream

TWO_EACH = "-N 2 --ntasks-per-node=2"
BETWEEN_NODES = {"UCX_TLS": "tcp,self"}  # or UCX finds that they are one machine

ON_TWO_NODES = [
    slurm("two nodes: nobody dies", 4, STREAM, TWO_EACH, finished=4, failures=0, silent=("not protected",),
          settings=BETWEEN_NODES),
    slurm("two nodes: a rank is killed", 4, STREAM + stream("kill@10:1"), TWO_EACH, finished=3, failures=1,
          settings=BETWEEN_NODES),
    slurm("two nodes: a rank of the other is killed", 4, STREAM + stream("kill@10:3"), TWO_EACH, finished=3, failures=1,
          settings=BETWEEN_NODES),
    slurm("two nodes, all ranks on one", 4, STREAM + stream("kill@10:1"), "-N 1", finished=3, failures=1,
          silent=("not protected",)),
]


@pytest.fixture(scope="module")
def two_nodes():
    with started("linuxproc", 2) as cluster:
        yield cluster


@pytest.mark.usefixtures("two_nodes")
@pytest.mark.parametrize("case", [pytest.param(case, id=identifier(case)) for case in ON_TWO_NODES])
def test_two_nodes(case, run_case):
    run_case(case)
