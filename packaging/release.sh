#!/bin/bash
# release.sh [--dry-run] OUT -- everything of a release into the directory OUT: source, static executable, packages and their
# repository, SPDX document, sums, signature, install.sh. The same tree gives the same bytes.
#
# RELEASE_KEY is the private key that signs (PEM, RSA). A release needs it, a clean tree and a dated entry in NEWS, and sets
# the tag vVERSION; --dry-run does without and says what a release would refuse.
set -eu
cd "$(dirname "$0")/.."
. packaging/common.sh
version=${version:?}
is_dry=
if [ "${1:-}" = --dry-run ]; then
	is_dry=yes
	shift
fi
[ $# = 1 ] || { echo "usage: packaging/release.sh [--dry-run] OUT" >&2; exit 2; }
[ ! -e "$1" ] || [ -z "$(ls -A "$1")" ] || { echo "release.sh: $1 is not empty" >&2; exit 1; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refuse WHY: a dry run says it and goes on
refuse() {
	echo "release.sh: $*" >&2
	[ -n "$is_dry" ] || exit 1
}
day=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)
[ "$(sed -n '1s/^softpmu (\([^)]*\)).*/\1/p' debian/changelog)" = "$version" ] || {
	echo "release.sh: src/base/version.h says $version, debian/changelog another version" >&2
	exit 1
}
heading=$(grep -m 1 '^softpmu [0-9]' NEWS)
[ "$heading" = "softpmu $version ($day)" ] || [ "$heading" = "softpmu ${version%.0} ($day)" ] ||
	refuse "the newest entry of NEWS is '$heading', not 'softpmu $version ($day)' (the day of debian/changelog)"
[ -z "$(git status --porcelain)" ] || refuse "the tree has changes that are in no commit"
[ -n "${RELEASE_KEY:-}" ] || refuse "RELEASE_KEY names no private key: nothing is signed"
tagged=$(git rev-parse -q --verify "v$version^{commit}" || :)
[ -z "$tagged" ] || [ "$tagged" = "$(git rev-parse HEAD)" ] || refuse "the tag v$version is there and names another commit"

copy_tree "$work/softpmu-$version"
pack "$work/softpmu-$version" "$out/softpmu-$version.tar.gz"
packaging/static.sh "$work/static" >/dev/null
cp "$work/static/softpmu-$version-x86_64.tar.gz" "$out/"
packaging/packages.sh "$work/packages" >/dev/null
mkdir "$out/debian"
cp "$work"/packages/{*.deb,Packages,Packages.gz,Release} "$out/debian/"
packaging/spdx.sh "$work/static/components" "$out/softpmu-$version.tar.gz" "$out/softpmu-$version-x86_64.tar.gz" \
	>"$out/softpmu-$version.spdx"
cp packaging/install.sh packaging/Dockerfile NEWS "$out/"
(cd "$out" && find . -type f ! -name install.sh ! -name SHA256SUMS | sed 's/^\.\///' | sort | xargs sha256sum >SHA256SUMS)
[ -z "${RELEASE_KEY:-}" ] || sign_release "$out" "$RELEASE_KEY"
[ -n "$is_dry" ] || [ -n "$tagged" ] || git tag -a -m "softpmu $version" "v$version"
cd "$out"
find . -type f | sed 's/^\.\///' | sort
