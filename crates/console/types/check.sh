#!/bin/sh
# Types of the console: crates/console/types/check.sh. Its modules are checked as they are written, by their JSDoc,
# against types that are made of openapi/openapi.json: a call of an operation that takes something else, or the use of a
# field that no answer has, is a finding. Where the tools are not to be had it is skipped, which it says, unless CI is
# true. Nobody needs them to run the console.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)

. "$here/tools.sh"

cd "$target"
# The modules beside their types; of the libraries there are types alone.
rm -rf modules
mkdir modules
cp -R "$here/../static/." "$here/types.d.ts" "$here/tsconfig.json" "$root/openapi/operations.js" \
    "$root/openapi/forms.js" modules
rm modules/vendor/*.js
cp "$here/preact-htm.d.ts" "$here/marked.d.ts" modules/vendor/
cd modules
tools=../node_modules/.bin
$tools/openapi-typescript "$root/openapi/openapi.json" --default-non-nullable=false --output schema.d.ts >/dev/null
$tools/tsc --project .
