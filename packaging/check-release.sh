#!/bin/bash
# check-release.sh -- a dry run of a release, twice, from two directories: the same bytes, each sum right, the signature good,
# the SPDX document whole. `make check-release`; half an hour. RELEASES=DIR with DIR/one and DIR/two: look at those instead.
set -u
. "$(dirname "$0")/../tests/engine/lib.sh"
. packaging/common.sh
version=${version:?} work=${work:?}
one=${RELEASES:-$work}/one two=${RELEASES:-$work}/two
if [ -z "${RELEASES:-}" ]; then
	openssl genrsa -out "$work/key" 3072 2>/dev/null || exit 1
	export RELEASE_KEY=$work/key
	packaging/release.sh --dry-run "$one" >"$work/out" 2>"$work/err" || { bad "a dry run: $(tail -n 5 "$work/err")"; finish; }
	# The second time elsewhere, with other habits.
	git clone -q . "$work/a longer name" && copy_tree "$work/a longer name" && mkdir -p "$work/a longer name/build/zydis" &&
		cp build/zydis/*.orig.tar.gz "$work/a longer name/build/zydis/" || exit 1
	(umask 077 && cd "$work/a longer name" && LC_ALL=C.UTF-8 TZ=Asia/Tokyo packaging/release.sh --dry-run "$two" >/dev/null 2>&1)
fi
differ=$(diff -rq "$one" "$two" 2>&1)
[ -z "$differ" ] && ok || bad "two releases differ: $differ"
for file in softpmu-$version.tar.gz softpmu-$version-x86_64.tar.gz softpmu-$version.spdx debian/softpmu_${version}_amd64.deb \
	debian/libsoftpmu0_${version}_amd64.deb debian/libsoftpmu-dev_${version}_amd64.deb debian/softpmu-doc_${version}_all.deb \
	debian/Packages.gz debian/Release NEWS install.sh; do
	[ -s "$one/$file" ] && ok || bad "the release has no $file"
done
(cd "$one" && sha256sum --quiet -c SHA256SUMS) && ok || bad "a sum is wrong"
[ "$(wc -l <"$one/SHA256SUMS")" = "$(find "$one" -type f ! -name install.sh ! -name 'SHA256SUMS*' ! -name '*.pem' | wc -l)" ] &&
	ok || bad "a file has no sum"
openssl dgst -sha256 -verify "$one/softpmu-release.pem" -signature "$one/SHA256SUMS.sig" "$one/SHA256SUMS" >"$work/out" 2>&1 &&
	ok || bad "the signature: $(cat "$work/out")"
# Each package of the document has its fields, and each component, one a line of licences.tsv, a relationship.
parts=$(grep -vc '^#' packaging/licences.tsv)
lacks=$(awk -v parts="$parts" -v RS= -F '\n' '/^PackageName/ { for (i = 1; i <= NF; i++) { split($i, f, ": "); has[f[1]] = NR }
	for (k = split("SPDXID PackageVersion PackageDownloadLocation PackageLicenseConcluded PackageCopyrightText", want, " "); k; k--)
		if (has[want[k]] != NR) print $1, "lacks", want[k]; n++ } END { if (n != parts + 2) print n, "packages, not", parts + 2 }' \
	"$one/softpmu-$version.spdx")
[ -z "$lacks" ] && [ "$(grep -c 'STATIC_LINK' "$one/softpmu-$version.spdx")" = "$parts" ] && ok || bad "SPDX: $lacks"
# A release refuses where a dry run warns: here, for want of a key at least; and it sets no tag then.
tags=$(git tag -l)
env -u RELEASE_KEY packaging/release.sh "$work/three" >"$work/out" 2>&1 && bad "a release without a key: $(cat "$work/out")" || ok
[ "$(git tag -l)" = "$tags" ] && [ -z "$(ls "$work/three")" ] && ok || bad "a release that was refused leaves something"
finish
