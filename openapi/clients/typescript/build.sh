#!/bin/sh
# build.sh DOCUMENTS OUTPUT VERSION: makes OUTPUT/muster-client-VERSION.tgz.
set -eu
documents=$1 output=$2 version=$3

if ! command -v npm >/dev/null 2>&1; then
    echo "typescript: there is no npm here" >&2
    exit 3
fi
cp -R package.json package-lock.json tsconfig.json operations.mjs README.md src test "$output"
cd "$output"
if ! cmp -s package-lock.json node_modules/.made-from; then
    if ! npm ci --silent --ignore-scripts --no-audit --no-fund >&2; then
        echo "typescript: its tools could not be had (npm ci)" >&2
        exit 3
    fi
    cp package-lock.json node_modules/.made-from
fi
rm -rf dist ./*.tgz
node operations.mjs "$documents/openapi.json" >src/operations.ts
node_modules/.bin/openapi-typescript "$documents/openapi.json" --default-non-nullable=false --output src/schema.d.ts >/dev/null
node_modules/.bin/tsc
cp src/schema.d.ts dist/
node --test test/ >test.log 2>&1 || { cat test.log >&2; exit 1; }
npm pkg set "version=$version" >/dev/null 2>&1
npm pack --silent 2>/dev/null
