"""Clients that write steadily through a balancer, which asks each gateway whether it is ready."""

import base64
import collections
import http.client
import itertools
import json
import threading
import time
import uuid

from service import BOOTSTRAP

SECONDS = 15
ASK_EVERY = 0.1


class Balancer:
    """Knows which gateways are ready, as a load balancer that asks for /health/ready."""

    def __init__(self, service):
        self.service = service
        self.ready = list(service.gateways)
        self.turns = itertools.count()
        self.ends = threading.Event()
        threading.Thread(target=self.ask, daemon=True).start()

    def ask(self):
        while not self.ends.wait(ASK_EVERY):
            self.ready = [name for name in self.service.gateways if self.service.is_ready(name)]

    def choose(self):
        """A gateway that is ready, or any when none is."""
        ready = self.ready or list(self.service.gateways)
        return ready[next(self.turns) % len(ready)]


class Writers:
    """Some clients, each of which makes resources and alerts, and acknowledges and closes those alerts."""

    def __init__(self, service, number, pause):
        self.service, self.pause = service, pause
        self.balancer = Balancer(service)
        pair = ":".join(BOOTSTRAP.values())
        self.authorization = "Basic " + base64.b64encode(pair.encode()).decode()
        self.lock = threading.Lock()
        self.resources, self.alerts = {}, {}
        self.times = []
        self.failures = []
        self.elsewhere = 0
        self.finished = []
        self.answers = collections.Counter()
        self.ends = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(n,), daemon=True) for n in range(number)]
        for thread in self.threads:
            thread.start()

    def write(self, number):
        connections = {}
        for count in itertools.count():
            if self.ends.is_set():
                self.finished.append(number)
                return
            name = f"written-{number}-{count}"
            made = self.request(connections, "POST", "/resources", {"name": name})
            self.note(self.resources, name, made["resourceUUID"])
            report = {"currentState": "Critical", "metric": "load", "device": name, "subject": name}
            alert = self.request(connections, "POST", "/alerts", report)[0]["id"]
            self.note(self.alerts, name, alert)
            for action in ("acknowledge", "close"):
                self.request(connections, "POST", f"/alerts/{alert}/actions/{action}", {})
            time.sleep(self.pause)

    def note(self, noted, name, found):
        with self.lock:
            noted[name] = found

    def request(self, connections, method, path, body):
        """Makes a request until it is answered well. Each answer that is none, or an error, is a failure."""
        key, text = str(uuid.uuid4()), json.dumps(body)
        headers = {"Authorization": self.authorization, "Content-Type": "application/json", "Idempotency-Key": key}
        while True:
            began = time.monotonic()
            gateway = self.balancer.choose()
            # A balancer keeps no connection to a gateway that is not ready.
            for name in [name for name in connections if name not in self.balancer.ready]:
                connections.pop(name).close()
            try:
                if gateway not in connections:
                    port = self.service.gateways[gateway][0]
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
                    try:
                        connection.connect()
                    except OSError:
                        # Nothing was sent: a balancer goes on at the next gateway, and no client notices.
                        with self.lock:
                            self.elsewhere += 1
                        time.sleep(ASK_EVERY / 10)
                        continue
                    connections[gateway] = connection
                connections[gateway].request(method, f"/api/v2/tenants/client_1{path}", text, headers)
                answer = connections[gateway].getresponse()
                said, content = answer.status, answer.read()
                if answer.will_close:
                    connections.pop(gateway).close()
            except (OSError, http.client.HTTPException) as error:
                said, content = type(error).__name__, b""
                connections.pop(gateway).close()
            ended = time.monotonic()
            with self.lock:
                self.answers[said] += 1
                if said in (200, 201):
                    self.times.append((began, ended))
                else:
                    self.failures.append((began, f"{gateway} {method} {path}: {said} {content[:200]!r}"))
            if said in (200, 201):
                return json.loads(content)
            time.sleep(0.1)

    def stop(self):
        self.ends.set()
        for thread in self.threads:
            thread.join(60)
        self.balancer.ends.set()
        return sum(thread.is_alive() for thread in self.threads)

    def within(self, begin, end):
        """How long requests took that touch this time, and how many failed in it."""
        with self.lock:
            took = [ended - began for began, ended in self.times if ended > begin and began < end]
            failed = sum(begin <= at < end for at, _ in self.failures)
        return sorted(took), failed
