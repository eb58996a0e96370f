"""ftcoll rehearse: what is the same output, what a death has led to, and what is advised."""
import json
import os
import pty
import re
import signal
import subprocess

import pytest

from runner.job import slowness, wait_for

SITE = {"call": "MPI_Allreduce", "site": "app(sum+0x1f)", "calls": 20, "ranks": 2, "first_rank": 0, "last_rank": 1,
        "fate": "protected", "because": None, "settings": []}
KILLED = "ftcoll: rank 0 kills itself in its operation 0, as setting crash says"
FAILURE = {"rank": 0, "death": "killed by signal 9 (Killed)", "signal": 9, "exit_status": None, "missed_in": None}


def report(sites=(SITE,), failures=()):
    return json.dumps({"ftcoll": "report", "schema": 1, "ranks": 2, "program": "/bin/app", "failures": failures,
                       "coverage": {"call_sites": sites, "better": None}})


@pytest.fixture
def rehearse(ftcoll, tmp_path):
    """A function that rehearses a script in place of a job. It writes text "first" in its first run, "second" in its second,
    then, with setting crash, "killed"; KILL is a script that such a run ends with. Returns the object of JSON."""
    def run(first="", second=None, killed="", kill="", of=report(), deaths=1, arguments=()):
        second = first if second is None else second
        for name, text in {"first": first, "second": second, "killed": killed, "of": of}.items():
            (tmp_path / name).write_text(text)
        script = (f'cp of "$FTCOLL_REPORT_FILE"; [ -z "$FTCOLL_CRASH" ] || {{ echo "{KILLED}" >&2; cat killed; {kill or ":"}\n'
                  'exit; }; if [ -e again ]; then cat second; else cat first; : >again; fi')
        said = ftcoll("rehearse", "--json", "--deaths", deaths, *arguments, "--", "sh", "-c", script)
        assert (said.returncode, said.stderr) == (0, "")
        return json.loads(said.stdout)
    return run


def is_running(pid):
    """A zombie has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def has_ended(pid):
    """In time: SIGKILL has been sent, but takes effect when the process has a core."""
    return wait_for(lambda: not is_running(pid), 60)


def ends(rehearsed):
    return [death["outcome"]["end"] for death in rehearsed["deaths"]]


# ---- what is the same output ----

@pytest.mark.parametrize("first, second, killed, end", [
    ("sum 3\n", None, "sum 3\n", "same output"),
    ("sum 3\n", None, "sum 2\n", "other output"),
    ("sum -3\n", None, "sum 3\n", "other output"),
    ("sum 3\n", None, "sum 3\nsum 3\n", "other output"),
    ("sum 3\n", None, "sum 3\nwarning\n", "other output"),
    ("sum 3\nend\n", None, "sum 3\n", "other output"),
    ("sum 3\n", None, "", "no output"),
    ("", None, "", "same output"),
    ("", None, "error\n", "other output"),
    # in any order
    ("a\nb\n", None, "b\na\n", "same output"),
    # numbers that differ in the two
    ("t = 1.5 s\nsum 3\n", "t = 2e-03 s\nsum 3\n", "t = 17 s\nsum 3\n", "same output"),
    ("t = 1.5 s\nsum 3\n", "t = 2e-03 s\nsum 3\n", "t = 17 s\nsum 2\n", "other output"),
    ("sum 3 after 1.5 s\n", "sum 3 after 1.6 s\n", "sum 3 after 1.7 s\n", "same output"),
    ("sum 3 after 1.5 s\n", "sum 3 after 1.6 s\n", "sum 2 after 1.7 s\n", "other output"),
    ("at 0x7f01 12:30:59\n", "at 0x7fa1 12:31:00\n", "at 0x0 9:00:00\n", "same output"),
    # ... which those of one line belong together
    ("rank 0 has 5\nrank 1 has 6\n", None, "rank 0 has 6\nrank 1 has 5\n", "other output"),
    ("rank 0: 5 in 1 s\nrank 1: 6 in 2 s\n", "rank 1: 6 in 3 s\nrank 0: 5 in 4 s\n", "rank 0: 5 in 7 s\nrank 1: 6 in 8 s\n",
     "same output"),
    # lines that the two do not have in common
    ("host a\nend\n", "host b\nend\n", "host c\nend\n", "same output"),
    ("host a\nend\n", "host b\nend\n", "host c\nhost d\nend\n", "other output"),
    ("step\nstep\nend\n", "step\nend\n", "step\nstep\nstep\nend\n", "same output"),
    # no text
    ("\0a", None, "\0a", "same output"),
    ("\0a", None, "\0b", "other output"),
    ("\0a", "\0b", "\0c", "same output"),
])
def test_what_is_the_same_output(rehearse, first, second, killed, end):
    assert ends(rehearse(first, second, killed)) == [end]


# ---- what a death has led to ----

BLOCKED = "ftcoll: rank 2 has been in MPI_Gather at app(f+0x1) for 1.0 s: it needs rank 0, which is dead; on_blocked = abort"


@pytest.mark.parametrize("kill, end, status, detail", [
    ("", "same output", 0, ""),
    (f'echo "{BLOCKED}" >&2; exit 1', "blocked", 1, "rank 2 has been in MPI_Gather at app(f+0x1)"),
    (f'echo "{BLOCKED}" >&2', "same output", 0, ""),
    ('echo "ftcoll: MPI_Reduce: the result lacks 1 of 2 ranks" >&2; exit 101', "error", 101,
     "MPI_Reduce: the result lacks 1 of 2 ranks"),
    ('echo "ftcoll: the death of rank 0 ends the job: critical_ranks" >&2; exit 1', "error", 1,
     "the death of rank 0 ends the job: critical_ranks"),
    ('echo first >&2; echo last >&2; echo "Abort(5) on node 1" >&2; exit 5', "aborted", 5, "last"),
    ("echo last; exit 5", "aborted", 5, "last"),
    ("kill -TERM $$", "aborted", 143, ""),
])
def test_what_a_death_has_led_to(rehearse, kill, end, status, detail):
    outcome = rehearse(kill=kill)["deaths"][0]["outcome"]
    assert (outcome["end"], outcome["status"], outcome["detail"]) == (end, status, detail)


def test_what_a_program_prints_does_not_command_the_terminal(rehearse, ftcoll, tmp_path):
    """Neither as text nor as JSON, where it is escaped; also not by U+009B, which is ESC and [ in one."""
    kill = r"printf 'red \033[31m \302\233[31m\n'; exit 5"
    detail = rehearse(kill=kill)["deaths"][0]["outcome"]["detail"]
    assert detail == "red \x1b[31m \x9b[31m"
    script = (tmp_path / "script")
    script.write_text(f'cp of "$FTCOLL_REPORT_FILE"; [ -z "$FTCOLL_CRASH" ] || {{ echo "{KILLED}" >&2; {kill}; }}')
    for form in ((), ("--json",)):
        said = ftcoll("rehearse", "--deaths", 1, *form, "--", "sh", script)
        assert (said.returncode, said.stderr) == (0, "")
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", said.stdout)


@pytest.mark.parametrize("failure, printed, detail", [
    ({"missed_in": None}, "", "rank 1 killed by signal 11 (Segmentation fault)"),
    ({"missed_in": {"call": "MPI_Bcast", "site": "app(f+0x1)"}}, "",
     "rank 1 killed by signal 11 (Segmentation fault), missed in MPI_Bcast at app(f+0x1)"),
    ({"missed_in": None}, "5  /bin/app(+0x12) [0x55]", "rank 1 killed by signal 11 (Segmentation fault), at app(+0x12)"),
])
def test_another_rank_crashes(rehearse, failure, printed, detail):
    other = {"rank": 1, "death": "killed by signal 11 (Segmentation fault)", "signal": 11, "exit_status": None, **failure}
    outcome = rehearse(of=report(failures=[FAILURE, other]), kill=f'echo "{printed}" >&2')["deaths"][0]["outcome"]
    assert (outcome["end"], outcome["detail"]) == ("crashed", detail)


def test_a_run_over_the_limit_is_ended(rehearse, tmp_path):
    """It does not listen to SIGTERM, and has a process of its own."""
    rehearsed = rehearse(kill="trap '' TERM; sleep 1000 & echo $! >child; wait", arguments=("--limit", 1))
    assert ends(rehearsed) == ["over the limit"]
    assert rehearsed["deaths"][0]["outcome"]["detail"].startswith("ended after ")
    child = int((tmp_path / "child").read_text())
    assert has_ended(child)


def test_what_outlives_its_launcher_is_ended(rehearse, tmp_path):
    """The launcher listens to SIGTERM, a process of its group does not."""
    rehearsed = rehearse(kill="(trap '' TERM; exec sleep 1000) & echo $! >child; wait", arguments=("--limit", 1))
    assert ends(rehearsed) == ["over the limit"]
    assert has_ended(int((tmp_path / "child").read_text()))


def test_an_undisturbed_run_over_the_limit_is_told(ftcoll):
    said = ftcoll("rehearse", "--limit", 1, "--", "sleep", 1000)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr == "ftcoll: the undisturbed run was ended after 1 s (--limit)\n"


@pytest.mark.parametrize("options", [(), ("--outputs", ".")])
def test_output_that_the_job_removes_is_missed(ftcoll, tmp_path, options):
    (tmp_path / "file").write_text("a file of the folder\n")
    said = ftcoll("rehearse", *options, "--", "sh", "-c", 'rm "$(readlink /proc/$$/fd/1)"')
    assert (said.returncode, said.stdout) == (1, "")
    assert re.fullmatch("ftcoll: the output of the job cannot be read in /.*\n", said.stderr)


# ---- the plan ----

def sites(*fates):
    return [{**SITE, "site": f"app(f{i}+0x1)", "fate": fate} for i, fate in enumerate(fates)]


def planned(rehearsed):
    return [death["crash"] for death in rehearsed["deaths"]]


def test_each_call_site_and_each_rank_once(rehearse):
    plan = planned(rehearse(of=report(sites("protected", "not protected", "protected")), deaths=4))
    assert plan[0] == "0:0:a0"
    assert [crash.split(":")[1] for crash in plan[1:]] == [f"app(f{i}+0x1)" for i in range(3)]
    assert {crash[0] for crash in plan} == {"0", "1"}


@pytest.mark.parametrize("ranks, known", [(3, {1, 2, 3}), (2, {1, 3})])
def test_only_ranks_that_make_a_call_die_there(rehearse, ranks, known):
    """Of those between the lowest and the highest nothing is known, unless their number says that they are all."""
    site = {**SITE, "ranks": ranks, "first_rank": 1, "last_rank": 3, "fate": "not protected"}
    plan = planned(rehearse(of=json.dumps({**json.loads(report([site])), "ranks": 5}), deaths=9))
    assert {int(crash[0]) for crash in plan} == known


def test_before_within_and_after_a_protected_call(rehearse):
    plan = planned(rehearse(of=report(sites("protected")), deaths=12))
    assert {crash.split(":", 2)[2] for crash in plan if "app" in crash} == {"5:b1", "9:end", "0:a0"}


def test_a_native_call_is_not_begun(rehearse):
    plan = planned(rehearse(of=report(sites("not protected")), deaths=12))
    assert {crash.split(":", 2)[2] for crash in plan} == {"5:a0", "9:a0", "0:a0"}


def test_too_few_deaths_are_told(rehearse):
    rehearsed = rehearse(of=report(sites("protected", "protected", "protected")), deaths=2)
    assert (rehearsed["sites_left_out"], rehearsed["ranks_left_out"]) == (2, 0)


def test_a_rank_that_does_not_come_there_dies_elsewhere(ftcoll, tmp_path):
    """Only rank 0 makes the call, and once."""
    (tmp_path / "of").write_text(report())
    script = ('cp of "$FTCOLL_REPORT_FILE"; case $FTCOLL_CRASH in *:a0) '
              f'echo "{KILLED}" >&2;; esac')
    said = ftcoll("rehearse", "--json", "--deaths", 2, "--", "sh", "-c", script)
    assert planned(json.loads(said.stdout))[1] == "1:app(sum+0x1f):0:a0"


# ---- files ----

def test_runs_in_copies_of_a_folder(ftcoll, tmp_path):
    folder = tmp_path / "a folder"
    (folder / "in").mkdir(parents=True)
    (folder / "in" / "put").write_text("4\n")
    (tmp_path / "of").write_text(report())
    script = (f'cp "{tmp_path}/of" "$FTCOLL_REPORT_FILE"; [ -z "$FTCOLL_CRASH" ] || echo "{KILLED}" >&2; '
              'case "$FTCOLL_CRASH" in "") ;; 0:0:*) echo 5 >in/put;; *) : >new;; esac; '
              'case "$FTCOLL_CRASH" in 1:app*:b1) ;; *) cp in/put result; esac')
    said = ftcoll("rehearse", "--json", "--deaths", 3, "--outputs", folder, "--", "sh", "-c", script)
    assert {death["outcome"]["detail"] for death in json.loads(said.stdout)["deaths"]} == {
        "in/put differs", "result is missing", "new is new"}
    assert sorted(os.listdir(folder)) == ["in"]
    assert (folder / "in" / "put").read_text() == "4\n"


def test_nothing_is_left(ftcoll, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    (place / "of").write_text(report())
    for script in ("true", "exit 3", f'cp {place}/of "$FTCOLL_REPORT_FILE"'):
        ftcoll("rehearse", "--deaths", 1, "--outputs", ".", "--", "sh", "-c", script, env={"TMPDIR": str(place)})
    assert os.listdir(place) == ["of"]


# ---- bad input ----

@pytest.mark.parametrize("arguments, status, line", [
    ((), 2, "ftcoll rehearse: which command? For example: ftcoll rehearse -- mpiexec.hydra -n 8 ./program"),
    (("f=x", "--", "true"), 2, 'ftcoll: command line: f = "x" is not allowed'),
    (("--deaths", "0", "--", "true"), 2, 'ftcoll: command line: --deaths = "0" is not allowed; allowed: 1..1000\n'),
    (("--limit", "soon", "--", "true"), 2, 'ftcoll: command line: --limit = "soon" is not allowed; allowed: 1..86400\n'),
    (("--outputs", "/nowhere", "--", "true"), 2,
     'ftcoll: command line: --outputs = "/nowhere" is not allowed: No such file or directory; allowed: a folder, '),
    (("--outputs", "/dev/null", "--", "true"), 2,
     'ftcoll: command line: --outputs = "/dev/null" is not allowed: it is no folder; allowed: a folder, '),
    (("--settings", "/nowhere", "--", "true"), 2, "ftcoll: /nowhere: cannot be read"),
    (("--", "true"), 1, "ftcoll: the undisturbed run wrote no report: "),
    (("--", "/nowhere"), 1, "ftcoll: the undisturbed run has ended with status 127: ftcoll: /nowhere: No such file or directory\n"),
    (("--", "sh", "-c", "echo first >&2; echo last >&2; exit 3"), 1,
     "ftcoll: the undisturbed run has ended with status 3: last\n"),
])
def test_what_cannot_be_rehearsed_is_told(ftcoll, arguments, status, line):
    said = ftcoll("rehearse", *arguments)
    assert (said.returncode, said.stdout) == (status, "")
    assert said.stderr.startswith(line)


def test_without_a_call_there_is_nothing_to_rehearse(ftcoll, tmp_path):
    (tmp_path / "of").write_text(report(()))
    said = ftcoll("rehearse", "--", "sh", "-c", 'cp of "$FTCOLL_REPORT_FILE"')
    assert (said.returncode, said.stdout, said.stderr) == (
        1, "", "ftcoll: no call needs other ranks, so there is no death to rehearse\n")


def test_a_settings_file(ftcoll, tmp_path):
    (tmp_path / "mine.conf").write_text("f = 2\n")
    said = ftcoll("rehearse", "--settings", "mine.conf", "--", "sh", "-c", 'echo "$FTCOLL_CONFIG" >&2; exit 1')
    assert said.stderr == "ftcoll: the undisturbed run has ended with status 1: mine.conf\n"


# ---- signals, terminals ----

def test_a_signal_ends_the_run_and_leaves_nothing(command, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    with subprocess.Popen([command, "rehearse", "--", "sh", "-c", f"mkfifo {tmp_path}/pipe; echo $$ >{tmp_path}/pipe; exec sleep 1000"],
                          cwd=tmp_path, env={**os.environ, "TMPDIR": str(place)}) as process:
        while not (tmp_path / "pipe").exists():
            assert process.poll() is None
        job = int((tmp_path / "pipe").read_text())
        process.send_signal(signal.SIGINT)
        assert process.wait(60 * slowness()) == 128 + signal.SIGINT
    assert os.listdir(place) == []
    assert has_ended(job)


def test_a_bar_on_a_terminal(command, tmp_path):
    (tmp_path / "of").write_text(report())
    here, there = pty.openpty()
    subprocess.run([command, "rehearse", "--deaths", "1", "--", "sh", "-c",
                    f'cp of "$FTCOLL_REPORT_FILE"; [ -z "$FTCOLL_CRASH" ] || echo "{KILLED}" >&2'],
                   cwd=tmp_path, stderr=there, stdout=subprocess.DEVNULL, check=True, timeout=60 * slowness())
    os.close(there)
    assert b"\r[####                    ] run 1 of about 5 \r[#########" in os.read(here, 4096)


# ---- jobs ----

@pytest.fixture
def job(ftcoll, build):
    def run(scene, deaths, *arguments):
        said = ftcoll("rehearse", "--deaths", deaths, "blocked_ms=1000", *arguments, "--", "mpiexec.hydra", "-n", 4,
                      f"{build}/tests/mpi/rehearsed", scene)
        assert (said.returncode, said.stderr) == (0, "")
        return said.stdout
    return run


def test_a_job_that_goes_on_well(job):
    said = job("well", 5)
    assert "\n5 deaths: 5 went on, same output\n\nAll deaths ended well" in said


def test_a_job_with_a_wrong_result_and_status_0(job):
    said = job("wrong", 4)
    assert "went on, other output, status 0: standard output differs\n" in said
    assert "went on, no output, status 0: standard output is empty\n" in said
    assert "not right with status 0\n" in said
    assert said.endswith("\n    export FTCOLL_REQUIRE_ALL=sum\n")
    recommended = said[said.index("Recommended, "):]
    assert "ended with an error" in recommended and "status 0" not in recommended


def test_a_job_whose_wrong_result_is_no_sum(job):
    said = job("largest", 8)
    assert "went on, other output, status 0: standard output differs\n" in said
    assert said.endswith("\n    export FTCOLL_REQUIRE_ALL=all\n")


def test_a_job_that_hangs_in_a_native_call(job):
    said = job("blocked", 6)
    assert "\nMPI_Allgather at rehearsed(collect+" in said
    assert "killed before call 0: ended by on_blocked, status 1: rank " in said
    assert "has been in MPI_Allgather at rehearsed(collect+" in said
    assert "\n6 deaths: 6 ended by on_blocked\n" in said
    assert said.endswith("4 went on, same output; 2 ended with an error\n\n"
                         "    export FTCOLL_INTERCEPT=all FTCOLL_CRITICAL_RANKS=0\n")


def test_a_job_over_the_limit(job):
    limit_s = int(4 * slowness())
    said = job("blocked", 1, "--limit", limit_s, "on_blocked=warn")
    assert f"over the limit: ended after {limit_s} s: rank " in said


def test_a_job_that_aborts(job):
    said = job("aborts", 2)
    assert "aborted by the program, status 5: rehearsed: a rank is missing\n" in said
    assert said.endswith("\nNone of these is better.\n")


def test_a_job_that_crashes(job):
    assert re.search(r"crashed, status 11: rank \d killed by signal 11 \(Segmentation fault\)", job("crashes", 2))


def test_a_job_that_writes_a_file(job, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    said = job("writes", 2, "--outputs", folder)
    assert "went on, other output, status 0: result differs\n" in said
    assert os.listdir(folder) == []
