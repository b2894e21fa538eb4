#!/bin/bash
# zydis.sh OUT [fetch] -- compile libZydis.a, which Debian does not have, from Debian's source package into the
# directory OUT; fetch: get the source, no more.
#
# The source is OUT/zydis_VERSION.orig.tar.gz, or fetched from Debian (MIRROR names another mirror) and held to its
# sum. Of Zycore the headers are enough (libzycore-dev). CC and CFLAGS as in make.
set -eu
[ $# = 1 ] || [ "$*" = "$1 fetch" ] || { echo "usage: packaging/zydis.sh OUT [fetch]" >&2; exit 2; }
version=4.0.0
sum=e990107f80c62afc1deb51de230023a1098db801b8ea6bf483e296d45459e234
archive=zydis_$version.orig.tar.gz
path=pool/main/z/zydis/$archive
mkdir -p "$1"
cd "$1"

is_right() { [ "$(sha256sum 2>/dev/null <"$1" | cut -d ' ' -f 1)" = "$sum" ]; }
fetch() {
	if [ -x /usr/lib/apt/apt-helper ]; then
		/usr/lib/apt/apt-helper -q download-file "$1" "$2" "SHA256:$sum" >fetch.log 2>&1
	else
		curl -sSfL --max-time 120 -o "$2" "$1" >fetch.log 2>&1
	fi
}
for mirror in "${MIRROR:-http://deb.debian.org/debian}" https://snapshot.debian.org/archive/debian/20230610T000000Z; do
	if [ -f "$archive" ] && is_right "$archive"; then
		break
	fi
	rm -f "$archive"
	fetch "$mirror/$path" "$archive" || rm -f "$archive"
done
if [ ! -f "$archive" ] || ! is_right "$archive"; then
	echo "zydis.sh: the source of Zydis $version is missing: $archive of Debian's package zydis cannot be fetched" \
		"($(tail -n 1 fetch.log)); put the file into $PWD and start again" >&2
	exit 1
fi
[ $# = 1 ] || exit 0
rm -rf source objects libZydis.a fetch.log
mkdir source objects
tar -xf "$archive" -C source --strip-components=1
cp source/LICENSE LICENSE
grep -q "$(grep 'define ZYDIS_VERSION ' source/include/Zydis/Zydis.h)" /usr/include/Zydis/Zydis.h ||
	{ echo "zydis.sh: the headers in /usr/include/Zydis (libzydis-dev) are not those of Zydis $version" >&2; exit 1; }
cd source/src
for file in *.c; do
	# shellcheck disable=SC2086 # CFLAGS are words
	${CC:-gcc} -O2 ${CFLAGS:-} -ffile-prefix-map="$PWD"=zydis -DZYDIS_STATIC_BUILD -DZYCORE_STATIC_BUILD -I../include -I. \
		-c -o "../../objects/${file%.c}.o" "$file"
done
cd ../..
ar rcsD libZydis.a objects/*.o
rm -rf source objects
