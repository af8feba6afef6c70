#!/bin/sh
# Runs all tests, and then, one at a time, those of tests/timed.txt: they say how long something takes beside a load of
# their own, which the tests beside them would be a part of. One of those that fails is run once more, since the machine
# may have done something else meanwhile; any other failure fails the run. The list may only shrink.
set -eu

timed=$(cat tests/timed.txt)
skipped=$(printf ' --skip %s' $timed)
status=0
# shellcheck disable=SC2086
cargo test --workspace --no-fail-fast -- --exact $skipped || status=$?

# Runs one test. A name that no test has would pass: one test has to.
alone() {
    told=$(cargo test --workspace --test blackbox -- --exact "$1" 2>&1) || true
    printf '%s\n' "$told"
    case $told in *'test result: FAILED'*) return 1 ;; *'test result: ok. 1 passed'*) return 0 ;; *) return 1 ;; esac
}

for test in $timed; do
    printf '\n== alone: %s\n' "$test"
    alone "$test" || { printf '\n== once more: %s\n' "$test" && alone "$test"; } || status=1
done
exit "$status"
