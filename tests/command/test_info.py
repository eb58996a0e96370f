"""ftcoll info: that it tells what is here, as text and as JSON."""
import json
import os
import re
import shutil

import pytest


@pytest.fixture
def info(ftcoll):
    """A function that returns what it tells as JSON."""
    def ask(env=None, **how):
        said = ftcoll("info", "--json", env=env, **how)
        assert (said.returncode, said.stderr) == (0, "")
        return json.loads(said.stdout)
    return ask


def calls_of(told):
    return {call["call"]: call for call in told["calls"]}


def settings_of(told):
    return {setting["setting"]: setting for setting in told["settings"]}


# ---- what is here ----

def test_library_mpi_and_launcher(info, library):
    told = info()
    assert (told["ftcoll"], told["schema"], told["library"]) == ("info", 1, library)
    assert re.match(r"MPICH Version: +\d", told["mpi"]["version"])
    assert re.match(r"/.*/lib(mpi|mpich)\.so", told["mpi"]["path"])
    assert told["mpi"]["device"].startswith("ch")
    assert told["mpi"]["lacks"] is None
    hydra = next(launcher for launcher in told["launchers"] if launcher["name"] == "mpiexec.hydra")
    assert hydra["path"] == shutil.which("mpiexec.hydra")
    assert re.match(r"Hydra \d", hydra["version"]) and hydra["serves"]
    assert told["objections"] == []


LAUNCHERS = {
    "mpiexec (OpenRTE) 4.1.4": ("Open MPI 4.1.4", False),
    "mpirun (Open MPI) 5.0.6": ("Open MPI 5.0.6", False),
    "slurm-wlm 22.05.8": ("Slurm 22.05.8", True),
    "slurm 24.11.1": ("Slurm 24.11.1", True),
    "HYDRA build details:\\n    Version:                                 4.3.0": ("Hydra 4.3.0", True),
    "HYDRA of tomorrow": ("Hydra ", True),
    "mpiexec of tomorrow": ("mpiexec of tomorrow", False),
}


@pytest.mark.parametrize("line", LAUNCHERS)
def test_launchers_are_known_by_what_they_say(info, tmp_path, line):
    launcher = tmp_path / "mpiexec"
    launcher.write_text(f"#!/bin/sh\n[ \"$*\" = --version ] && printf '%b\\n' '{line}'\n")
    launcher.chmod(0o755)
    told = info({"PATH": str(tmp_path)})["launchers"]
    assert [(one["name"], one["path"], one["version"], one["serves"]) for one in told] == [
        ("mpiexec", str(launcher), *LAUNCHERS[line])]


@pytest.mark.parametrize("script", ["echo slurm; exit 1", "kill -KILL $$", ""])
def test_a_launcher_that_fails_does_not_serve(info, tmp_path, script):
    (tmp_path / "srun").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "srun").chmod(0o755)
    told = info({"PATH": str(tmp_path)})
    assert [one["serves"] for one in told["launchers"]] == [False]
    assert told["objections"] == ["PATH has no launcher with which the library works (mpiexec.hydra)"]


@pytest.mark.parametrize("script", ["exec cat /dev/zero", "exec sleep 1000 >/dev/null 2>&1", "while echo slurm; do sleep 1; done"])
def test_a_launcher_that_does_not_answer_is_not_waited_for(info, tmp_path, script):
    (tmp_path / "mpiexec").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "mpiexec").chmod(0o755)
    for program in ("cat", "sleep"):
        (tmp_path / program).symlink_to(shutil.which(program))
    assert not info({"PATH": str(tmp_path)})["launchers"][0]["serves"]


def test_a_folder_is_no_launcher(info, tmp_path):
    (tmp_path / "mpiexec").mkdir()
    assert info({"PATH": str(tmp_path)})["launchers"] == []


@pytest.mark.parametrize("env, objection", [
    ({"FTCOLL_ENABLE": "off"}, "setting enable is off"),
    ({"SLURM_JOB_NUM_NODES": "65"}, "the ranks are on more than 64 hosts, if it takes all 65 of this job's"),
    ({"SLURM_JOB_NUM_NODES": "64"}, None),
])
def test_objections_to_the_whole_job(info, ftcoll, env, objection):
    assert info(env)["objections"] == ([objection] if objection else [])
    assert (f"\nA job started here is not protected: {objection}.\n" in ftcoll("info", env=env).stdout) == bool(objection)


def test_a_missing_library_is_an_objection(info, copied):
    assert re.match("the library, .*/libftcoll.so.*, is missing$", info(program=copied("alone", ["ftcoll"]))["objections"][0])


def test_the_environment_is_shown(info):
    env = {"PMI_RANK": "0", "PMI_SIZE": "4", "SLURM_JOB_ID": "17", "LD_PRELOAD": "libm.so.6"}
    assert info(env)["environment"] == env


# ---- calls ----

def test_calls_with_the_defaults(info):
    calls = calls_of(info())
    assert calls["MPI_Allreduce"]["fate"] == "protected"
    assert calls["MPI_Barrier"]["fate"] == "not protected"
    assert calls["MPI_Barrier"]["because"] == "setting intercept does not name this call"
    assert calls["MPI_Barrier"]["settings"] == ["FTCOLL_INTERCEPT=all"]
    assert calls["MPI_Recv"]["settings"] == ["FTCOLL_P2P=ignore"]
    assert calls["MPI_Recv"]["if_errors_return"]["settings"] == ["FTCOLL_P2P=error"]
    assert calls["MPI_Win_fence"]["because"] == "no protection for this call"
    assert calls["MPI_File_sync"]["fate"] == "needs nobody"
    assert "MPI_Finalize" not in calls


@pytest.mark.parametrize("env, call, fate, because", [
    ({"FTCOLL_INTERCEPT": "barrier"}, "MPI_Barrier", "protected", None),
    ({"FTCOLL_INTERCEPT": "barrier"}, "MPI_Reduce", "not protected", "setting intercept does not name this call"),
    ({"FTCOLL_INTERCEPT": "all"}, "MPI_Bcast", "ends the job", "an error if the root is dead, and errors are fatal"),
    ({"FTCOLL_INTERCEPT": "all", "FTCOLL_ON_DEAD_ROOT": "keep"}, "MPI_Bcast", "protected", None),
    ({"FTCOLL_F": "0"}, "MPI_Allreduce", "ends the job", "an error with f = 0, and errors are fatal"),
    ({"FTCOLL_P2P": "ignore"}, "MPI_Recv", "protected", "by setting p2p"),
    ({"FTCOLL_P2P": "error"}, "MPI_Recv", "ends the job", "an error by setting p2p, and errors are fatal"),
    ({"FTCOLL_PROTECT": "all"}, "MPI_Igatherv", "protected", None),
    ({"FTCOLL_INTERCEPT": "ineighbor"}, "MPI_Neighbor_alltoallw_init", "protected", None),
    ({}, "MPI_Allreduce_init", "not protected", "setting intercept does not name this call"),
    ({"FTCOLL_COMMUNICATORS": "survivors"}, "MPI_Comm_dup", "protected", "by setting communicators"),
    ({"FTCOLL_COMMUNICATORS": "survivors"}, "MPI_File_open", "protected", "by setting communicators"),
    ({"FTCOLL_COMMUNICATORS": "survivors"}, "MPI_File_write_ordered", "returns error",
     "an error if a rank that has opened the file is dead"),
    ({"FTCOLL_COMMUNICATORS": "survivors"}, "MPI_Intercomm_create", "ends the job",
     "an error if a leader is dead, and errors are fatal"),
])
def test_calls_with_settings(info, env, call, fate, because):
    one = calls_of(info(env))[call]
    assert (one["fate"], one["because"]) == (fate, because)


def test_errors_that_return_are_the_programs(info):
    one = calls_of(info({"FTCOLL_P2P": "error"}))["MPI_Recv"]
    assert one["if_errors_return"] == {"fate": "returns error", "because": "an error by setting p2p", "settings": []}


def test_it_says_of_calls_what_a_job_is_told(ftcoll, info, build, tmp_path):
    """The reasons of a real coverage, call by call, are among those of info."""
    calls, job = calls_of(info()), ftcoll("run", "report=coverage", "--", "mpiexec.hydra", "-n", 4, f"{build}/tests/mpi/sites")
    rows = re.findall(r"^ftcoll: +[\d,]+ on +\d+  (\w+) +(not protected|protected|ends the job|needs nobody) [^:\n]*(?:: ([^;\n]*)(?:; (.*))?)?$",
                      job.stderr, re.M)
    assert rows, job.stderr
    exceptions = info()["exceptions"]
    for call, fate, because, settings in rows:
        expected = calls[call]
        told = (expected["fate"], expected["because"] or "", expected["settings"])
        assert (fate, because, settings.split()) == told or because in exceptions


# ---- settings ----

def test_each_setting_has_its_source(info, tmp_path):
    (tmp_path / "ftcoll.conf").write_text("[ftcoll]\nf = 2\nmax_bytes = 64\n")
    told = info({"FTCOLL_MAX_BYTES": "128"})
    settings = settings_of(told)
    assert told["settings_file"] == "./ftcoll.conf"
    assert settings["f"]["value"] == "2"
    assert settings["f"]["source"] == {"from": "file", "file": "./ftcoll.conf", "line": 2}
    assert settings["max_bytes"]["value"] == "128"
    assert settings["max_bytes"]["source"] == {"from": "environment", "variable": "FTCOLL_MAX_BYTES"}
    assert settings["tree"]["source"] == {"from": "default"}
    assert settings["tree"]["value"] == settings["tree"]["default"]
    assert settings["f"]["default"] == "1" and settings["f"]["allowed"] == "0..64"


def test_each_setting_of_the_example_is_there(info):
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "ftcoll.conf.example"), encoding="utf-8") as example:
        keys = re.findall(r"^(\w+) =", example.read(), re.M)
    assert [setting["setting"] for setting in info()["settings"]] == keys


def test_a_file_that_is_not_trusted_is_refused(ftcoll, tmp_path):
    (tmp_path / "ftcoll.conf").write_text("f = 2\n")
    (tmp_path / "ftcoll.conf").chmod(0o666)
    said = ftcoll("info", "--json")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("ftcoll: ./ftcoll.conf: not trusted: others than its owner may write to it")


def test_settings_that_are_not_understood_are_told(ftcoll):
    said = ftcoll("info", env={"FTCOLL_DEPTH": "1"})
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("ftcoll: environment: unknown variable FTCOLL_DEPTH; ")


def test_a_call_that_waits_for_no_rank_is_not_among_those_without_protection(info):
    fates = {name: call["fate"] for name, call in calls_of(info()).items()}
    assert (fates["MPI_Comm_free"], fates["MPI_File_sync"], fates["MPI_Comm_disconnect"]) == ("needs nobody", "needs nobody", "not protected")



# ---- as text ----

def test_the_text_tells_the_same(ftcoll, info, tmp_path):
    (tmp_path / "ftcoll.conf").write_text("f = 2\n")
    env = {"FTCOLL_P2P": "error", "SLURM_JOB_ID": "17"}
    told, text = info(env), ftcoll("info", "--all", env=env).stdout
    words = " ".join(text.split())
    for call in told["calls"]:
        assert f" {call['call']} " in words + " "
    for setting in told["settings"]:
        assert f"{setting['setting']} = {setting['value']} ".replace("  ", " ") in words
        assert " ".join(setting["meaning"].split()) in words
    assert "f = 2 (./ftcoll.conf:1; default: 1)" in words
    assert "p2p = error (FTCOLL_P2P; default: native)" in words
    assert "SLURM_JOB_ID=17" in words and told["mpi"]["path"] in words
    assert max(map(len, text.splitlines())) <= 100


ALL = {"FTCOLL_PROTECT": "all"}


@pytest.mark.parametrize("env, wanted", [
    ({}, [r"^MPI +MPICH Version: .*\(/.*\)$", r"^launchers +mpiexec\.hydra \(Hydra \d\S*\)", "^settings +all are the defaults$",
          r"^protected +MPI_Reduce, MPI_Allreduce$", r"^not protected  MPI_Barrier, .*, and \d+ more$",
          "^more with +FTCOLL_INTERCEPT=all.* FTCOLL_P2P=ignore"]),
    (ALL, ["^settings +protect = all, ", "^protected +MPI_.*, and \\d+ more$"]),
    ({"FTCOLL_ENABLE": "off"}, [r"^A job started here is not protected: setting enable is off\.$"]),
    ({f"FTCOLL_{name}": value for name, value in (("INTERCEPT", "all"), ("P2P", "error"), ("TREE", "kary:2"),
                                                 ("NOTICE", "off"), ("REPORT", "full"), ("COMMUNICATORS", "survivors"))},
     ["^ends the job +MPI_", "^returns error +MPI_"]),
])
def test_ten_lines_say_what_is_here(ftcoll, env, wanted):
    said = ftcoll("info", env=env)
    assert said.returncode == 0 and len(said.stdout.splitlines()) <= 10
    assert said.stdout.splitlines()[0].endswith("('ftcoll info --all' prints the rest)")
    for line in wanted:
        assert re.search(line, said.stdout, re.M), said.stdout
    lists = [line for line in said.stdout.splitlines() if not line.startswith(("ftcoll ", "MPI ", "more with "))]
    assert max(map(len, lists)) <= 100
