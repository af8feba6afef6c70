"""The machines of the recipe as processes: started, killed at once as by a loss of power, and asked how they are."""

import json
import os
import pwd
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

BOOTSTRAP = {"MUSTER_BOOTSTRAP_KEY": "clusterkey", "MUSTER_BOOTSTRAP_SECRET": "c1usterc1usterc1uster"}


def get(url, seconds=2):
    """The status and the body of an answer; 0 without one."""
    try:
        with urllib.request.urlopen(url, timeout=seconds) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""
    except OSError:
        return 0, b""


class Cluster:
    """All machines of a recipe."""

    def __init__(self, recipe, program, tools):
        self.recipe = recipe
        self.program = program
        self.tools = tools
        self.running = {}
        self.lock = threading.RLock()
        self.restarts = []
        self.nobody = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        threading.Thread(target=self.supervise, daemon=True).start()

    def supervise(self):
        """Starts what ended by itself again, as systemd does."""
        while True:
            time.sleep(1)
            with self.lock:
                ended = [one for one, process in self.running.items() if process.poll() is not None]
                for machine, name in ended:
                    self.restarts.append(f"{machine}: {name}")
                    del self.running[machine, name]
                    self.start(machine)

    def run(self, machine, name, command, environment=None):
        """Starts a program of a machine, as nobody where this is root, since Postgres refuses to be run by root."""
        folder = self.recipe.place(machine, "")
        for below in ("var/lib/postgresql", "var/lib/muster", "run/postgresql", "etc"):
            os.makedirs(os.path.join(folder, below), exist_ok=True)
        if self.nobody:
            subprocess.run(["chown", "-R", f"{self.nobody.pw_uid}:{self.nobody.pw_gid}", folder], check=True)
        user = {"user": self.nobody.pw_uid, "group": self.nobody.pw_gid, "extra_groups": []} if self.nobody else {}
        if self.tools.libraries:
            environment = {"LD_LIBRARY_PATH": self.tools.libraries, **(environment or {})}
        with open(os.path.join(folder, f"{name}.log"), "ab") as log:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **user,
            )
        self.running[machine, name] = process

    def start(self, machine):
        """Starts what is not running of a machine."""
        with self.lock:
            self.start_locked(machine)

    def start_locked(self, machine):
        write, kind = self.recipe.write, machine.rstrip("123")
        if kind == "etcd":
            self.run(machine, "etcd", [self.tools.etcd, "--config-file", write(machine, "/etc/etcd.yml")])
        elif kind == "pg":
            self.run(machine, "patroni", [self.tools.patroni, write(machine, "/etc/patroni.yml")])
        elif kind == "lb":
            self.run(machine, "haproxy", [self.tools.haproxy, "-db", "-f", write(machine, "/etc/haproxy.cfg")])
        elif kind == "gw":
            if machine == "gw3" and (machine, "pgbouncer") not in self.running:
                settings = write(machine, "/etc/pgbouncer.ini")
                write(machine, "/etc/pgbouncer.users", '"muster" "muster-password"\n')
                self.run(machine, "pgbouncer", [self.tools.pgbouncer, settings])
            if (machine, "muster") in self.running:
                return
            write(machine, "/etc/muster/database-url", self.recipe.urls[machine] + "\n")
            write(machine, "/etc/muster/secrets.key", "Y2x1c3Rlcg" + "A" * 33 + "=\n")
            settings = write(machine, "/etc/muster/muster.toml")
            command = [self.program, "serve", "--config", settings, "--log-format", "text"]
            self.run(machine, "muster", command, BOOTSTRAP)

    def postgres_of(self, machine):
        """The process ids of the Postgres of a machine, its first process last."""
        try:
            noted = self.recipe.place(machine, "/var/lib/postgresql/muster/postmaster.pid")
            with open(noted, encoding="utf-8") as file:
                first = int(file.readline())
            with open(f"/proc/{first}/task/{first}/children", encoding="utf-8") as file:
                return [int(one) for one in file.read().split()] + [first]
        except (OSError, ValueError):
            return []

    def signal_postgres(self, machine, number):
        for process in reversed(self.postgres_of(machine)):
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def kill(self, machine, name=None):
        """SIGKILL for a program, or for all of the machine."""
        with self.lock:
            chosen = [one for one in self.running if one[0] == machine and name in (None, one[1])]
            for of, program in chosen:
                process = self.running.pop((of, program))
                if program == "patroni":
                    process.send_signal(signal.SIGKILL)
                    self.signal_postgres(machine, signal.SIGKILL)
                process.send_signal(signal.SIGKILL)
                process.wait(30)

    def stop(self):
        """Ends everything."""
        for machine in ("gw1", "gw2", "gw3", "lb", "pg1", "pg2", "etcd1", "etcd2", "etcd3"):
            self.kill(machine)

    def url(self, machine, port, path):
        return f"http://{self.recipe.own(machine)}:{self.recipe.ports[port]}{path}"

    def members(self):
        """The members of Postgres by their names, as Patroni tells; one that answers is asked."""
        for machine in ("pg1", "pg2"):
            status, body = get(self.url(machine, 8008, "/cluster"))
            if status == 200:
                return {member["name"]: member for member in json.loads(body)["members"]}
        return {}

    def leader(self):
        """The machine that leads, or None."""
        found = [name for name, member in self.members().items() if member["role"] == "leader"]
        return found[0] if found else None

    def unsettled(self):
        """What is missing, until another fault may come."""
        members = self.members()
        roles = sorted(member["role"] for member in members.values())
        missing = [] if roles == ["leader", "sync_standby"] else [f"roles are {roles}"]
        for name, member in members.items():
            if member.get("state") not in ("running", "streaming") or member["role"] != "leader" and member.get("lag"):
                missing.append(f"{name} is {member.get('state')}, {member.get('lag')} behind")
        for gateway in ("gw1", "gw2", "gw3"):
            if get(self.url(gateway, 8080, "/health/ready"))[0] != 200:
                missing.append(f"{gateway} is not ready")
        for etcd in ("etcd1", "etcd2", "etcd3"):
            if b"true" not in get(self.url(etcd, 2379, "/health"))[1]:
                missing.append(f"{etcd} is not healthy")
        return missing

    def connect(self, machine, database="postgres"):
        """A connection to one Postgres as its superuser, past all links."""
        # Help has to be there before it is installed.
        import psycopg2

        return psycopg2.connect(
            host=self.recipe.own(machine),
            port=self.recipe.ports[5432],
            user="postgres",
            password="superuser-password",
            dbname=database,
            connect_timeout=1,
            options="-c statement_timeout=1000",
        )

    def acknowledges(self, machine):
        """Does this Postgres take a write, and acknowledge it?"""
        import psycopg2

        try:
            connection = self.connect(machine)
            try:
                connection.autocommit = True
                with connection.cursor() as cursor:
                    cursor.execute("SET synchronous_commit = on")
                    cursor.execute("SELECT pg_is_in_recovery()")
                    if cursor.fetchone()[0]:
                        return False
                    cursor.execute("CREATE TABLE IF NOT EXISTS cluster_probe (n int)")
                    cursor.execute("INSERT INTO cluster_probe VALUES (1)")
                return not any("canceling wait" in notice for notice in connection.notices)
            finally:
                connection.close()
        except psycopg2.Error:
            return False


class Takeover(threading.Thread):
    """Notes when the other server acknowledges a write of its own, which is Patroni's part of the time."""

    def __init__(self, cluster, machine):
        super().__init__(daemon=True)
        self.cluster, self.machine = cluster, machine
        self.began = time.monotonic()
        self.at = None
        self.start()

    def run(self):
        while self.at is None and time.monotonic() < self.began + 90:
            if self.cluster.acknowledges(self.machine):
                self.at = time.monotonic()
            time.sleep(0.05)
