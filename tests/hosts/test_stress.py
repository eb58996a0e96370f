"""What tests/hosts/stress draws: no job is to fail by what was drawn."""
import importlib.machinery
import importlib.util
import os
import random

import pytest

from runner.case import environment_of

HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = 2000
RING_MOST = 64  # config/options.def


@pytest.fixture(scope="module", name="drawn")
def drawn_fixture():
    """Many jobs, without their network."""
    loader = importlib.machinery.SourceFileLoader("stress", os.path.join(HERE, "stress"))
    stress = importlib.util.module_from_spec(importlib.util.spec_from_loader("stress", loader))
    loader.exec_module(stress)
    return stress, [(seed, stress.draw_job(random.Random(seed), None, seed, 2 + seed % 3)) for seed in range(1, SEEDS)]


def test_cuts_in_a_row_lose_no_host(drawn):
    stress, jobs = drawn
    cuts = {seed: [blow.cut_s for blow in job.blows if blow.cut_s > 0] for seed, job in jobs}
    assert max(len(c) for c in cuts.values()) > 1
    for seed, lengths in cuts.items():
        assert sum(lengths) <= stress.SHORT_S, f"seed {seed}: cuts of {lengths} s in a row"


def test_the_settings_accept_the_correction(drawn):
    _, jobs = drawn
    rings = {seed: environment_of(job.case, "build", seed)["FTCOLL_CORRECTION"].partition("ring:")[2] for seed, job in jobs}
    assert any(rings.values())
    for seed, distance in rings.items():
        assert not distance or int(distance) <= RING_MOST, f"seed {seed}: ring:{distance}"
