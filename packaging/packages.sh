#!/bin/bash
# packages.sh OUT -- build Debian's packages in a clean copy of this tree, without network, and put them and a
# flat apt repository (Packages, Release) into the directory OUT.
#
# Where the caller may not make a network namespace (unshare -n), it says so and builds without one.
set -eu
cd "$(dirname "$0")/.."
. packaging/common.sh
[ $# = 1 ] || { echo "usage: packaging/packages.sh OUT" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tree=$work/softpmu
copy_tree "$tree"
cd "$tree"
alone dpkg-buildpackage -b -us -uc -j2 >"$out/build.log" 2>&1 || {
	tail -n 20 "$out/build.log" >&2
	echo "packages.sh: the build failed; its log is $out/build.log" >&2
	exit 1
}
mv "$work"/*.deb "$work"/*.buildinfo "$work"/*.changes "$out"/
cd "$out"
dpkg-scanpackages -m . >Packages 2>/dev/null
gzip -9nk -f Packages
apt-ftparchive -o APT::FTPArchive::Release::Date="$(date -Ru -d "@$SOURCE_DATE_EPOCH")" release . >Release.new 2>/dev/null && mv Release.new Release || rm -f Release.new
ls -- *.deb
