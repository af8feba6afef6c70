#!/bin/sh
# build.sh DOCUMENTS OUTPUT VERSION: makes the crate OUTPUT/muster-client, and OUTPUT/muster-client-VERSION.crate of it.
set -eu
documents=$1 output=$2 version=$3

missing() {
    echo "rust: $1" >&2
    exit 3
}

command -v cargo >/dev/null 2>&1 && command -v python3 >/dev/null 2>&1 || missing "there is no cargo or no python3 here"
crate=$output/muster-client
mkdir -p "$crate"
rm -rf "$crate/src" "$crate/tests" "$output"/*.crate
cp -R src tests README.md "$crate"
sed "s/^version = \"0.0.0\"/version = \"$version\"/" Cargo.toml >"$crate/Cargo.toml"
python3 generate.py "$documents/openapi.json" "$crate/src"
cd "$crate"
export CARGO_TARGET_DIR="$output/target"
unset CARGO_ENCODED_RUSTFLAGS
export RUSTFLAGS="-D warnings"
cargo fetch --quiet >&2 || missing "the crates that it stands on could not be had (cargo fetch)"
cargo test --quiet >"$output/test.log" 2>&1 || { cat "$output/test.log" >&2; exit 1; }
cargo package --quiet --allow-dirty --no-verify >&2
cp "$output/target/package/muster-client-$version.crate" "$output"
