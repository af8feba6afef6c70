"""Upgrades two gateways one after the other while clients write, and says what those noticed. scripts/upgrade/run.sh
starts it with what it needs."""

import argparse
import collections
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

from service import Service
from waiting import wait
from writers import Writers

# Alerts of a while ago, one a second, all closed and one in three acknowledged, as the former version stored them.
ALERTS = """INSERT INTO alerts (tenant_id, id, version, problem, host_key, subject_key, metric_key, service_key,
    monitor_key, app_key, component_key, type_key, ext_key, current_state, repeats, first_ms, last_ms, created_ms,
    updated_ms, acknowledged, suppression, document, sender, closed_ms)
SELECT 'client_1', 'ALT-00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), 1, 'p' || n, 'h' || n %% 1000, 's', 'm',
    '', '', '', '', '', '', 'Ok', 1, at, at, at, at, FALSE, '', CASE WHEN n %% 3 = 0 THEN
    '{"acknowledgement":{"by":{"id":"7","name":"Ada"},"time":"2026-11-20T20:40:00+0000"}}' ELSE '{}' END, '', at + 60000
FROM (SELECT n, 1790000000000 + 1000::bigint * n AS at FROM generate_series(1, %d) AS n) AS rows"""


class Phase:
    """A part of the upgrade, and what clients noticed of it."""

    def __init__(self, name, writers):
        self.name, self.writers = name, writers
        self.begin = time.monotonic()
        self.end = None

    def close(self, note=""):
        self.end = time.monotonic()
        took, failed = self.writers.within(self.begin, self.end)
        if not took:
            print(f"{self.name}: no request was answered; {failed} failed", flush=True)
            return
        middle, late = took[len(took) // 2], took[int(0.99 * len(took))]
        print(
            f"{self.name}: {self.end - self.begin:.1f} s, {len(took)} requests, {failed} failed; "
            f"p50 {middle * 1000:.0f} ms, p99 {late * 1000:.0f} ms, longest {took[-1] * 1000:.0f} ms{note}",
            flush=True,
        )


def listed(service, writers, path):
    """Everything that the service lists now."""
    port = next(iter(service.gateways.values()))[0]
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/v2/tenants/client_1{path}")
    request.add_header("Authorization", writers.authorization)
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def compare(what, acknowledged, found):
    """Prints and counts what was acknowledged and is not there, and what is there twice."""
    names = collections.Counter(name for name, _ in found)
    lost = [name for name, id in acknowledged.items() if (name, id) not in set(found)]
    twice = [name for name, count in names.items() if count > 1]
    some = (lost + twice)[:5] or ""
    print(f"{what}: {len(acknowledged)} acknowledged, {len(lost)} lost, {len(twice)} doubled {some}")
    return len(lost) + len(twice)


def upgrade(service, arguments):
    for name in ("gateway1", "gateway2"):
        service.start_gateway(name, arguments.former)
    assert service.psql(ALERTS % arguments.alerts) is not None, "the alerts of before are not stored"
    is_told = service.psql("SELECT to_regclass('gateways') IS NOT NULL") == "t"
    writers = Writers(service, arguments.writers, arguments.pause)

    def phase(name, work):
        part = Phase(name, writers)
        part.close(work() or "")

    phase("the former version alone", lambda: time.sleep(arguments.seconds))
    print(service.command(arguments.program, "migrate", "--plan"), end="")
    phase("muster migrate of the new version", lambda: service.command(arguments.program, "migrate") and None)
    phase("the former version on the new tables", lambda: time.sleep(arguments.seconds))

    def restart(name):
        service.stop_gateway(name)
        return f"; ready after {service.start_gateway(name, arguments.program):.1f} s"

    phase("gateway 1 is upgraded", lambda: restart("gateway1"))
    phase("both versions", lambda: time.sleep(arguments.seconds))
    phase("gateway 2 is upgraded", lambda: restart("gateway2"))

    def fill():
        lines, moved = [], time.monotonic()

        def is_filled():
            nonlocal lines, moved
            service.expect_running()
            before, text = lines, service.command(arguments.program, "migrate", "--status")
            lines = [line for line in text.splitlines() if line.startswith(("backfill ", "gateway "))]
            moved = moved if lines == before else time.monotonic()
            if time.monotonic() - moved > arguments.patience:
                raise TimeoutError(f"nothing was filled for {arguments.patience} s: {lines}")
            return all("finished" in line for line in lines if line.startswith("backfill "))

        wait("what the migrations added", math.inf, is_filled, 0.5)
        return "".join(f"\n  {line}" for line in lines)

    phase("backfills", fill)
    phase("the new version alone", lambda: time.sleep(arguments.seconds))
    waiting = writers.stop()

    print(f"answers: {dict(writers.answers)}; {writers.elsewhere} connections went on at another gateway")
    faults = len(writers.failures) + waiting + (arguments.writers - len(writers.finished))
    resources = [(one["name"], one["id"]) for one in listed(service, writers, "/resources/minimal")]
    faults += compare("resources", writers.resources, [one for one in resources if one[0].startswith("written-")])
    rows = service.psql("SELECT host_key, id FROM alerts WHERE host_key LIKE 'written-%'").splitlines()
    faults += compare("alerts", writers.alerts, [tuple(row.split("|")) for row in rows])
    unfilled = service.psql(
        "SELECT count(*) FROM alerts WHERE document LIKE '%acknowledgement\":{%' AND acknowledged_by IS NULL"
    )
    # A gateway of a version that does not say that it is there is not waited for.
    print(f"acknowledged alerts that no backfill filled: {unfilled}{'' if is_told else ' (stored beside it)'}")
    faults += int(unfilled) if is_told else 0
    for at, text in writers.failures[:20]:
        print(f"failed: {text}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--former", required=True, help="the program that is upgraded")
    parser.add_argument("--program", required=True, help="the program that it is upgraded to")
    parser.add_argument("--postgres", required=True, help="the directory of Postgres's programs")
    parser.add_argument("--writers", type=int, default=8, help="how many clients write (8)")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two rounds of a client (0.05)")
    parser.add_argument("--alerts", type=int, default=20_000, help="how many alerts there are before (20000)")
    parser.add_argument("--seconds", type=float, default=5, help="how long each quiet phase takes (5)")
    parser.add_argument("--patience", type=float, default=60, help="how long backfills may stand still (60)")
    parser.add_argument("--drain", default="2s", help="how long a gateway serves after it was told to stop (2s)")
    parser.add_argument("--keep", action="store_true", help="leave the logs")
    arguments = parser.parse_args()
    for program in (arguments.former, arguments.program):
        print(f"{program}: {subprocess.run([program, '--version'], capture_output=True, text=True).stdout.strip()}")
    service = Service(tempfile.mkdtemp(prefix="muster-upgrade-"), arguments.postgres, arguments.drain)
    faults = 1
    try:
        service.start_postgres()
        faults = upgrade(service, arguments)
        print(f"{faults} faults")
    finally:
        service.stop()
        if faults or arguments.keep:
            print(f"logs: {os.path.join(service.directory, '*.log')}")
        else:
            service.remove()
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
