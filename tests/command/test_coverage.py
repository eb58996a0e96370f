"""ftcoll coverage: the verdict and the line to set, whatever becomes of the job."""
import os
import re
import signal
import subprocess

import pytest

from runner.job import slowness

# Stands for a job: it writes the report that it is asked for.
REPORT = "ftcoll: a table\nftcoll: verdict: when a rank of this program dies, the program waits for ever\n"
BETTER = ("ftcoll: verdict with FTCOLL_F=1 FTCOLL_P2P=ignore: no MPI call waits\n"
          "ftcoll: condition: receives from a dead rank get nothing\n")
WRITE = 'printf "%s" "$0" >"$FTCOLL_REPORT_FILE"'


def job(report, script=""):
    return ("--", "sh", "-c", f"{WRITE}; {script}", report)


def test_the_report_and_what_to_set(ftcoll):
    said = ftcoll("coverage", *job(REPORT + BETTER))
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout == (REPORT + BETTER).replace("ftcoll: ", "") + "\n    export FTCOLL_F=1 FTCOLL_P2P=ignore\n"


def test_nothing_to_set(ftcoll):
    said = ftcoll("coverage", *job(REPORT))
    assert (said.returncode, said.stdout) == (0, REPORT.replace("ftcoll: ", ""))


def test_a_report_of_each_job(ftcoll):
    said = ftcoll("coverage", *job(REPORT, 'echo second >"$FTCOLL_REPORT_FILE.1"'))
    assert said.stdout == REPORT.replace("ftcoll: ", "") + "second\n"


@pytest.mark.parametrize("settings", [(), ("report=off", "report_file=elsewhere")])
def test_it_asks_for_coverage_whatever_else_is_set(ftcoll, settings):
    said = ftcoll("coverage", *settings, "--", "env", env={"FTCOLL_REPORT": "summary"})
    assert "FTCOLL_REPORT=coverage\n" in said.stdout
    assert "elsewhere" not in said.stdout


@pytest.mark.parametrize("script, status", [("exit 7", 7), ("kill -TERM $$", 143), ("kill -KILL $$", 137)])
def test_the_exit_status_is_the_command_s(ftcoll, script, status):
    said = ftcoll("coverage", *job(REPORT, script))
    assert said.returncode == status
    assert "verdict: " in said.stdout


@pytest.mark.parametrize("script, status", [("true", 1), ("exit 7", 7)])
def test_no_report_is_told(ftcoll, script, status):
    said = ftcoll("coverage", "--", "sh", "-c", script)
    assert (said.returncode, said.stdout) == (status, "")
    assert said.stderr.startswith("ftcoll: no report was written: ") and said.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments, status, line", [
    ((), 2, "ftcoll coverage: which command? For example: ftcoll coverage -- mpiexec.hydra -n 8 ./program"),
    (("f=x", "--", "true"), 2, 'ftcoll: command line: f = "x" is not allowed'),
    (("--", "/nowhere"), 127, "ftcoll: /nowhere: No such file or directory\n"),
    (("--", "/dev/null"), 126, "ftcoll: /dev/null: Permission denied\n"),
])
def test_what_cannot_be_started_is_told(ftcoll, arguments, status, line):
    said = ftcoll("coverage", *arguments)
    assert (said.returncode, said.stdout) == (status, "")
    assert said.stderr.startswith(line)


# ---- the file ----

def test_nothing_is_left(ftcoll, tmp_path):
    place = tmp_path / "a place"
    place.mkdir()
    for script in ("", 'echo second >"$FTCOLL_REPORT_FILE.1"', "kill -KILL $$"):
        ftcoll("coverage", *job(REPORT, script), env={"TMPDIR": str(place)})
    ftcoll("coverage", "--", "true", env={"TMPDIR": str(place)})
    assert os.listdir(place) == []


def test_the_report_is_kept_where_it_is_wanted(ftcoll, tmp_path):
    said = ftcoll("coverage", "-o", "kept", "--", "sh", "-c", f"cd /; {WRITE}", REPORT)
    assert (said.returncode, said.stdout) == (0, REPORT.replace("ftcoll: ", ""))
    assert (tmp_path / "kept").read_text() == REPORT


def test_a_report_replaces_nothing(ftcoll, tmp_path):
    (tmp_path / "kept").write_text("mine")
    said = ftcoll("coverage", "--output=kept", *job(REPORT, "echo started"))
    assert (said.returncode, said.stdout, said.stderr) == (
        2, "", "ftcoll: kept exists already, and a report overwrites no file\n")
    assert (tmp_path / "kept").read_text() == "mine"


def test_no_place_for_a_report_is_told(ftcoll):
    said = ftcoll("coverage", *job(REPORT, "echo started"), env={"TMPDIR": "/nowhere"})
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("ftcoll: cannot create a folder for the report, /nowhere/ftcoll.")


# ---- signals ----

@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_of_the_batch_system_ends_the_job_and_not_the_telling(command, tmp_path, number):
    """The job says that it runs; then the signal comes, to ftcoll alone."""
    script = f"trap '{WRITE}; exit 9' {number.name[3:]}; echo runs; while :; do sleep 0.1; done"
    with subprocess.Popen([command, "coverage", "--", "sh", "-c", script, REPORT], cwd=tmp_path, text=True,
                          stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as process:
        assert process.stdout.readline() == "runs\n"
        process.send_signal(number)
        try:
            assert process.communicate(timeout=60 * slowness())[0] == REPORT.replace("ftcoll: ", "")
        finally:
            process.kill()
    assert process.returncode == 9


def test_a_signal_that_was_ignored_stays_so(ftcoll, command):
    said = ftcoll("-c", 'trap "" HUP; exec "$0" "$@"', command, "coverage", "--", "sh", "-c", f"kill -HUP $$; {WRITE}; exit 3",
                  REPORT, program="sh")
    assert said.returncode == 3


# ---- jobs ----

def test_a_job_has_its_verdict(ftcoll, build, tmp_path):
    (tmp_path / "ftcoll.conf").write_text("report = off\n")
    said = ftcoll("coverage", "--", "mpiexec.hydra", "-n", 4, f"{build}/tests/mpi/sites")
    assert said.returncode == 0, said.stderr
    verdict, better = re.search(r"^(verdict: .*)\n(verdict with .*)\n(condition: .*\n)+\n    export (.*)\n\Z", said.stdout, re.M).group(1, 4)
    assert verdict.startswith("verdict: when a rank of this program dies, the program aborts after blocked_ms (on_blocked = abort), for example in MPI_")
    assert better.split() == ["FTCOLL_INTERCEPT=all", "FTCOLL_MAX_BYTES=65536", "FTCOLL_P2P=ignore"]
    again = ftcoll("coverage", *better.split(), "--", "mpiexec.hydra", "-n", 4, f"{build}/tests/mpi/sites")
    assert "export" not in again.stdout and "verdict: " in again.stdout


def test_a_job_of_one_process_has_none(ftcoll, build):
    said = ftcoll("coverage", "--", f"{build}/tests/mpi/sites")
    assert "ftcoll: not protected: one process alone" in said.stderr
    assert "ftcoll: no report was written" in said.stderr
