"""Two nodes, which are both this machine."""
import pytest

from jobs import STREAM, slurm, started
from runner.case import identifier
from runner.cases.common import stream

SEVERAL = r"(?m)^ftcoll: not protected: the ranks are on more than one host$"

ON_TWO_NODES = [
    slurm("two nodes: native, and said so", 4, STREAM, "-N 2 --ntasks-per-node=2", finished=4, failures=0,
          says=(SEVERAL,), settings={"UCX_TLS": "tcp,self"}),
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
