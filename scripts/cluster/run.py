"""Builds the cluster of docs/cluster.md on the loopback network, breaks it in turns under writers, and says what became
of the writes. scripts/cluster/run.sh starts it with what it needs."""

import argparse
import collections
import os
import shutil
import signal
import sys
import tempfile
import time
import types

from links import Links
from machines import BOOTSTRAP, Cluster, Takeover, get
from recipe import PORTS, Recipe
from waiting import wait
from writers import Writers

SETTLES = 120


def other(machine):
    return {"pg1": "pg2", "pg2": "pg1"}[machine]


class Faults:
    """What is done to the cluster. Each fault takes the machine that leads, and gives a function that mends it."""

    def __init__(self, cluster, links, choose):
        self.cluster, self.links, self.choose = cluster, links, choose

    def leader_postgres(self, leader):
        """SIGKILL for the Postgres that leads; its Patroni goes on."""
        self.cluster.signal_postgres(leader, signal.SIGKILL)
        return lambda: None

    def leader_machine(self, leader):
        """The machine that leads is gone: Postgres and Patroni, with SIGKILL."""
        self.cluster.kill(leader)
        return lambda: self.cluster.start(leader)

    def leader_hangs(self, leader):
        """The machine that leads stands still (SIGSTOP), and goes on later."""
        patroni = self.cluster.running[leader, "patroni"]
        processes = self.cluster.postgres_of(leader)
        for process in [patroni.pid, *processes]:
            os.kill(process, signal.SIGSTOP)

        def mend():
            for process in [*processes, patroni.pid]:
                try:
                    os.kill(process, signal.SIGCONT)
                except ProcessLookupError:
                    pass

        return mend

    def standby_machine(self, leader):
        """The machine of the other Postgres is gone."""
        self.cluster.kill(other(leader))
        return lambda: self.cluster.start(other(leader))

    def gateway(self, _leader):
        """SIGKILL for a gateway, by turns."""
        machine = self.choose(["gw1", "gw2", "gw3"])
        self.cluster.kill(machine, "muster")
        return lambda: self.cluster.start(machine)

    def etcd(self, _leader):
        """SIGKILL for one of the three, by turns: also for the one that leads."""
        machine = self.choose(["etcd1", "etcd2", "etcd3"])
        self.cluster.kill(machine)
        return lambda: self.cluster.start(machine)

    def cut(self, pairs):
        self.links.cut(pairs)
        return lambda: self.links.mend(pairs)

    def replication_link(self, leader):
        """Nothing comes through between the two Postgres."""
        return self.cut([("any", leader), ("any", other(leader))])

    def leader_alone(self, leader):
        """The machine that leads is cut off from all others."""
        return self.cut([pair for pair in self.links.whole if leader in pair])

    def gateway_link(self, leader):
        """A gateway, or the balancer, no longer reaches the Postgres that leads."""
        return self.cut([(self.choose(["gw1", "lb"]), leader)])

    def balancer_link(self, _leader):
        """The balancer no longer reaches a gateway."""
        return self.cut([("lb", self.choose(["gw1", "gw2", "gw3"]))])


# In turns; the number is for how many seconds. Half of them are kills of the Postgres that leads.
TURNS = [
    ("leader_postgres", 0),
    ("gateway", 3),
    ("leader_postgres", 0),
    ("leader_machine", 25),
    ("leader_postgres", 0),
    ("etcd", 5),
    ("leader_postgres", 0),
    ("replication_link", 15),
    ("leader_postgres", 0),
    ("gateway_link", 10),
    ("leader_postgres", 0),
    ("leader_machine", 25),
    ("leader_postgres", 0),
    ("standby_machine", 10),
    ("leader_alone", 30),
    ("leader_postgres", 0),
    ("balancer_link", 5),
    ("leader_hangs", 30),
]


class Round:
    """One fault, and what it did."""

    def __init__(self, kind, machine):
        self.kind, self.machine = kind, machine
        self.pause = self.takeover = self.after = None


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def figures(values):
    return f"{quantile(values, 0.5):.2f} s, {quantile(values, 0.99):.2f} s, {max(values):.2f} s"


def settle(cluster, what):
    missing = [None]

    def settled():
        missing[0] = cluster.unsettled()
        return not missing[0]

    try:
        wait(what, SETTLES, settled, 0.5)
    except TimeoutError as error:
        raise TimeoutError(f"{error}: {missing[0]}") from None


def build(cluster, links_ports):
    """Starts the machines as the page says, and gives the links between them."""
    links = Links(cluster.recipe, links_ports)
    for machine in ("etcd1", "etcd2", "etcd3"):
        cluster.start(machine)
    etcds = [cluster.url(machine, 2379, "/health") for machine in ("etcd1", "etcd2", "etcd3")]
    wait("etcd", 60, lambda: all(b"true" in get(url)[1] for url in etcds))
    for machine in ("pg1", "pg2"):
        cluster.start(machine)
    wait("Postgres", 120, lambda: sorted(m["role"] for m in cluster.members().values()) == ["leader", "sync_standby"])
    connection = cluster.connect(cluster.leader())
    connection.autocommit = True
    with connection.cursor() as cursor:
        for statement in cluster.recipe.sql.split(";\n"):
            if statement.strip():
                cursor.execute(statement)
    connection.close()
    for machine in ("lb", "gw1", "gw2", "gw3"):
        cluster.start(machine)
    wait("the balancer", 120, lambda: get(cluster.url("lb", 8000, "/health/ready"))[0] == 200)
    return links


def break_in_turns(cluster, faults, writers, options, rounds):
    deadline = time.monotonic() + 60 * options.minutes
    turns = [turn for turn in TURNS if not options.only or turn[0] in options.only.split(",")]
    number = 0
    while number < options.rounds and time.monotonic() < deadline:
        kind, lasts = turns[number % len(turns)]
        number += 1
        settle(cluster, f"round {number}, before {kind}")
        time.sleep(options.quiet)
        leader = cluster.leader()
        fault = Round(kind, leader)
        begin = time.monotonic()
        mend = getattr(faults, kind)(leader)
        takeover = Takeover(cluster, other(leader)) if kind in ("leader_postgres", "leader_machine") else None
        time.sleep(lasts)
        mend()
        if takeover:
            takeover.join()
            fault.takeover = takeover.at and takeover.at - begin
        settle(cluster, f"round {number}, {kind} of {leader}")
        fault.pause = writers.pause_within(begin, time.monotonic())
        if fault.takeover:
            first = writers.first_after(begin)
            fault.after = first and max(first - takeover.at, 0.0)
        rounds.append(fault)
        told = f"{time.strftime('%H:%M:%S')} {number} {kind} ({leader}): pause {fault.pause:.2f} s"
        if fault.after is not None:
            told += f", {fault.after:.2f} s of it after the other Postgres acknowledged"
        print(told, flush=True)


def report(rounds, writers, listed, quiet):
    """Prints the figures; says whether they are as they have to be."""
    names = collections.Counter(name for name, _ in listed)
    ids = {name: found for name, found in listed}
    lost = [name for name in writers.acknowledged if name not in names]
    doubled = [name for name, count in names.items() if count > 1]
    wrong = [name for name, found in writers.acknowledged.items() if ids.get(name) != found and name not in lost]
    by_kind = collections.defaultdict(list)
    for one in rounds:
        by_kind[one.kind].append(one)
    print("\n| Fault | times | writes go on after: half, 99 of 100, at most |")
    print("|---|---|---|")
    for kind, some in by_kind.items():
        pauses = [one.pause for one in some]
        print(f"| {kind} | {len(some)} | {figures(pauses)} |")
    after = [one.after for one in rounds if one.after is not None]
    if after:
        print(f"| kills of a leader, without Patroni's part | {len(after)} | {figures(after)} |")
    print(f"\nquiet: the longest pause was {quiet:.2f} s")
    acknowledged = f"acknowledged {len(writers.acknowledged)}"
    print(f"{acknowledged}, lost {len(lost)}, duplicated {len(doubled)}, other id {len(wrong)}")
    print("answers: " + ", ".join(f"{said}: {count}" for said, count in sorted(writers.answers.items())))
    for line in writers.unusual + [f"lost {name}" for name in lost[:20]] + [f"twice {name}" for name in doubled[:20]]:
        print(f"  {line}")
    return not (lost or doubled or wrong) and not any(said.startswith("500") for said in writers.answers)


def main():
    parser = argparse.ArgumentParser(prog="make cluster ARGS=", description=__doc__)
    rounds = "how often to break it (%(default)s: some 8 minutes)"
    parser.add_argument("--rounds", type=int, default=len(TURNS), help=rounds)
    parser.add_argument("--minutes", type=float, default=600, help="how long at most")
    parser.add_argument("--only", default="", help="kinds of faults, with commas: " + ", ".join(sorted(dict(TURNS))))
    parser.add_argument("--writers", type=int, default=6, help="how many (%(default)s)")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two writes of one (%(default)s)")
    parser.add_argument("--quiet", type=float, default=3, help="seconds between two faults (%(default)s)")
    parser.add_argument("--keep", action="store_true", help="keep the directory with all logs")
    parser.add_argument("--page", help=argparse.SUPPRESS, required=True)
    parser.add_argument("--program", help=argparse.SUPPRESS, required=True)
    for tool in ("etcd", "haproxy", "pgbouncer", "patroni", "postgres", "libraries"):
        parser.add_argument(f"--{tool}", help=argparse.SUPPRESS, required=True)
    options = parser.parse_args()
    os.nice(10)
    # Paths of sockets are short.
    directory = tempfile.mkdtemp(prefix="cluster-", dir="/tmp")
    os.chmod(directory, 0o755)
    recipe = Recipe(options.page, directory, options.postgres)
    tools = types.SimpleNamespace(**vars(options))
    cluster = Cluster(recipe, options.program, tools)
    good = False
    turns = collections.Counter()

    def by_turns(machines):
        turns[tuple(machines)] += 1
        return machines[turns[tuple(machines)] % len(machines)]

    def leave(*_):
        raise SystemExit("stopped")

    signal.signal(signal.SIGTERM, leave)
    try:
        began = time.monotonic()
        links = build(cluster, PORTS)
        settle(cluster, "the start")
        print(f"built in {time.monotonic() - began:.0f} s, in {directory}", flush=True)
        address = recipe.own("lb"), recipe.ports[8000]
        credentials = BOOTSTRAP["MUSTER_BOOTSTRAP_KEY"], BOOTSTRAP["MUSTER_BOOTSTRAP_SECRET"]
        writers = Writers(*address, *credentials, options.writers, options.pause)
        begin = time.monotonic()
        time.sleep(10)
        quiet = writers.pause_within(begin + 2, time.monotonic())
        rounds = []
        failure = None
        try:
            break_in_turns(cluster, Faults(cluster, links, by_turns), writers, options, rounds)
        except TimeoutError as error:
            # What became of the writes is told all the same.
            failure = error
            links.mend(links.whole)
        stuck = writers.stop()
        print(f"\nstarted again since they ended by themselves: {dict(collections.Counter(cluster.restarts))}")
        good = report(rounds, writers, writers.listed(), quiet) and not stuck and bool(rounds) and not failure
        if failure or stuck:
            print(f"error: {failure or 'a writer got no answer'}")
    finally:
        cluster.stop()
        if options.keep or not good:
            print(f"logs are in {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
