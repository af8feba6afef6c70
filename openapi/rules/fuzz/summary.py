#!/usr/bin/env python3
"""summary.py FILE…: what hooks.py counted in several runs, as one. Names exclusions that nothing needed."""

import collections
import json
import sys

sys.dont_write_bytecode = True

import exclusions

excluded, calls = collections.Counter(), 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    calls += run["calls"]
    excluded.update(run["excluded"])
print(f"contract: {calls} calls by schemathesis; of what it found, exclusions.py explains:")
for reason, count in excluded.most_common():
    print(f"{count:9} {reason}")
for reason in sorted({one.reason for one in exclusions.ALL} - set(excluded)):
    print(f"     none {reason}")
