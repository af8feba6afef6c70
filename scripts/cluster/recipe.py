"""The files of docs/cluster.md, as they are on each machine of the recipe, and where that machine is here.

Each machine has an address of the loopback network of its own. What others know it by is another one, at which a
forwarder listens (links.py): one for each pair of machines that the recipe names, and one for addresses that are told
further (machine "any").
"""

import os
import re
import socket

MACHINES = ["any", "pg1", "pg2", "etcd1", "etcd2", "etcd3", "gw1", "gw2", "gw3", "lb"]
PORTS = {
    "pg1": [5432, 8008],
    "pg2": [5432, 8008],
    "etcd1": [2379, 2380],
    "etcd2": [2379, 2380],
    "etcd3": [2379, 2380],
    "gw1": [8080],
    "gw2": [8080],
    "gw3": [8080, 6432],
    "lb": [8000, 5432],
}


class Recipe:
    """docs/cluster.md, for a directory of this machine and ports that are free."""

    def __init__(self, page, directory, postgres_bin):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.directory = directory
        self.postgres_bin = postgres_bin
        self.files = {}
        for block in re.findall(r"^```\w+\n(.*?)^```$", text, re.S | re.M):
            first = re.match(r"# (/etc/\S+)\n", block)
            if first:
                self.files[first.group(1)] = block
        self.sql = re.search(r"^```sql\n(.*?)^```$", text, re.S | re.M).group(1)
        self.urls = dict(re.findall(r"^\| (gw\d) \| `(postgres://[^`]*)`", text, re.M))
        self.ports = {}
        for port in sorted({port for ports in PORTS.values() for port in ports}):
            with socket.socket() as one:
                one.bind(("", 0))
                self.ports[port] = one.getsockname()[1]

    def own(self, machine):
        """The address at which the programs of a machine listen."""
        return f"127.80.{MACHINES.index(machine)}.1"

    def seen(self, source, target):
        """The address by which one machine knows another, or by which others are told of it."""
        return f"127.{81 + MACHINES.index(source)}.{MACHINES.index(target)}.1"

    def place(self, machine, path):
        """Where a path of a machine is here."""
        return os.path.join(self.directory, machine, path.lstrip("/"))

    def adapt(self, text, machine, told=False):
        """A text of a file of this machine. `told`: the addresses in it are told to all others."""

        def address(match):
            target = match.group()
            # What a machine says of itself is told to others, and a program beside it is asked directly.
            if target == machine and not target.startswith("gw"):
                return self.seen("any", target)
            if target == machine:
                return self.own(target)
            return self.seen("any" if told else machine, target)

        names = "|".join(MACHINES[1:])
        text = re.sub(rf"\b(?:{names})\b(?=:\d)|(?<=host=)(?:{names})\b", address, text)
        text = text.replace("0.0.0.0/0", "127.0.0.0/8").replace("0.0.0.0", self.own(machine))
        ports = "|".join(map(str, self.ports))
        text = re.sub(rf"\b(?:{ports})\b", lambda one: str(self.ports[int(one.group())]), text)
        text = text.replace("/usr/lib/postgresql/15/bin", self.postgres_bin)
        return re.sub(r"(?<![\w.])/(?=etc/|var/lib/|run/)", self.place(machine, ""), text)

    def write(self, machine, path, text=None):
        """Writes a file of the recipe, or this text, where the machine has it, and says where that is."""
        own = self.files[path] if text is None else text
        if path == "/etc/etcd.yml":
            names = re.compile(r"^(?!initial-cluster:).*\betcd1\b", re.M)
            own = names.sub(lambda line: line.group().replace("etcd1", machine), own)
        if path == "/etc/patroni.yml":
            own = re.sub(r"\bpg1\b", machine, own)
        here = self.place(machine, path)
        os.makedirs(os.path.dirname(here), exist_ok=True)
        with open(here, "w", encoding="utf-8") as file:
            file.write(self.adapt(own, machine, told=path == "/etc/etcd.yml"))
        return here

    def links(self):
        """Every pair of machines that is connected, as (source, target)."""
        pairs = {("any", target) for target in PORTS if target.startswith(("pg", "etcd"))}
        pairs |= {(source, f"etcd{n}") for source in ("pg1", "pg2") for n in (1, 2, 3)}
        pairs |= {(source, target) for source in ("gw1", "lb") for target in ("pg1", "pg2")}
        pairs |= {("lb", f"gw{n}") for n in (1, 2, 3)} | {("gw2", "lb"), ("gw3", "lb")}
        return sorted(pairs)
