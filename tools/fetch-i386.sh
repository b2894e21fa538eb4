#!/bin/bash
# fetch-i386.sh DIR PACKAGE... -- unpack Debian's i386 packages of these names under DIR/root, without root and
# without touching the system: with a package list of its own. What is there already is not fetched again.
# Exit status 1 and a sentence when that cannot be done (no Debian, no network).
set -u
[ $# -ge 2 ] || { echo "usage: fetch-i386.sh DIR PACKAGE..." >&2; exit 2; }
mkdir -p "$1" && cd "$1" || exit 1
shift
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
	{ echo "fetch-i386.sh: this is not a Debian system" >&2; exit 1; }
mkdir -p lists/partial cache/archives/partial root debs
: >>status
cat >apt.conf <<END
APT::Architecture "i386";
APT::Architectures { "i386"; };
Dir::State::lists "$PWD/lists";
Dir::State::status "$PWD/status";
Dir::Cache "$PWD/cache";
Acquire::Languages "none";
APT::Sandbox::User "";
END
export APT_CONFIG=$PWD/apt.conf

missing=
for p; do
	ls debs/"$p"_*.deb >/dev/null 2>&1 || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
apt-get update -q >update.log 2>&1 # one suite of several may fail: what matters is whether the packages come
cd debs && apt-get download -q $missing >../download.log 2>&1 ||
	{ echo "fetch-i386.sh: cannot fetch$missing: $(grep -m1 '^E:' ../download.log)" >&2; exit 1; }
for p in $missing; do
	dpkg-deb -x "$p"_*.deb ../root || exit 1
done
