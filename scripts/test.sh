#!/bin/sh
# Runs all tests, and then, one at a time, those of tests/timed.txt: they say how long something takes beside a load of
# their own, which the tests beside them would be a part of.
#
# Four tests share two cores, with servers, browsers and databases of their own: on a machine that is busy with something
# else one of three thousand is late now and then. Up to three that failed are run once more, alone; those that pass
# then are named at the end, to be made steadier. One that fails alone fails the run, and so does whatever is not a
# failed test, such as a crash.
set -eu

log=${CARGO_TARGET_DIR:-target}/tests.log
mkdir -p "$(dirname "$log")"
timed=$(cat tests/timed.txt)
skipped=$(printf ' --skip %s' $timed)
# The status of the first command of a pipe, which sh does not tell.
{
    # shellcheck disable=SC2086
    cargo test --workspace --no-fail-fast -- --exact $skipped 2>&1 && status=0 || status=$?
    echo "ended with $status" >"$log.status"
} | tee "$log"

failed=
if [ "$(cat "$log.status")" != "ended with 0" ]; then
    failed=$(sed -n 's/^test \([^ ]*\)\( - should panic\)\{0,1\} \.\.\. FAILED$/\1/p' "$log" | sort -u)
    count=$(printf '%s' "$failed" | grep -c . || true)
    told=$(sed -n 's/^test result: FAILED\. .* \([0-9]*\) failed;.*/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
    whole=$(grep -c '^test result: FAILED' "$log" || true)
    targets=$(sed -n 's/^error: \([0-9]*\) targets\{0,1\} failed:.*/\1/p' "$log")
    if [ "$count" -eq 0 ] || [ "$count" -gt 3 ] || [ "$told" != "$count" ] || [ "$whole" != "$targets" ]; then
        exit 1
    fi
fi

# Runs one test of the programs given. A name that no test has would pass: one test has to.
alone() {
    test=$1
    shift
    told=$(cargo test --workspace "$@" -- --exact "$test" 2>&1) || true
    printf '%s\n' "$told"
    case $told in *'test result: FAILED'*) return 1 ;; *'test result: ok. 1 passed'*) return 0 ;; *) return 1 ;; esac
}

status=0
for test in $timed; do
    printf '\n== alone: %s\n' "$test"
    alone "$test" --test blackbox ||
        { printf '\n== once more: %s\n' "$test" && alone "$test" --test blackbox; } || status=1
done
for test in $failed; do
    printf '\n== once more, alone: %s\n' "$test"
    alone "$test" --tests || status=1
done
[ -z "$failed" ] || printf '\n== failed beside others; to be made steadier:\n%s\n' "$failed"
exit "$status"
