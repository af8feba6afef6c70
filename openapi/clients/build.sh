#!/bin/sh
# Makes clients from the OpenAPI document, each an installable package in target/clients/LANGUAGE, and runs their own
# tests.
#
#     openapi/clients/build.sh [LANGUAGE…]
#
# Without a language it makes all for which the tools are there, and says which are not. Ends with 3 when a language was
# asked for whose tools are neither here nor to be had.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}/clients
case $target in /*) ;; *) target=$root/$target ;; esac

muster=${MUSTER_BIN:-${target%/clients}/debug/muster}
[ -x "$muster" ] || (cd "$root" && cargo build --quiet --workspace --bin muster)

known=$(cd "$here" && for script in */build.sh; do dirname "$script"; done)
asked=${*:-$known}
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")

for language in $asked; do
    if [ ! -f "$here/$language/build.sh" ]; then
        echo "clients: there is no client in $language; there are:" $known >&2
        exit 2
    fi
    # The documents as the program has them: the one of OpenAPI 3.0 is nowhere else.
    documents=$target/$language/documents
    "$muster" openapi --write "$documents"
    # What was made of the same is there.
    made=$({
        cd "$here/$language"
        find . -type f -exec cksum {} + | sort
        cksum "$here/build.sh" "$documents"/openapi*.json
        echo "$version"
    } | cksum)
    if [ "$(cat "$target/$language/.made" 2>/dev/null)" = "$made" ]; then
        echo "clients: $target/$language is as it was"
        continue
    fi
    rm -f "$target/$language/.made"
    status=0
    (cd "$here/$language" && sh build.sh "$documents" "$target/$language" "$version") || status=$?
    if [ $status = 3 ] && [ $# = 0 ]; then
        echo "clients: skipped $language" >&2
    elif [ $status != 0 ]; then
        exit $status
    else
        printf '%s\n' "$made" >"$target/$language/.made"
        echo "clients: made $target/$language"
    fi
done
