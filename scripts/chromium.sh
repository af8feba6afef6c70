#!/bin/sh
# Prints the programs with which the tests look at the console: chromium and chromedriver, a line each.
#
# Looks in $TEST_CHROMIUM and $TEST_CHROMEDRIVER, then for Debian's chromium-headless-shell, which draws the same with
# three quarters of the work, then on the PATH. Where one is missing and this is root on a Debian-like system, it
# installs the packages `chromium`, `chromium-driver` and, where there is one, `chromium-headless-shell`.
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
    # Not the command of the same name: it is a script, and who ends it leaves the browser running.
    shell=/usr/lib/chromium/chromium-headless-shell
    chromium=$(first "${TEST_CHROMIUM:-}" "$shell" chromium chromium-browser google-chrome)
    driver=$(first "${TEST_CHROMEDRIVER:-}" chromedriver)
}

look
if { [ -z "$chromium" ] || [ -z "$driver" ]; } && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    echo "chromium.sh: no Chromium with its driver here; installing the packages chromium and chromium-driver" >&2
    install() { apt-get install -y --no-install-recommends "$@" >&2; }
    install chromium chromium-driver fonts-dejavu-core ||
        { apt-get update >&2 && install chromium chromium-driver fonts-dejavu-core; } || true
    install chromium-headless-shell || true
    look
fi
if [ -z "$chromium" ] || [ -z "$driver" ]; then
    echo "chromium.sh: found no chromium with its chromedriver; install both, or name them in TEST_CHROMIUM and TEST_CHROMEDRIVER" >&2
    exit 1
fi
printf '%s\n%s\n' "$chromium" "$driver"
