"""The command as its tests see it: in an empty folder, an environment without settings, and with a time limit, that
of an idle machine."""
import os
import re
import shutil
import subprocess

import pytest

from runner.job import slowness

LIMIT_S = 60


@pytest.fixture(scope="session")
def command(pytestconfig, build):
    return os.path.abspath(pytestconfig.getoption("command") or os.path.join(build, "ftcoll"))


@pytest.fixture
def library(command, pytestconfig, build):
    """What it is to preload."""
    if not pytestconfig.getoption("command"):
        return os.path.join(build, "libftcoll.so")
    return subprocess.run([command, "run", "--", "sh", "-c", "printf %s \"$LD_PRELOAD\""], text=True, check=True,
                          env={"PATH": os.environ["PATH"]}, stdout=subprocess.PIPE, timeout=LIMIT_S * slowness()).stdout


@pytest.fixture
def ftcoll(command, tmp_path):
    """A function that runs it in the folder of the test."""
    home = tmp_path / "home"
    home.mkdir()
    clean = {name: value for name, value in os.environ.items()
             if not re.match("FTCOLL_|LD_|PMI|SLURM_|XDG_|ARGP_|TMPDIR", name)}

    def run(*arguments, program=command, env=None, limit_s=LIMIT_S, **how):
        return subprocess.run([program, *map(str, arguments)], cwd=tmp_path, text=True, timeout=limit_s * slowness(),
                              env={**clean, "HOME": str(home), **(env or {})}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    return run


@pytest.fixture
def copied(command, build, tmp_path):
    """A function that puts the command, and the library beside it, into a folder."""
    def copy(folder, names=("ftcoll", "libftcoll.so")):
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(command if name == "ftcoll" else os.path.join(build, "libftcoll.so"), place / name)
        return str(place / "ftcoll")
    return copy
