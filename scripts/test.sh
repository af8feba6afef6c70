#!/bin/sh
# Runs all tests, and then, one at a time, those of tests/timed.txt: they say how long something takes beside a load of their own,
# which the tests beside them would be a part of. One of those that fails is run once more; any other fails the run. The
# list may only shrink.
set -eu

timed=$(cat tests/timed.txt)
skipped=$(printf ' --skip %s' $timed)
status=0
# shellcheck disable=SC2086
cargo test --workspace --no-fail-fast -- --exact $skipped || status=$?
for test in $timed; do
    printf '\n== alone: %s\n' "$test"
    # A name that no test has would pass.
    alone() { cargo test --workspace --test blackbox -- --exact "$test" 2>&1 | tee /dev/stderr | grep -q "^test result: ok. 1 passed"; }
    alone || { printf '\n== once more: %s\n' "$test" && alone; } || status=$?
done
exit "$status"
