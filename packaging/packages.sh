#!/bin/bash
# packages.sh OUT -- build Debian's packages in a clean copy of this tree, without network, and put them and a
# flat apt repository (Packages, Release) into the directory OUT.
#
# Where the caller may not make a network namespace (unshare -n), it says so and builds without one.
set -eu
cd "$(dirname "$0")/.."
[ $# = 1 ] || { echo "usage: packaging/packages.sh OUT" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tree=$work/softpmu
mkdir "$tree"
git ls-files -z -co --exclude-standard | tar --null --files-from=- -cf - | tar -xf - -C "$tree"
SOURCE_DATE_EPOCH=$(date -d "$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)" +%s)
export SOURCE_DATE_EPOCH
alone="unshare -n"
unshare -n true 2>/dev/null || { alone=; echo "packages.sh: no network namespace here; building without one" >&2; }
cd "$tree"
$alone env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -b -us -uc -j2 >"$out/build.log" 2>&1 || {
	tail -n 20 "$out/build.log" >&2
	echo "packages.sh: the build failed; its log is $out/build.log" >&2
	exit 1
}
mv "$work"/*.deb "$work"/*.buildinfo "$work"/*.changes "$out"/
cd "$out"
dpkg-scanpackages -m . >Packages 2>/dev/null
gzip -9nk -f Packages
apt-ftparchive release . >Release.new 2>/dev/null && mv Release.new Release || rm -f Release.new
ls *.deb
