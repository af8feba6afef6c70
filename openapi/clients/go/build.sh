#!/bin/sh
# build.sh DOCUMENTS OUTPUT VERSION: makes the module OUTPUT/muster, and OUTPUT/muster-client-go-VERSION.tar.gz of it.
set -eu
documents=$1 output=$2 version=$3

missing() {
    echo "go: $1" >&2
    exit 3
}

command -v python3 >/dev/null 2>&1 || missing "there is no python3 here"
# The tools of Go: what is installed, else the packages of Debian, unpacked beside what is made.
if command -v go >/dev/null 2>&1; then
    GOROOT=$(go env GOROOT)
else
    GOROOT=$(find "$output/debian/usr/lib" -maxdepth 1 -name 'go-1.*' 2>/dev/null | head -n 1)
    if [ -z "$GOROOT" ]; then
        mkdir -p "$output/debian"
        (
            cd "$output/debian"
            release() { apt-cache depends golang-go | sed -n 's/.*Depends: golang-\(1\.[0-9]*\)-go$/\1/p' | head -n 1; }
            [ -n "$(release)" ] || apt-get update
            release=$(release)
            apt-get download "golang-$release-go" "golang-$release-src"
            for package in ./*.deb; do dpkg-deb -x "$package" .; done
            rm ./*.deb
        ) >"$output/debian.log" 2>&1 || missing "there is no Go here, nor could it be had (golang-go)"
        GOROOT=$(find "$output/debian/usr/lib" -maxdepth 1 -name 'go-1.*' | head -n 1)
    fi
fi
export GOROOT GOPROXY=off GOTOOLCHAIN=local GOCACHE="$output/cache" GOFLAGS=-mod=mod
printf '%s\n' "$GOROOT" >"$output/goroot"

module=$output/muster
rm -rf "$module" "$output"/*.tar.gz
mkdir -p "$module"
cp go.mod client.go call.go muster_test.go README.md "$module"
python3 generate.py "$documents/openapi.json" "$module"
cd "$module"
unformatted=$("$GOROOT/bin/gofmt" -l client.go call.go muster_test.go)
[ -z "$unformatted" ] || { echo "go: not as gofmt writes it:" $unformatted >&2; exit 1; }
"$GOROOT/bin/gofmt" -w models.go operations.go
"$GOROOT/bin/go" vet ./... >&2
"$GOROOT/bin/go" test ./... >&2
tar -C "$output" -czf "$output/muster-client-go-$version.tar.gz" muster
