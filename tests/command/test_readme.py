"""The commands of the README's first run, as they stand there."""
import os
import re
import subprocess

import pytest

from runner.job import slowness

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Processes are known by their names: no other job may be seen.
ALONE = ["unshare", *([] if os.getuid() == 0 else ["-Ur"]), "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c"]
RANKS = 4


def commands(build):
    with open(os.path.join(TOP, "README"), encoding="utf-8") as file:
        return [line.replace("build/", f"{build}/") for line in re.findall(r"(?m)^    \$ (.*)$", file.read())]


def run(script):
    done = subprocess.run([*ALONE, script], cwd=TOP, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=60 * slowness())
    return done.returncode, done.stdout


@pytest.fixture(autouse=True)
def is_alone():
    if run("true")[0] != 0:
        pytest.skip("no PID namespace can be made here (unshare --pid)")


def test_first_run(build):
    """A rank is killed once all have started and the job has printed."""
    make, coverage, start, kill = commands(build)
    assert make == "make recipes"
    status, said = run(coverage)
    assert (status, re.search("(?m)^verdict: .*no MPI call waits", said) is not None) == (0, True), said
    status, said = run(f"""{start} >$$.out 2>&1 & job=$!
        until grep -q iteration $$.out; do kill -0 $job || exit 1; done
        [ "$(pgrep -c -x montecarlo)" -eq {RANKS} ] || exit 1
        {kill}
        wait $job; status=$?; cat $$.out; rm $$.out; exit $status""".replace("$$.out", f"{build}/readme.out"))
    assert status == 0, said
    for line in (r"^ftcoll: .* rank \d .* killed by signal 9 \(Killed\); 3 of 4 ranks go on", "^answer: volume 5.1",
                 "^ftcoll: 3 of 4 ranks survived"):
        assert re.search(f"(?m){line}", said), said
