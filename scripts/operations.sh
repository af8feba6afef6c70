#!/bin/sh
# Checks what docs/operations has for those who run the service: the manifests of Kubernetes (scripts/kubernetes.py),
# the alert rules of Prometheus with their tests, and the dashboard of Grafana (scripts/monitoring.py). The program is
# MUSTER_BIN, or that of `cargo build`; the schemas of Kubernetes are in a package of PyPI, promtool is on the PATH or
# in Debian's package prometheus, which is unpacked below target and not installed. Where one is not to be had its check
# is skipped, which it says, unless CI is true.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
build=${CARGO_TARGET_DIR:-$root/target}
case $build in /*) ;; *) build=$root/$build ;; esac
tools=$build/operations
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

unpack_prometheus() {
    mkdir -p "$tools/prometheus.new" && cd "$tools/prometheus.new" &&
        { apt-get download prometheus || { apt-get update && apt-get download prometheus; }; } &&
        dpkg-deb -x prometheus_*.deb . && cd "$tools" && mv prometheus.new prometheus
}
promtool=$(command -v promtool 2>/dev/null || echo "$tools/prometheus/usr/bin/promtool")
if ! [ -x "$promtool" ]; then
    rm -rf "$tools/prometheus.new"
    (unpack_prometheus) >/dev/null 2>&1 || missing "promtool could not be had (Debian's package prometheus)"
fi
"$tools/bin/python" "$root/scripts/monitoring.py" "$root/docs/operations" "$program" "$promtool"
