#!/bin/sh
# Builds a Debian package of a built program: deb.sh PROGRAM DIRECTORY. Prints the package's path.
set -eu
program=$1
out=$2
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
version=$("$program" --version | cut -d' ' -f2)
architecture=$(dpkg-deb --version >/dev/null && dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 0755 "$root"

install -D -m 0755 "$program" "$root/usr/bin/muster"
install -D -m 0644 "$here/muster.service" "$root/usr/lib/systemd/system/muster.service"
install -D -m 0600 "$here/muster.env" "$root/etc/muster/muster.env"
# As they lie here, since they link to each other.
for file in README.md CHANGELOG.md $(cd "$top" && find docs -type f | sort); do
    install -D -m 0644 "$top/$file" "$root/usr/share/doc/muster/$file"
done
# The shells of Debian look for completions here.
completions() {
    install -D -m 0644 /dev/null "$root/usr/share/$2"
    "$program" completions "$1" >"$root/usr/share/$2"
}
completions bash bash-completion/completions/muster
completions zsh zsh/vendor-completions/_muster
completions fish fish/vendor_completions.d/muster.fish
install -D -m 0644 "$top/LICENSE" "$root/usr/share/doc/muster/copyright"

mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: muster
Version: $version
Architecture: $architecture
Section: admin
Priority: optional
Installed-Size: $(du -sk "$root" | cut -f1)
Maintainer: The Muster maintainers <maintainers@muster.invalid>
Depends: libc6, libgcc-s1
Description: IT operations management in one program
 Inventory of machines, alerts and incidents, on-call rosters and paging,
 maintenance windows, scheduled jobs and a knowledge base behind one documented
 REST interface, on an embedded database or on Postgres.
CONTROL
echo /etc/muster/muster.env >"$root/DEBIAN/conffiles"
cat >"$root/DEBIAN/postinst" <<'POSTINST'
#!/bin/sh
set -e
# Installed, it does not run until somebody says so: systemctl enable --now muster
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl try-restart muster.service
fi
POSTINST
cat >"$root/DEBIAN/prerm" <<'PRERM'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    systemctl disable --now muster.service
fi
PRERM
chmod 0755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm"

mkdir -p "$out"
package="$out/muster_${version}_${architecture}.deb"
dpkg-deb --root-owner-group -Zgzip --build "$root" "$package" >/dev/null
echo "$package"
