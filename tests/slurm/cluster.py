"""A Slurm of one node or more, which are all this machine: its daemons as processes of this one, on the loopback
interface, with all that they keep in a private directory and a key of their own."""
import getpass
import os
import re
import shutil
import socket
import subprocess
import tempfile

from runner.job import slowness, wait_for

REAPER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reaper")
START_S = 30
CPUS = 16  # that the node claims to have: as many ranks as the largest job
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "salloc", "sbatch", "scancel", "sinfo", "squeue")

CONFIGURATION = """\
ClusterName=ftcoll-test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={directory}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool.%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd.%n.log
ProctrackType=proctrack/{tracking}
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=pmi2
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
KillWait=1
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Unavailable(Exception):
    """Slurm cannot be run here; the text says why."""


def find(program):
    path = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not path:
        raise Unavailable(f"{program} is missing (Debian: apt-get install munge slurm-wlm)")
    return path


def free_ports(count):
    """Bound all at the same time, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()


def ask(name, *arguments):
    """What a program of Slurm says of the cluster that runs."""
    return subprocess.run([find(name), *arguments], stdout=subprocess.PIPE, check=False, stderr=subprocess.DEVNULL,
                          text=True, timeout=START_S * slowness()).stdout


def signal_jobs(number):
    """Sends signal @number to all processes of all jobs, as a user does."""
    for job in ask("squeue", "-h", "-o", "%i").split():
        ask("scancel", "--quiet", f"--signal={number}", job)


class Cluster:
    """To be used by "with". @tracking is how Slurm finds the processes of a job: linuxproc or pgid. Several nodes
    have names that are nobody's, and ports of their own."""

    def __init__(self, tracking, nodes=1):
        self.programs = {name: find(name) for name in PROGRAMS}
        self.directory = tempfile.mkdtemp(prefix="ftcoll-slurm-")
        self.daemons = []
        self.tracking = tracking
        host = socket.gethostname().split(".")[0]
        self.nodes = [host] if nodes == 1 else [f"ftcoll{i}" for i in range(nodes)]

    def path(self, name):
        return os.path.join(self.directory, name)

    def __enter__(self):
        try:
            self.write_files()
            self.start("munged", "--force", "--foreground", f"--key-file={self.path('key')}",
                       f"--socket={self.path('munge.socket')}", f"--pid-file={self.path('munged.pid')}",
                       f"--log-file={self.path('munged.log')}", f"--seed-file={self.path('seed')}")
            self.await_daemons("munged", lambda: os.path.exists(self.path("munge.socket")))
            os.environ["SLURM_CONF"] = self.path("slurm.conf")
            self.start("slurmctld", "-D", "-c")
            for node in self.nodes:
                self.start("slurmd", "-D", "-N", node)
            self.await_daemons("the node", self.is_idle)
        except BaseException:
            self.__exit__()
            raise
        return self

    @staticmethod
    def version():
        """Of Slurm, its first number: from 23 on slurmd wants control groups, unless told otherwise."""
        return int(re.search(r"\d+", ask("slurmd", "-V"))[0])

    def is_idle(self):
        return ask("sinfo", "-h", "-o", "%T %D") == f"idle {len(self.nodes)}\n"

    def write_files(self):
        os.chmod(self.directory, 0o755)
        os.mkdir(self.path("state"))
        for node in self.nodes:
            os.mkdir(self.path(f"spool.{node}"))
        with open(os.open(self.path("key"), os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(128))
        host = socket.gethostname().split(".")[0]
        with open(self.path("cgroup.conf"), "w", encoding="ascii") as file:
            file.write("CgroupPlugin=disabled\n" if self.version() >= 23 else "")
        controller_port, *node_ports = free_ports(1 + len(self.nodes))
        nodes = "\n".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={CPUS}"
                          for node, port in zip(self.nodes, node_ports))
        with open(self.path("slurm.conf"), "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(
                host=host, controller_port=controller_port, nodes=nodes, directory=self.directory,
                user=getpass.getuser(), tracking=self.tracking))

    def start(self, name, *arguments):
        command = [self.programs[name], *arguments]
        if name == "slurmd":
            command.insert(0, REAPER)
        with open(self.path(f"{name}.out"), "wb") as out:
            self.daemons.append((name, subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                cwd=self.directory)))

    def await_daemons(self, what, condition):
        def ended():
            return [name for name, process in self.daemons if process.poll() is not None]

        if not wait_for(lambda: ended() or condition(), START_S) or ended():
            raise Unavailable(f"{what} does not come up: {self.last_words(ended())}")

    def last_words(self, names):
        texts = []
        for name in names or [name for name, _ in self.daemons]:
            with open(self.path(f"{name}.out"), errors="replace", encoding="utf-8") as file:
                texts.append(f"{name}: " + " ".join(file.read().splitlines()[-2:]))
        return "; ".join(texts)

    def end_jobs(self):
        """What a failed test has left."""
        def ended():
            signal_jobs("KILL")
            return self.is_idle()

        if not wait_for(ended, START_S):
            raise Unavailable("the node does not become idle again")

    def __exit__(self, *_):
        for _, process in reversed(self.daemons):
            process.terminate()
            try:
                process.wait(START_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
