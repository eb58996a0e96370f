"""Hosts made of namespaces: each has its own network, processes, name, /dev/shm and /etc/hosts, and a way to the
others: by a bridge, or by a network that is as bad as one wants (switch). They are gone, with all that runs there, when
this process ends."""
import json
import os
import shutil
import subprocess
import tempfile

from runner.job import wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
START_S = 20
SUBNET = "10.77.0"


class Unavailable(Exception):
    """Why there can be no such hosts here."""


def call(*command):
    run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         check=False)
    if run.returncode != 0:
        raise Unavailable(f"{' '.join(command)}: {run.stdout.strip()}")


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


class Network:
    def __init__(self, count, is_rough=False, is_managed=False):
        """@is_rough: order() works. @is_managed: the first host has an interface, up before the others, at which nobody
        reaches it, and its own name stands for its loopback interface there, as Debian has it."""
        missing = [tool for tool in ("unshare", "nsenter", "ip", "mount") if not shutil.which(tool)]
        if missing:
            raise Unavailable(f"{missing[0]} is missing")
        self.names = [f"node{i + 1}" for i in range(count)]
        self.directory = tempfile.mkdtemp(prefix="ftcoll-hosts-", dir="/tmp")
        self.started = []
        self.first = {}  # process of each host, by its name
        self.is_rough = is_rough
        self.is_managed = is_managed
        self.switch = None

    def __enter__(self):
        try:
            self._write_hosts()
            for name in self.names:
                self._add(name)
            if self.is_rough:
                self._connect_roughly()
            else:
                self._connect()
            for number, name in enumerate(self.names, 1):
                self._set_up(number, name)
            self._await_all()
        except (OSError, Unavailable) as error:
            self.close()
            raise Unavailable(str(error)) from error
        self.outer = os.environ.get("TEST_NETWORK", "")
        os.environ["TEST_NETWORK"] = self.directory
        return self

    def __exit__(self, *_):
        os.environ["TEST_NETWORK"] = self.outer
        self.close()

    def _write_hosts(self):
        for name in self.names:
            with open(self._path(f"hosts-{name}"), "w", encoding="ascii") as file:
                file.write("127.0.0.1 localhost\n")
                for number, other in enumerate(self.names, 1):
                    is_own = self._is_managed(name) and other == name
                    file.write(f"{'127.0.1.1' if is_own else f'{SUBNET}.{number}'} {other}\n")

    def _is_managed(self, name):
        return self.is_managed and name == self.names[0]

    def _path(self, name):
        return os.path.join(self.directory, name)

    def _start(self, *command):
        """The process that @command, an unshare, starts."""
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        self.started.append(process)
        if not wait_for(lambda: children(process.pid) or process.poll() is not None, START_S):
            raise Unavailable(f"{' '.join(command)}: it does not start")
        if process.poll() is not None:
            raise Unavailable(f"{' '.join(command)}: {process.stderr.read().strip()}")
        return children(process.pid)[0]

    @staticmethod
    def _enter(pid, *command):
        call("nsenter", "-t", str(pid), "-n", *command)

    def _add(self, name):
        manage = ("ip link add management type veth peer name unused && ip address add 10.78.0.1/24 dev management && "
                  "ip link set unused up && ip link set management up && ") if self._is_managed(name) else ""
        prepare = (f"hostname {name} && mount --bind {self._path(f'hosts-{name}')} /etc/hosts && {manage}"
                   f"mount -t tmpfs tmpfs /dev/shm && ip link set lo up && exec {HERE}/node {self._path(name)}")
        self.first[name] = self._start("unshare", "-n", "-u", "-i", "-m", "-p", "-f", "--kill-child", "--mount-proc", "sh", "-c",
                                       prepare)

    def _connect(self):
        bridge = self._start("unshare", "-n", "--kill-child", "-f", "sleep", "infinity")
        self._enter(bridge, "ip", "link", "add", "bridge", "type", "bridge")
        self._enter(bridge, "ip", "link", "set", "bridge", "up")
        for number, first in enumerate(self.first.values(), 1):
            self._enter(bridge, "ip", "link", "add", f"to{number}", "type", "veth", "peer", "name", "eth0", "netns", str(first))
            self._enter(bridge, "ip", "link", "set", f"to{number}", "master", "bridge", "up")

    def _connect_roughly(self):
        self.switch = subprocess.Popen([f"{HERE}/switch", *map(str, self.first.values())], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.started.append(self.switch)
        if not self.switch.stdout.readline().startswith("done"):
            raise Unavailable(f"no tap devices: {self.switch.stderr.read().strip().splitlines()[-1:]}")

    def _set_up(self, number, name):
        """The switch knows a host by the last byte of its interface's address."""
        first = self.first[name]
        self._enter(first, "ip", "link", "set", "eth0", "address", f"02:00:00:00:00:{number:02x}")
        self._enter(first, "ip", "address", "add", f"{SUBNET}.{number}/24", "dev", "eth0")
        self._enter(first, "ip", "link", "set", "eth0", "up")

    def order(self, **wanted):
        """From now on the network is well but for @wanted: delay_ms, jitter_ms; loss, a share; cut, pairs of hosts, from
        which to which nothing comes; reset, ports whose connections end as soon as anything is sent on them. Returns how many
        connections have been reset so far."""
        index = {name: i for i, name in enumerate(self.names)}
        if "cut" in wanted:
            wanted["cut"] = [(index[origin], index[target]) for origin, target in wanted["cut"]]
        self.switch.stdin.write(json.dumps(wanted) + "\n")
        self.switch.stdin.flush()
        answer = self.switch.stdout.readline().split()
        if not answer:
            raise OSError(f"the switch has ended: {self.switch.stderr.read()}")
        return int(answer[1])

    def forget_addresses(self):
        """Whom a host has asked for in vain it takes for unreachable, for up to a second after the network is well."""
        for first in self.first.values():
            self._enter(first, "ip", "neigh", "flush", "dev", "eth0")

    def _await_all(self):
        if not wait_for(lambda: all(os.path.exists(self._path(name)) for name in self.names), START_S):
            raise Unavailable("a host does not start")
        for name in self.names:
            call("env", f"TEST_NETWORK={self.directory}", f"{HERE}/rsh", name, "true")

    def close(self):
        for process in self.started:
            process.kill()
            process.wait()
            process.stderr.close()
        shutil.rmtree(self.directory, ignore_errors=True)
