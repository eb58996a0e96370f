"""Communicators that are made after a failure."""
import re
import signal

from ..case import Case
from .common import ABORT, DEFECT, SILENCE, SURVIVORS, TEN_S, THREADS, defect_if, strike

PROTECT_ALL = {"FTCOLL_PROTECT": "all"}


def content(ranks):
    return (rf"(communicators: rank \d is content(.|\n)*){{{ranks}}}",)


def communicators(name, n, f, args, settings=None, **more):
    """After the number of rounds come the victims."""
    dead = sum(len(victims.split(",")) for victims in re.findall(r"(?<= )[\d,]+", args)[1:])
    return Case(f"communicators: {name}", n, f, says=content(n - dead), failures=dead,
                settings={**SURVIVORS, **(settings or {})},
                command=f"mpiexec.hydra -n {{n}} {{programs}}/communicators {args}", **more)


def is_victim(process):
    return process.name == "communicators" and process.rank == 2


def bridges(what, n, arguments, dead, settings=None, **more):
    return Case(f"communicators: between two groups, {what}, n = {n}", n, more.pop("f", 1), failures=dead, limit_s=TEN_S,
                settings={**PROTECT_ALL, **(settings or {})}, says=(rf"(bridges: rank \d is content(.|\n)*){{{n - dead}}}",),
                command=f"mpiexec.hydra -n {{n}} {{programs}}/bridges {arguments}", **more)


def dwindling(n, dead, ms, way, threads=False, **more):
    return Case(f"communicators: {way}, {dead} of {n} die one after the other in {ms} ms{', two threads' if threads else ''}", n, dead,
                failures=dead, settings={**PROTECT_ALL, "FTCOLL_BLOCKED_MS": "1000"}, limit_s=60, tags=DEFECT,
                says=(rf"(dwindling: rank \d (is content|knows)(.|\n)*){{{n - dead}}}",),
                command=f"mpiexec.hydra -n {{n}} {{programs}}/dwindling {'--threads ' if threads else ''}{way} {{seed}} {dead} {ms}",
                **more)


def idup(scene, n, settings=SURVIVORS, options=(), **more):
    dead = int(scene in ("dead", "spent", "traits"))
    ways = "".join({"between": " between two groups", "threads": " with threads"}[o] for o in options)
    return Case(f"communicators: idup{ways}, {scene}, n = {n}", n, more.pop("f", 1), failures=dead,
                settings={"FTCOLL_FAILURE_INFO": "list", **settings}, limit_s=TEN_S,
                says=(rf"(idup: rank \d is content(.|\n)*){{{n - dead}}}",),
                command=f"mpiexec.hydra -n {{n}} {{programs}}/idup {' '.join('--' + o for o in options)} {scene}", **more)


NONE_IS_LEFT = "ftcoll: rank 0: {} makes a communicator of the {} survivors, not of all {} ranks: no copy"


PLACES = {**PROTECT_ALL, "FTCOLL_COMMUNICATORS": "places"}


def places(what, n, arguments, settings=None, **more):
    """After the number of steps come the victims, each after its step."""
    dead = more.pop("dead", sum(len(victims.split(",")) for victims in re.findall(r":([\d,]+)", arguments)))
    return Case(f"communicators: places are kept, {what}", n, more.pop("f", 1), failures=dead, limit_s=60,
                settings={**PLACES, **(settings or {})}, says=(rf"(places: rank \d is content(.|\n)*){{{n - dead}}}", *more.pop("says", ())),
                command=f"mpiexec.hydra -n {{n}} {{programs}}/places {arguments}", **more)


COMMUNICATORS = [
    communicators("nobody dies", 4, 1, " 5"),
    communicators("nobody dies, native", 4, 1, " 5", {"FTCOLL_COMMUNICATORS": "native"}),
    communicators("a rank dies", 4, 1, " 5 1"),
    communicators("rank 0 dies", 3, 1, " 5 0"),
    communicators("one of two dies", 2, 1, " 5 1"),
    communicators("a rank dies, messages of 16 bytes", 4, 1, " 5 1", {"FTCOLL_MAX_BYTES": "16"}),
    communicators("one after the other, more than f in all", 6, 1, " 5 4 0 3 1"),
    communicators("two at once", 6, 2, " 5 1,4"),
    communicators("all but one", 4, 3, " 5 0,1,3"),
    communicators("two after two, in pieces", 8, 2, " 2 0,7 3,4", {"FTCOLL_MAX_BYTES": "32"}),
    communicators("killed from outside", 4, 1, "--outside 5 2",
                  hand=strike(signal.SIGKILL, is_victim)),
    *(Case(f"communicators: rank {victim} of {n} dies in the middle{', with threads' if threads else ''}", n, 1, failures=1,
           settings=SURVIVORS, says=content(n - 1), limit_s=60, runs=3,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/communicators {threads} --anytime {{seed}} 30 {victim}")
      for n, victim, threads in ((2, 1, ""), (3, 0, ""), (4, 2, ""), (5, 4, ""), (2, 0, "--threads"), (4, 1, "--threads"))),
    *(idup(scene, n, options=options, **more) for scene, n, options, more in (
        ("alive", 4, [], {}), ("turned", 3, [], {}), ("dead", 4, [], {}),
        ("dead", 2, [], {"settings": PROTECT_ALL}), ("traits", 3, [], {}), ("alive", 5, ["between"], {}),
        ("dead", 5, ["between"], {"settings": PROTECT_ALL, "tags": DEFECT}),
        ("traits", 4, ["between"], {"settings": PROTECT_ALL}), ("spent", 3, [], {}), ("alive", 4, ["threads"], {}), ("dead", 4, ["threads"], {}))),
    Case("communicators: idup of a rank whose death no operation has told of, n = 3", 3, 1, status="failed", limit_s=TEN_S,
         settings={**SURVIVORS, **ABORT}, command="mpiexec.hydra -n {n} {programs}/idup unknown",
         says=(r"which is dead .*on_blocked = abort",)),
    *(dwindling(n, dead, ms, way, **more) for n, dead, ms, way, more in (
        (8, 6, 500, "dup", {"runs": 3}), (6, 4, 3000, "split", {}), (8, 6, 500, "group", {}), (8, 6, 1000, "merge", {}),
        (6, 4, 1000, "group", {"threads": True}))),
    Case("communicators: native nonblocking collectives are under way while a call is ended", 5, 1, failures=1, limit_s=TEN_S,
         settings=SURVIVORS, says=(r"(beside: rank \d: 0 wrong(.|\n)*){4}",), command="mpiexec.hydra -n {n} {programs}/beside"),
    places("nobody dies", 3, "2"),
    *(places(f"rank {victim} dies before step {at}", 4, f"3 {at}:{victim}") for victim in range(4) for at in (0, 2)),
    places("one of two dies", 2, "2 1:0"),
    places("one after the other, more than f in all", 5, "4 0:1 2:3 3:0"),
    places("two at once", 6, "3 1:0,3 2:5", f=2),
    places("a part of the world", 5, "--sub 3 1:0 2:3"),
    places("with threads", 4, "3 1:2", settings=THREADS),
    places("more copies than there are", 4, "--held 20 2 1:2", says=(NONE_IS_LEFT.format("MPI_Comm_dup", 3, 4),)),
    *(places(f"more copies of a part than there are{how}", 4, "--sub --held 6 2 1:1", settings=settings,
             says=(NONE_IS_LEFT.format("MPI_Comm_dup", 2, 3),)) for how, settings in (("", {}), (", with threads", THREADS))),
    places("a message of the dead is on a copy that was freed", 4, "--stale 1 3", dead=2),
    *(places(f"rank {victim} of {n} dies in the middle{how}", n, f"--anytime {{seed}} 20 {victim}", dead=1, settings=settings, runs=3)
      for n, victim, how, settings in ((2, 1, "", {}), (4, 0, "", {}), (4, 3, ", with threads", THREADS))),
    communicators("made and freed 500 times", 3, 1, " 500 1", limit_s=120),
    *(Case(f"communicators: made and freed 2000 times in the same memory, {words}", 2, 1, rotate=False, tags=DEFECT, limit_s=60,
           settings=PROTECT_ALL, command=f"mpiexec.hydra {hosts}-n {{n}} {{programs}}/churn 2000 {kb}",
           says=(r"(churn: rank \d is content\n(.|\n)*){2}",))
      for words, hosts, kb in (("one host", "", 1024), ("two hosts", "-launcher fork -hosts localhost,127.0.0.1 ", 4096))),
    *(Case(f"communicators: of {n}, a rank dies in a split before its message {sends}, and the old one is freed{how}", n, 1,
           failures=1, settings={**SURVIVORS, **settings}, limit_s=20, says=(rf"(reuse: rank \d: 0 wrong(.|\n)*){{{n - 1}}}",),
           silent=("Assertion",), command=f"mpiexec.hydra -n {{n}} {{programs}}/reuse {sends}",
           tags=defect_if((n, sends) == (4, 1) and settings != THREADS))
      for n, sends, how, settings in (
          (4, 1, "", {}), (4, 2, "", {}), (8, 1, "", {}), (4, 1, ", with threads", THREADS),
          (4, 1, ", with MPICH's progress thread", {"MPIR_CVAR_ASYNC_PROGRESS": "1"}))),
    *(Case(f"communicators: a rank dies to which message {number} cannot be sent{how}", 3, 1,
           settings={**SURVIVORS, **settings}, failures=1,
           command="mpiexec.hydra -n {n} -genv LD_PRELOAD {library}:{programs}/libcannot_send.so "
                   f"-genv CANNOT_SEND 1:{number} {{programs}}/unreached",
           says=(r"(unreached: rank \d: 2 in the sum(.|\n)*){2}",), tags=defect_if(number == 1))
      for number, how, settings in ((1, "", {}), (3, "", {}), (3, ", with threads", THREADS))),
    Case("communicators: a rank dies that is in the way of all messages", 3, 1, status="failed", tags=DEFECT,
         settings={**SURVIVORS, "FTCOLL_BLOCKED_MS": "1000"},
         command="mpiexec.hydra -n {n} -genv LD_PRELOAD {library}:{programs}/libcannot_send.so "
                 "-genv CANNOT_SEND 1:1 -genv CANNOT_ARRIVE 1 {programs}/unreached",
         says=("ftcoll: MPI_Comm_dup: a member cannot make communicators any more, because MPI's messages no longer reach it",)),
    *(bridges(what, n, arguments, dead, **more) for what, n, arguments, dead, more in (
        ("nobody dies", 2, "", 0, {}), ("nobody dies", 5, "", 0, {}), ("a rank dies", 4, "3", 1, {}), ("a rank dies", 7, "4", 1, {}),
        ("one dies, then two", 8, "3 6,7", 3, {"f": 2}), ("a leader dies", 6, "leader", 1, {}),
        ("a leader dies while it waits", 6, "waiting", 1, {"tags": DEFECT}),
        ("an unknown leader dies", 6, "strangers", 1, {"tags": DEFECT}),
        ("of communicators that come from one", 4, "crossed", 0, {}), ("one side dies", 4, "side", 2, {"f": 2}),
        ("one side dies", 2, "side", 1, {}))),
    *(bridges("a rank dies in one", n, "anytime {seed} 20", 1, runs=3) for n in (3, 4, 6)),
    bridges("a rank dies in one, with threads", 4, "anytime {seed} 20", 1, runs=3, settings=THREADS),
    *(bridges(f"made of groups, {what}", n, f"--groups {arguments}", dead, **more) for what, n, arguments, dead, more in (
        ("nobody dies", 2, "", 0, {}), ("nobody dies", 5, "", 0, {}),
        ("nobody dies, native", 5, "", 0, {"settings": {"FTCOLL_COMMUNICATORS": "native"}}), ("a rank dies", 4, "3", 1, {}),
        ("one dies, then two", 8, "3 6,7", 3, {"f": 2}), ("a leader dies", 6, "leader", 1, {}),
        ("a leader dies while it waits", 6, "waiting", 1, {}), ("an unknown leader dies", 6, "strangers", 1, {}),
        ("one side dies", 4, "side", 2, {"f": 2}))),
    *(bridges("made of groups, a rank dies in one", n, "--groups anytime {seed} 20", 1, runs=3) for n in (3, 6)),
    *(Case(f"communicators: between two groups, {what}the one names a leader that is dead, the other one another, n = 5", 5, 1,
           status="failed", settings={**PROTECT_ALL, **ABORT}, limit_s=TEN_S,
           command=f"mpiexec.hydra -n {{n}} {{programs}}/bridges {arguments} renamed",
           says=(r"bridges: rank 1 is content", rf"rank 2 has been in MPI_Intercomm_create{call} at bridges\(.*it may need rank 0, "
                 r"which is dead .*on_blocked = abort"), tags=defect_if(not call))
      for what, arguments, call in (("", "", ""), ("made of groups, ", "--groups", "_from_groups"))),
    bridges("nobody dies, monitor = timeout", 4, "", 0, settings=SILENCE),
    communicators("threads, nobody dies", 3, 1, "--threads 30"),
    communicators("threads, a rank dies", 4, 1, "--threads 30 2", limit_s=60),
    Case("communicators: too many die", 4, 1, settings=SURVIVORS, status="failed",
         command="mpiexec.hydra -n {n} {programs}/communicators 0 1,2",
         says=(r"ftcoll: MPI_Comm_dup: 2 of 4 processes failed \(ranks 1, 2\), more than the f = 1",)),
    Case("communicators: Fortran 2008", 4, 1, settings=SURVIVORS, failures=1,
         command="mpiexec.hydra -n {n} {programs}/fortran08 communicators",
         says=("fortran: 6 communicators have 18 ranks",)),
    Case("communicators: mismatched calls", 3, 1, settings=SURVIVORS, status="failed",
         command="mpiexec.hydra -n {n} {programs}/wrong creation", limit_s=TEN_S,
         says=(r"mismatched collective calls: rank \d called MPI_Comm_(dup|split)\(\) at wrong\S*, "
               r"rank \d called MPI_Comm_(dup|split)\(\) at ",)),
]
