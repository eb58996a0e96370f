"""mpiexec runs on a host with several addresses, whose own name leads to none that others reach."""
import pytest

from fixtures import network_or_skip
from runner.cases.common import MIXED
from test_hosts import job

HOSTS = 3


@pytest.fixture(name="managed", scope="module")
def managed_network():
    with network_or_skip(HOSTS, is_managed=True) as network:
        yield network


@pytest.mark.usefixtures("managed")
@pytest.mark.parametrize("rank", [0, 3])
def test_mpiexecs_host_has_several_addresses(run_case, rank):
    run_case(job("mpiexec's host has several addresses", HOSTS, 2, 2 * HOSTS, 1, f"kill@10:{rank}", MIXED))
