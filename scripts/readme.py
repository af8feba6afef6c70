#!/usr/bin/env python3
"""Pastes every block of the README's first five minutes into a shell, twice, as a newcomer would, and compares the answers
with what the README says they are; then once more, with the data in a directory of another name.

    scripts/readme.py PROGRAM

PROGRAM is the built `muster`. It is started with the demo company, in a new directory and at a free port. In the answers
of the README "…" stands for anything; blanks do not count.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

END = "@@end of block@@"


def blocks(text):
    """The shell blocks of the section, each with the answers below it, or none."""
    section = text.split("## The first five minutes", 1)[1].split("\n## ", 1)[0]
    found = []
    for kind, content in re.findall(r"^```(sh|json|text)\n(.*?)^```$", section, re.S | re.M):
        if kind == "sh":
            found.append([content, None])
        elif found:
            found[-1][1] = content
    return found


def pattern(answer):
    """What an answer of the README stands for, as a regular expression."""
    parts = re.sub(r"\s", "", answer).split("…")
    return re.compile(".*".join(re.escape(part) for part in parts), re.S)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_ready(base, server):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(base + "/health/ready", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    sys.exit("readme: the program did not get ready")


def paste(found, program, directory, data):
    """Runs all blocks twice in one shell; returns what each printed. `data` is typed first, unless it is the usual name."""
    script = [] if data == "data" else [f"DATA={data}\n"]
    for number, (content, _) in enumerate(found * 2):
        content = content.replace("target/debug/muster", program)
        # Nobody pastes all of it again within a second, by which names are told apart.
        pause = "sleep 1.1\n" if number == len(found) else ""
        script.append(f"{pause}{content}\necho; echo '{END}'\n")
    shell = subprocess.run(
        ["sh", "-c", "".join(script)], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120
    )
    return shell.stdout.split(END)[:-1]


def run(found, program, data):
    """Serves with its data in a directory of this name; returns what was printed that the README does not say."""
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        # People come to the page after a while. Within a minute of the start, those of the demo company have had their messages.
        at_once = ["--page-limit", "0"]
        port = free_port()
        command = [program, "serve", "--demo", "--data-dir", data, "--listen", str(port), *at_once]
        with open(os.path.join(directory, "log"), "w", encoding="utf-8") as log:
            server = subprocess.Popen(command, cwd=directory, stdout=log, stderr=log)
        try:
            wait_until_ready(f"http://127.0.0.1:{port}", server)
            printed = paste(found, program, directory, data)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)
    if len(printed) != 2 * len(found):
        failures.append(f"the shell ended after {len(printed)} of {2 * len(found)} blocks")
    for number, ((content, answer), output) in enumerate(zip(found * 2, printed)):
        time_of = "first" if number < len(found) else "second"
        plain = re.sub(r"\s", "", output)
        wrong = re.search(r'"status":[45]\d\d|not found|No such file|Suppressed', output)
        if wrong or answer and not pattern(answer).fullmatch(plain):
            failures.append(f"in {data}, the {time_of} time:\n{content}\nprinted:\n{output.strip()}\nexpected:\n{answer or 'no error'}")
    return failures


def main():
    program = os.path.abspath(sys.argv[1])
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(top, "README.md"), encoding="utf-8") as readme:
        found = blocks(readme.read())
    assert len(found) > 5, "the README has no blocks"
    failures = [failure for data in ("data", "some/where-else") for failure in run(found, program, data)]
    if failures:
        sys.exit("\n\n".join(failures))
    print(f"{len(found)} blocks of the README do what it says, and again when they are pasted twice")


if __name__ == "__main__":
    main()
