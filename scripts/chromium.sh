#!/bin/sh
# Prints the programs with which the tests look at the console: chromium and chromedriver, a line each.
#
# Looks in $TEST_CHROMIUM and $TEST_CHROMEDRIVER, then on the PATH. Where one is missing and this is root on a
# Debian-like system, it installs the packages `chromium` and `chromium-driver`.
set -eu

first() {
    for program in "$@"; do
        if [ -n "$program" ] && found=$(command -v "$program" 2>/dev/null); then
            printf '%s\n' "$found"
            return 0
        fi
    done
    return 0
}

look() {
    chromium=$(first "${TEST_CHROMIUM:-}" chromium chromium-browser google-chrome)
    driver=$(first "${TEST_CHROMEDRIVER:-}" chromedriver)
}

look
if { [ -z "$chromium" ] || [ -z "$driver" ]; } && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    echo "chromium.sh: no Chromium with its driver here; installing the packages chromium and chromium-driver" >&2
    apt-get install -y --no-install-recommends chromium chromium-driver fonts-dejavu-core >&2 ||
        { apt-get update >&2 && apt-get install -y --no-install-recommends chromium chromium-driver fonts-dejavu-core >&2; } || true
    look
fi
if [ -z "$chromium" ] || [ -z "$driver" ]; then
    echo "chromium.sh: found no chromium with its chromedriver; install both, or name them in TEST_CHROMIUM and TEST_CHROMEDRIVER" >&2
    exit 1
fi
printf '%s\n%s\n' "$chromium" "$driver"
