"""Calls that native MPI carries out."""
import os
import re
import signal

from ..case import Case
from ..job import Hang, pause, wait_for
from .common import ABORT, DEFECT, QUICK, SOME_TIME, TEN_S, WARN, defect_if, is_launcher, release_when


# ---- calls that are not protected ----

LATE_MS = 1500  # several times as long


NO_ADVICE = "no setting protects it"


def sits(call, site, need="needs", reaction="warn", advice="no setting protects it|[A-Z0-9_=a-z ]+ would protect it"):
    return (rf"(?m)^ftcoll: rank \d has been in {call} at blocked\({site}\+0x\w+\) for {SOME_TIME}: "
            rf"it {need} rank 1, which is dead \(killed by signal 9\); on_blocked = {reaction}; (?:{advice})$")


def would(*settings):
    return f"{' '.join(settings)} would protect it"


INTERCEPT, LARGE, IGNORE, NEW = "FTCOLL_INTERCEPT=all", "FTCOLL_LARGE=protected", "FTCOLL_P2P=ignore", "FTCOLL_COMMUNICATORS=survivors"


def interrupt_when_told(lines):
    """By so many ranks. A warning leaves them where they are."""
    def hand(job):
        if not wait_for(lambda: job.text("stderr").count("on_blocked") >= lines, 2 * TEN_S):
            raise Hang(f"not {lines} ranks say who is blocked\n{job.stacks()}")
        pause(3 * 0.3)  # nobody says it twice
        job.strike(signal.SIGINT, is_launcher)
    return hand


def release_when_told(lines):
    """All are in the call, where one stands still until there is a file."""
    def hand(job):
        if not wait_for(lambda: job.text("stderr").count("on_blocked does not") >= lines, 2 * TEN_S):
            raise Hang(f"not {lines} ranks say that the call does not end\n{job.stacks()}")
        job.allow("done")
    return hand


def told_complete(job):
    lines = re.findall(r"(?m)^ftcoll: rank ([023]) has been in MPI_Comm_dup at blocked\((?:complete|main)\+0x\w+\) for \d+\.\d s: "
                       "all ranks that it needs live and are in this call; .*on_blocked does not end the job$", job.text("stderr"))
    return "" if sorted(lines) == ["0", "2", "3"] else f"ranks {lines} say so, and not each once"


def interrupt_later(job):
    pause(LATE_MS / 1000)
    job.strike(signal.SIGINT, is_launcher)


def told_once(job):
    lines = re.findall("(?m)^ftcoll: rank .*on_blocked", job.text("stderr"))
    return "" if len(lines) == len(set(lines)) <= 3 else f"{len(lines)} lines, not one a rank"


def told_by_one(job):
    """One rank tells why the job ends. Before that, another may have told where it waits, like all others. Of a call that
    may still get through, each rank may have told once: on a busy machine its job is not always seen to stand still."""
    lines = re.findall(r"(?m)^(?!.*no living rank has ended a call)ftcoll: (rank \d+) (?:.* it (may need|needs) )?.*on_blocked",
                       job.text("stderr"))
    early = [rank for rank, need in lines[:-1] if need == "may need"]
    return "" if lines and len(set(early)) == len(lines) - 1 else f"{len(lines)} ranks say who is blocked"


def sit_all(call, site):
    """Ranks 0, 2 and 3."""
    return [rf"(?m)^ftcoll: rank {rank} has been in {call} at blocked\({site}[+.\w]*\) .*: it needs rank 1, which is dead"
            for rank in (0, 2, 3)]


def named(settings):
    return [f"p2p = {settings['FTCOLL_P2P']}"] if "FTCOLL_P2P" in settings else []


def blocked(scene, *says, n=4, settings=ABORT, **more):
    expected = {"status": "failed", "check": told_by_one, **more}
    ranks = [] if n == 4 else [f"{n} ranks"]
    name = ", ".join([scene, settings.get("FTCOLL_ON_BLOCKED", "warn"), *ranks, *named(settings)])
    return Case(f"blocked: {name}", n, 1, settings=settings,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/blocked {scene} {LATE_MS}", says=says,
                **expected)


BLOCKED = [
    blocked("waits", sits("MPI_Allgather", "gather"), settings=WARN, status=(0, "failed"),
            hand=interrupt_when_told(1), check=told_once),
    blocked("waits", sits("MPI_Allgather", "gather", reaction="abort", advice=would(INTERCEPT, LARGE)), n=2),
    Case("blocked: waits, by default", 4, 1, settings=QUICK, status="failed", check=told_by_one,
         command=f"mpiexec.hydra -n {{n}} {{programs}}/blocked waits {LATE_MS}",
         says=(sits("MPI_Allgather", "gather", reaction="abort", advice=would(INTERCEPT, LARGE)),)),
    blocked("large", sits("MPI_Allreduce", "(large|main)", reaction="abort", advice=would(LARGE))),
    blocked("root", sits("MPI_Bcast", "(root|main)", "may need", "abort", would(INTERCEPT, LARGE))),
    *(blocked(scene, *sit_all(*where), settings=WARN, status=(0, "failed"), hand=interrupt_when_told(3),
              check=told_once, tags=defect_if(scene in ("remote-leader", "halves"))) for scene, where in (
        ("remote-leader", ("MPI_Intercomm_create", r"(join_halves|remote_leader|main)")),
        ("remote-member", ("MPI_Intercomm_create", r"(join_halves|remote_member|main)")),
        ("groups-leader", ("MPI_Intercomm_create_from_groups", r"(between_groups|groups_leader|main)")),
        ("groups-member", ("MPI_Intercomm_create_from_groups", r"(between_groups|groups_member|main)")),
        ("halves", ("MPI_Allgather", "gather")))),
    blocked("exchange", sits("MPI_Sendrecv", "(exchange|main)", "may need", advice=would(IGNORE)), settings=WARN, status=(0, "failed"),
            hand=interrupt_when_told(1), check=told_once, tags=DEFECT),
    blocked("edge", sits("MPI_Sendrecv_replace", "(edge|main)", reaction="abort", advice=would(IGNORE)), tags=DEFECT),
    *(case for scene in ("buffered", "buffered-init") for case in (
        blocked(scene, sits("MPI_Buffer_detach", r"(buffered\w*|main)", "may need", "abort", would(IGNORE)),
                tags=defect_if(scene == "buffered")),
        blocked(scene, settings={**ABORT, "FTCOLL_P2P": "error"}, status=0, failures=1, silent=("on_blocked", "was refused"),
                check=None, tags=defect_if(scene == "buffered-init")))),
    blocked("window", sits("MPI_Win_fence", "(window|main)", reaction="abort", advice=NO_ADVICE)),
    blocked("file", sits("MPI_File_close", "(file|main)", "may need", reaction="abort", advice=would(NEW))),
    blocked("nested", sits("MPI_Win_free", "(nested|main)", reaction="abort", advice=would(INTERCEPT))),
    blocked("threads", sits("MPI_Allgather", "gather", reaction="abort")),
    blocked("reused-all", sits("MPI_Allgather", "gather", reaction="abort")),
    blocked("jump", sits("MPI_Allgather", "gather", reaction="abort"), tags=DEFECT),
] + [blocked(scene, status=0, failures=1, silent=("on_blocked",), check=None, tags=defect_if(scene == "jump-and-work"))
     for scene in ("living", "reused-living", "group-living", "jump-and-work")] + [
    *(blocked("jump-and-copy", status=0, n=n, settings={**ABORT, "FTCOLL_COMMUNICATORS": "survivors"}, silent=("on_blocked",), check=None,
              tags=defect_if(n == 2))
      for n in (2, 3)),
    *(Case(f"blocked: {scene}, {n} ranks", n, 1, status="failed", failures=None, limit_s=TEN_S,
           settings={"FTCOLL_PROTECT": "all", "FTCOLL_ON_BLOCKED": on_blocked},
           command=f"mpiexec.hydra -n {{n}} {{programs}}/blocked {scene}",
           says=(r"(?m)^ftcoll: rank \d has left a user-defined operation by longjmp or an exception, in the middle of "
                 r"MPI_Allreduce, which cannot be completed any more",), silent=("Assertion",),
           tags=defect_if(n == 2 and scene in ("jump-from-operation", "threads-jump-from-operation", "jump-from-operation-free")))
      for n, on_blocked in ((2, "off"), (3, "warn"))
      for scene in (f"{threads}jump-from-operation{behind}" for threads in ("", "threads-") for behind in ("", "-copy", "-later", "-free"))),
    Case("blocked: complete", 4, 1, settings=WARN, failures=1, command="mpiexec.hydra -n {n} {programs}/blocked complete",
         hand=release_when_told(3), check=told_complete, limit_s=3 * TEN_S),
    Case("blocked in Fortran", 3, 1, settings=ABORT, status="failed", check=told_by_one, tags=DEFECT,
         command="mpiexec.hydra -n {n} {programs}/blockedf",
         says=(r"has been in MPI_Allgather at blockedf\((gather_all|MAIN__)[.\w]*\+0x\w+\).* signal 6",)),
    Case("blocked in Fortran 2008", 3, 1, settings=ABORT, status="failed", check=told_by_one, tags=DEFECT,
         command="mpiexec.hydra -n {n} {programs}/blocked08",
         says=(r"has been in MPI_Win_fence at blocked08\(\w+\+0x\w+\).* needs rank 1.* signal 6",)),
    Case("blocked in Fortran 2008: the remote leader", 3, 1, settings=ABORT, status="failed", check=told_by_one,
         command="mpiexec.hydra -n {n} {programs}/blocked08 leaders",
         says=(r"rank [02] has been in MPI_Intercomm_create at blocked08\(\w+\+0x\w+\).* needs rank 1.* signal 6",)),
    blocked("requests", *(rf"rank {rank} has been in {call} at blocked\((requests|main)\+.*: it may need rank 1, "
                          for rank, call in ((0, "MPI_Wait"), (2, "MPI_Waitall"), (3, "MPI_Waitany"),
                                             (4, "MPI_Waitsome"))),
            n=5, settings={**WARN, "FTCOLL_P2P": "error"}, status=(0, "failed"), hand=interrupt_when_told(4), check=None),
    blocked("igather", sits("MPI_Wait", "(igather|main)", "may need", "abort", would(INTERCEPT, LARGE)),
            settings={**ABORT, "FTCOLL_P2P": "error"}),
    blocked("igather-large", sits("MPI_Wait", "(igather_large|main)", "may need", "abort", would(INTERCEPT, LARGE)),
            settings={**ABORT, "FTCOLL_P2P": "error"}),
    blocked("message", settings={**WARN, "FTCOLL_P2P": "error"}, status=0, failures=1, silent=("on_blocked",),
            check=None),
    blocked("polls", *(rf"rank {rank} has called MPI_{call} at blocked\((polls|look_for|main)[.\w]*\+.* again and again "
                       rf"for {SOME_TIME}: it may need rank 1, "
                       for rank, call in ((0, "Test"), (2, "Testall"), (3, "Testany"), (4, "Testsome"),
                                          (5, "Request_get_status"), (6, "Iprobe"), (7, "Improbe"))),
            n=8, settings=WARN, status=(0, "failed"), hand=interrupt_when_told(7), check=None),
    blocked("polls", r"rank \d has called MPI_\w+ at .* again and again .*; on_blocked = abort", tags=DEFECT),
    blocked("polls-window", r"rank [023] has called MPI_Win_test at blocked\((polls_window|main)[.\w]*\+.* again and again "
            r".*: it may need rank 1, .*; on_blocked = abort", tags=DEFECT),
    blocked("polls-partition", r"rank 0 has called MPI_Parrived at blocked\((polls_partition|main)[.\w]*\+.* again and again "
            r".*: it may need rank 1, .*; on_blocked = abort", settings={**ABORT, "FTCOLL_INTERCEPT": "all"}),
    blocked("polls-partition", settings={**ABORT, "FTCOLL_INTERCEPT": "all", "FTCOLL_P2P": "error"}, status=0, failures=1,
            silent=("on_blocked",), check=None),
    blocked("polls-window-living", settings=WARN, status=0, failures=1, silent=("on_blocked",), check=None),
    blocked("now-and-then", settings={**WARN, "FTCOLL_INTERCEPT": "all"}, status=0, failures=1,
            silent=("on_blocked",), check=None),
    blocked("polls-living", n=8, settings={**WARN, "FTCOLL_P2P": "error"}, status=0, failures=1, silent=("on_blocked",),
            check=None),
    *(blocked(f"master-{what}", rf"rank 0 has .* it may need rank 1, which is dead .*on_blocked = {reaction}",
              settings={**settings, "FTCOLL_P2P": p2p, "FTCOLL_INTERCEPT": intercept}, **more)
      for what, p2p, intercept, reaction, settings, more in (
          ("waits", "ignore", "all", "abort", ABORT, {"tags": DEFECT}),
          ("looks", "ignore", "all", "abort", ABORT, {}),
          ("waits", "error", "all", "warn", WARN, {"hand": interrupt_when_told(1), "status": (0, "failed"), "check": None}),
          ("looks", "native", "all", "abort", ABORT, {}),
          ("waits", "native", "all", "abort", ABORT, {}))),
    blocked("waits", settings={**WARN, "FTCOLL_ON_BLOCKED": "off"}, status=(0, "failed"), check=None,
            silent=("on_blocked",), hand=interrupt_later),
]


# ---- a job that stands still, and none that does ----

def told_each(job):
    lines = re.findall(r"(?m)^ftcoll: rank (\d) has been in .*no living rank has ended a call since: the death of rank 1 "
                       r"\(killed by signal 9\) .*; on_blocked = ", job.text("stderr"))
    return "" if sorted(lines) == ["0", "2", "3"] else f"ranks {lines} are named, and not each once"


def stuck(scene, *calls, settings=None, **more):
    """With all that protects; @calls of ranks 0, 2 and 3."""
    says = [rf"(?m)^ftcoll: rank {rank} has been in {call} for \d+\.\d s, and no living rank" for rank, call in zip((0, 2, 3), calls)]
    expected = {"status": "failed", "check": told_each, "says": says, "limit_s": 3 * TEN_S, **more}
    settings = {"FTCOLL_PROTECT": "all", **(settings or QUICK)}
    return Case(f"stands still: {scene}, {settings.get('FTCOLL_ON_BLOCKED', 'abort')}", 4, 1, settings=settings, rotate=False,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/stuck {scene}", **expected)


def goes_on(scene, milliseconds="1000", **more):
    return stuck(scene, settings={"FTCOLL_BLOCKED_MS": milliseconds}, status=0, failures=1, check=None,
                 says=("(stuck: rank [023] is through(.|\n)*){3}",), silent=("on_blocked", "stuck: rank [023] has", "the older"), **more)


AT = r" at stuck\(\w+(\.\w+)*\+0x\w+\)"
STANDS_STILL = [
    stuck("sends", *3 * [f"MPI_Send{AT}"]),
    stuck("sends", *3 * [f"MPI_Send{AT}"], settings=WARN, status=(0, "failed"), hand=interrupt_when_told(3)),
    stuck("apart", *3 * [f"MPI_Barrier{AT}"]),
    stuck("file", f"MPI_Barrier{AT}", f"MPI_Barrier{AT}", f"MPI_File_close{AT}"),
    stuck("leaves", "MPI_Finalize", *2 * [f"MPI_Recv{AT}"]),
    stuck("requests", f"MPI_Wait{AT}", *2 * [f"MPI_Recv{AT}"]),
    *(goes_on(scene) for scene in ("computes", "combines", "beside", "tests", "thread", "stopped", "reads", "writes", "moves", "works", "neighbors", "older")),
]


# ---- mismatched calls of which native MPI carries out some ----

def mixed_call(site, rank=0):
    return rf"rank {rank} \w+( been)?( in)? MPI_Allreduce\(count 4, MPI_DOUBLE, MPI_SUM\) at wrong\({site}[+.\w]*\)"


NATIVE_CALL = (r"rank {last} (called|is in) {call} at wrong\({site}[+.\w]*\), which native MPI carries out")

MIXED_WARNING = r"(?m)^ftcoll: {} for " + SOME_TIME + r", while {}: if these are to be one call, they do not match; on_blocked = {}$"

MIXED_ERROR = r"ftcoll: mismatched collective calls: {}, {}"

SUM_UP = ("MPI_Allreduce", "sum_up")


def mixed(what, n, calls=SUM_UP, settings=ABORT, **more):
    """The last rank's call is native."""
    text = MIXED_ERROR if settings is ABORT else MIXED_WARNING
    reaction = settings.get("FTCOLL_ON_BLOCKED", "abort, by default")
    other = NATIVE_CALL.format(last=n - 1, call=calls[0], site=calls[1])
    expected = {"status": "failed", "says": (text.format(mixed_call("sum_up"), other, reaction),), **more}
    return Case(f"mismatched {what} with native, {n} ranks, {reaction}",
                n, 1, settings=settings, limit_s=TEN_S,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/wrong {what} {LATE_MS}", **expected)


MIXED_CALLS = [mixed(what, n, calls, tags=defect_if((what, n) == ("large", 2))) for n in (2, 4) for what, calls in (
    ("large", SUM_UP), ("order", SUM_UP), ("barrier", ("MPI_Barrier", "meet")))] + [
    *(mixed("large", 4, settings=settings, status=(0, "failed"), hand=interrupt_when_told(1), check=told_by_one)
      for settings in (WARN, QUICK)),
    mixed("returns", 4, status=5, says=("(rank [012]: class MPI_ERR_OTHER: 1(.|\n)*){3}",),
          hand=release_when(lambda job: job.text("stdout").count("class MPI_ERR_OTHER") == 3)),
    *(mixed(what, 4, status=0, says=("(got a result(.|\n)*){4}",), silent=("ftcoll",))
      for what in ("late", "elsewhere", "ahead")),
]


# ---- point-to-point calls with dead ranks ----

def p2p(what, n, scenario, mode, **more):
    """@scenario of programs/p2p.c, which checks the calls itself."""
    expected = {"says": ("(?m)^0 wrong$",), "silent": ("wrong:",), **more}
    return Case(f"p2p = {mode}: {what}", n, n - 1, rotate=False, settings={"FTCOLL_P2P": mode},
                command=f"mpiexec.hydra -n {{n}} {{programs}}/p2p {scenario}", **expected)


# Scenarios that show defects which had been found.
FOUND = ("before", "truncated", "too-long", "copies-from-any", "served")

P2P = [p2p(what, n, scenario, mode, tags=defect_if(scenario in FOUND and (mode == "error" or scenario == "before")))
       for mode in ("error", "ignore") for what, n, scenario in (
    ("a rank that is known to be dead", 3, "before"),
    *((f"a rank dies while another waits for it, from call {first}", 8, f"while {first}")
      for first in (0, 7, 14, 21, 28, 31)),
    *((f"a dead rank's messages, from call {first}", 8, f"after {first}") for first in (0, 7, 14, 21)),
    ("a rank dies while another looks at its request among several", 4, "while 38"),
    ("a dead rank's messages, of requests looked at among several", 4, "after 38"),
    ("many messages of a dead rank", 2, "many"),
    ("messages in partitions", 5, "partitions"),
    ("a message that is too long, beside others", 9, "truncated"),
    ("a message that is too long, behind others", 3, "too-long"),
    ("large messages of a dead rank", 4, "large"),
    ("copies out of a dead rank's memory", 6, "copies"),
    ("copies out of a dead rank's memory, from any source", 3, "copies-from-any"),
    ("any source", 5, "any"),
    ("any source, served by a living rank", 3, "served"),
    ("any source, each death once", 5, "once"),
    ("threads", 7, "threads"),
)] + [
    *(Case(f"p2p = {mode}: the first message of a dead rank", 3, 1, rotate=False, settings={"FTCOLL_P2P": mode},
           command="mpiexec.hydra -n {n} {programs}/posthumous", failures=1, says=("posthumous: 2 in the sum",),
           tags=defect_if(mode == "native"))
      for mode in ("native", "ignore")),
    p2p("MPI_ERRORS_ARE_FATAL", 2, "fatal", "error", status=101, silent=("it went on",), says=(
        r"ftcoll: MPI_Recv: rank 1 of the communicator is dead: rank 1 of MPI_COMM_WORLD, "
        r"killed by signal 9",)),
    Case("p2p = error: Fortran 2008", 3, 2, rotate=False, settings={"FTCOLL_P2P": "error"},
         command="mpiexec.hydra -n {n} {programs}/p2p08", says=("(?m)^0 wrong$",)),
]

# A rank that waits there gives its core away where ranks share cores.
CORES = sorted(os.sched_getaffinity(0))
YIELDS = [
    Case(f"yields: {what}", 2, 1, settings=settings, command=f"{where}mpiexec.hydra -n {{n}} {{programs}}/yields {asked}",
         says=("(?m)^yields: as asked$",),
         skip="there is one core" if what == "auto, a core for each rank" and len(CORES) < 2 else "")
    for what, settings, where, asked in (
        ("on", {"FTCOLL_YIELD": "on"}, "", "always"),
        ("on, on_blocked = off", {"FTCOLL_YIELD": "on", "FTCOLL_ON_BLOCKED": "off"}, "", "always"),
        ("off", {"FTCOLL_YIELD": "off"}, "", "never"),
        ("auto, one core", {}, f"taskset -c {CORES[0]} ", "always"),
        ("auto, a core for each rank", {}, "", "never"))]
