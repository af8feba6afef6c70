#!/bin/sh
# Prints the directory that holds the Postgres server programs (postgres, initdb, psql).
#
# Looks, in this order, in $TEST_POSTGRES_BIN, PATH, where `pg_config` points, and the usual places.
# Where none is found and this is root on a Debian-like system, it installs the package `postgresql`
# (without the system-wide cluster that the package would otherwise start).
set -eu

at_least=13

# The major version of the server programs in $1, or nothing when one of them is missing.
version_in() {
    for program in postgres initdb psql; do
        [ -x "$1/$program" ] || return 0
    done
    "$1/postgres" --version 2>/dev/null | sed -n 's/^postgres (PostgreSQL) \([0-9][0-9]*\).*/\1/p'
}

candidates() {
    printf '%s\n' "${TEST_POSTGRES_BIN:-}"
    printf '%s\n' "$PATH" | tr ':' '\n'
    if command -v pg_config >/dev/null 2>&1; then pg_config --bindir; fi
    for major in 19 18 17 16 15 14 13; do
        printf '%s\n' "/usr/lib/postgresql/$major/bin" "/usr/pgsql-$major/bin" \
            "/opt/homebrew/opt/postgresql@$major/bin" "/usr/local/opt/postgresql@$major/bin"
    done
    printf '%s\n' /usr/local/pgsql/bin /usr/lib/postgresql/bin /opt/homebrew/bin
}

find_programs() {
    candidates | while IFS= read -r directory; do
        [ -n "$directory" ] || continue
        version=$(version_in "$directory")
        if [ -n "$version" ] && [ "$version" -ge "$at_least" ]; then
            printf '%s\n' "$directory"
            break
        fi
    done
}

install_package() {
    export DEBIAN_FRONTEND=noninteractive
    echo "postgres.sh: no Postgres $at_least or newer here; installing the package postgresql" >&2
    apt-get update >&2
    if [ ! -e /etc/postgresql-common ]; then
        apt-get install -y --no-install-recommends postgresql-common >&2
        echo "create_main_cluster = false" >>/etc/postgresql-common/createcluster.conf
    fi
    apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-confold postgresql >&2
}

found=$(find_programs)
if [ -z "$found" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    install_package
    found=$(find_programs)
fi
if [ -z "$found" ]; then
    cat >&2 <<MESSAGE
postgres.sh: found no Postgres $at_least or newer (the programs postgres, initdb and psql in one directory).
Do one of these:
  - install it (Debian, Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server postgresql-contrib)
  - name its directory:          TEST_POSTGRES_BIN=/path/to/bin
  - use a server that runs:      TEST_POSTGRES_URL=postgres://user:password@host:port/postgres
MESSAGE
    exit 1
fi
printf '%s\n' "$found"
