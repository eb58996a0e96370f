"""What the fixtures of these tests share."""
import contextlib

import pytest

from network import Network, Unavailable


@contextlib.contextmanager
def network_or_skip(count, *, what="hosts made of namespaces", **more):
    """A Network of @count hosts, for which the test is skipped where there can be no such hosts."""
    try:
        with Network(count, **more) as network:
            yield network
    except Unavailable as why:
        pytest.skip(f"{what}: {why}")
