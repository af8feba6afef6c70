#!/bin/sh
# Runs all tests, and those that failed, three at most, once more, one at a time.
#
# Six tests share two cores, with servers and databases of their own, and some are about seconds: on a machine that is busy
# with something else one of three thousand is late now and then. A test that passes alone is named at the end, to be made
# steadier; one that fails alone fails the run, and so does whatever is not a failed test, such as a crash.
set -eu

log=${CARGO_TARGET_DIR:-target}/tests.log
mkdir -p "$(dirname "$log")"
# The status of the first command of a pipe, which sh does not tell.
{ cargo test --workspace --no-fail-fast 2>&1 && status=0 || status=$?; echo "ended with $status" >"$log.status"; } | tee "$log"
[ "$(cat "$log.status")" != "ended with 0" ] || exit 0

failed=$(sed -n 's/^test \([^ ]*\)\( - should panic\)\{0,1\} \.\.\. FAILED$/\1/p' "$log" | sort -u)
count=$(printf '%s' "$failed" | grep -c . || true)
told=$(sed -n 's/^test result: FAILED\. .* \([0-9]*\) failed;.*/\1/p' "$log" | awk '{ sum += $1 } END { print sum + 0 }')
whole=$(grep -c '^test result: FAILED' "$log" || true)
targets=$(sed -n 's/^error: \([0-9]*\) targets\{0,1\} failed:.*/\1/p' "$log")
if [ "$count" -eq 0 ] || [ "$count" -gt 3 ] || [ "$told" != "$count" ] || [ "$whole" != "$targets" ]; then
    exit 1
fi
for test in $failed; do
    printf '\n== once more, alone: %s\n' "$test"
    cargo test --workspace --tests -- --exact "$test"
done
printf '\n== passed alone, failed beside others; to be made steadier:\n%s\n' "$failed"
