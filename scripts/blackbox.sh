#!/bin/sh
# Runs the black-box tests whose names have all words of a filter, in this order: blackbox.sh "rosters::sqlite".
# What is between two words of a name, such as a module, need not be named.
set -eu
cd "$(dirname "$0")/.."
filter=$(printf '%s' "${1:-}" | sed 's/::/ /g')

# Building takes minutes: a word that is nowhere in the sources of the tests, nor the name of one of them, is found out
# before.
for word in $filter; do
    if ! grep -rqF -- "$word" tests/tests && ! find tests/tests -name "*$word*" | grep -q .; then
        echo "no test has $word in its name" >&2
        exit 1
    fi
done

cargo build --workspace --bin muster --bin campaign
pattern=$(printf '%s' "$filter" | sed 's/^  *//; s/  *$//; s/  */.*/g')
names=$(cargo test --workspace --test blackbox -- --list | sed -n 's/: test$//p' | grep -E -- "$pattern" || true)
if [ -z "$names" ]; then
    echo "no test has $1 in its name" >&2
    exit 1
fi
# Names hold no blanks.
# shellcheck disable=SC2086
exec cargo test --workspace --test blackbox -- --exact $names
