"""Whole hosts are lost: the others go on, and mpiexec ends as the survivors do."""
import fcntl
import os
import signal
import struct
import termios
import time

import pytest

from fixtures import network_or_skip
from network import HERE, SUBNET, call
from runner.case import Case
from runner.cases.common import ALLREDUCE, DEFECT, MIXED, await_said, stream
from runner.job import Gone, Hang, Patience, pause, send, wait_for
from test_hosts import ENDLESS, UCX, WIDE, job, large

LOST = "--go 10 --await 20:lost"
LONG_S = 60
# Long enough for a host that has to wait for a core; short enough for a test that waits for it.
SILENCE = {"FTCOLL_UNREACHABLE_MS": Patience(5000)}
SHORT_SILENCE = {"FTCOLL_UNREACHABLE_MS": Patience(3000)}


@pytest.fixture(name="own")
def own_network(request):
    """Hosts for one test, which destroys them."""
    with network_or_skip(request.param) as network:
        yield network


def hosts(count):
    return pytest.mark.parametrize("own", [count], indirect=True)


def lost(name, count, each, ranks, f, hand, args=ALLREDUCE, **more):
    """A job of @count hosts, @each ranks on each, of which @hand takes @ranks away."""
    n = count * each
    return job(name, count, each, n, f, "", f"{LOST} {args}", **{"finished": n - ranks, "failures": ranks, "hand": hand, **more})


def namespace_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return ""


def processes_on(own, name, j, whom=lambda p: True):
    there = namespace_of(own.first[name])
    found = [p for p in j.processes() if namespace_of(p.pid) == there and whom(p)]
    if not found:
        raise Gone(f"nothing of the job runs on {name}")
    return found


def is_proxy(process):
    return process.name.startswith("hydra_pmi_proxy"[:15])


def state_of(pid):
    """A letter, see proc_pid_stat(5); Z also if there is no such process any more."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


AFTER = {signal.SIGKILL: "ZX", signal.SIGSTOP: "TZX"}


def send_and_await(number, pids):
    for pid in pids:
        send(number, pid)
    if number in AFTER and not wait_for(lambda: all(state_of(pid) in AFTER[number] for pid in pids), LONG_S):
        raise Hang(f"signal {number} has no effect on all of {pids}")


def strike(own, name, number, whom=lambda p: True):
    def act(j):
        send_and_await(number, [process.pid for process in processes_on(own, name, j, whom)])
    return act


def kill_host(own, name):
    """All that runs there ends before its first process does."""
    return lambda _: send_and_await(signal.SIGKILL, [own.first[name]])


def cut(own, name):
    """Its network is gone, and all that runs there goes on."""
    def act(_):
        call("nsenter", "-t", str(own.first[name]), "-n", "ip", "link", "set", "eth0", "down")
    return act


def then_go_on(*acts):
    def hand(j):
        for act in acts:
            act(j)
        j.allow("lost")
    return hand


def await_loss(j):
    j.allow("lost")
    if not wait_for(lambda: "lost with its host" in j.text("stderr") or j.process.poll() is not None, LONG_S):
        raise Hang(f"no host is lost\n{j.stacks()}")


def await_deaths(count):
    def act(j):
        if not wait_for(lambda: j.text("stderr").count("lost with its host") >= count or j.process.poll() is not None, LONG_S):
            raise Hang(f"not all hosts are lost\n{j.stacks()}")
    return act


ENDED = r"lost with its host, where all processes of the job have ended"
SILENT = r"lost with its host, which mpiexec has not heard for more than unreachable_ms"


def told(rank, host, how, left):
    return (rf"rank {rank} \({host}, pid \d+\) {how}; {left} ranks go on",
            rf"(?m)^ftcoll: rank {rank} \({host}, pid \d+\) {how}; missed in MPI_.*noticed by rank \d after \d+ us; "
            r"all survivors had the result after \d+ us")


# ---- all its processes have ended ----

@hosts(3)
def test_killed(own, run_case):
    run_case(lost("all processes of a host are killed", 3, 2, 2, 2, then_go_on(kill_host(own, "node3")),
                  settings={"FTCOLL_REPORT": "coverage"},
                  says=(*told(5, "node3", ENDED, "4 of 6"), "the calls of 2 ranks on other hosts are not known")))


@pytest.mark.rest
@hosts(2)
def test_killed_one_of_two(own, run_case):
    run_case(lost("one of two hosts is killed", 2, 2, 2, 2, then_go_on(kill_host(own, "node2"))))


@pytest.mark.rest
@hosts(3)
def test_killed_in_turn(own, run_case):
    def again(j):
        await_loss(j)
        kill_host(own, "node2")(j)
        j.allow("again")

    run_case(lost("two hosts are killed, one after the other", 3, 1, 2, 2, then_go_on(kill_host(own, "node3"), again),
                  f"{ALLREDUCE} --await 30:again"))


@pytest.mark.rest
@hosts(3)
def test_killed_with_the_one_that_was_to_tell(own, run_case):
    """The first host hears nothing of the loss of the second, and is lost as well."""
    case = lost("two hosts are killed, of which one was to tell of the other", 3, 1, 2, 2,
                then_go_on(strike(own, "node2", signal.SIGSTOP), kill_host(own, "node3"), lambda _: pause(1),
                           kill_host(own, "node2")), says=told(0, "node2", ENDED, "1 of 3") + told(1, "node3", ENDED, "1 of 3"), tags=DEFECT)
    case.command = case.command.replace("node1,node2,node3", "node2,node3,node1")
    run_case(case)


@pytest.mark.rest
@hosts(2)
def test_killed_where_mpiexec_runs(own, run_case):
    """The ranks of its own host, with the proxy."""
    run_case(lost("the ranks beside mpiexec are killed", 2, 2, 2, 2,
                  then_go_on(strike(own, "node1", signal.SIGKILL, lambda p: p.rank is not None or is_proxy(p)))))


@hosts(3)
def test_proxy_killed(own, run_case):
    """The ranks go with it: their monitor processes kill them, which the others may hear before mpiexec says that all is lost."""
    run_case(lost("the proxy of a host is killed", 3, 2, 2, 2, then_go_on(strike(own, "node2", signal.SIGKILL, is_proxy)),
                  says=told(3, "node2", rf"(killed by signal 9 \(Killed\)|{ENDED})", "[45] of 6")))


@hosts(3)
@pytest.mark.parametrize("link", ["auto", pytest.param("ucx", marks=pytest.mark.rest)])
def test_killed_inside(own, run_case, link):
    """At any instant, with an operation under way."""
    run_case(job("a host is killed inside of operations", 3, 2, 6, 2, "", f"{ALLREDUCE} --go 10 --ops 3000 --await 2999:lost",
                 {"FTCOLL_LINK": link}, finished=4, failures=2, hand=then_go_on(kill_host(own, "node3"))))


@hosts(3)
@pytest.mark.parametrize("arguments", ["inplace 1000000 60", pytest.param("bcast:0 1000000 200", marks=pytest.mark.rest)])
def test_killed_inside_of_a_large_call(own, run_case, arguments):
    """Nearly all the time one of its slices is under way."""
    run_case(large("a host is killed in the middle", 3, 2, "bulk", arguments, alive=4, settings=WIDE, limit_s=LONG_S,
                   hand=then_go_on(kill_host(own, "node3"))))


@pytest.mark.rest
@hosts(3)
def test_killed_last_in_mpi(own, run_case):
    """Its ranks wait for the launcher's answer at the end of MPI, and all others have ended."""
    def are_alone(j):
        there = namespace_of(own.first["node3"])
        return all(namespace_of(p.pid) == there for p in j.processes() if p.name == "stream")

    def await_others(j):
        j.allow("lost")
        if not wait_for(lambda: are_alone(j), LONG_S):
            raise Hang(f"the others do not end\n{j.stacks()}")

    run_case(lost("a host is killed that was the last in MPI", 3, 2, 2, 2,
                  lambda j: [act(j) for act in (strike(own, "node3", signal.SIGSTOP, is_proxy), await_others, kill_host(own, "node3"))],
                  finished=None, failures=None, says=told(4, "node3", ENDED, "4 of 6")[:1] + told(5, "node3", ENDED, "4 of 6")[:1],
                  tags=DEFECT))


# ---- ranks whose death ends the job ----

@pytest.mark.rest
@hosts(3)
def test_killed_beside_a_critical_rank(own, run_case):
    """Rank 0, of another host, lives."""
    run_case(lost("a host is killed, a rank of another one is critical", 3, 2, 2, 2, then_go_on(kill_host(own, "node3")),
                  settings={"FTCOLL_CRITICAL_RANKS": "0"}, silent=("ends the job",), tags=DEFECT))


@pytest.mark.rest
@hosts(3)
def test_killed_with_a_critical_rank(own, run_case):
    """Whichever of the two it is."""
    run_case(lost("a host is killed, with a critical rank", 3, 2, 2, 2, then_go_on(kill_host(own, "node3")), finished=None,
                  failures=None, status="failed", settings={"FTCOLL_CRITICAL_RANKS": "5"},
                  says=("ftcoll: the death of rank 5 ends the job: critical_ranks",)))


def has_unread(pid):
    """Whether a process has written to its standard error what its proxy has not read."""
    with open(f"/proc/{pid}/fd/2", "rb", buffering=0) as pipe:
        return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0] > 0


@pytest.mark.rest
@hosts(3)
def test_killed_while_it_ends_the_job(own, run_case):
    """The monitor process of the critical rank waits until its words are read, which never are."""
    def kill_critical(j):
        of_critical = {p.is_monitor(): p.pid for p in processes_on(own, "node3", j) if p.rank == 5}
        send_and_await(signal.SIGKILL, [of_critical[False]])
        if not wait_for(lambda: has_unread(of_critical[True]), LONG_S):
            raise Hang("the monitor process of the critical rank does not say that the job ends")

    run_case(job("a host is killed while it ends the job", 3, 2, 6, 2, "", f"{ENDLESS} {ALLREDUCE} --go 10",
                 {"FTCOLL_CRITICAL_RANKS": "5"}, finished=None, failures=None, status="failed",
                 hand=then_go_on(strike(own, "node3", signal.SIGSTOP, is_proxy), kill_critical, kill_host(own, "node3")),
                 says=("ftcoll: the death of rank 5 ends the job: critical_ranks",), tags=DEFECT))


# ---- f counts hosts ----

# No operation is under way until the losses are known: one would miss the first host and leave it out.
TOLD_FIRST = f"--await 10:lost --errors-return {ALLREDUCE}"


@hosts(3)
def test_killed_is_one_failure(own, run_case):
    """Both ranks of a host, with f = 1, inside of operations."""
    run_case(job("a host is killed, f = 1", 3, 2, 6, 1, "", f"{ALLREDUCE} --go 10 --ops 3000 --await 2999:lost", finished=4,
                 failures=2, hand=then_go_on(kill_host(own, "node3")), says=(r"ranks go on \(f = 1 host\)",)))


@pytest.mark.rest
@hosts(3)
def test_killed_is_one_failure_corrected(own, run_case):
    """The same by the paper's algorithm, where the lost host has the first root; mixed with reduces."""
    whole = strike(own, "node1", signal.SIGKILL, lambda p: p.rank is not None or is_proxy(p))

    run_case(job("the host of rank 0 is killed, f = 1, corrected", 3, 2, 6, 1, "", f"{MIXED} --go 10 --ops 1000 --await 999:lost",
                 {"FTCOLL_ALGORITHM": "corrected"}, finished=4, failures=2, hand=then_go_on(whole)))


@hosts(3)
def test_two_killed_are_too_many(own, run_case):
    """One of each class: no subtree is untouched."""
    says = tuple(rf"(?m)^stream: rank {rank}, operation \d+: ftcoll: MPI_Allreduce: 4 of 6 processes failed \(ranks 2, 3, 4, 5\) "
                 r"on 2 of 3 hosts, more than the f = 1 host tolerated in one operation; FTCOLL_F=2 would tolerate them$" for rank in (0, 1))

    run_case(lost("two hosts are killed at once, f = 1", 3, 2, 4, 1,
                  then_go_on(kill_host(own, "node2"), kill_host(own, "node3"), await_deaths(4)), TOLD_FIRST, excess="--excess",
                  says=says))


@pytest.mark.rest
@hosts(3)
@pytest.mark.parametrize("domain, excess", [("host", ""), ("rank", "--excess")])
def test_what_is_counted(own, run_case, domain, excess):
    """The two ranks of a host are one failure, or two."""
    says = (r"2 of 6 processes failed \(ranks 4, 5\), more than the f = 1 tolerated",) if excess else ()

    run_case(lost(f"a host is killed, f = 1 {domain}", 3, 2, 2, 1, then_go_on(kill_host(own, "node3"), await_deaths(2)),
                  TOLD_FIRST, excess=excess, says=says, settings={"FTCOLL_FAILURE_DOMAIN": domain}))


# ---- it is silent ----

def silent(name, *acts, **more):
    """Of three hosts the third is not heard any more. It must have stopped by itself: the rest of the job's end would
    end it later, or when it is there again."""
    def stopped(j):
        text = j.text("stderr.4") + j.text("stderr.5")
        return "" if text.count("host node3 stops: it has received nothing from mpiexec") == 1 else f"node3 has not stopped, but says: {text}"

    case = lost(name, 3, 2, 2, 2, then_go_on(*acts), settings=SILENCE, limit_s=LONG_S, says=told(5, "node3", SILENT, "4 of 6"),
                check=stopped, **more)
    case.command = case.command.replace("{programs}/stream", f"{HERE}/aside {{programs}}/stream")
    return case


@hosts(3)
def test_network_cut(own, run_case):
    """What is cut off ends by itself: nothing of it is left."""
    run_case(silent("the network of a host is cut", cut(own, "node3")))


@pytest.mark.rest
@hosts(3)
def test_network_cut_inside(own, run_case):
    """At any instant: ranks there wait in an operation."""
    case = silent("the network of a host is cut inside of operations", cut(own, "node3"))
    case.command = case.command.replace("--await 20:lost", "--ops 3000 --await 2999:lost")
    run_case(case)


@pytest.mark.rest
@hosts(3)
def test_network_cut_when_all_ranks_there_are_dead(own, run_case):
    """mpiexec does not wait for the end of what it will never hear of."""
    ranks = strike(own, "node3", signal.SIGKILL, lambda p: p.rank is not None and not p.is_monitor())

    def await_news_in_mpiexec(j):
        if not wait_for(lambda: "4 of 6 ranks go on" in j.text("stderr"), LONG_S):
            raise Hang("the deaths are not told")
        pause(1)  # two times in which the host's agent asks

    run_case(lost("all ranks of a host die, and then its network is cut", 3, 2, 2, 2,
                  then_go_on(ranks, await_news_in_mpiexec, cut(own, "node3")), settings=SILENCE, limit_s=LONG_S, tags=DEFECT))


@hosts(3)
def test_frozen(own, run_case):
    """Thawed, it finds that it has been given up."""
    run_case(silent("a host is frozen, and thawed when it is lost", strike(own, "node3", signal.SIGSTOP), await_loss,
                    strike(own, "node3", signal.SIGCONT)))


# ---- nothing is lost ----

@hosts(3)
def test_mpiexec_stopped(own, run_case):
    """For longer than any host may be silent. The hosts hear each other, and wait for it; what they say comes by mpiexec."""
    def stop(j):
        pids = [p.pid for p in j.processes() if p.name.startswith("mpiexec")]
        send_and_await(signal.SIGSTOP, pids)
        time.sleep(5)
        send_and_await(signal.SIGCONT, pids)
        await_said(j, "results of MPI calls wait for mpiexec")

    run_case(lost("mpiexec is stopped, and goes on", 3, 2, 0, 2, then_go_on(stop), settings={"FTCOLL_UNREACHABLE_MS": "2000"},
                  silent=("lost with", " stops"), limit_s=LONG_S))


@hosts(2)
def test_ssh_killed(own, run_case):
    ssh = strike(own, "node1", signal.SIGKILL, lambda p: p.name == "rsh" and "--proxy-id" in p.command)

    run_case(lost("the ssh of a host is killed", 2, 2, 0, 2, then_go_on(ssh)))


@hosts(2)
def test_frozen_shortly(own, run_case):
    """For less than unreachable_ms."""
    run_case(lost("a host is frozen for a moment", 2, 2, 0, 2,
                  then_go_on(strike(own, "node2", signal.SIGSTOP), strike(own, "node2", signal.SIGCONT))))


@hosts(2)
def test_all_suspended(own, run_case):
    """As batch systems do, mpiexec with all the others, and for longer than any host may be silent."""
    unreachable_ms = int(str(Patience(3000)))

    def suspend(j):
        pids = [p.pid for p in j.processes() if p.name != "rsh"]
        send_and_await(signal.SIGSTOP, pids)
        time.sleep(2 * unreachable_ms / 1000)
        send_and_await(signal.SIGCONT, pids)

    run_case(lost("the whole job is suspended", 2, 2, 0, 2, then_go_on(suspend), settings={"FTCOLL_UNREACHABLE_MS": unreachable_ms},
                  silent=("lost with", "stops"), limit_s=LONG_S, tags=DEFECT))


@pytest.mark.rest
@hosts(2)
def test_output_after_the_end(own, run_case):
    """A host is not lost because it has no monitor process any more: its ranks have ended."""
    case = job("output comes long after the ranks have ended", 2, 1, 2, 1, "", ALLREDUCE,
               settings=SHORT_SILENCE, says=("late from rank 0", "late from rank 1"),
               silent=("lost with",), limit_s=LONG_S, tags=DEFECT)
    case.command = case.command.replace("{programs}/stream", f"{HERE}/late {{programs}}/stream")
    run_case(case)


@pytest.mark.rest
def test_two_on_one_machine(run_case):
    """mpiexec speaks with both proxies by socket pairs, and knows which is which."""
    run_case(Case("hosts: both are this machine", 4, 1, command="mpiexec.hydra -launcher fork -hosts one,two -ppn 2 -n 4 "
                  "{programs}/stream --seed {seed} " + stream("kill@10:3"), settings={**UCX, "UCX_NET_DEVICES": None}, finished=3,
                  failures=1, silent=("the loss of a host will end this job",), limit_s=LONG_S, tags=DEFECT))


# ---- what still ends the job ----

@hosts(2)
def test_none_left(own, run_case):
    """mpiexec ends well only if some host has said how its ranks ended."""
    whole = strike(own, "node1", signal.SIGKILL, lambda p: p.rank is not None or is_proxy(p))

    run_case(lost("all hosts are lost", 2, 1, 0, 2, then_go_on(kill_host(own, "node2"), await_loss, whole), finished=None,
                  failures=None, status="failed"))


@hosts(2)
def test_without_the_library_in_mpiexec(own, run_case):
    """As natively, with a line that says so."""
    case = lost("a host is lost, and mpiexec has not the library", 2, 1, 0, 1, then_go_on(kill_host(own, "node2")), finished=None,
                failures=None, status="failed", says=("ftcoll: the loss of a host will end this job: the ranks were not started by MPICH's mpiexec",))
    case.command = case.command.replace("env LD_PRELOAD={library} mpiexec.hydra",
                                        "env -u LD_PRELOAD mpiexec.hydra -genv LD_PRELOAD {library}")
    run_case(case)


@hosts(3)
def test_two_do_not_hear_each_other(own, run_case):
    """mpiexec hears both: none of them is lost."""
    def part(_):
        for name, address in (("node2", 3), ("node3", 2)):
            call("nsenter", "-t", str(own.first[name]), "-n", "ip", "route", "add", "blackhole", f"{SUBNET}.{address}/32")

    run_case(lost("two hosts do not hear each other", 3, 1, 0, 2, then_go_on(part), settings=SHORT_SILENCE,
                  finished=None, failures=None, status="failed", limit_s=LONG_S, silent=("lost with",), says=("the job ends",)))


@hosts(3)
def test_interrupted_after_a_loss(own, run_case):
    def interrupt(j):
        await_loss(j)
        j.strike(signal.SIGINT, lambda p: p.name.startswith("mpiexec"))

    run_case(job("Ctrl-C after a host is lost", 3, 1, 3, 2, "", f"{ENDLESS} {ALLREDUCE} --go 10", finished=None, failures=None,
                 status=(0, "failed"), hand=then_go_on(kill_host(own, "node3"), interrupt)))


@pytest.mark.rest
@hosts(3)
def test_interrupted_after_the_loss_of_the_first_host(own, run_case):
    """The first that is left reports."""
    def interrupt(j):
        await_loss(j)
        j.strike(signal.SIGINT, lambda p: p.name.startswith("mpiexec"))

    case = job("Ctrl-C after the host of rank 0 is lost", 3, 1, 3, 2, "", f"{ENDLESS} {ALLREDUCE} --go 10", finished=None,
               failures=None, status=(0, "failed"), hand=then_go_on(kill_host(own, "node2"), interrupt),
               says=("the job ended before MPI_Finalize returned: 1 of 3 ranks had failed",), tags=DEFECT)
    case.command = case.command.replace("node1,node2,node3", "node2,node1,node3")
    run_case(case)


# ---- with standard input, and other ends of the job ----

FLOWS = "while sleep 0.02; do echo 'a line of standard input' || exit; done | "


def fed(case):
    """What comes from the launcher's standard input goes to rank 0, on its host, as long as the job runs."""
    case.command = FLOWS + case.command
    return case


@hosts(3)
def test_killed_with_standard_input(own, run_case):
    run_case(fed(lost("a host is killed, standard input flows to another", 3, 2, 2, 2, then_go_on(kill_host(own, "node2")))))


@pytest.mark.rest
@hosts(3)
def test_killed_where_standard_input_goes(own, run_case):
    """Rank 0 is on a host of its own."""
    case = fed(lost("the host is killed to which standard input flows", 3, 2, 2, 2, then_go_on(kill_host(own, "node2"))))
    case.command = case.command.replace("node1,node2,node3", "node2,node1,node3")
    run_case(case)


@pytest.mark.rest
@hosts(3)
def test_silent_where_standard_input_goes(own, run_case):
    case = fed(lost("the host is cut off to which standard input flows", 3, 2, 2, 2, then_go_on(cut(own, "node2")),
                    settings=SILENCE, limit_s=LONG_S))
    case.command = case.command.replace("node1,node2,node3", "node2,node1,node3")
    run_case(case)


def tolerant(own, name, program, **more):
    """A job that has lost its second host, and then ends in a way of its own."""
    return job(name, 3, 1, 3, 2, "", f"{ALLREDUCE} --go 10 --await 20:lost {program}",
               **{"finished": None, "failures": 1, "hand": then_go_on(kill_host(own, "node2")), **more})


def like_native(own, run_case, name, program, status):
    """The same exit status, also where nobody has died and the library is not there."""
    native = tolerant(own, f"{name}, natively", program, status=status, native=True, failures=0, hand=lambda j: j.allow("lost"))
    run_case(native)
    run_case(tolerant(own, f"{name} after a host is lost", program, status=status))


@hosts(3)
def test_abort_after_a_loss(own, run_case):
    like_native(own, run_case, "MPI_Abort", "--abort 30", 7)


@pytest.mark.rest
@hosts(3)
def test_bad_status_after_a_loss(own, run_case):
    like_native(own, run_case, "a rank returns 3", "--fault exit3@after:2", 3)
