"""mpiexec runs on a host with several addresses, whose own name leads to none that others reach."""
import pytest

from network import Network, Unavailable
from runner.cases.common import MIXED
from test_hosts import job

HOSTS = 3


@pytest.fixture(name="managed", scope="module")
def managed_network():
    try:
        with Network(HOSTS, is_managed=True) as network:
            yield network
    except Unavailable as why:
        pytest.skip(f"hosts made of namespaces: {why}")


@pytest.mark.usefixtures("managed")
@pytest.mark.parametrize("rank", [0, 3])
def test_mpiexecs_host_has_several_addresses(run_case, rank):
    run_case(job("mpiexec's host has several addresses", HOSTS, 2, 2 * HOSTS, 1, f"kill@10:{rank}", MIXED))
