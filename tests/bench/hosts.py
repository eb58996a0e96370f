"""Allreduces of ranks on several hosts, which are namespaces of this machine (tests/hosts): beside native MPI and Open
MPI, all over TCP, and from a kill to the survivors' result."""
import os
import shlex
import sys
import tempfile
import time

import openmpi
import side_by_side
from jobs import JobFailed, note, run_command
from stats import Spread

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, "hosts"), os.path.join(TESTS, "mpi")]

from network import HERE, Network, Unavailable  # noqa: E402

RSH = os.path.join(HERE, "rsh")
BYTES = (8, 4096)
SHARED = ((3, 2), (4, 2))  # hosts, ranks on each: more than there are cores
KILLED = (3, 2)
MIN_JOBS = 3
ON_OWN_CORE = ["sh", "-c", 'exec taskset -c "$PMI_RANK" "$0" "$@"']


def measure(tools, options):
    """(rows of ours and native, {(hosts, each, bytes): Spread of ours / Open MPI}, Spread of recoveries or None)"""
    try:
        with Network(max(hosts for hosts, _ in SHARED)), tempfile.TemporaryDirectory(prefix="ftcoll-bench-") as folder:
            os.environ["BENCH_PAGE"] = os.path.join(folder, "page")
            return beside_native(tools, options), beside_openmpi(tools, options), recoveries(tools, options)
    except Unavailable as why:
        note(f"not measured: hosts made of namespaces: {why}")
        return [], {}, None
    finally:
        os.environ.pop("BENCH_PAGE", None)


def names(hosts):
    return [f"node{i + 1}" for i in range(hosts)]


def on_first(words, timeout_s, environment):
    """Standard output of a command on the first host, which starts the others' part by RSH."""
    return run_command([RSH, "--all", "node1", *map(shlex.quote, words)], timeout_s, environment)


def mpich(tools, hosts, each, program, arguments, settings, timeout_s=120):
    command = ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", RSH, "-hosts", ",".join(names(hosts)),
               "-ppn", str(each), "-n", str(hosts * each), "-genv", "LD_PRELOAD", os.path.abspath(tools.library)]
    for key, value in settings.items():
        command += ["-genv", f"FTCOLL_{key.upper()}", str(value)]
    command += ON_OWN_CORE if hosts * each <= len(os.sched_getaffinity(0)) else []
    return on_first(command + [os.path.abspath(tools.program(program)), *map(str, arguments)], timeout_s,
                    {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"})


def openmpi_over_tcp(tools, hosts, each, arguments):
    command = [os.path.abspath(tools.openmpi()), "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
               "--host", ",".join(f"{name}:{each}" for name in names(hosts)), "-n", str(hosts * each),
               "--mca", "plm_rsh_agent", f"{RSH} --all", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self",
               "--mca", "btl_tcp_if_include", "eth0", "--mca", "oob_tcp_if_include", "eth0",
               "--mca", "mpi_yield_when_idle", "1", "-x", "BENCH_PAGE",
               os.path.abspath(tools.program("latency.openmpi")), *map(str, arguments)]
    unpacked = os.path.join(os.path.abspath(tools.build), "openmpi", "root", "usr", "bin")
    return on_first(command, 120, {"PATH": f"{unpacked}:{os.environ['PATH']}"})


def latency_arguments(*sides):
    return [*sides, "--calls", "allreduce", "--bytes", ",".join(map(str, BYTES)), "--seconds", 1, "--block-ms", 10]


def beside_native(tools, options):
    print("\n2 hosts with one rank each, one a core, UCX_TLS=tcp,self; microseconds, ratios by pair of blocks.\n")
    print(side_by_side.HEADING, flush=True)
    rows = []
    for algorithm in options.algorithms:
        settings = {"f": 1, "algorithm": algorithm, "pcontrol": "on", "report": "off"}
        try:
            out = mpich(tools, 2, 1, "latency", latency_arguments(), settings)
        except JobFailed as failure:
            note(f"not measured: 2 hosts, {algorithm}: {failure}")
            continue
        for key, blocks in side_by_side.read_blocks(out).items():
            rows.append(side_by_side.Row(key, 1, algorithm, blocks))
            print(rows[-1].line(), flush=True)
    return rows


def beside_openmpi(tools, options):
    if not tools.has("latency.openmpi"):
        note("not compared with Open MPI: mpicc.openmpi is not here (make bench-hosts unpacks it)")
        return {}
    print("\nMPI_Allreduce, ours / plain Open MPI over TCP: medians of blocks, jobs run alternately.\n")
    print(f"{'hosts':>6}{'each':>5}{'bytes':>6}{'jobs':>5}{'Open MPI us':>30}{'ours us':>30}{'ours / Open MPI':>24}")
    results = {}
    for hosts, each in SHARED:
        pairs = pairs_of_jobs(tools, options, hosts, each)
        for size in BYTES if pairs else ():
            theirs, ours = (Spread([pair[side][size] for pair in pairs]) for side in (0, 1))
            ratio = results[hosts, each, size] = Spread([b[size] / a[size] for a, b in pairs])
            print(f"{hosts:6}{each:5}{size:6}{ratio.count:5}{theirs.text():>30}{ours.text():>30}{ratio.text():>24}", flush=True)
    return results


def pairs_of_jobs(tools, options, hosts, each):
    arguments, pairs = latency_arguments("--sides", "one"), []
    deadline = time.monotonic() + options.openmpi_seconds
    for job in range(options.jobs):
        if job >= MIN_JOBS and time.monotonic() > deadline:
            break
        try:
            theirs = openmpi.median_by_bytes(openmpi_over_tcp(tools, hosts, each, arguments))
            ours = openmpi.median_by_bytes(mpich(tools, hosts, each, "latency", arguments, {"f": 1, "report": "off"}))
            pairs.append((theirs, ours))
        except JobFailed as failure:
            note(f"pair of jobs lost: {hosts} hosts x {each}: {failure}")
    return pairs


def recoveries(tools, options):
    hosts, each = KILLED
    sample, deadline = [], time.monotonic() + options.recovery_seconds
    for job in range(max(options.jobs, options.min_kills)):
        if job >= options.min_kills and time.monotonic() > deadline:
            break
        try:
            out = mpich(tools, hosts, each, "recovery", [job % (hosts * each)], {"report": "off"}, timeout_s=60)
            sample.append(float(out.strip().split(",")[2]))
        except (JobFailed, ValueError, IndexError) as failure:
            note(f"recovery job lost: {failure}")
    if not sample:
        return None
    recovery = Spread(sample)
    print(f"\nSIGKILL to the result of all survivors, {hosts} hosts x {each}: {recovery.text(0)} us, {recovery.count} kills")
    return recovery
