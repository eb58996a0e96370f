"""ftcoll itself, and ftcoll check."""
import pytest

COMMANDS = ("info", "check", "run", "coverage", "report", "timeline")


def test_without_arguments_it_says_what_there_is(ftcoll):
    said = ftcoll()
    assert (said.returncode, said.stdout) == (2, "")
    for name in COMMANDS:
        assert f"\n  {name} " in said.stderr


@pytest.mark.parametrize("arguments, line", [
    (("--help",), "Usage: ftcoll [OPTION...] COMMAND [ARGUMENT...]"),
    (("--usage",), "Usage: ftcoll "),
    (("--version",), "ftcoll 0."),
    *[((name, "--help"), f"Usage: ftcoll {name} ") for name in COMMANDS],
    *[((name, "--version"), "ftcoll 0.") for name in COMMANDS],
])
def test_help(ftcoll, arguments, line):
    said = ftcoll(*arguments)
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.startswith(line)


@pytest.mark.parametrize("arguments, line", [
    (("chek",), "ftcoll: there is no command 'chek'\n"),
    (("--quick",), "ftcoll: unrecognized option '--quick'\n"),
    (("check", "--quick"), "ftcoll check: unrecognized option '--quick'\n"),
    (("check",), "ftcoll check: which file?\n"),
])
def test_misuse(ftcoll, arguments, line):
    said = ftcoll(*arguments)
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith(line)
    assert "--help' " in said.stderr


def test_a_full_disk_is_told(ftcoll, command):
    said = ftcoll("-c", '"$0" check /dev/null >/dev/full', command, program="sh")
    assert (said.returncode, said.stderr) == (1, "ftcoll: standard output: No space left on device\n")


# ---- check ----

@pytest.mark.parametrize("text, said_of", [
    ("", "0 settings"),
    ("f = 2\n", "1 setting"),
    ("# f = x\n[ftcoll]\nf = 2\nmax_bytes = 64 ; few\ncrash = 3:17:b2\n", "3 settings"),
    ("crash = 3:17:b2,0:app(a::f<int, 2>(int)+0x1f):0:a0,1:solve:2:end\n", "1 setting"),
])
def test_a_good_file(ftcoll, tmp_path, text, said_of):
    (tmp_path / "good.conf").write_text(text)
    said = ftcoll("check", "good.conf")
    assert (said.returncode, said.stdout, said.stderr) == (0, f"good.conf: understood, {said_of}\n", "")


BAD = {
    "f = many\n": ('1: f = "many" is not allowed; allowed: 0..64',),
    "depth = 1\n": ('1: unknown key "depth"; \'ftcoll info --all\' shows them',),
    "[other]\nf = 1\nf = 2\ntree\n": ('1: "[other]" is not allowed; the only section is [ftcoll]',
                                     "3: f has been set in line 2 already",
                                     '4: "tree" is neither a comment nor "key = value"'),
    "f = 1\n\ncrash = soon\n": ("3: crash is not understood; allowed: RANK:OPERATION:POINT",),
    "crash = 3:solve:b2\n": ("1: crash is not understood; allowed: RANK:OPERATION:POINT, or RANK:SITE:OPERATION:POINT",),
    "crash = 3::0:b2\n": ("1: crash is not understood",),
    "f = x\ncrash = soon\n": ('1: f = "x" is not allowed', "2: crash is not understood"),
}


@pytest.mark.parametrize("text", BAD)
def test_each_line_that_is_wrong_has_one_of_its_own(ftcoll, tmp_path, text):
    (tmp_path / "bad.conf").write_text(text)
    said = ftcoll("check", "bad.conf")
    lines = said.stderr.splitlines()
    assert (said.returncode, said.stdout, len(lines)) == (1, "", len(BAD[text]))
    for line, wanted in zip(lines, BAD[text]):
        assert line.startswith("ftcoll: bad.conf:" + wanted)


def test_several_files(ftcoll, tmp_path):
    (tmp_path / "good.conf").write_text("f = 2\n")
    (tmp_path / "bad.conf").write_text("f = x\n")
    said = ftcoll("check", "bad.conf", "good.conf")
    assert (said.returncode, said.stdout) == (1, "good.conf: understood, 1 setting\n")
    assert said.stderr.startswith("ftcoll: bad.conf:1: ")


def test_a_file_that_the_library_would_not_use(ftcoll, tmp_path):
    (tmp_path / "open.conf").write_text("f = 2\n")
    (tmp_path / "open.conf").chmod(0o666)
    said = ftcoll("check", "open.conf")
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr == ("ftcoll: open.conf: not trusted: others than its owner may write to it (mode 0666; chmod "
                           "go-w)\n")
    assert ftcoll("check", "nowhere.conf").stderr == "ftcoll: nowhere.conf: cannot be read: No such file or directory\n"


def test_it_reads_as_the_library_does(ftcoll, tmp_path):
    """What check has against a file is what a job would have, word for word."""
    (tmp_path / "ftcoll.conf").write_text("max_bytes = 1e6\n")
    checked, started = ftcoll("check", "./ftcoll.conf"), ftcoll("run", "--", "true")
    assert (checked.returncode, started.returncode) == (1, 2)
    assert checked.stderr == started.stderr
