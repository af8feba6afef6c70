#!/bin/sh
# scripts/prettier.sh checks the layout of the console's modules; with --write it lays them out. Prettier leaves the
# text of templates as it is: htm and HTML differ in which blanks between elements count. It is skipped without npm,
# unless CI is true.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

. "$root/crates/console/types/tools.sh"

cd "$root/crates/console"
"$target/node_modules/.bin/prettier" --log-level warn "${1:---check}" static
