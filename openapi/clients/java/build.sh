#!/bin/sh
# build.sh DOCUMENTS OUTPUT VERSION: makes OUTPUT/muster-client-VERSION.jar, and OUTPUT/lib with the libraries of
# Jackson that it needs.
set -eu
documents=$1 output=$2 version=$3

missing() {
    echo "java: $1" >&2
    exit 3
}

command -v javac >/dev/null 2>&1 && command -v jar >/dev/null 2>&1 || missing "there is no JDK here"
release=$(javac -version 2>&1 | sed 's/[^0-9]*\([0-9]*\).*/\1/')
[ "$release" -ge 17 ] || missing "the JDK is of version $release, and 17 is needed"
tools=$output/tools
if ! cmp -s requirements.txt "$tools/made-from"; then
    rm -rf "$tools"
    { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt; } >&2 ||
        missing "the generator could not be had (pip install)"
    cp requirements.txt "$tools/made-from"
fi
generator=$(find "$tools" -name openapi-generator.jar)

# Jackson: what is installed, else the packages of Debian, unpacked beside what is made.
libraries="jackson-core jackson-databind jackson-annotations"
from=/usr/share/java
if [ ! -f "$from/jackson-databind.jar" ]; then
    from=$output/debian/usr/share/java
    if [ ! -f "$from/jackson-databind.jar" ]; then
        mkdir -p "$output/debian"
        packages="libjackson2-core-java libjackson2-databind-java libjackson2-annotations-java"
        (
            cd "$output/debian"
            # shellcheck disable=SC2086
            apt-get download $packages || { apt-get update && apt-get download $packages; }
            for package in ./*.deb; do dpkg-deb -x "$package" .; done
        ) >"$output/debian.log" 2>&1 || missing "there is no Jackson here, nor could it be had (libjackson2-databind-java)"
    fi
fi
mkdir -p "$output/lib"
for library in $libraries; do cp -L "$from/$library.jar" "$output/lib/"; done

rm -rf "$output/generated" "$output/classes" "$output"/*.jar
python3 prepare.py "$documents/openapi-3.0.json" >"$output/document.json"
java -jar "$generator" generate -c generator.yml -i "$output/document.json" -o "$output/generated" --skip-validate-spec \
    >"$output/generator.log" 2>&1 || { tail -20 "$output/generator.log" >&2; exit 1; }
path=$(printf '%s:' "$output"/lib/*.jar)
mkdir -p "$output/classes" "$output/tests"
find "$output/generated/src/main/java" src -name '*.java' >"$output/sources"
javac -Xlint:all,-path,-processing,-serial -Werror --release 17 -cp "$path" -d "$output/classes" "@$output/sources" >&2
jar --create --file "$output/muster-client-$version.jar" -C "$output/classes" .
javac -Xlint:all,-path -Werror --release 17 -cp "$path$output/classes" -d "$output/tests" test/MusterTest.java >&2
java -ea -cp "$path$output/classes:$output/tests" MusterTest >&2
