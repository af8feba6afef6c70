# To be sourced. missing WHAT: ends a check for which a tool is not to be had, which fails where CI is true.
missing() {
    if [ "${CI:-}" = true ]; then
        echo "${0##*/}: $1" >&2
        exit 1
    fi
    echo "${0##*/}: skipped: $1" >&2
    exit 0
}
