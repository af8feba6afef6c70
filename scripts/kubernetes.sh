#!/bin/sh
# Checks the manifests of docs/operations/kubernetes: scripts/kubernetes.py says what for. The schemas of Kubernetes are
# in a package of PyPI, the program is MUSTER_BIN or that of `cargo build`. Where Python or the package is not to be had
# it is skipped, which it says, unless CI is true.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${CARGO_TARGET_DIR:-$root/target}
case $build in /*) ;; *) build=$root/$build ;; esac
tools=$build/kubernetes
program=${MUSTER_BIN:-$build/debug/muster}
package=kubernetes-validate==1.37.0

. "$root/openapi/rules/missing.sh"

python3 -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)' 2>/dev/null ||
    missing "there is no Python 3.10 with venv for the schemas of Kubernetes"
if [ "$(cat "$tools/made-from" 2>/dev/null)" != "$package" ]; then
    rm -rf "$tools"
    mkdir -p "$build"
    { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check "$package"; } >&2 ||
        missing "the schemas of Kubernetes could not be had (pip install $package)"
    echo "$package" >"$tools/made-from"
fi
[ -x "$program" ] || missing "there is no program $program: cargo build --workspace --bin muster"
"$tools/bin/python" "$root/scripts/kubernetes.py" "$root/docs/operations/kubernetes" "$program"
