#!/usr/bin/env python3
"""Measures how long a newcomer waits for the compiler, and prints a table: seconds by the clock, and seconds of CPU.

    scripts/build_times.py [DIRECTORY]

It builds from nothing in DIRECTORY (target/build-times), which is removed before and afterwards, and takes some ten minutes
on two cores, which should have nothing else to do. Where they have, compare seconds of CPU. An edit is a line more in a
function of the crate `rosters`, which is taken back. Libraries have to be downloaded before (`cargo fetch`).
"""

import os
import resource
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EDITED = os.path.join(ROOT, "crates/rosters/src/lib.rs")
FUNCTION = "fn routes(config: &mut Routes) {\n"


def cargo(target, *arguments):
    environment = {**os.environ, "CARGO_TARGET_DIR": target, "CARGO_TERM_PROGRESS_WHEN": "never"}
    done = subprocess.run(["cargo", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)


def run(target):
    """As `make run`, until the service answers."""
    cargo(target, "build", "--workspace", "--bin", "muster")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    data = os.path.join(target, "data")
    shutil.rmtree(data, ignore_errors=True)
    command = [os.path.join(target, "debug/muster"), "serve", "--demo", "--data-dir", data, "--listen", f"127.0.0.1:{port}"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=1).close()
                return
            except (urllib.error.URLError, OSError):
                if server.poll() is not None:
                    sys.exit("build_times: the program ended before it answered")
                time.sleep(0.02)
    finally:
        server.terminate()
        server.wait()


def edit(text):
    """One line more in a function."""
    if FUNCTION not in text:
        sys.exit(f"build_times: {EDITED} has no {FUNCTION!r}")
    write(text.replace(FUNCTION, f"{FUNCTION}    let _at = {time.monotonic_ns()}_u64;\n"))


def write(text):
    with open(EDITED, "w", encoding="utf-8") as file:
        file.write(text)


def measure(name, what):
    def cpu():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before, since = cpu(), time.monotonic()
    what()
    print(f"| {name} | {time.monotonic() - since:.1f} | {cpu() - before:.1f} |", flush=True)


def main():
    target = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "target/build-times"))
    with open(EDITED, encoding="utf-8") as file:
        text = file.read()
    print("| | seconds | of CPU |\n|---|---|---|")
    try:
        shutil.rmtree(target, ignore_errors=True)
        measure("`cargo build -p rosters`, from nothing", lambda: cargo(target, "build", "-p", "rosters"))
        edit(text)
        measure("the same after an edit", lambda: cargo(target, "build", "-p", "rosters"))
        cargo(target, "test", "-p", "rosters", "--no-run")
        edit(text)
        measure("`cargo test -p rosters` after an edit", lambda: cargo(target, "test", "-p", "rosters"))
        write(text)
        shutil.rmtree(target, ignore_errors=True)
        measure("`make run` to the first answer, from nothing", lambda: run(target))
        edit(text)
        measure("the same after an edit", lambda: run(target))
    finally:
        write(text)
        shutil.rmtree(target, ignore_errors=True)


if __name__ == "__main__":
    main()
