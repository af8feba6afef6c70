#!/bin/sh
# Sees to the shells in which the tests try the completions: zsh and fish. Where one is missing and this is root on a
# Debian-like system, it installs the package of that name. Fails when one is missing afterwards.
set -eu

missing() {
    for shell in zsh fish; do
        command -v "$shell" >/dev/null 2>&1 || printf '%s ' "$shell"
    done
}

wanted=$(missing)
if [ -n "$wanted" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    echo "shells.sh: installing the packages $wanted" >&2
    # Unquoted on purpose: each is a package.
    apt-get install -y --no-install-recommends $wanted >&2 ||
        { apt-get update >&2 && apt-get install -y --no-install-recommends $wanted >&2; } || true
fi
wanted=$(missing)
if [ -n "$wanted" ]; then
    echo "shells.sh: these shells are not here: $wanted" >&2
    exit 1
fi
