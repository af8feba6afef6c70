#!/bin/sh
# Holds the dependencies to deny.toml: `cargo deny check`. cargo-deny is taken from the PATH, or else built once into
# target/tools. Advisories need their database from the network; where it cannot be had this says so and the rest is
# checked.
set -eu
cd "$(dirname "$0")/.."

version=0.20
tools=$(mkdir -p "${CARGO_TARGET_DIR:-target}/tools" && cd "${CARGO_TARGET_DIR:-target}/tools" && pwd)
PATH=$tools/bin:$PATH
if ! cargo deny --version >/dev/null 2>&1; then
    echo "deny.sh: no cargo-deny here; building it" >&2
    CARGO_PROFILE_DEV_DEBUG=false cargo install --debug --quiet --locked --version "^$version" --root "$tools" \
        --target-dir "$tools/build" cargo-deny >&2
    rm -rf "$tools/build"
fi
cargo deny check bans licenses sources
if cargo deny fetch db >/dev/null 2>&1; then
    cargo deny check advisories
else
    echo "deny.sh: the database of advisories cannot be fetched; advisories are not checked" >&2
fi
