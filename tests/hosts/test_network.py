"""A network that is slow, loses what it is given, is cut in two for a while or for good, or resets connections."""
import time

import pytest

from fixtures import network_or_skip
from runner.cases.common import ALLREDUCE, DEFECT, MIXED, defect_if
from runner.job import Hang, wait_for
from test_hosts import listeners_of, job
from test_lost import LONG_S, SILENCE, await_loss, lost, silent, then_go_on

HOSTS = 3
UNREACHABLE_S = 5  # of SILENCE, or more on a busy machine
SHORT_S = 0.75 * UNREACHABLE_S  # an answer may be a tenth old then, and a new connection take a twentieth
FLOWING = f"{ALLREDUCE} --ops 1000 --await 999:"


@pytest.fixture(name="started", scope="module")
def started_network():
    with network_or_skip(HOSTS, what="a network of tap devices", is_rough=True) as network:
        yield network


@pytest.fixture(name="rough")
def well_network(started):
    """One that is well before and after each test."""
    started.order()
    started.forget_addresses()
    yield started
    started.order()


def pairs(origins, targets):
    return [(f"node{a}", f"node{b}") for a in origins for b in targets if a != b]


def both_ways(some, others):
    return pairs(some, others) + pairs(others, some)


# ---- it is bad, and nothing else happens ----

BAD = {
    "late": {"delay_ms": 5},
    "as late as from another continent": {"delay_ms": 40},
    "late and out of order": {"delay_ms": 2, "jitter_ms": 10},
    "5 of 100 frames are lost": {"loss": 0.05},
    "20 of 100 frames are lost": {"loss": 0.2},
    "all of it": {"delay_ms": 1, "jitter_ms": 4, "loss": 0.05},
}


def bound_of(bad):
    """Where so much is lost the kernel waits twice as long each time before it sends again: 10 s mostly, and a minute at
    times."""
    return (4 if BAD[bad].get("loss", 0) >= 0.2 else 1) * LONG_S


def core_of(cases, *core):
    """All of them. make check tries the first of @core, make check-all @core, and make check-hosts-all all."""
    marks = {case: [] if case == core[0] else [pytest.mark.rest] for case in core}
    return [pytest.param(case, marks=marks.get(case, [pytest.mark.thorough])) for case in cases]


def worsen(rough, wanted):
    def hand(j):
        rough.order(**wanted)
        j.allow("bad")
    return hand


@pytest.mark.parametrize("bad", core_of(BAD, "late and out of order", "5 of 100 frames are lost"))
def test_bad(rough, run_case, bad):
    run_case(job(f"the network is bad, {bad}", HOSTS, 2, 6, 2, "", f"{MIXED} --go 5 --await 6:bad", hand=worsen(rough, BAD[bad]),
                 limit_s=bound_of(bad)))


@pytest.mark.parametrize("bad", core_of(BAD, "all of it"))
def test_death(rough, run_case, bad):
    run_case(job(f"a rank dies, the network is bad, {bad}", HOSTS, 2, 6, 2, "kill@12:3", f"{ALLREDUCE} --go 5 --await 6:bad",
                 hand=worsen(rough, BAD[bad]), limit_s=bound_of(bad)))


# ---- it is cut ----

PARTS = {
    "one from all": both_ways([3], [1, 2]),
    "nothing from one": pairs([3], [1, 2]),
    "nothing to one": pairs([1, 2], [3]),
    "all from each other": both_ways([1], [2, 3]) + both_ways([2], [3]),
}


@pytest.mark.parametrize("part", core_of(PARTS, "nothing to one"))
def test_cut_for_a_moment(rough, run_case, part):
    """For less than unreachable_ms: a delay."""
    def mend_later(j):
        rough.order(cut=PARTS[part])
        time.sleep(SHORT_S)
        rough.order()
        j.allow("mended")

    run_case(job(f"the network is cut for a moment, {part}", HOSTS, 2, 6, 2, "", f"--go 10 {FLOWING}mended", settings=SILENCE,
                 hand=mend_later, silent=("lost with", " stops"), limit_s=LONG_S, tags=defect_if(part == "nothing to one")))


@pytest.mark.parametrize("part", core_of(["one from all", "nothing from one", "nothing to one"], "nothing from one"))
def test_cut_for_good(rough, run_case, part):
    """One side goes on: that of mpiexec."""
    case = silent(f"the network is cut for good, {part}", lambda _: rough.order(cut=PARTS[part]))
    case.command = case.command.replace("--await 20:lost", "--ops 1000 --await 999:lost")
    run_case(case)


def test_mpiexec_is_alone(rough, run_case):
    """Two hosts hear each other, and not mpiexec."""
    run_case(lost("mpiexec's host is cut off", HOSTS, 2, 4, 4, then_go_on(lambda _: rough.order(cut=both_ways([1], [2, 3]))),
                  f"{ALLREDUCE} --ops 1000 --await 999:lost".replace("--await 20:lost", ""), settings=SILENCE, limit_s=LONG_S))


@pytest.mark.rest
def test_mended_when_it_is_too_late(rough, run_case):
    """What was cut off comes back, and does not go on."""
    def mend(_):
        rough.order()

    run_case(silent("the network is cut, and mended when the host is lost",
                    lambda _: rough.order(cut=PARTS["one from all"]), await_loss, mend))


# ---- connections are reset ----

def ports_of(j, whom):
    """At which the library listens in all processes for which @whom is true; raises Hang."""
    ports = [port for p in j.processes() if whom(p) for _, port in listeners_of(p)]
    if not ports:
        raise Hang("nobody listens")
    return ports


def reset(rough, whom, times=3):
    """Those that come in at the ports_of @whom; some are each time, and all on which anything is sent when the job goes on to
    its end."""
    def hand(j):
        ports = ports_of(j, whom)
        for _ in range(times):
            before = rough.order(reset=ports)
            if not wait_for(lambda: rough.order(reset=ports) > before, LONG_S):
                raise Hang("nothing is reset")
            time.sleep(0.3)
        rough.order(reset=ports)
        j.allow("reset")
    return hand


def test_reset_of_news(rough, run_case):
    run_case(job("connections between monitor processes are reset", HOSTS, 2, 6, 2, "", f"--go 10 {FLOWING}reset",
                 hand=reset(rough, lambda p: p.is_monitor()), limit_s=LONG_S))


@pytest.mark.rest
def test_reset_of_leases(rough, run_case):
    run_case(job("connections with the authority are reset", HOSTS, 2, 6, 2, "", f"--go 10 {FLOWING}reset", settings=SILENCE,
                 hand=reset(rough, lambda p: p.name.startswith("mpiexec")), limit_s=LONG_S, silent=("lost with", " stops")))


def is_rank(process):
    return process.rank is not None and not process.is_monitor()


RESETS = {
    "one on a host": (1, "", ""),
    "two on a host": (2, "", MIXED),
    "reductions": (2, "", "--calls reduce"),
    "and then one dies": (1, "kill@in997:2", ""),
    "and one dies meanwhile": (2, "kill@in200:3", ""),
}


@pytest.mark.parametrize("link", ["auto", pytest.param("ucx", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("what", core_of(RESETS, "and one dies meanwhile"))
def test_reset_of_links(rough, run_case, what, link):
    """A message is neither lost with a connection nor sent twice, nor does the job end for it."""
    each, faults, args = RESETS[what]
    run_case(job(f"connections between ranks are reset, {what}", HOSTS, each, HOSTS * each, 2, faults,
                 f"--go 10 {FLOWING}reset {args}", settings={**SILENCE, "FTCOLL_LINK": link}, hand=reset(rough, is_rank, 15), limit_s=LONG_S,
                 silent=("lost with", "the job ends"), tags=defect_if((what, link) == ("and one dies meanwhile", "auto"))))


@pytest.mark.rest
def test_reset_of_the_last_news(rough, run_case):
    """Of two ranks the second is dead. Its host never hears that the first one has told the job's report and ended."""
    def hand(j):
        ports = ports_of(j, lambda p: p.is_monitor() and p.rank == 0)
        if not wait_for(lambda: "1 of 2 ranks go on" in j.text("stderr"), LONG_S):
            raise Hang("rank 1 does not die")
        rough.order(cut=pairs([1], [2]))
        j.allow("end")
        if not wait_for(lambda: not [p for p in j.processes() if p.rank == 0], LONG_S):
            raise Hang(f"rank 0 does not end\n{j.stacks()}")
        rough.order(reset=ports)

    run_case(job("the last news of the survivor is lost", 2, 1, 2, 1, "kill@12:1", f"--go 20 {FLOWING}end", settings=SILENCE, hand=hand,
                 limit_s=LONG_S, silent=("before MPI_Finalize returned",), tags=DEFECT))
