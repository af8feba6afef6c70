#!/bin/sh
# build.sh DOCUMENTS OUTPUT VERSION: makes OUTPUT/dist/muster_client-VERSION-py3-none-any.whl.
set -eu
documents=$1 output=$2 version=$3

if ! python3 -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)' 2>/dev/null; then
    echo "python: there is no Python 3.10 with venv here" >&2
    exit 3
fi
tools=$output/tools
if ! cmp -s requirements.txt "$tools/made-from"; then
    rm -rf "$tools"
    if ! { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt; } >&2; then
        echo "python: its tools could not be had (pip install)" >&2
        exit 3
    fi
    cp requirements.txt "$tools/made-from"
fi
package=$output/package
rm -rf "$package" "$output/dist"
mkdir -p "$package"
"$tools/bin/python" prepare.py "$documents/openapi.json" >"$output/document.json"
"$tools/bin/openapi-python-client" generate --path "$output/document.json" --config generator.yml --fail-on-warning \
    --custom-template-path templates --meta none --output-path "$package/muster_client" >"$output/generator.log" 2>&1 ||
    { cat "$output/generator.log" >&2; exit 1; }
cp -R muster_client/. "$package/muster_client"
cp README.md "$package"
sed "s/^version = .*/version = \"$version\"/" pyproject.toml >"$package/pyproject.toml"
"$tools/bin/python" -m build --wheel --no-isolation --outdir "$output/dist" "$package" >"$output/build.log" 2>&1 ||
    { cat "$output/build.log" >&2; exit 1; }
rm -rf "$output/installed"
"$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$output/installed" "$output"/dist/*.whl
PYTHONPATH="$output/installed" "$tools/bin/python" tests/test_muster.py 2>"$output/test.log" || { cat "$output/test.log" >&2; exit 1; }
(cd "$package" && "$tools/bin/mypy" --strict --follow-imports=silent muster_client/muster.py) >&2
