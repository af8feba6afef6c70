#!/bin/sh
# The cluster of docs/cluster.md on this machine, broken in turns under writers: scripts/cluster/run.sh [--rounds 18];
# --help says what else there is. Programs are taken from the PATH, or from Debian's packages, which are unpacked below
# target and not installed, so that nothing of them starts by itself; Patroni is from PyPI. The program is MUSTER_BIN,
# or that of `cargo build`.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${CARGO_TARGET_DIR:-$root/target}
case $build in /*) ;; *) build=$root/$build ;; esac
program=${MUSTER_BIN:-$build/debug/muster}
tools=$build/cluster
patroni='patroni[etcd3]==4.1.5 psycopg2-binary==2.9.13'

# What scripts have in common is in the folder above.
export PYTHONPATH="$root/scripts"
# Help needs no tools.
case " $* " in *" --help "* | *" -h "*) exec python3 "$here/run.py" --help ;; esac

postgres=$(sh "$root/scripts/postgres.sh")
mkdir -p "$tools"
if [ "$(cat "$tools/python/made-from" 2>/dev/null)" != "$patroni" ]; then
    rm -rf "$tools/python"
    # That of the system, if it is there: the user "nobody" has to be able to run it.
    python=python3
    ! /usr/bin/python3 -c 'import venv, ensurepip' 2>/dev/null || python=/usr/bin/python3
    $python -m venv "$tools/python"
    # Unquoted on purpose: each is a package.
    "$tools/python/bin/pip" install --quiet --disable-pip-version-check $patroni >&2
    echo "$patroni" >"$tools/python/made-from"
fi

libraries=
etcd=$(command -v etcd || true) haproxy=$(command -v haproxy || true) pgbouncer=$(command -v pgbouncer || true)
if [ -z "$etcd" ] || [ -z "$haproxy" ] || [ -z "$pgbouncer" ]; then
    if ! [ -d "$tools/debian" ]; then
        rm -rf "$tools/debian.new"
        mkdir -p "$tools/debian.new"
        (
            cd "$tools/debian.new"
            set -- etcd-server haproxy pgbouncer libc-ares2 libevent-2.1-7 liblua5.3-0 libopentracing-c-wrapper0 \
                libopentracing1
            apt-get download "$@" || { apt-get update && apt-get download "$@"; }
            for archive in *.deb; do dpkg-deb -x "$archive" .; done
            rm -f ./*.deb
        ) >&2
        mv "$tools/debian.new" "$tools/debian"
    fi
    etcd=$tools/debian/usr/bin/etcd haproxy=$tools/debian/usr/sbin/haproxy pgbouncer=$tools/debian/usr/sbin/pgbouncer
    libraries=$(echo "$tools"/debian/usr/lib/*-linux-gnu*)
fi

exec "$tools/python/bin/python" "$here/run.py" --page "$root/docs/cluster.md" --program "$program" \
    --etcd "$etcd" --haproxy "$haproxy" --pgbouncer "$pgbouncer" --patroni "$tools/python/bin/patroni" \
    --postgres "$postgres" --libraries "$libraries" "$@"
