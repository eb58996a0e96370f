"""ftcoll run: what the command that it becomes gets, and what it refuses to start."""
import os
import shutil

import pytest

SHOW = ("sh", "-c", 'echo "$LD_PRELOAD|$LD_LIBRARY_PATH"')
NOBODY = 65534


@pytest.mark.parametrize("arguments, variable", [
    (("f=2",), "FTCOLL_F=2"),
    (("--f=2",), "FTCOLL_F=2"),
    (("--f", "2"), "FTCOLL_F=2"),
    (("FTCOLL_F=2",), "FTCOLL_F=2"),
    (("Max_Bytes=64",), "FTCOLL_MAX_BYTES=64"),
    (("intercept=reduce, bcast",), "FTCOLL_INTERCEPT=reduce, bcast"),
    (("report_file=a b=c",), "FTCOLL_REPORT_FILE=a b=c"),
    (("require_all_at=",), "FTCOLL_REQUIRE_ALL_AT="),
    (("f=1", "--f=3"), "FTCOLL_F=3"),
    (("config=/dev/null",), "FTCOLL_CONFIG=/dev/null"),
    (("--config=/dev/null",), "FTCOLL_CONFIG=/dev/null"),
])
def test_settings_come_to_the_command(ftcoll, arguments, variable):
    said = ftcoll("run", *arguments, "--", "env", env={"FTCOLL_F": "7"})
    assert (said.returncode, said.stderr) == (0, "")
    assert variable in said.stdout.splitlines()


@pytest.mark.parametrize("arguments", [("--", "sh"), ("sh",), ("f=2", "sh"), ("--f=2", "--", "sh")])
def test_what_follows_the_command_is_its_own(ftcoll, arguments):
    said = ftcoll("run", *arguments, "-c", 'printf "%s|" "$@"', "sh", "--f=x", "--", "a b", "f=y", "--help")
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout == "--f=x|--|a b|f=y|--help|"


def test_behind_two_dashes_nothing_is_a_setting(ftcoll, tmp_path):
    (tmp_path / "f=2").write_text("#!/bin/sh\necho started\n")
    (tmp_path / "f=2").chmod(0o755)
    said = ftcoll("run", "--", "f=2", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (said.returncode, said.stdout) == (0, "started\n")


@pytest.mark.parametrize("script, status", [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", -15), ("kill -KILL $$", -9)])
def test_the_exit_status_is_the_command_s(ftcoll, script, status):
    assert ftcoll("run", "--", "sh", "-c", script).returncode == status


@pytest.mark.parametrize("before, kept", [
    (None, ""),
    ("", ""),
    ("libm.so.6", "libm.so.6:"),
    (" libm.so.6 :libdl.so.2:", "libm.so.6:libdl.so.2:"),
    ("/nowhere/libftcoll.so.0 libm.so.6", "libm.so.6:"),
    ("libm.so.6:libftcoll.so.0.1.0", "libm.so.6:"),
])
def test_what_is_preloaded_stays_before_the_library(ftcoll, library, before, kept):
    said = ftcoll("run", "--", *SHOW, env={} if before is None else {"LD_PRELOAD": before})
    assert (said.returncode, said.stdout) == (0, f"{kept}{library}|\n")


def test_it_is_preloaded_once(ftcoll, command, library):
    said = ftcoll("run", "--", command, "run", "--", *SHOW)
    assert (said.returncode, said.stdout) == (0, f"{library}|\n")


def test_the_library_is_found_beside_the_command(ftcoll, copied, tmp_path):
    assert ftcoll("run", "--", *SHOW, program=copied("build")).stdout == f"{tmp_path}/build/libftcoll.so|\n"


def test_the_library_is_found_where_it_is_installed(ftcoll, copied, command, library, pytestconfig, tmp_path):
    """In the folder that it was compiled for, as seen from the command."""
    installed = pytestconfig.getoption("command")
    libdir = os.path.relpath(os.path.dirname(library), os.path.dirname(command)) if installed else "../lib"
    copied(f"bin/{libdir}", ["libftcoll.so.0"])
    said = ftcoll("run", "--", *SHOW, program=copied("bin", ["ftcoll"]))
    assert said.stdout == f"{os.path.normpath(tmp_path / 'bin' / libdir)}/libftcoll.so.0|\n"


def test_a_link_to_the_command_finds_the_library(ftcoll, command, library, tmp_path):
    (tmp_path / "linked").symlink_to(command)
    assert ftcoll("run", "--", *SHOW, program=str(tmp_path / "linked")).stdout == f"{library}|\n"


def test_a_missing_library_is_told(ftcoll, copied):
    said = ftcoll("run", "--", "true", program=copied("alone", ["ftcoll"]))
    assert said.returncode == 2
    assert said.stderr.startswith("ftcoll: the library is missing: there is no ")
    assert said.stderr.count("\n") == 1


def test_a_folder_with_blanks(ftcoll, copied, tmp_path):
    program = copied("of two words")
    said = ftcoll("run", "--", *SHOW, program=program, env={"LD_LIBRARY_PATH": "/a"})
    assert (said.returncode, said.stdout, said.stderr) == (0, f"libftcoll.so|{tmp_path}/of two words:/a\n", "")
    assert f"{tmp_path}/of two words/libftcoll.so\n" in ftcoll("run", "--", "cat", "/proc/self/maps", program=program).stdout


def test_a_folder_with_a_colon_is_refused(ftcoll, copied):
    said = ftcoll("run", "--", "true", program=copied("of:two"))
    assert (said.returncode, said.stderr.count("\n")) == (2, 1)
    assert "LD_PRELOAD splits at colons" in said.stderr


@pytest.mark.parametrize("arguments, status, line", [
    ((), 2, "ftcoll run: which command? For example: ftcoll run -- mpiexec.hydra -n 8 ./program"),
    (("f=2",), 2, "ftcoll run: which command?"),
    (("f=2", "--"), 2, "ftcoll run: which command?"),
    (("f=x", "--", "env"), 2, 'ftcoll: command line: f = "x" is not allowed; allowed: 0..64\n'),
    (("--tree=oak", "--", "env"), 2, 'ftcoll: command line: tree = "oak" is not allowed; allowed: binomial, kary:K,'),
    (("depth=1", "--", "env"), 2, 'ftcoll: command line: there is no setting "depth"; \'ftcoll info --all\' shows them\n'),
    (("--depth=1", "--", "env"), 2, "ftcoll run: unrecognized option '--depth=1'"),
    (("crash=soon", "--", "env"), 2, "ftcoll: crash is not understood; allowed: RANK:OPERATION:POINT"),
    (("config=nowhere", "--", "env"), 2, "ftcoll: nowhere: cannot be read: No such file or directory\n"),
    (("--", "/nowhere"), 127, "ftcoll: /nowhere: No such file or directory\n"),
    (("--", "nowhere-in-path"), 127, "ftcoll: nowhere-in-path: No such file or directory\n"),
    (("--", "/dev/null"), 126, "ftcoll: /dev/null: Permission denied\n"),
])
def test_what_cannot_be_started_is_told(ftcoll, arguments, status, line):
    said = ftcoll("run", *arguments)
    assert (said.returncode, said.stdout) == (status, "")
    assert said.stderr.startswith(line)


def test_a_bad_settings_file_starts_nothing(ftcoll, tmp_path):
    (tmp_path / "ftcoll.conf").write_text("f = 1\nf = 2\n")
    said = ftcoll("run", "--", "echo", "started")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == "ftcoll: ./ftcoll.conf:2: f has been set in line 1 already\n"


def setuid_copy(of, to):
    shutil.copy(of, to)
    os.chown(to, NOBODY, NOBODY)
    os.chmod(to, 0o4755)


@pytest.mark.skipif(os.geteuid() != 0, reason="setuid programs of somebody else's: this is not root")
def test_a_setuid_command_is_refused(ftcoll, command, tmp_path):
    setuid_copy(shutil.which("true"), tmp_path / "launcher")
    said = ftcoll("run", "--", "./launcher")
    assert (said.returncode, said.stderr.count("\n")) == (2, 1)
    assert said.stderr.startswith("ftcoll: ./launcher runs with more rights than its user (setuid)")


@pytest.mark.skipif(os.geteuid() != 0, reason="setuid programs of somebody else's: this is not root")
def test_as_a_setuid_program_it_does_nothing(ftcoll, command, tmp_path):
    setuid_copy(command, tmp_path / "setuid")
    said = ftcoll("run", "--", "echo", "started", program=str(tmp_path / "setuid"))
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("ftcoll: this command has more rights than its user (setuid)")


# ---- jobs ----

def test_a_job_survives(ftcoll, build):
    said = ftcoll("run", "f=2", "--", "mpiexec.hydra", "-n", 4, f"{build}/tests/mpi/asks")
    assert said.returncode == 0, said.stderr
    assert "ftcoll: 3 of 4 ranks survived (f = 2)" in said.stderr


def test_a_program_without_its_launcher_is_told(ftcoll, build):
    said = ftcoll("run", "--", f"{build}/tests/mpi/sites")
    assert "ftcoll: not protected: one process alone; the command for ftcoll is the launcher" in said.stderr
    said = ftcoll("run", "--", "mpiexec.hydra", "-n", 1, f"{build}/tests/mpi/sites")
    assert "ftcoll:" not in said.stderr
