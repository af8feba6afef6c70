"""Clients that write without end: each repeats a request, with its Idempotency-Key, until it is acknowledged."""

import base64
import collections
import http.client
import json
import threading
import time
import uuid

SECONDS = 15


class Writers:
    """Some clients of one address."""

    def __init__(self, host, port, key, secret, number, pause):
        self.host, self.port, self.pause = host, port, pause
        self.authorization = "Basic " + base64.b64encode(f"{key}:{secret}".encode()).decode()
        self.lock = threading.Lock()
        self.acknowledged = {}
        self.twice = []
        self.times = []
        self.answers = collections.Counter()
        self.unusual = []
        self.ends = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(n,), daemon=True) for n in range(number)]
        for thread in self.threads:
            thread.start()

    def call(self, connection, method, path, body=None, key=None):
        headers = {"Authorization": self.authorization, "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer, answer.read()

    def write(self, number):
        connection = None
        count = 0
        while not self.ends.is_set():
            count += 1
            name, key = f"written-{number}-{count}", str(uuid.uuid4())
            body = json.dumps({"name": name})
            # The one that is under way at the end is repeated until it is known what became of it.
            while True:
                began = time.monotonic()
                said = None
                try:
                    if connection is None:
                        connection = http.client.HTTPConnection(self.host, self.port, timeout=SECONDS)
                    answer, text = self.call(connection, "POST", "/api/v2/tenants/client_1/resources", body, key)
                    retry = ", Retry-After" if answer.headers.get("Retry-After") else ""
                    said = f"{answer.status}{retry}"
                    if answer.status in (200, 201):
                        self.note(name, json.loads(text)["resourceUUID"], began)
                        break
                    if answer.status != 503:
                        self.remember(name, said, text)
                except (OSError, http.client.HTTPException, ValueError) as error:
                    said = "timeout" if isinstance(error, TimeoutError) else "no answer"
                    connection.close()
                    connection = None
                finally:
                    with self.lock:
                        self.answers[said] += 1
                time.sleep(0.1)
            time.sleep(self.pause)

    def note(self, name, found, began):
        with self.lock:
            self.acknowledged[name] = found
            self.times.append((time.monotonic(), began))

    def remember(self, name, said, text):
        with self.lock:
            if len(self.unusual) < 50:
                self.unusual.append(f"{time.strftime('%H:%M:%S')} {name}: {said} {text[:300]!r}")

    def stop(self):
        self.ends.set()
        for thread in self.threads:
            thread.join(120)
        return [thread for thread in self.threads if thread.is_alive()]

    def pause_within(self, begin, end):
        """The longest time without an acknowledgement that touches this time."""
        with self.lock:
            times = [at for at, _ in self.times if at > begin - 60]
        times.append(time.monotonic())
        pairs = [(before, after) for before, after in zip(times, times[1:]) if after > begin and before < end]
        return max((after - max(before, begin) for before, after in pairs), default=0.0)

    def first_after(self, begin):
        """When the first write that began after this time was acknowledged."""
        with self.lock:
            return min((at for at, began in self.times if began >= begin), default=None)

    def listed(self):
        """All resources that the service lists now, as pairs of name and id."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        answer, text = self.call(connection, "GET", "/api/v2/tenants/client_1/resources/minimal")
        assert answer.status == 200, (answer.status, text[:300])
        return [(one["name"], one["id"]) for one in json.loads(text) if one["name"].startswith("written-")]
