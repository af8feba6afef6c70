#!/bin/sh
# Calls the service as its document allows, and as it does not: openapi/rules/fuzz/run.sh [EXAMPLES]. schemathesis makes
# the calls and looks at the answers, with all its checks; what it finds and exclusions.py does not explain fails. Two
# runs beside each other, each with a service, a database with the demo company and half of the operations: some 24,000
# calls in two minutes. EXAMPLES (3) says how many of them are random, for each operation; the others try its parameters
# and fields one by one. SEED chooses other random ones. The program is MUSTER_BIN, or that of `cargo build`.
#
# Where Python or its packages are not to be had it is skipped, which it says, unless CI is true.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=${CARGO_TARGET_DIR:-$root/target}
case $build in /*) ;; *) build=$root/$build ;; esac
program=${MUSTER_BIN:-$build/debug/muster}
case $program in /*) ;; *) program=$PWD/$program ;; esac
target=$build/openapi-fuzz
examples=${1:-3}
# Ten times what a run takes: what hangs ends then.
seconds=$((900 + 60 * examples))
# Half of the operations, by how long they take.
half='^/api/v2/tenants/\{tenantId\}/(resources|sites|deviceGroups|serviceGroups|rosters|scheduleMaintenances|users|apiKeys)(/|$)'

. "$here/../missing.sh"

[ -x "$program" ] || { echo "contract: there is no program $program: cargo build --workspace --bin muster" >&2; exit 1; }
python3 -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)' 2>/dev/null ||
    missing "there is no Python 3.10 with venv for schemathesis"
tools=$target/tools
if ! cmp -s "$here/requirements.txt" "$tools/made-from"; then
    rm -rf "$tools"
    { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"; } >&2 ||
        missing "schemathesis could not be had (pip install)"
    cp "$here/requirements.txt" "$tools/made-from"
fi

# fuzz NAME FILTER…: one of the runs, in a directory of its own.
fuzz() {
    work=$target/$1
    shift
    rm -rf "$work"
    mkdir -p "$work"
    cd "$work"
    cp "$here/schemathesis.toml" "$here/hooks.py" "$here/exclusions.py" .
    started=
    trap 'kill $started 2>/dev/null || true' EXIT
    trap 'exit 1' INT TERM
    "$program" serve --demo --data-dir data --listen 127.0.0.1:0 --rate-limit 0 >server.log 2>&1 &
    started=$!
    url=
    for _ in $(seq 100); do
        url=$(sed -n 's/^Muster listens at //p' server.log)
        [ -z "$url" ] || break
        sleep 0.2
    done
    [ -n "$url" ] || { cat server.log; return 1; }
    . data/credentials.env
    export MUSTER_KEY MUSTER_SECRET PYTHONPATH="$work" PYTHONDONTWRITEBYTECODE=1 FUZZ_SUMMARY="$work/summary" FUZZ_SECONDS="$seconds"
    # client_2, to which hooks.py leads what suspends and terminates.
    "$tools/bin/python" - "$url" <<'EOF' || return 1
import os, sys, requests
key = os.environ["MUSTER_KEY"], os.environ["MUSTER_SECRET"]
made = requests.post(f"{sys.argv[1]}/api/v2/tenants/msp_1/clients", json={"name": "Fuzzed"}, auth=key, timeout=30)
assert made.json().get("uniqueId") == "client_2", made.text
EOF
    "$tools/bin/schemathesis" run --url "$url" --no-color --max-examples "$examples" ${SEED:+--seed "$SEED"} "$@" \
        "$root/openapi/openapi.json" >log 2>&1 &
    running=$!
    started="$started $running"
    wait $running
}

began=$(date +%s)
(fuzz first --include-path-regex "$half") &
first=$!
(fuzz second --exclude-path-regex "$half") &
second=$!
trap 'kill $first $second 2>/dev/null || true' EXIT
trap 'exit 1' INT TERM
failed=
wait $first || failed="$failed first"
wait $second || failed="$failed second"
for run in $failed; do
    echo "contract: $target/$run/log:"
    sed -n '/=== \(FAILURES\|ERRORS\) ===/,$p' "$target/$run/log"
done
"$tools/bin/python" "$here/summary.py" "$target/first/summary" "$target/second/summary" || failed=summary
echo "contract: schemathesis took $(($(date +%s) - began)) s; all that it says is in $target/{first,second}/log"
[ -z "$failed" ]
