"""Preloading and settings."""
from ..case import Case
from .common import ALLREDUCE, DEFECT, ENDED, SOME_TIME, defect_if, native_end, needs_root, one_line, stream, tolerated


# ---- preloading is harmless ----

HARMLESS = [Case(name, 1, 1, command=command, rotate=False, status=status, says=says,
                 silent=("ftcoll",) + silent)
            for name, command, status, says, silent in (
    ("preload: true", "/bin/true", 0, (), ("(?s).",)),
    ("preload: false", "/bin/false", 1, (), ("(?s).",)),
    ("preload: ls", "ls /", 0, ("(?m)^tmp$",), ()),
    ("preload: bash", "bash -c 'echo a | cat; (exit 4)'", 4, (r"^a\n$",), ()),
    ("preload: python3", "python3 -c 'import threading, subprocess; "
                         "print(subprocess.call([\"true\"]) + 42)'", 0, (r"^42\n$",), ()),
    ("preload: sleep, killed", "sh -c 'kill -9 $$'", -9, (), ("(?s).",)),
    ("preload: mpiexec of no MPI program", "mpiexec.hydra -n 3 echo hello", 0,
     (r"^(hello\n){3}$",), ()),
    ("preload: mpiexec of a failing shell", "mpiexec.hydra -n 2 sh -c 'exit 5'", 5, (), ()),
    ("preload: no MPI, LD_BIND_NOW", "env LD_BIND_NOW=1 ls /", 0, ("(?m)^tmp$",), ()),
    ("preload: setuid program", "if [ $(id -u) = 0 ]; then exec setpriv --reuid=65534 "
     "--regid=65534 --clear-groups su --version; else exec su --version; fi", 0,
     (r"^su .*\n$",), ()),
)] + [
    Case("preload: singleton", 1, 1, command="{programs}/stream", finished=1, silent=("ftcoll",)),
    Case("preload: singleton, LD_BIND_NOW", 1, 1, command="{programs}/stream", finished=1,
         settings={"LD_BIND_NOW": "1"}, silent=("ftcoll",)),
    tolerated("preload: LD_BIND_NOW", 3, 1, "kill@10:1", settings={"LD_BIND_NOW": "1"}),
    Case("preload: under env", 4, 1, finished=3, failures=1,
         command="mpiexec.hydra -n {n} env A=1 {programs}/stream --fault kill@10:2"),
    Case("preload: under a shell", 4, 1, finished=3, failures=1,
         command="mpiexec.hydra -n {n} bash -c 'A=1 {programs}/stream --fault kill@10:2'"),
    Case("preload: standard input", 2, 1, finished=2, says=("(?m)^got word$",),
         command="printf 'word\\nmore\\n' | mpiexec.hydra -n {n} bash -c "
                 "'[ $PMI_RANK = 1 ] || read w; echo got $w; {programs}/stream'"),
    Case("preload: only by -genv", 4, 1, finished=3, failures=1, preload=False, command=
         "mpiexec.hydra -genv LD_PRELOAD {library} -n {n} {programs}/stream --fault kill@10:2"),
    Case("preload: program without ftcoll asks", 3, 1, command="mpiexec.hydra -n {n} "
         "{programs}/asks", preload=False, says=("(content without ftcoll(.|\n)*){3}",)),
    Case("enable = 0, nobody dies", 4, 1, ALLREDUCE, settings={"FTCOLL_ENABLE": "0"}, finished=4,
         silent=("ftcoll",)),
    Case("enable = 0, a rank is killed", 4, 1, stream("kill@10:1", ALLREDUCE),
         settings={"FTCOLL_ENABLE": "0"}, status=ENDED, check=native_end, silent=("ftcoll:",)),
]


# ---- settings ----


def refused(name, settings, *says, files=""):
    command = f"{files}mpiexec.hydra -n {{n}} {{programs}}/stream"
    return Case(f"refused: {name}", 3, 1, command=command, settings=settings, rotate=False,
                status=2, says=says, check=one_line, silent=("BAD TERMINATION",))


SETTINGS = [
    refused("bad value", {"FTCOLL_F": "many"}, "ftcoll: environment: .*FTCOLL_F.*many"),
    refused("value out of range", {"FTCOLL_F": "65"}, r"FTCOLL_F.*65.*0\.\.64"),
    refused("bad word", {"FTCOLL_TREE": "oak"}, "FTCOLL_TREE.*oak.*binomial"),
    refused("unknown variable", {"FTCOLL_TREES": "binomial"}, "unknown variable FTCOLL_TREES"),
    refused("no file", {"FTCOLL_CONFIG": "/nowhere/ftcoll.conf"}, "/nowhere/ftcoll.conf"),
    refused("unknown key", {}, r"ftcoll\.conf.*2.*trees",
            files="printf '[ftcoll]\\ntrees = oak\\n' >ftcoll.conf; "),
    refused("bad value in a file", {"FTCOLL_CONFIG": "own.conf"}, r"own\.conf.*2.*max_bytes.*-1",
            files="printf '[ftcoll]\\nmax_bytes = -1\\n' >own.conf; "),
    Case("refused: bad value of rank 0 alone", 3, 1, rotate=False, status="failed", tags=DEFECT,
         command="mpiexec.hydra -n 1 -env FTCOLL_F many {programs}/stream : -n 2 {programs}/stream",
         says=("ftcoll: environment: .*FTCOLL_F.*many",)),
    Case("bad value of another rank", 3, 1, rotate=False, finished=2, failures=1, silent=("FTCOLL_MAX_BYTES",), tags=DEFECT,
         command="mpiexec.hydra -n 1 {programs}/stream --fault kill@10:1 : "
                 "-n 2 -env FTCOLL_MAX_BYTES many {programs}/stream --fault kill@10:1"),
    Case("settings from a file", 3, 1, settings={"FTCOLL_F": None}, rotate=False, finished=1,
         command="printf '[ftcoll]\\nf = 2\\nreport = summary\\n' >ftcoll.conf; "
                 "mpiexec.hydra -n {n} {programs}/stream --fault kill@10:1,2",
         says=(r"1 of 3 ranks survived \(f = 2\)", "carried out by ftcoll")),
    Case("environment wins over the file", 3, 2, rotate=False, finished=1,
         command="printf '[ftcoll]\\nf = 0\\n' >ftcoll.conf; "
                 "mpiexec.hydra -n {n} {programs}/stream --fault kill@10:1,2",
         says=(r"1 of 3 ranks survived \(f = 2\)",)),
]

# A settings file that somebody else has put there, or could change, ends the job, as a line does that is not understood.
ATTACK = "printf 'crash = 1:9:end\\nrecord_file = victim\\n' >ftcoll.conf; "
RUN = "mpiexec.hydra -n {n} {programs}/stream"


def not_trusted(name, made, why, tags=()):
    return Case(f"settings file {name}", 3, 1, rotate=False, status=2, check=one_line,
                command=f"{ATTACK}{made}; {RUN}", says=(rf"ftcoll: \./ftcoll\.conf: not trusted: {why}",), tags=tags)


# Nobody runs the job in a directory of root, who has left a file there. Who built it may keep the library for himself.
VICTIM = ("chmod 755 .; cp {library} .; export LD_PRELOAD=$PWD/libftcoll.so; "
          "exec setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent TMPDIR=/tmp ")

UNTRUSTED = [
    not_trusted("that others may write to", "chmod 666 ftcoll.conf", r"others than its owner .*mode 0666", DEFECT),
    not_trusted("that is a pipe", "rm ftcoll.conf; mkfifo ftcoll.conf", "it is not a regular file"),
] + needs_root(
    not_trusted("of another user", "chown 12345 ftcoll.conf", r"it belongs to another user \(uid 12345\)", DEFECT),
    not_trusted("behind a link of another user", "mv ftcoll.conf c; ln -s c ftcoll.conf; "
                "chown -h 12345 ftcoll.conf", "a link on the way to it belongs to another user", DEFECT),
    Case("settings file of root in the working directory", 3, 1, rotate=False, status=2, check=one_line, tags=DEFECT,
         command=f"{ATTACK}{VICTIM}mpiexec.hydra -n {{n}} true",
         says=(r"ftcoll: \./ftcoll\.conf:1: crash is not allowed here",)),
)

# The ranks that were started with the library say why they wait. They do so for as long as the others
# live, unless on_blocked = abort.
ALONE = [
    Case(f"some ranks {name}", 2, 1, preload=False, rotate=False, status="failed", tags=defect_if(other == "env"),
         command="mpiexec.hydra -genv FTCOLL_BLOCKED_MS 300 -genv FTCOLL_ON_BLOCKED abort "
                 f"-n 1 env LD_PRELOAD={{library}} FTCOLL_ENABLE=1 {{programs}}/stream : -n 1 {other} {{programs}}/stream",
         says=(rf"ftcoll: rank 0 has been waiting in MPI_Init for {SOME_TIME}, because rank 1 has not arrived.*on_blocked = abort",))
    for name, other in (("without the library", "env"),
                        ("with enable = off", "env LD_PRELOAD={library} FTCOLL_ENABLE=off"))]
