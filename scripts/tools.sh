#!/bin/sh
# Installs what CI needs beside Rust, a C compiler and make, or names what is missing and fails: rustfmt and clippy,
# npm, a Python that makes virtual environments, curl, and what Debian packages and units are checked with.
set -eu

missing=
named() {
    echo "tools.sh: $1 is missing: $2" >&2
    missing=yes
}
is_debian() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1
}
install() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get update >&2 && apt-get install -y --no-install-recommends "$@" >&2
}

for component in rustfmt clippy; do
    case $component in clippy) command="cargo clippy" ;; *) command="cargo fmt" ;; esac
    $command --version >/dev/null 2>&1 && continue
    if command -v rustup >/dev/null 2>&1 && rustup component add "$component" >&2; then continue; fi
    named "$component" "rustup component add $component"
done
if ! command -v npm >/dev/null 2>&1; then
    { is_debian && install npm; } || named npm "apt-get install npm, or https://nodejs.org"
fi
if ! python3 -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)' 2>/dev/null; then
    { is_debian && install python3 python3-venv; } || named "Python 3.10 with venv" "apt-get install python3-venv"
fi
if ! command -v systemd-analyze >/dev/null 2>&1; then
    { is_debian && install systemd; } || named systemd-analyze "apt-get install systemd"
fi
command -v dpkg-deb >/dev/null 2>&1 || named dpkg-deb "apt-get install dpkg"
command -v curl >/dev/null 2>&1 || { is_debian && install curl; } || named curl "apt-get install curl"
[ -z "$missing" ]
