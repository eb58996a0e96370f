"""Programs into which MPI is linked statically: the library cannot protect them, and the command says so."""
import json
import os
import subprocess

import pytest

MPI_INSIDE = "int PMPI_Init(int *argc, char ***argv); int PMPI_Init(int *argc, char ***argv) { return !argc || !argv; }\n"
TEXTS = "const char *const variables[] = {\"MPIR_CVAR_ENABLE\"};\n"
STATIC, INSIDE = "is linked statically, so no library", "MPI is linked into it statically"
KINDS = {
    "static": (MPI_INSIDE, ["-static"], STATIC),
    "static-pie": (MPI_INSIDE, ["-static-pie"], STATIC),
    "stripped": (MPI_INSIDE + TEXTS, ["-static", "-s"], STATIC),
    "inside": (MPI_INSIDE, [], INSIDE),
    "without-mpi": ("", ["-static"], None),
    "other-texts": (TEXTS, [], None),
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Their folder; each has the name of its kind."""
    folder = tmp_path_factory.mktemp("programs")
    for name, (source, options, _) in KINDS.items():
        (folder / f"{name}.c").write_text(source + "int main(void) { return 0; }\n")
        subprocess.run(["cc", *options, "-o", folder / name, folder / f"{name}.c"], check=True)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_run(ftcoll, programs, kind):
    said = ftcoll("run", "--", "env", "A=b", programs / kind)
    expected = KINDS[kind][2]
    assert said.returncode == 0
    if expected:
        assert said.stderr.startswith(f"ftcoll: not protected: {programs / kind}: ") and expected in said.stderr
        assert said.stderr.count("\n") == 1
    else:
        assert said.stderr == ""


@pytest.mark.parametrize("kind", KINDS)
def test_info(ftcoll, programs, kind):
    told = json.loads(ftcoll("info", "--json", programs / kind).stdout)
    expected = KINDS[kind][2]
    assert told["program"] == str(programs / kind)
    assert [o for o in told["objections"] if expected and expected in o] == told["objections"]
    assert bool(told["objections"]) == bool(expected)


def test_info_as_text(ftcoll, programs):
    said = ftcoll("info", programs / "static").stdout
    assert f"A job started here is not protected: {programs / 'static'}: it {STATIC}" in said


def test_info_of_a_program_of_the_tests(ftcoll, build):
    program = os.path.join(build, "tests", "mpi", "tooled")
    told = json.loads(ftcoll("info", "--json", program).stdout)
    assert (told["program"], told["objections"]) == (program, [])


@pytest.mark.parametrize("arguments", [("absent",), ("/bin/sh", "/bin/sh"), ("/usr",)])
def test_info_of_what_is_no_program(ftcoll, arguments):
    said = ftcoll("info", *arguments)
    assert said.returncode != 0 and said.stderr


def test_a_broken_file_does_no_harm(ftcoll, programs):
    whole = (programs / "static").read_bytes()
    broken = programs / "broken"
    for at in range(0x10, 0x40):
        broken.write_bytes(whole[:at] + b"\xff" + whole[at + 1:])
        broken.chmod(0o755)
        assert ftcoll("info", broken).returncode == 0
    for length in (1, 0x20, 0x40, 0x80, len(whole) // 2, len(whole) - 1):
        broken.write_bytes(whole[:length])
        assert ftcoll("info", broken).returncode == 0
