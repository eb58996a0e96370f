"""A case fails where something is not as it must be, and tells what one needs to know why."""
import re

import pytest

from runner import job
from runner.case import Case
from runner.job import Patience


def plain(command, **expected):
    return Case("plain", command=command, preload=False, rotate=False, **expected)


# A process that lives until it is killed, or pytest is gone.
LIVES = "tail --pid=$PPID -f /dev/null"

WRONG = [
    ("status", plain("echo told >&2; exit 3"), "exit status 3, not 0"),
    ("not-any-status", plain("true", status="failed"), "exit status 0, not failed"),
    ("says", plain("echo told", says=("tolled",)), "it does not say 'tolled'"),
    ("silent", plain("echo told", silent=("told",)), "it says 'told'"),
    ("failures", plain("true", failures=1), "the report names 0 failures, not 1"),
    ("finished", plain("true", n=2, finished=2), "finished"),
    ("check", plain("true", check=lambda job: "it does not check"), "it does not check"),
    ("left-behind", plain(f"{LIVES} & until grep -q tail /proc/$!/comm; do :; done"), r"left behind: process \d+ \(tail\)"),
    ("skipped", plain("echo skipped: it is not root; exit 3"), "exit status 3, not 0"),
    ("temporary-file", plain("touch $TMPDIR/a"), "left behind: temporary file a"),
    ("hang", plain(LIVES, limit_s=0.1), r"did not end within 0.1 s(.|\n)*\((tail|sh)\)"),
]


@pytest.mark.parametrize("case, complaint", [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_wrong(case, complaint, run_case, monkeypatch):
    monkeypatch.setattr(job, "CLEAN_UP_S", 0.1)  # what is left behind here stays
    with pytest.raises(pytest.fail.Exception, match=complaint) as failed:
        run_case(case)
    for told in (f"command:     {case.command}", "exit status: ", "expected:    exit status ", "repeat with: pytest-3 "):
        assert told in str(failed.value)


def test_right(run_case):
    run_case(plain("echo told; exit 3", status=3, says=("told",), silent=("tolled",), failures=0))


def test_a_setting_becomes_text_when_the_job_starts(run_case):
    run_case(Case("plain", command="echo $FTCOLL_TIMEOUT_MS", rotate=False, settings={"FTCOLL_TIMEOUT_MS": Patience(100)},
                  says=(r"(?m)^[1-9]\d\d+$",)))


def test_a_line_within_one_of_hydra_is_found(run_case):
    head, line = "[proxy:0:2@node3] HYD_cb (pm/pmiserv/pmip_cb.c:899): ", "ftcoll: rank 4 (node3, pid 16) lost with its host"
    run_case(plain(f"echo '{head}{line}\nassert failed' >&2", says=(f"(?m)^{re.escape(line)}$",), failures=1))


@pytest.mark.parametrize("case", [plain("exit 3", skip="it is not root"), plain("echo skipped: it is not root", says=("told",))])
def test_skipped(case, run_case):
    with pytest.raises(pytest.skip.Exception, match="plain: it is not root"):
        run_case(case)
