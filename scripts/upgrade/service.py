"""A Postgres and gateways of two versions, as processes of this machine."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

from waiting import wait

BOOTSTRAP = {"MUSTER_BOOTSTRAP_KEY": "upgradekey", "MUSTER_BOOTSTRAP_SECRET": "upgradeupgradeupgrade"}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Service:
    """One database, and the gateways on it."""

    def __init__(self, directory, postgres_bin, drain):
        self.directory, self.postgres_bin, self.drain = directory, postgres_bin, drain
        self.nobody = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        self.user = {"user": self.nobody.pw_uid, "group": self.nobody.pw_gid, "extra_groups": []} if self.nobody else {}
        self.port = free_port()
        self.url = f"postgres://muster@127.0.0.1:{self.port}/muster"
        self.processes = []
        self.gateways = {}
        os.chmod(directory, 0o755)

    def folder(self, name):
        path = os.path.join(self.directory, name)
        os.makedirs(path, exist_ok=True)
        if self.nobody:
            os.chown(path, self.nobody.pw_uid, self.nobody.pw_gid)
        return path

    def run(self, name, command, environment=None):
        """Starts a program, as nobody where this is root, since Postgres refuses to be run by root."""
        folder = self.folder(name)
        with open(os.path.join(self.directory, f"{name}.log"), "ab") as log:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                **self.user,
            )
        self.processes.append(process)
        return process

    def start_postgres(self):
        data = os.path.join(self.folder("postgres"), "data")
        initdb = [os.path.join(self.postgres_bin, "initdb"), "-D", data, "-U", "muster", "-E", "UTF8", "-A", "trust"]
        assert self.run("postgres", [*initdb, "--locale=C.UTF-8"]).wait() == 0, "initdb"
        settings = ["-c", f"port={self.port}", "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
        self.run("postgres", [os.path.join(self.postgres_bin, "postgres"), "-D", data, *settings])
        wait("the start of Postgres", 30, lambda: self.psql("SELECT 1", "postgres") is not None)
        self.psql("CREATE DATABASE muster", "postgres")

    def psql(self, text, database="muster"):
        """What a statement answers, or None when it fails."""
        url = self.url.rsplit("/", 1)[0] + "/" + database
        done = subprocess.run(
            [os.path.join(self.postgres_bin, "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", text],
            capture_output=True,
            text=True,
        )
        return done.stdout.strip() if done.returncode == 0 else None

    def start_gateway(self, name, program):
        """Starts a gateway at its address, and waits until it is ready. Answers how long that took."""
        began = time.monotonic()
        if name not in self.gateways:
            self.share_key(name)
            self.gateways[name] = [free_port(), None]
        port, _ = self.gateways[name]
        command = [program, "serve", "--database-url", self.url, "--listen", f"127.0.0.1:{port}", "--data-dir"]
        command += [self.folder(name), "--drain", self.drain]
        process = self.run(name, command, BOOTSTRAP)
        self.gateways[name][1] = process

        def is_ready():
            self.expect_running()
            return self.is_ready(name)

        wait(f"the start of {name}", 60, is_ready)
        return time.monotonic() - began

    def share_key(self, name):
        """All gateways seal secrets under the key that the first one made."""
        for first in list(self.gateways)[:1]:
            key = shutil.copy2(os.path.join(self.folder(first), "secrets.key"), self.folder(name))
            if self.nobody:
                os.chown(key, self.nobody.pw_uid, self.nobody.pw_gid)

    def stop_gateway(self, name):
        process = self.gateways[name][1]
        process.send_signal(signal.SIGTERM)
        if process.wait(60) != 0:
            raise ChildProcessError(f"{name} ended with {process.returncode}")

    def expect_running(self):
        """Fails when a gateway has ended by itself."""
        for name, (_, process) in self.gateways.items():
            if process.poll() is not None:
                raise ChildProcessError(f"{name} ended with {process.returncode}: see {self.directory}/{name}.log")

    def is_ready(self, name):
        """What a load balancer asks."""
        try:
            port = self.gateways[name][0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=1) as answer:
                return answer.status == 200
        except (OSError, urllib.error.HTTPError):
            return False

    def command(self, program, *arguments):
        """The output of a command of Muster on this database."""
        command = [program, *arguments, "--database-url", self.url, "--data-dir", self.folder("command")]
        done = subprocess.run(command, capture_output=True, text=True, **self.user)
        if done.returncode != 0:
            raise ChildProcessError(f"muster {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def stop(self):
        """Ends everything, Postgres last."""
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)
