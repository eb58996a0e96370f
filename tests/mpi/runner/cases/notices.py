"""What is told of a death at once (setting notice), and the report of a job that ends early."""
import calendar
import os
import re
import signal
import time

from ..case import Case
from ..job import Gone, Hang, wait_for
from .common import ABORT, ALLREDUCE, DEFECT, DIES_OF_SIGSEGV, SILENCE, SILENT_FOR, TEN_S, deaths_of, defect_if, is_launcher, stream

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
NOTICE = rf"(?m)^ftcoll: {TIME} .*$"
RECOVERY = r"(?m)all survivors \({}\) have their results, \d[\d.]* [um]s after the death of rank {}"
COUNT = r"\d+ ranks have failed"
NOW_S = 600  # apart, at most, of a line's time and the test's


def of_death(rank, alive, n, f, how=r"killed by signal 9 \(Killed\)", more="$"):
    return rf"(?m)^ftcoll: {TIME} rank {rank} \(\S+, pid \d+\) {how}; {alive} of {n} ranks go on \(f = {f}\){more}"


def early_end(failed, n, f):
    return rf"(?m)^ftcoll: the job ended before MPI_Finalize returned: {failed} of {n} ranks had failed \(f = {f}\)$"


def when_told(pattern, act):
    """Does @act once the job has said @pattern."""
    def hand(job):
        said = wait_for(lambda: re.search(pattern, job.text("stderr")) or job.process.poll() is not None, TEN_S)
        if not said:
            raise Hang(f"it does not say '{pattern}'\n{job.stacks()}")
        if job.process.poll() is not None:
            raise Gone(f"it ended before it said '{pattern}'")
        act(job)
    return hand


def done(job):
    job.allow("done")


def end_by(number):
    return lambda job: job.strike(number, is_launcher)


def each_once(deaths, recoveries=None, again=()):
    """A check: so many lines on deaths, of which no rank has two, and so many on recoveries. Who has told of the ranks @again is
    killed as soon as that can be seen, and may not have come to say on the board that it has: then another tells it, too."""
    def check(job):
        lines = re.findall(NOTICE, job.text("stderr"))
        ranks = re.findall(rf"(?m)^ftcoll: {TIME} rank (\d+) ", job.text("stderr"))
        recovered = sum("survivors" in line for line in lines)
        twice = sum(ranks.count(rank) == 2 for rank in again)
        told = len(lines) - recovered - twice
        if len(ranks) != len(set(ranks)) + twice or told != deaths:
            return f"{told} lines on deaths, of ranks {', '.join(ranks)}, not {deaths} of different ones"
        if recoveries is not None and recovered != recoveries:
            return f"{recovered} lines say that all have their results, not {recoveries}"
        return ""
    return check


def in_local_time(zone_s):
    """A check: the times are those of a zone so far from UTC."""
    def check(job):
        for text in re.findall(rf"(?m)^ftcoll: ({TIME}) ", job.text("stderr")):
            then = calendar.timegm(time.strptime(text, "%Y-%m-%d %H:%M:%S")) - zone_s
            if abs(time.time() - then) > NOW_S:
                return f"{text} is not now, in a zone of {zone_s} s"
        return each_once(1, 1)(job)
    return check


def is_monitor_of(job, rank):
    """The one whose child is the program: that of a shell around it is not meant."""
    pids = [p.pid for p in job.processes() if p.name == "stream" and p.rank == rank]
    if not pids:
        raise Gone(f"there is no rank {rank}")
    return lambda process: process.is_monitor() and process.command.split()[1:] == [str(pids[0])]


def kill_monitor_of(rank, then):
    def hand(job):
        job.strike(signal.SIGKILL, is_monitor_of(job, rank))
        when_told(of_death(rank, r"\d", r"\d", r"\d"), then)(job)
    return hand


# Nobody is through before what a case waits for.
UNTIL_DONE = "--ops 3000 --go 50 --await 3000:done --calls allreduce"


def in_shells(arguments, libraries="{library}"):
    """Hydra ends a job in which a process of its own is killed, so it gets shells, which stay."""
    return (f"mpiexec.hydra -n {{n}} sh -c 'LD_PRELOAD={libraries} {{programs}}/stream {arguments} || [ $? = 137 ] || exit 1; "
            "touch ended$PMI_RANK; while [ $(ls | grep -c ended) -lt {n} ]; do sleep 0.05; done'")


IN_SHELLS = in_shells(UNTIL_DONE)
REPORT_FILE = {"FTCOLL_REPORT_FILE": "report"}


def killed_and(check):
    """A check: a writer was killed, and @check."""
    return lambda job: check(job) if os.path.exists(job.path("killed")) else "no writer was killed"


def writer_killed(name, n, f, arguments, writes, **more):
    """The first process of the job that writes a line with @writes is killed just then."""
    settings = {"KILLED_WRITES": writes, **more.pop("settings", {})}
    return Case(f"notice: killed as it writes {name}", n, f, rotate=False, status=(0, "failed"), limit_s=TEN_S, settings=settings,
                command=in_shells(arguments, "{library}:{programs}/libkilled_writer.so"), **more)


def told(name, n, f, faults, *says, recoveries=1, **more):
    """While the job goes on."""
    dead = deaths_of(faults)
    alive = n - dead
    expected = {"finished": alive, "failures": dead, "check": each_once(dead, recoveries),
                "hand": when_told(RECOVERY.format(alive, r"\d+"), done), **more}
    return Case(f"notice: {name}", n, f, stream(faults, UNTIL_DONE), says=says, limit_s=TEN_S, **expected)


def many(name, n, dead, *says, **more):
    return Case(f"notice: {name}", n, dead, command=f"mpiexec.hydra -n {{n}} {{programs}}/last {dead}", failures=dead,
                rotate=False, hand=when_told(RECOVERY.format(n - dead, r"\d+"), done), says=says, **more)


def in_whole_lines(job):
    """Nothing but what is said of three deaths is there, and none of it twice or cut."""
    known = (of_death(r"\d+", r"\d+", 64, 3), "(?m)^ftcoll: " + TIME + " " + RECOVERY[4:].format(r"\d+", r"\d+") + r" \(missed in \w+ #\d+\)$",
             r"^ftcoll: rank \d+ \(\S+, pid \d+\) killed by signal 9 \(Killed\); missed in MPI_Allreduce #\d+ at last\S+, "
             r"noticed by rank \d+ after \d+ us; all survivors had the result after \d+ us$",
             r"^ftcoll: 61 of 64 ranks survived \(f = 3\)$")
    lines = job.text("stderr").splitlines()
    strange = [line for line in lines if not any(re.search(pattern, line) for pattern in known)]
    if strange or len(lines) != len(set(lines)):
        return f"a line is strange, or there twice: {strange}"
    left = [int(count) for count in re.findall(r"(\d+) of 64 ranks go on", job.text("stderr"))]
    if left != sorted(left, reverse=True):
        return f"the number of living ranks rises: {left}"
    return each_once(3)(job)


def ended_after_death(name, status, *says, command="", args="", settings=None, **more):
    """Of 4 ranks rank 1 is dead by then: that was told once, and is reported."""
    return Case(f"notice: {name}", 4, 1, args=args, command=command, settings=settings or {}, status=status,
                limit_s=TEN_S, says=(of_death(1, 3, 4, 1), *says), **{"check": each_once(1), **more})


def whole_twice(line):
    """A check: @line is there once for each time that it was told, which is not more than twice, and none is cut."""
    def check(job):
        lines = [text for text in job.text("stderr").splitlines() if "ftcoll: 20" in text and " rank " in text.split("(")[0]]
        good = 1 <= len(lines) <= 2 and all(re.search(line, text) for text in lines)
        return "" if good else f"not once or twice: {lines}"
    return check


def report_in_file(job):
    text = job.text("report")
    if len(re.findall(early_end(1, 4, 1), text)) != 1 or "ftcoll: rank 1 " not in text:
        return f"the file has '{text}'"
    return "it is on standard error as well" if "before MPI_Finalize" in job.text("stderr") else each_once(1)(job)


AFTER = stream("kill@10:1", "--ops 200000 --go 50 --await 200000:done --calls allreduce")
EARLY = early_end(1, 4, 1)
# By when all survivors have their results, it is known from where they called.
MISSED = r"(?m)^ftcoll: rank 1 .* missed in MPI_Allreduce #\d+ at stream\(main\+0x[0-9a-f]+\), noticed by rank [023] after \d+ us; all"

NOTICES = [
    told("one death", 4, 1, "kill@10:2", of_death(2, 3, 4, 1), RECOVERY.format(3, 2) + r" \(missed in MPI_Allreduce #\d+\)$",
         settings={"TZ": "UTC-5"}, check=in_local_time(5 * 3600)),
    told("how it died", 3, 1, "segv@10:1", of_death(1, 2, 3, 1, r"killed by signal 11 \(Segmentation fault\)"),
         settings=DIES_OF_SIGSEGV),
    told("exit without MPI_Finalize", 3, 1, "exit3@10:1", of_death(1, 2, 3, 1, "exited with status 3 without MPI_Finalize")),
    told("several at once", 7, 3, "kill@10:1,3,5", of_death(r"\d", 4, 7, 3), recoveries=None, runs=3),
    told("one survivor", 3, 2, "kill@10:1,2", RECOVERY.format(1, r"\d"), recoveries=None),
    many("more deaths than lines", 20, 17, "(?m)further deaths are counted, and named in the report$",
         rf"(?m)^ftcoll: {TIME} 16 ranks have failed; [34] of 20 ranks go on \(f = 17\)$", check=each_once(9)),
    many("64 ranks, three deaths", 64, 3, check=in_whole_lines),
    told("monitor = timeout", 4, 1, "exit0@10:2", of_death(2, 3, 4, 1, SILENT_FOR),
         settings=SILENCE, launch="-disable-auto-cleanup"),
    Case("notice: off", 4, 1, stream("kill@10:2"), settings={"FTCOLL_NOTICE": "off"}, finished=3, failures=1,
         silent=(NOTICE,)),
    Case("notice: dead before MPI_Init", 4, 1, stream("kill@init:1"), status="failed", silent=(NOTICE,)),
    Case("notice: dead in MPI_Finalize", 3, 1, command="mpiexec.hydra -n {n} {programs}/names",
         settings={"FTCOLL_CRASH": "1:12:a0"}, failures=1, says=(of_death(1, 2, 3, 1),), check=each_once(1)),
    Case("notice: a death that ends the job", 4, 1, stream("kill@10:1"), settings={"FTCOLL_CRITICAL_RANKS": "1"},
         status="failed", check=each_once(1, 0), silent=("go on",),
         says=(rf"(?m)^ftcoll: {TIME} rank 1 \(\S+, pid \d+\) killed by signal 9 \(Killed\)$",
               "the death of rank 1 ends the job: critical_ranks", early_end(1, 4, 1))),
    # Its own monitor process cannot tell, and the next one does; nor can that.
    Case("notice: the writer dies before", 3, 1, command=IN_SHELLS, hand=kill_monitor_of(1, done), rotate=False,
         status=(0, "failed"), failures=1, says=(of_death(1, 2, 3, 1), RECOVERY.format(2, 1)), check=each_once(1, 1)),
    Case("notice: the next writer dies as well", 4, 2, command=IN_SHELLS, rotate=False, status=(0, "failed"), failures=2,
         hand=kill_monitor_of(2, kill_monitor_of(1, done)), check=each_once(2, again="2"), tags=DEFECT,
         says=(of_death(2, 3, 4, 2), of_death(1, 2, 4, 2))),
    writer_killed("a death", 3, 1, stream("kill@10:1", UNTIL_DONE), "rank 1 (", hand=when_told(RECOVERY.format(2, 1), done),
                  failures=1, says=(of_death(1, 2, 3, 1),), check=killed_and(each_once(1, 1))),
    writer_killed("a recovery", 3, 1, stream("kill@10:1", UNTIL_DONE), "all survivors", failures=1,
                  hand=when_told(RECOVERY.format(2, 1), done), says=(of_death(1, 2, 3, 1),), check=killed_and(each_once(1, 1))),
    # Told, and no word of it on the board: nobody can know, so it is told twice, and never half.
    writer_killed("a death, just after", 3, 1, stream("kill@10:1", UNTIL_DONE), "rank 1 (", settings={"KILLED_WHEN": "after"},
                  hand=when_told(RECOVERY.format(2, 1), done), failures=1, check=killed_and(whole_twice(of_death(1, 2, 3, 1)))),
    writer_killed("the report of a job that ends early", 4, 3, stream("kill@10:1 exit0@30:0,2,3", "--go 5 --await 30:done " + ALLREDUCE),
                  "the job ended before", hand=when_told(of_death(1, 3, 4, 3), done), failures=4, says=(early_end(4, 4, 3),),
                  check=killed_and(each_once(4))),
    # A rank in MPI_Finalize: its death ends the job early, so there is another report, of both; or, where somebody has
    # not left MPI_Finalize yet, it is his to write.
    writer_killed("the report in MPI_Finalize", 4, 2, stream("kill@10:1", UNTIL_DONE), "ranks survived", failures=2,
                  hand=when_told(RECOVERY.format(3, 1), done), check=killed_and(each_once(2)),
                  says=(r"(?m)^ftcoll: (the job ended before MPI_Finalize returned: 2 of 4 ranks had failed|"
                        r"2 of 4 ranks survived) \(f = 2\)$",)),
    # What is told goes to the standard error from before, where there was one, and never into a file of the program's.
    *(Case(f"notice: standard error is closed {when}", 4, 1, command=f"mpiexec.hydra -n {{n}} {{programs}}/closed {when}", failures=1,
           limit_s=TEN_S, says=(r"(?m)^ftcoll: 3 of 4 ranks survived",)) for when in ("early", "late")),
    Case("notice: there is no standard error", 4, 1, limit_s=TEN_S, failures=0,
         command="mpiexec.hydra -n {n} sh -c 'exec {programs}/closed found <&- >&- 2>&-'"),
    # Ranks that the launcher or the program itself ends have not failed.
    *(Case(f"notice: {name}, nobody has died", 4, 1, AFTER.replace("--fault kill@10:1", ""), hand=end_by(number), runs=2,
           status=(0, "failed"), limit_s=TEN_S, silent=(NOTICE, "before MPI_Finalize"))
      for name, number in (("SIGTERM", signal.SIGTERM), ("SIGINT", signal.SIGINT))),
    *(Case(f"notice: MPI_Abort, nobody has died, {scene}", 4, 2, command=f"mpiexec.hydra -n {{n}} {{programs}}/fatal {scene}",
           status=6, limit_s=TEN_S, silent=(NOTICE, "before MPI_Finalize"), tags=defect_if(scene == "call")) for scene in ("call", "dup")),
    # A job that ends early after a death has a report all the same.
    *(ended_after_death(f"{name} after a death", (0, "failed"), EARLY, MISSED, args=AFTER,
                        hand=when_told(RECOVERY.format(3, 1), end_by(number)))
      for name, number in (("SIGTERM", signal.SIGTERM), ("SIGINT", signal.SIGINT))),
    ended_after_death("SIGTERM after a death, report_file", (0, "failed"), args=AFTER, settings=REPORT_FILE,
                      hand=when_told(of_death(1, 3, 4, 1), end_by(signal.SIGTERM)), check=report_in_file),
    ended_after_death("SIGTERM after a death, report = off", (0, "failed"), args=AFTER, silent=("before MPI_Finalize",),
                      settings={"FTCOLL_REPORT": "off"}, hand=when_told(of_death(1, 3, 4, 1), end_by(signal.SIGTERM))),
    ended_after_death("MPI_Abort after a death", 7, EARLY, MISSED, args=stream("kill@10:1", "--abort 30 " + ALLREDUCE)),
    ended_after_death("MPI_Abort after a death, report_file", 7, settings=REPORT_FILE, check=report_in_file,
                      args=stream("kill@10:1", "--abort 30 " + ALLREDUCE)),
    ended_after_death("MPI_Abort on a communicator with a dead rank", 6, early_end(1, 4, 2).replace("f = 2", "f = 1"),
                      command="mpiexec.hydra -n {n} {programs}/fatal call-dead"),
    ended_after_death("on_blocked = abort", "failed", EARLY, settings=ABORT, check=each_once(1),
                      command="mpiexec.hydra -n {n} {programs}/blocked waits 1500"),
    Case("notice: monitor = timeout, MPI_Abort after a death", 4, 1, settings=SILENCE, status=7, check=each_once(1),
         args=stream("exit0@10:1", "--abort 30 " + ALLREDUCE), launch="-disable-auto-cleanup",
         says=(EARLY, of_death(1, 3, 4, 1, SILENT_FOR))),
    # All have gone, each was told of once, and stands in the report. The status is that of the last one that ended badly.
    *(Case(f"notice: {status} without MPI_Finalize after a death", 4, 3,
           stream(f"kill@10:1 exit{status}@30:0,2,3", "--go 5 --await 30:done " + ALLREDUCE), limit_s=TEN_S,
           hand=when_told(of_death(1, 3, 4, 3), done), status=status or 9, says=(early_end(4, 4, 3),), runs=4,
           check=each_once(4), settings={"FTCOLL_F": "3"}, tags=DEFECT) for status in (0, 3)),
    # Nothing else of a monitor process takes its place. In the rank something of UCX's does, and the report would go there.
    # Hydra hears nobody any more once nothing of the ranks' output is open: a monitor process waits 5 s for its answer.
    *(Case(f"notice: {name}", 3, 1, preload=False, limit_s=4, runs=8, says=says, tags=DEFECT,
           command=f"mpiexec.hydra -n {{n}} sh -c 'exec env LD_PRELOAD={{library}} FTCOLL_REPORT=off {{programs}}/own {where}'")
      for name, where, says in (
          ("without standard error", "2>&-", ("(own: rank [02]: 2 in the last sum\n(.|\n)*){2}",)),
          ("standard error goes elsewhere", "2>/dev/null", ("(own: rank [02]: 2 in the last sum\n(.|\n)*){2}",)),
          ("all output goes elsewhere", ">/dev/null 2>&1", ()))),
    # Its place is tried at the start; a relative one holds where the program has gone since.
    Case("notice: report_file that cannot be", 3, 1, finished=3, settings={"FTCOLL_REPORT_FILE": "/nowhere/report"},
         says=(r"(?m)^ftcoll: report_file /nowhere/report cannot be created: No such file or directory; unless that changes, "
               r"the report goes to standard error$",),
         check=lambda job: "" if job.text("stderr").count("ftcoll") == 1 else "not one line"),
    Case("notice: report_file in no directory", 3, 1, command="touch here; exec mpiexec.hydra -n {n} {programs}/stream",
         settings={"FTCOLL_REPORT_FILE": "here/report"}, finished=3, says=("here/report cannot be created: Not a directory",)),
    Case("notice: report_file is a device", 3, 1, stream("kill@6:1"), settings={"FTCOLL_REPORT_FILE": "/dev/null"}, finished=2,
         failures=1, says=("(?m)^ftcoll: report_file /dev/null is not a regular file: the report goes to standard error$",),
         check=lambda job: "there is /dev/null.1" if os.path.exists("/dev/null.1") else "", tags=DEFECT),
    Case("notice: report_file that can be leaves nothing", 3, 1, settings=REPORT_FILE, finished=3, silent=("ftcoll",),
         check=lambda job: "there is a file" if os.path.exists(job.path("report")) else ""),
]
