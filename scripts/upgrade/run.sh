#!/bin/sh
# Two gateways of the last released version, or of the revision in scripts/upgrade/base as long as there is none, are
# upgraded to the current tree one after the other, under writers: scripts/upgrade/run.sh [--from REVISION]; --help says
# what else there is. The former version is built below target; MUSTER_FORMER_BIN names one that is there. The new one
# is MUSTER_BIN, or that of `cargo build`.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${CARGO_TARGET_DIR:-$root/target}
case $build in /*) ;; *) build=$root/$build ;; esac
program=${MUSTER_BIN:-$build/debug/muster}

# What scripts have in common is in the folder above.
export PYTHONPATH="$root/scripts"
# Help needs no program.
case " $* " in *" --help "* | *" -h "*) exec python3 "$here/run.py" --help ;; esac

from=
if [ "${1:-}" = --from ]; then
    from=$2
    shift 2
fi
if [ -z "${MUSTER_FORMER_BIN:-}" ]; then
    cd "$root"
    [ -n "$from" ] || from=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || from=$(cat "$here/base")
    revision=$(git rev-parse --verify --quiet "$from^{commit}") || {
        echo "upgrade: there is no revision $from here" >&2
        exit 2
    }
    former=$build/upgrade/$revision
    if ! [ -x "$former/muster" ]; then
        echo "upgrade: building $from" >&2
        rm -rf "$former"
        mkdir -p "$former/tree"
        git archive "$revision" | tar -x -C "$former/tree"
        # One directory for all revisions, so that libraries are built once.
        (cd "$former/tree" && CARGO_TARGET_DIR=$build/upgrade/target cargo build --workspace --bin muster) >&2
        cp "$build/upgrade/target/debug/muster" "$former/muster"
        rm -rf "$former/tree"
    fi
    MUSTER_FORMER_BIN=$former/muster
fi

postgres=$(sh "$root/scripts/postgres.sh")
exec python3 "$here/run.py" --former "$MUSTER_FORMER_BIN" --program "$program" --postgres "$postgres" "$@"
