"""What the library costs where it does nothing: passed calls, system calls, allocations."""
import os
import shutil
import subprocess
import tempfile

from jobs import JobFailed, in_turns, mpich, note
from side_by_side import read_blocks
from stats import Spread, quantile

PASSED_BYTES = 65536
PASSED_SECONDS = 8  # for some 2000 pairs of blocks, because the ratio of one pair is nothing to go by
PASSED_BY_BLOCKS = "passed 64 KiB allreduce / PMPI_Allreduce, by pair of blocks"
PASSED_BY_JOBS = "64 KiB allreduce, preloaded / not preloaded, by pair of jobs"
WAITING = ("sched_yield", "clock_nanosleep", "nanosleep")  # made only while a rank waits for a slower one
INSTRUCTIONS_A_CYCLE, GHZ = 2, 3  # assumed, to put the count beside a bar in ns
PASSED_NS = f"a passed call in ns, by instructions: {INSTRUCTIONS_A_CYCLE} a cycle at {GHZ} GHz"
LOOPS = (1000, 2000)
MARK_BLOCKS = 5000
CREATION_PAIRS = 200
TRACED = "8-byte allreduce, trace_file set / not set, by pair of jobs"
CREATIONS = "MPI_Comm_dup and _free with threads and survivors / native, by pair"
STRAY = 0.01  # system calls a round: that few are made while strace joins and leaves


def measure(tools, options):
    """Returns {figure: Spread, number or text}. A round is one allreduce and one reduce."""
    figures = {}
    print("\nCosts at two ranks, one a core.\n")
    for part in (passed_in_process, passed_by_jobs, passed_instructions, tracing, marks, creations, system_calls, allocations):
        try:
            part(tools, options, figures)
        except (JobFailed, subprocess.SubprocessError) as failure:
            note(f"not measured: {part.__name__}: {failure}")
    for name, value in figures.items():
        print(f"{name:66}{as_text(value)}", flush=True)
    return figures


def as_text(value):
    if isinstance(value, Spread):
        return value.text(4)
    return f"{value:.0f}" if isinstance(value, float) else value


def ratios(text, above, below):
    """Of two sides, by pair of blocks, of the only row."""
    us = {(b["pair"], b["side"]): float(b["us"]) for b in next(iter(read_blocks(text).values()))}
    return Spread([us[pair, above] / us[pair, below] for pair, side in us if side == above])


def passed_in_process(tools, options, figures):
    arguments = ["--sides", "passed", "--calls", "allreduce", "--bytes", PASSED_BYTES,
                 "--seconds", PASSED_SECONDS, "--block-ms", 1]
    figures[PASSED_BY_BLOCKS] = ratios(mpich(tools, 2, "latency", arguments), "passed", "direct")


def creations(tools, options, figures):
    """With MPI_THREAD_MULTIPLE and communicators = survivors."""
    text = mpich(tools, 2, "creations", [CREATION_PAIRS], settings={"communicators": "survivors"})
    figures[CREATIONS] = ratios(text, "ours", "native")


def passed_by_jobs(tools, options, figures):
    arguments = ["--sides", "one", "--calls", "allreduce", "--bytes", PASSED_BYTES,
                 "--seconds", 0.3, "--block-ms", 1]

    def median(preload):
        blocks = next(iter(read_blocks(mpich(tools, 2, "latency", arguments, preload=preload)).values()))
        return quantile([float(b["us"]) for b in blocks], 0.5)

    by_job = []
    for job in range(max(4, options.jobs)):
        us = {preload: median(preload) for preload in in_turns(job)}
        by_job.append(us[True] / us[False])
    figures[PASSED_BY_JOBS] = Spread(by_job)


def passed_instructions(tools, options, figures):
    if not shutil.which("valgrind"):
        note("no instruction counts: valgrind is not here")
        return
    counts = [callgrind(tools, loop) for loop in LOOPS]
    calls = 2 * (LOOPS[1] - LOOPS[0])  # an allreduce and a reduce in each round
    each = (counts[1] - counts[0]) / calls
    figures["instructions of the library in a passed call"] = f"{each:.0f}"
    figures[PASSED_NS] = each / (INSTRUCTIONS_A_CYCLE * GHZ)


def callgrind(tools, loop):
    """Instructions of one rank inside what the two wrappers call, and the wrappers themselves."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "-q", "--tool=callgrind", "--trace-children=yes",
                   f"--callgrind-out-file={folder}/out.%p", "env", f"LD_PRELOAD={tools.library}",
                   "FTCOLL_MAX_BYTES=0", tools.program("operations"), loop]
        mpich(tools, 2, "/usr/bin/env", command, preload=False)
        outs = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        out = max(outs, key=os.path.getsize)  # a rank's; those of monitor processes are empty
        return (annotated(out, "yes", ["ftc_carry_out", "ftc_native_call_enter", "ftc_native_call_leave"]) +
                annotated(out, "no", ["MPI_Allreduce", "MPI_Reduce"]))


def annotated(path, inclusive, functions):
    text = subprocess.run(["callgrind_annotate", f"--inclusive={inclusive}", "--threshold=100", path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60).stdout
    total = 0
    for line in text.splitlines():
        if "libftcoll" in line and any(f":{name} [" in line for name in functions):
            total += int(line.split("(")[0].replace(",", ""))
    return total


def tracing(tools, options, figures):
    """By pairs of jobs, each beside native calls of its own, because two jobs differ by more than the trace costs."""
    arguments = ["--calls", "allreduce", "--bytes", 8, "--seconds", 1]
    by_job = []
    for job in range(max(6, options.jobs)):
        us = {}
        for is_on in in_turns(job):
            with tempfile.TemporaryDirectory() as folder:
                settings = {"pcontrol": "on", "trace_file": os.path.join(folder, "trace.json") if is_on else ""}
                us[is_on] = ratios(mpich(tools, 2, "latency", arguments, settings=settings), "ours", "native").median
        by_job.append(us[True] / us[False])
    figures[TRACED] = Spread(by_job)


def marks(tools, options, figures):
    """Jobs with and without marks in turns; what is common to both is the wrapper."""
    for level in ("single", "multiple"):
        for setting in ("off", "warn"):
            lines = mpich(tools, 2, "mark", [level, MARK_BLOCKS], settings={"on_blocked": setting})
            figures[f"ns more in a native call, {level}, on_blocked = {setting}"] = Spread(
                [float(ns) for ns in lines.split()])


def system_calls(tools, options, figures):
    if not shutil.which("strace"):
        note("no count of system calls: strace is not here")
        return
    counts = [traced(tools, loop) for loop in LOOPS]
    names = set(counts[0]) | set(counts[1])
    rounds = LOOPS[1] - LOOPS[0]
    more = {name: (counts[1].get(name, 0) - counts[0].get(name, 0)) / rounds for name in names}
    working = {name: f"{rate:.2f}" for name, rate in more.items() if name not in WAITING and rate > STRAY}
    waiting = sum(more.get(name, 0) for name in WAITING)
    figures["system calls a round of two ranks, but for those of waiting"] = working or "none"
    figures["sched_yield and nanosleep a round of two ranks, while waiting"] = f"{waiting:.3f}"


def traced(tools, loop):
    """{system call: number} of both ranks in a loop."""
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        mpich(tools, 2, "operations", [loop, os.path.join(folder, "trace")])
        for name in os.listdir(folder):
            for line in open(os.path.join(folder, name)):
                words = line.split()
                if len(words) >= 5 and words[3].isdigit() and words[-1] != "total":
                    counts[words[-1]] = counts.get(words[-1], 0) + int(words[3])
    return counts


def allocations(tools, options, figures):
    both = f"{tools.program('libcount_allocations.so')}:{tools.library}"
    command = [f"LD_PRELOAD={both}", tools.program("operations"), LOOPS[1]]
    lines = mpich(tools, 2, "/usr/bin/env", command, preload=False).split()
    figures[f"allocations of two ranks in {LOOPS[1]} rounds"] = sum(int(line.split(",")[1]) for line in lines)
