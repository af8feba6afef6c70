#!/usr/bin/env python3
"""Checks the alert rules and the dashboard for the service itself, and says what is wrong with them.

    scripts/monitoring.py FOLDER PROGRAM PROMTOOL

Rules and queries of the dashboard are what Prometheus reads; the tests of the rules pass, and there is one for each,
and a line of README.md; each metric that rules and dashboard name is one that PROGRAM tells, with those labels.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import yaml

# What Prometheus adds to what it reads.
ADDED = {"job", "instance"}
# What only a service with a replica of a Postgres tells; tests/tests/operations/replica.rs reads it from one.
OF_A_REPLICA = {
    "muster_replica_up": set(),
    "muster_replica_lag_seconds": set(),
    "muster_replica_reads_total": {"outcome"},
}
wrong = []


def expect(condition, message):
    if not condition:
        wrong.append(message)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    expect(done.returncode == 0, f"{' '.join(command[1:3])}: {done.stdout}{done.stderr}")


def told(program):
    """The metrics that a service with all of its parts tells, each with the labels that were seen."""
    with tempfile.TemporaryDirectory() as directory:
        log = os.path.join(directory, "log")
        command = [program, "serve", "--demo", "--listen", "127.0.0.1:0", "--data-dir", os.path.join(directory, "data")]
        command += ["--backup-to", os.path.join(directory, "backups"), "--every", "1s"]
        with open(log, "w", encoding="utf-8") as file:
            service = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + 90
            text = ""
            while "muster_backup_age_seconds " not in text:
                expect(time.monotonic() < deadline, "the program tells of no backup")
                if time.monotonic() > deadline or service.poll() is not None:
                    break
                with open(log, encoding="utf-8") as file:
                    url = re.search(r"^Muster listens at (\S+)", file.read(), re.M)
                if url:
                    # Of an operation that was called, for the metrics by operation.
                    for path in ("/openapi.json", "/metrics"):
                        with urllib.request.urlopen(url.group(1) + path, timeout=10) as answer:
                            text = answer.read().decode()
                time.sleep(0.3)
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(30)
        if not text:
            with open(log, encoding="utf-8") as file:
                wrong.append(file.read())
    metrics = {}
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)", text, re.M):
        for suffix in ("_bucket", "_count", "_sum") if kind == "histogram" else ("",):
            metrics[name + suffix] = set()
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? \S+$", text, re.M):
        metrics[name].update(re.findall(r'(\w+)="', labels))
    return metrics


def check_query(where, query, metrics):
    every_label = set().union(*metrics.values()) | ADDED | {"worker", "tenant"}
    for name, selector in re.findall(r"\b((?:muster|process)_\w+)(?:\{([^}]*)\})?", query):
        expect(name in metrics, f"{where}: the service tells no {name}")
        named = set(re.findall(r'(\w+)\s*(?:=~|!~|!=|=)\s*"', selector))
        labels = metrics.get(name) or every_label
        expect(named <= labels | ADDED, f"{where}: {name} has no label {named - labels - ADDED}")
    for labels in re.findall(r"\b(?:by|on) \(([^)]*)\)", query):
        named = {label.strip() for label in labels.split(",")}
        expect(named <= every_label, f"{where}: no metric has a label {named - every_label}")


def main():
    folder, program, promtool = sys.argv[1:]

    def load(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return yaml.safe_load(file) if name.endswith(".yaml") else file.read()

    rules = [rule for group in load("alerts.yaml")["groups"] for rule in group["rules"]]
    run(promtool, "check", "rules", os.path.join(folder, "alerts.yaml"))
    run(promtool, "test", "rules", os.path.join(folder, "alerts.test.yaml"))
    tests = [one for test in load("alerts.test.yaml")["tests"] for one in test["alert_rule_test"]]
    speaking = {one["alertname"] for one in tests if one.get("exp_alerts")}
    alerts = {rule["alert"] for rule in rules}
    expect(speaking == alerts, f"alerts and tests in which they speak differ: {sorted(speaking ^ alerts)}")
    described = set(re.findall(r"^\| `(Muster\w+)`", load("README.md"), re.M))
    expect(described == alerts, f"alerts and README.md differ: {sorted(described ^ alerts)}")

    dashboard = json.loads(load("dashboard.json"))
    panels = dashboard["panels"]
    expect(len({panel["id"] for panel in panels}) == len(panels), "two panels have one id")
    places = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    expect(len(set(places)) == len(places) and max(places)[0] < 24, "panels lie upon each other, or beside the page")
    queries = [(panel["title"], target["expr"]) for panel in panels for target in panel.get("targets", [])]
    as_rules = [
        {"record": f"query{number}", "expr": query.replace("$__rate_interval", "5m").replace("$instance", ".*")}
        for number, (_, query) in enumerate(queries)
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        json.dump({"groups": [{"name": "dashboard", "rules": as_rules}]}, file)
        file.flush()
        run(promtool, "check", "rules", file.name)

    metrics = told(program) | OF_A_REPLICA
    for rule in rules:
        check_query(rule["alert"], rule["expr"], metrics)
    for title, query in queries:
        check_query(f"dashboard, {title}", query, metrics)

    for message in wrong:
        print(f"monitoring: {message}", file=sys.stderr)
    print(f"monitoring: {len(rules)} rules, {len(queries)} queries of the dashboard, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
