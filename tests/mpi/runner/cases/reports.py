"""What the library tells of a job."""
import json
import re

from .. import inclusion
from ..case import Case
from .common import ABORT, ALLREDUCE, DEFECT, MIXED, SILENCE, SURVIVORS, TEN_S, defect_if, needs_root, stream, tolerated


# ---- native fallback, report, questions ----

SUMMARY = {"FTCOLL_REPORT": "summary"}

FAILURE = (r"(?m)^ftcoll: rank 2 \(\S+, pid \d+\) killed by signal 9 \(Killed\); missed in "
           r"MPI_Allreduce #\d+ at stream\S*, noticed by rank \d after \d+ us; all survivors had "
           r"the result after \d+ us$")


def counted(call, count, text):
    return rf"(?m)^ftcoll: {call} +{count}  {text}$"


def report_files(job):
    new, old = job.text("report.1"), job.text("report")
    return "" if old == "older\n" and re.search(FAILURE, new) else "the file is not as it should be"


REPORT = [
    Case("native fallback", 4, 1, command="mpiexec.hydra -n {n} {programs}/fallback", tags=DEFECT,
         settings=SUMMARY, says=(
             "fallback: all results are right", "no rank failed",
             counted("MPI_Allreduce", 1, "native: message larger than max_bytes"),
             counted("MPI_Reduce", 1, "native: message larger than max_bytes"),
             counted("MPI_Allreduce", 1, "native: operation is not commutative, and setting intercept does not name noncommutative"),
             counted("MPI_Allreduce", 1, "native: communicator has one process"),
             counted("MPI_Allreduce", 4, "native: arguments that native MPI rejects"),
             counted("MPI_Reduce", 1, "native: arguments that native MPI rejects"),
             counted("MPI_Allreduce", 1, "native: MPI_BOTTOM: the datatype has addresses, and setting intercept does not name noncommutative"),
             counted("MPI_Allreduce", 1, "native: intercommunicator, and setting intercept does not name intercommunicators"),
             counted("MPI_Allreduce", 1, "carried out by ftcoll"))),
    Case("native fallback without the library", 4, 1, preload=False,
         command="mpiexec.hydra -n {n} {programs}/fallback", says=("all results are right",)),
    tolerated("messages around max_bytes", 4, 1, "", "--calls allreduce --max-bytes 2048",
              settings={"FTCOLL_MAX_BYTES": "512", **SUMMARY},
              says=("message larger than max_bytes", "carried out by ftcoll")),
    tolerated("intercept = reduce", 4, 1, "", settings={"FTCOLL_INTERCEPT": "reduce", **SUMMARY},
              says=("MPI_Allreduce +\\d+  native: setting intercept does not name this call",
                    "MPI_Reduce +\\d+  carried out by ftcoll")),
    tolerated("report: nobody dies", 3, 1, "", silent=("ftcoll",)),
    # in the operation of MPI_Finalize itself, which is number 12 of the library; who is late may miss it in number 11
    Case("report: dead in MPI_Finalize", 3, 1, command="mpiexec.hydra -n {n} {programs}/names barrier",
         settings={"FTCOLL_CRASH": "1:12:a0"}, failures=1, silent=("nil",), tags=DEFECT,
         says=(r"\(Killed\); missed in MPI_Finalize, noticed by rank \d after \d+ us; all",)),
    tolerated("report = off", 3, 1, "kill@10:2", settings={"FTCOLL_REPORT": "off", "FTCOLL_NOTICE": "off"}, failures=0,
              silent=("ftcoll",)),
    tolerated("report = failures", 4, 1, "kill@10:2", ALLREDUCE, silent=("carried out", "setting"),
              says=(FAILURE, r"(?m)^ftcoll: 3 of 4 ranks survived \(f = 1\)$")),
    tolerated("report = summary, rank 0 dead", 4, 1, "kill@10:0", settings=SUMMARY,
              says=("calls of rank 1:", "MPI_Reduce +\\d+  carried out")),
    tolerated("report = full", 4, 1, "kill@10:2", ALLREDUCE, settings={"FTCOLL_REPORT": "full"},
              says=(FAILURE, r"(?m)^ftcoll:     #0 stream\(.*main", "setting report = full")),
    *(Case(f"report: the writer was in another operation, report = {report}", 4, 1, failures=1, tags=defect_if(report == "failures"),
           settings={"FTCOLL_REPORT": report}, command="mpiexec.hydra -n {n} {programs}/firsthand",
           says=(r"missed in MPI_Allreduce #\d+ at firsthand\(part\+0x[0-9a-f]+\), noticed by rank [12] ",), silent=(r"missed in.*whole", r"#0 firsthand\(whole"))
      for report in ("failures", "full")),
    Case("report_file", 4, 1, settings={"FTCOLL_REPORT_FILE": "report", "FTCOLL_NOTICE": "off"}, finished=3, failures=0,
         command="echo older >report; mpiexec.hydra -n {n} {programs}/stream --calls allreduce "
                 "--fault kill@10:2", check=report_files, silent=("ftcoll",)),
    Case("report_file that cannot be", 4, 1, stream("kill@10:2"), finished=3, failures=1,
         settings={"FTCOLL_REPORT_FILE": "/nowhere/report"}, says=("cannot create report_file",)),
    Case("a program asks", 4, 1, command="mpiexec.hydra -n {n} {programs}/asks", failures=1,
         says=("(content with ftcoll(.|\n)*){3}",)),
]

# ---- call sites, by setting report = coverage ----

SITES = {"FTCOLL_REPORT": "coverage"}


def site(calls, ranks, call, fate, where, why=""):
    text = rf"(?m)^ftcoll: +{calls} on +{ranks}  {call} +{fate} +{where}[.a-z0-9]*\+0x[0-9a-f]+\)"
    return text + (rf": {why}(;( FTCOLL_\w+=\w+)+)?$" if why else "$")


NOBODY = "MPI_PROC_NULL, MPI_COMM_SELF, or requests of protected calls"


NO_WAIT = r"no MPI call waits for the dead rank \(at the call sites and message sizes of this run\)"


def advised(settings):
    return lambda job: "" if f"ftcoll: verdict with {settings}: " in job.text("stderr") else "another advice"


def follow(program, n, advice, verdict, **more):
    """A run, and one with the advised settings."""
    return Case(f"coverage: advice for {program}", n, 1, settings=SITES, says=(
                    f"(?m)^ftcoll: verdict with {advice}", f"(?m)^second run: .*\n(.*\n)*ftcoll: verdict: when a rank of this program dies, "
                    f"{verdict}"),
                command=f"run='mpiexec.hydra -n {{n}} {{programs}}/{program}'; rm -f rounds; $run 2>first; cat first; rm -f rounds; "
                        "settings=$(sed -n 's/^ftcoll: verdict with \\([^:]*\\): .*/\\1/p' first); "
                        "echo \"second run: $settings\"; exec env $settings $run 2>&1", **more)


COVERAGE = [
    Case("coverage: nobody dies", 4, 1, command="mpiexec.hydra -n {n} {programs}/sites", settings=SITES,
         says=(site("1,200", 4, "MPI_Allreduce", "protected", r"sites\(energy"),
               site(4, 4, "MPI_Gather", "not protected", r"sites\(collect", "setting intercept does not name this call"),
               site(4, 4, "MPI_Allreduce", "not protected", r"sites\(spectrum",
                    "message larger than max_bytes"),
               site(4, 4, "MPI_Iallreduce", "not protected", r"sites\(late", "setting intercept does not name this call"),
               r"(?s)not protected.*1,200",  # the exposed come first
               r"\d % of 1,2\d\d calls that need other ranks are protected; a dead rank would leave the "
               r"others waiting at \d of \d call sites")),
    Case("coverage: also of a dead rank", 4, 1, settings=SITES, failures=1,
         command="mpiexec.hydra -n {n} {programs}/sites die",
         says=(site("1,203", 4, "MPI_Allreduce", "protected", r"sites\(energy"),
               "all 1,203 calls that need other ranks are protected")),
    Case("coverage: monitor = timeout, on_blocked = off", 2, 1,
         command="mpiexec.hydra -n {n} {programs}/sites",
         settings={**SITES, **SILENCE, "FTCOLL_ON_BLOCKED": "off"},
         says=(site(2, 2, "MPI_Gather", "not protected", r"sites\(collect", "setting intercept does not name this call"),)),
    Case("coverage: Fortran 2008", 4, 1, settings=SITES, failures=1,
         command="mpiexec.hydra -n {n} {programs}/fortran08",
         says=(site(4, 4, "MPI_Allreduce", "protected", r"fortran08\(MAIN__"),
               site(3, 3, "MPI_Reduce", "protected", r"fortran08\(MAIN__"))),
    Case("coverage: Fortran 77", 3, 1, settings={**SITES, "FTCOLL_INTERCEPT": "reduce"},
         command="mpiexec.hydra -n {n} {programs}/fortran77",
         says=(site(3, 3, "MPI_Reduce", "protected", r"fortran77\(total_"),
               site(3, 3, "MPI_Barrier", "not protected", r"fortran77\(meet_",
                    "setting intercept does not name this call"),
               "50.0 % of 6 calls that need other ranks are protected; a dead rank would leave the others "
               "waiting at 1 of 2 call sites")),
    # a line each: "not twice" is "never without the reason"
    Case("coverage: communicators = survivors", 4, 1, settings={**SITES, **SURVIVORS}, failures=1, tags=DEFECT,
         command="mpiexec.hydra -n {n} {programs}/communicators 5 1",
         says=(site(7, 4, "MPI_Comm_dup", "protected", r"communicators\(copies", "by setting communicators"),
               site(15, 3, "MPI_Comm_split", "protected", r"communicators\(one_round", "by setting communicators")),
         silent=(site(r"\d+", r"\d", r"MPI_Comm_\w+", "protected", r"communicators\(\w+"),)),
] + [
    Case(f"coverage: p2p = {mode}, {arguments}", 4, 1, command=f"mpiexec.hydra -n {{n}} {{programs}}/sites {arguments}",
         settings={**SITES, "FTCOLL_P2P": mode, "FTCOLL_INTERCEPT": "all"},
         says=(*(site(4, 4, f"MPI_{call}", fate, r"sites\(ring", why) for call in (
                   "Sendrecv", "Sendrecv_replace", "Send", "Probe", "Recv", "Ssend", "Wait", "Waitany", "Waitsome",
                   "Mprobe", "Mrecv", "Waitall")),
               site(4, 4, "MPI_Send", "needs nobody", r"sites\(ring", NOBODY),
               site(4, 4, "MPI_Wait", "not protected", r"sites\(exchange_late",
                    why if mode == "native" else "no protection for this call"),
               site(4, 4, "MPI_Wait", *(("needs nobody", r"sites\(late", NOBODY) if mode == "native" else
                                        (fate, r"sites\(late", why))),
               f"1,2{76 if mode == 'native' else 80} calls that need other ranks"),
         check=advised(f"{advice} FTCOLL_COMMUNICATORS=survivors".strip()), tags=defect_if(fate.startswith(("ends", "returns"))))
    for mode, arguments, fate, why, advice in (
        ("native", "ring", "not protected", "setting p2p is native", "FTCOLL_P2P=ignore"),
        ("native", "ring returns", "not protected", "setting p2p is native", "FTCOLL_P2P=error"),
        ("error", "ring", "ends the job", "an error by setting p2p, and errors are fatal", "FTCOLL_P2P=ignore"),
        ("error", "ring returns", "returns error", "an error by setting p2p", ""),
        ("ignore", "ring", "protected", "by setting p2p", ""))
] + [
    # what is advised is what helps: the next run has it in its environment
    follow("rounds 20", 3, r"FTCOLL_INTERCEPT=all: some MPI calls return errors, for example in MPI_Bcast at rounds\(broadcast",
           r"some MPI calls return errors, for example in MPI_Bcast at .*\(an error if the root is dead\); ftcoll rehearse", tags=DEFECT),
    follow("sites", 3, "FTCOLL_INTERCEPT=all FTCOLL_MAX_BYTES=65536 FTCOLL_P2P=ignore: " + NO_WAIT + ", if MPI_Wait calls wait for "
                       "messages only; ", NO_WAIT + "; "),
    follow("sites ring", 3, "FTCOLL_INTERCEPT=all FTCOLL_P2P=ignore FTCOLL_COMMUNICATORS=survivors: the program aborts, for example in "
                            r"MPI_Intercomm_create_from_groups at sites\(",
           r"the program aborts, for example in MPI_Intercomm_create_from_groups at .*\(an error if a leader is dead, and errors are fatal\)$"),
    follow("sites open", 3, "FTCOLL_INTERCEPT=all FTCOLL_P2P=ignore FTCOLL_COMMUNICATORS=survivors: "
                            "the program aborts after blocked_ms \\(on_blocked = abort\\), for example in MPI_Win_create at sites\\(",
           r"the program aborts after blocked_ms \(on_blocked = abort\), for example in MPI_Win_create at .*\nftcoll: no setting changes that$"),
    follow("advised uneven 98304", 3, "FTCOLL_INTERCEPT=all FTCOLL_LARGE=protected FTCOLL_ON_DEAD_ROOT=keep: " + NO_WAIT, NO_WAIT,
           tags=DEFECT),
    follow("between 3 20000 -1 -1", 3,
           "FTCOLL_INTERCEPT=all FTCOLL_LARGE=protected FTCOLL_P2P=error FTCOLL_COMMUNICATORS=survivors: the program aborts, for example in "
           "MPI_Intercomm_create", "the program aborts, for example in MPI_Intercomm_create", tags=DEFECT),
    follow("advised leaders", 3, "FTCOLL_COMMUNICATORS=survivors: the program aborts, for example in MPI_Intercomm_create at advised",
           r"the program aborts, for example in MPI_Intercomm_create .*\(an error if a leader is dead, and errors are fatal\)$", tags=DEFECT),
    follow("advised tests", 3, "FTCOLL_P2P=ignore: " + NO_WAIT + ", if", NO_WAIT + ";", tags=DEFECT),
    follow("advised files data", 3, "FTCOLL_COMMUNICATORS=survivors: " + NO_WAIT, NO_WAIT, tags=DEFECT),
    follow("advised pointer data", 3,
           "FTCOLL_COMMUNICATORS=survivors: some MPI calls return errors, for example in MPI_File_seek_shared at advised",
           r"some MPI calls return errors, .* in MPI_File_seek_shared .*\(an error if a rank that has opened the file is dead\); ",
           tags=DEFECT),
    Case("coverage: errors that return", 3, 1, settings={**SITES, "FTCOLL_INTERCEPT": "all"}, tags=DEFECT,
         command="mpiexec.hydra -n {n} {programs}/advised returns",
         says=(site(3, 3, "MPI_Bcast", "returns error", r"advised\(returns", "an error if the root is dead"),
               site(3, 3, "MPI_Allreduce", "protected", r"advised\(returns"), "some MPI calls return errors, for example in MPI_Bcast")),
    Case("coverage: communicators of one rank", 3, 1, settings={**SITES, **SURVIVORS}, tags=DEFECT,
         command="mpiexec.hydra -n {n} {programs}/advised copies",
         says=(site(3, 3, "MPI_Comm_dup", "needs nobody", r"advised\(copies", NOBODY),)),
    Case("coverage: files of one rank", 3, 1, settings={**SITES, **SURVIVORS}, tags=DEFECT,
         command="mpiexec.hydra -n {n} {programs}/advised files data",
         says=(site(3, 3, "MPI_File_set_size", "needs nobody", r"advised\(files", NOBODY),
               site(3, 3, "MPI_File_sync", "needs nobody", r"advised\(files", "each rank does it alone"))),
    *(Case(f"coverage: condition {number}, {word}", 3, 1, settings={**SITES, **settings},
           command=f"mpiexec.hydra -n {{n}} {{programs}}/advised {word}",
           says=(rf"(?m)^ftcoll: condition: {text}.*, at {places}$",), silent=("survive",)) for number, (word, settings, text, places) in enumerate((
        ("sum", {}, r"reductions lack the dead rank's part \(with FTCOLL_REQUIRE_ALL=all", r"(advised\(sum\S*\)(, |$)){3}"),
        ("sum", {}, "output that only the dead rank writes .*, FTCOLL_CRITICAL_RANKS=0", r"advised\(sum\S*\)"),
        ("blocks", {}, r"blocks of a dead rank .*\(FTCOLL_DEAD_BLOCKS=zero", r"advised\(blocks\S*\), advised\(blocks\S*\)"),
        ("tests", {}, "receives from a dead rank get no data", r"advised\(tests\S*\), advised\(tests\S*\)"),
        ("root", {}, r"calls with a dead root .*\(FTCOLL_ON_DEAD_ROOT=keep\)", r"advised\(root\S*\), advised\(root\S*\)"),
        ("master", {}, "receives and probes from any source", r"advised\(master\S*\)"),
        ("probes", {}, "receives and probes from any source", r"advised\(probes\S*\)"),
        ("probes", {}, "receives from a dead rank get no data", r"advised\(probes\S*\)"),
        ("posted", {"FTCOLL_P2P": "ignore"}, "receives and probes from any source", r"advised\(posted\S*\)"),
        ("copies", {}, "new communicators are smaller", r"advised\(copies\S*\), advised\(copies\S*\)"),
        ("returns", {"FTCOLL_INTERCEPT": "all"}, "calls return errors, which the program has to handle", r"advised\(returns\S*\)"),
        ("files data", {}, "files lack the dead rank's part", r"(advised\(files\S*\),? ){3}and 2 more")))),
    Case("coverage: no condition for a critical rank and required sums", 3, 1, command="mpiexec.hydra -n {n} {programs}/advised sum",
         settings={**SITES, "FTCOLL_CRITICAL_RANKS": "0", "FTCOLL_REQUIRE_ALL": "all"}, says=("the program aborts, for",), silent=("condition",)),
    Case("coverage is not asked for", 4, 1, command="mpiexec.hydra -n {n} {programs}/sites",
         settings=SUMMARY, says=("calls of rank 0",), silent=("call sites",)),
]


# ---- who is in a result: settings record_file and require_all_at ----


def recorded(what, n, f, points, missing=(), complete=(), calls="allreduce", operations=20, **more):
    """@points are those of setting crash; operations of the library, not of one communicator."""
    settings = {"FTCOLL_RECORD_FILE": "record", "FTCOLL_CRASH": points, **more.pop("settings", {})}
    return Case(f"record: {what}", n, f, settings=settings, **more,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/inclusion {calls} {operations}",
                check=inclusion.check(n, missing, complete))


def is_utf8(job):
    """Half of a UTF-16 pair is no character, and neither is 0xff."""
    with open(job.path("record"), encoding="utf-8", errors="strict") as file:
        sites = [json.loads(line)["site"] for line in file]
    return "" if sites and all(site.startswith("o\u00e4\u20ac\U0001d11e" + 4 * "\ufffd" + "(") for site in sites) else str(sites)


# Rank 1 takes part in the world only: its operation is the world's. Others have two for each. Of mixed
# calls the root lives: a reduce whose root is known to be dead is no operation, and has no number.
RECORD = [
    recorded("nobody dies", 4, 1, "", complete=range(20)),
    recorded("dead before it contributed", 4, 1, "1:7:a0", complete=range(7), missing=range(7, 20)),
    recorded("dead, but in the result", 4, 1, "1:7:end", complete=range(8), missing=range(8, 20)),
    recorded("one in the result, one not", 6, 2, "1:7:end,3:14:a0", complete=range(7),
             missing=range(7, 20), runs=4, says=(r"(?m)^result 0 7 55$",)),
    recorded("rank 0 dies", 5, 1, "0:14:a0", complete=range(7), missing=range(7, 20)),
    recorded("the writer dies later", 5, 1, "1:3:a0,0:20:a1", runs=2),
    recorded("in all moments, allreduce", 6, 3, "1:3:b2,4:10:a2,2:20:b1", runs=6),
    recorded("in all moments, reduce", 6, 3, "1:3:b1,4:10:a1,2:20:b1", calls="reduce", runs=6),
    recorded("in all moments, mixed", 7, 2, "0:3:b1,1:8:a1,2:21:b2", calls="mixed", runs=6),
    recorded("by the paper's algorithm alone", 6, 1, "1:7:a0", missing=range(7, 20), runs=2,
             settings={"FTCOLL_ALGORITHM": "corrected"}, rotate=False),
    recorded("no reduce without its root", 3, 1, "1:7:a0", calls="reduce", runs=2),
    Case("record: a program with an odd name", 3, 1, settings={"FTCOLL_RECORD_FILE": "record", "FTCOLL_CRASH": "1:7:a0"},
         command="cp {programs}/inclusion 'in\"clu\\si\ton'; mpiexec.hydra -n {n} './in\"clu\\si\ton' allreduce 9",
         check=lambda job: "" if all(json.loads(line)["site"].startswith('in"clu\\si\ton(')
                                     for line in job.text("record").splitlines()) else "another site"),
    Case("record: a program whose name is not all UTF-8", 3, 1, tags=DEFECT,
         settings={"FTCOLL_RECORD_FILE": "record", "FTCOLL_CRASH": "1:7:a0"}, check=is_utf8,
         command="name=$(printf 'o\\303\\244\\342\\202\\254\\360\\235\\204\\236\\355\\240\\200\\377'); "
                 "cp {programs}/inclusion \"$name\"; mpiexec.hydra -n {n} \"./$name\" allreduce 9"),
    # of five rounds, each with seven operations whose root lives
    Case("record: count 0", 3, 1, settings={"FTCOLL_RECORD_FILE": "record", "FTCOLL_INTERCEPT": "all"}, failures=1, tags=DEFECT,
         command="mpiexec.hydra -n {n} {programs}/empty 2", check=lambda job: "" if [
             json.loads(line)["missing"] for line in job.text("record").splitlines()] == [[2]] * 35 else "other lines"),
    Case("record_file that cannot be", 4, 1, stream("kill@10:2"), finished=3, failures=1,
         settings={"FTCOLL_RECORD_FILE": "/nowhere/record"},
         says=(r"(?s)rank 0 cannot open record_file /nowhere/record: No such file",)),
    # As long as a file can be, where that is the largest number or what ext4 bears.
    Case("record_file that cannot grow", 4, 1, finished=3, failures=1, settings={"FTCOLL_RECORD_FILE": "record"},
         command="truncate -s 9223372036854775807 record || truncate -s 17592186040320 record; "
                 "mpiexec.hydra -n {n} {programs}/stream --calls allreduce --fault kill@10:0",
         says=(r"rank 1 cannot write record_file \S*/record: File too large",)),
    # The job's own memory files are smaller.
    Case("record_file at the limit of files' sizes", 4, 1, finished=3, failures=1, settings={"FTCOLL_RECORD_FILE": "record"},
         tags=DEFECT,
         command="truncate -s 4G record; prlimit --fsize=$((4 << 30)) "
                 "mpiexec.hydra -n {n} {programs}/stream --calls allreduce --fault kill@10:0",
         says=(r"rank 1 cannot write record_file \S*/record: File too large",)),
    Case("record_file that is a device", 4, 1, stream("kill@10:0"), finished=3, failures=1,
         settings={"FTCOLL_RECORD_FILE": "/dev/full"},
         says=("rank 0 cannot open record_file /dev/full: it is not a regular file",)),
    *(Case(f"record_file that is {what}", 3, 1, finished=2, failures=1, settings={"FTCOLL_RECORD_FILE": "record"},
           command=f"echo private >other; {made}; "
                   "mpiexec.hydra -n {n} {programs}/stream --calls allreduce --fault kill@10:1",
           says=(rf"rank 0 cannot open record_file \S*/record: {why}", ),
           check=lambda job: "" if job.text("other") == "private\n" else "the other file has changed",
           tags=defect_if(what in ("a symbolic link", "a second name")))
      for what, made, why in (
          ("a symbolic link", "ln -s other record", "it is a symbolic link"),
          ("a link to nowhere", "ln -s nowhere record", "it is a symbolic link"),
          ("a second name", "ln other record", r"it has a second name \(hard link\)"))),
    *needs_root(Case("record_file of another user", 3, 1, finished=2, failures=1, settings={"FTCOLL_RECORD_FILE": "record"},
           command="echo private >record; chown 12345 record; "
                   "mpiexec.hydra -n {n} {programs}/stream --calls allreduce --fault kill@10:1",
           says=(r"rank 0 cannot open record_file \S*/record: it belongs to another user", ),
           check=lambda job: "" if job.text("record") == "private\n" else "the file has changed")),
    Case("report_file that is a link", 4, 1, finished=3, failures=0, settings={"FTCOLL_REPORT_FILE": "report"},
         command="echo private >other; ln -s other report; ln -s nowhere report.1; "
                 "mpiexec.hydra -n {n} {programs}/stream --calls allreduce --fault kill@10:2",
         check=lambda job: "" if job.text("other") == "private\n" and not job.text("nowhere") and
         re.search(FAILURE, job.text("report.2")) else "the files are not as they should be"),
    # From 65 ranks on, who is in a value takes more room than what a broadcast adds to one.
    Case("record: values of max_bytes", 66, 1, settings={"FTCOLL_RECORD_FILE": "record", "FTCOLL_MAX_BYTES": "112", **SUMMARY},
         command="mpiexec.hydra -n {n} {programs}/widest 112", failures=1, limit_s=90,
         says=("the sums are right", counted("MPI_Allreduce", 2, "carried out by ftcoll"))),
    tolerated("record_file costs nothing that one could see", 6, 2, "kill@12:0,3", MIXED,
              settings={"FTCOLL_RECORD_FILE": "record"}),
]


# ---- how call sites are named ----

def names(what, program, settings, says, n=3, **more):
    """@program, made of names.cc, whose rank 1 dies in its third call."""
    settings = {"FTCOLL_CRASH": "1:2:a0", "FTCOLL_INTERCEPT": "all", **settings}
    return Case(f"call sites: {what}", n, 1, settings=settings, says=says, limit_s=TEN_S,
                command="cp {programs}/names whole; strip -o bare whole; ln -s bare link; exec "
                        f"mpiexec.hydra -n {{n}} ./{program}", **more)


ENERGY = r"model::energy\(int, double\)\+0x[0-9a-f]+"


def one_name(job):
    sites = {json.loads(line)["site"] for line in job.text("record").splitlines()}
    good = len(sites) == 2 and all(re.fullmatch(rf"bare(\({ENERGY}\)|\+0x[0-9a-f]+)", site) for site in sites)
    return "" if good else f"sites {sites}"


NAMES = [
    names("C++", "whole", SITES, (rf"(?m)protected +whole\({ENERGY}\)$", r"(?m)protected +whole\(hidden\(int\)[.\w]*\+0x[0-9a-f]+\)$",
                                  rf"missed in MPI_Allreduce #\d at whole\(({ENERGY}|hidden\(int\)\+0x[0-9a-f]+)\),")),
    names("a stripped program", "bare", SITES, tags=DEFECT, says=(rf"(?m)protected +bare\({ENERGY}\)$", r"(?m)protected +bare\+0x[0-9a-f]+$")),
    # by the name of the file in all of them, the monitor process's as well
    names("one name in all messages", "link gather", {"FTCOLL_RECORD_FILE": "record", "FTCOLL_INTERCEPT": "allreduce", **ABORT},
          (r"in MPI_Gather at bare\(model::collect\(int\)\+0x[0-9a-f]+\) for",), status="failed", check=one_name, tags=DEFECT),
    # the five calls of energy() and five of hidden() from the third on
    *(names(f"require_all_at = {at}", "whole", {"FTCOLL_REQUIRE_ALL_AT": at}, (rf"(names: {refused} refused(.|\n)*){{2}}",),
            silent=("no protected reduction",))
      for at, refused in (("model::energy", 5), ("model::energy(int, double)", 5), ("hidden, model::energy", 505))),
    names("require_all_at names nothing", "whole", {"FTCOLL_REQUIRE_ALL_AT": "hidden,f(a, b),hiden"},
          (r"(?m)^ftcoll: require_all_at: no rank called a protected reduction from 'f\(a, b\)'$",
           "reduction from 'hiden'"), silent=("from 'hidden'",)),
    *(Case(f"{setting} names nobody", 3, 1, stream(""), finished=3, settings={f"FTCOLL_{setting.upper()}": value},
           says=(f"(?m)^ftcoll: {setting} names rank {rank}, but the job has only ranks 0 to 2$",))
      for setting, value, rank in (("critical_ranks", "0,3", 3), ("crash", "1:9999999:b1,9:0:b1", 9))),
    *(Case(f"crash names as many points of one rank as fit: {last}", 3, 1, command="mpiexec.hydra -n {n} {programs}/inclusion allreduce 9",
           failures=1, tags=DEFECT, settings={"FTCOLL_CRASH": "2:9:a9," * 34 + last}, says=(rf"rank 2 kills itself in its {said}",))
      for last, said in (("2:3:a0", "operation 3"), ("2:there:1:a0", "call 1 at there"))),
]


def refused_at(expected, n):
    """@expected(communicator, operation) tells which incomplete results all survivors must refuse."""
    def compare(job):
        results, refusals = inclusion.told(job, "result"), inclusion.refusals(job)
        for key in results:
            survivors = n - 1 if key[0] == 0 else n - 2
            wanted = survivors if expected(*key) else 0
            if refusals.pop(key, 0) != wanted:
                return f"operation {key} was not refused on {wanted} ranks"
        return f"{refusals} were refused" if refusals or not results else ""
    return compare


def required(what, at, expected, n=5, intercept="all"):
    settings = {"FTCOLL_REQUIRE_ALL_AT": at, "FTCOLL_CRASH": "3:9:a0", "FTCOLL_INTERCEPT": intercept}
    return Case(f"require_all_at: {what}", n, 1, settings=settings, failures=1,
                command="mpiexec.hydra -n {n} {programs}/inclusion allreduce 20",
                check=refused_at(expected, n))


def whole(call, count, operation, **more):
    """Results of program required that lack rank 1. An optimised one makes its calls from main."""
    settings = {"FTCOLL_REQUIRE_ALL_AT": "main," + call.removeprefix("i"), "FTCOLL_CRASH": "1:3:a0", "FTCOLL_PROTECT": "all"}
    return Case(f"require_all_at: {call} of {count} numbers by {operation}", 3, 1, settings=settings, failures=1,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/required {call} {count} {operation}",
                says=(r"(?m)^required: rank [02]: [1-9]\d* incomplete, 0 accepted$",), silent=(r"[1-9]\d* accepted",), **more)


def significant(what, settings, **more):
    return Case(f"not all give the same: {what}, {' '.join(settings)}", 3, 1, settings=settings, tags=DEFECT,
                command=f"mpiexec.hydra -n {{n}} {{programs}}/significant {what}", **more)


# Calls with even numbers come from here() on some ranks only: all must decide alike.
REQUIRED = [
    significant("gatherv", {"FTCOLL_PROTECT": "all"}),
    significant("gatherv", {"FTCOLL_REPORT": "coverage"}),
    significant("packed", {"FTCOLL_PROTECT": "all"}),
    significant("hint", {"FTCOLL_PROTECT": "all"}, says=(r"significant: data sieving: disable\nsignificant: data sieving: enable\n",)),
    significant("waitall", {"FTCOLL_PROTECT": "all", "FTCOLL_BLOCKED_MS": "1000"}, failures=1, says=(r"(?m)^significant: 7, -1$",)),
    required("a function", "somewhere,here", lambda comm, number: number % 2 == 0),
    required("all functions", "here, there", lambda comm, number: True),
    required("a function that does not call", "main", lambda comm, number: False),
    required("part of a name", "her,ere", lambda comm, number: False),
    *(whole(call, 300, operation, tags=DEFECT)  # enough to be exposed
      for call, operation in (("allreduce", "user"), ("scan", "sum"), ("iexscan", "sum"), ("scan", "user"))),
    *(whole(call, count, "user") for call in ("reduce", "iallreduce", "reduce_scatter") for count in (1, 5000, 200000)),
    Case("require_all_at: a native reduction, with coverage", 3, 1, command="mpiexec.hydra -n {n} {programs}/advised sum",
         settings={**SITES, "FTCOLL_REQUIRE_ALL_AT": "sum", "FTCOLL_MAX_BYTES": "0"}, tags=DEFECT,
         says=("no rank called a protected reduction from 'sum'",)),
    Case("require_all_at: operations that begin after their calls, in Fortran", 4, 1, failures=1, tags=DEFECT,
         settings={"FTCOLL_REQUIRE_ALL_AT": "make_requests", "FTCOLL_INTERCEPT": "all"},
         command="mpiexec.hydra -n {n} {programs}/fortran08 requests",
         says=(r"(?m)^fortran: requests that failed: F T T$",), silent=("no protected reduction",)),
]
