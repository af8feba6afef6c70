#!/bin/sh
# What OpenAPI documents have to be: openapi/rules/check.sh. Nothing that breaks users of the released document, unless
# CHANGELOG.md names it, and no finding of two linters. Where the linters are not to be had they are skipped, which it
# says, unless CI is true.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}/openapi-rules
case $target in /*) ;; *) target=$root/$target ;; esac

. "$here/missing.sh"

command -v python3 >/dev/null 2>&1 || missing "there is no python3 to compare with the released document"
python3 "$root/scripts/breaking.py" "$here/../released/openapi.json" "$here/../openapi.json" "$root/CHANGELOG.md"

command -v npm >/dev/null 2>&1 || missing "there is no npm to get the linters with"
mkdir -p "$target"
cp "$here/package.json" "$here/package-lock.json" "$here/spectral.yaml" "$here/redocly.yaml" "$target"
cd "$target"
if ! cmp -s package-lock.json node_modules/.made-from; then
    npm ci --silent --ignore-scripts --no-audit --no-fund >&2 || missing "the linters could not be had (npm ci)"
    cp package-lock.json node_modules/.made-from
fi
# Beside each other: each takes a processor for some seconds.
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
node_modules/.bin/redocly lint --config redocly.yaml "$root/openapi/openapi.json" >redocly.log 2>&1 &
redocly=$!
failed=0
node_modules/.bin/spectral lint --quiet --ruleset spectral.yaml --fail-severity hint "$root/openapi/openapi.json" || failed=1
wait $redocly || { cat redocly.log; failed=1; }
exit $failed
