#!/bin/bash
# static.sh OUT -- build the wholly static executable in a clean copy of this tree, without network, and pack it with
# its manual pages, completions, examples and the licences of all that is linked in: OUT/softpmu-VERSION-x86_64.tar.gz.
# OUT/components lists what is linked in: package, version, archive of Debian or sum of the source.
set -eu
cd "$(dirname "$0")/.."
. packaging/common.sh
[ $# = 1 ] || { echo "usage: packaging/static.sh OUT" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tree=$work/softpmu
name=softpmu-$version-x86_64
root=$work/$name
copy_tree "$tree"
mkdir -p "$tree/build/zydis"
packaging/zydis.sh build/zydis fetch
cp build/zydis/*.orig.tar.gz "$tree/build/zydis"
cd "$tree"
CFLAGS=$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get CFLAGS)
LDFLAGS=$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get LDFLAGS)
export CFLAGS="${CFLAGS//-O2/} -D_FORTIFY_SOURCE=2" LDFLAGS
if ! alone sh -ec "packaging/zydis.sh build/zydis
	make -j2 CI= BUILD=build/static STATIC=yes PREFIX= DESTDIR='$root' install-program" >"$out/build.log" 2>&1; then
	tail -n 20 "$out/build.log" >&2
	echo "static.sh: the build failed; its log is $out/build.log" >&2
	exit 1
fi
strip "$root/bin/softpmu"

# What the linker took, as packages of Debian; each has its licences in a file.
doc=$root/share/doc/softpmu
mkdir -p "$doc/licences"
grep -oE '^/[^ (]*\.[ao]\>' build/static/softpmu.map | sort -u | xargs realpath | sort -u >"$work/archives"
printf '%s\n' /usr/include/Zycore/Types.h >>"$work/archives" # functions in headers
xargs dpkg -S <"$work/archives" | cut -d : -f 1 | sort -u >"$work/packages"
while read -r package; do
	# shellcheck disable=SC2016 # dpkg's fields, not the shell's
	dpkg-query -W -f '${source:Package} ${source:Version}\n' "$package" >>"$work/sources"
	cp "/usr/share/doc/$package/copyright" "$doc/licences/$(dpkg-query -W -f '${source:Package}' "$package")"
done <"$work/packages"
cp build/zydis/LICENSE "$doc/licences/zydis"
{ sort -u "$work/sources"; echo "zydis $(sed -n 's/^version=//p' packaging/zydis.sh)"; } >"$out/components"
grep -ohE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$doc"/licences/* | sort -u |
	while read -r file; do cp -L "$file" "$doc/licences/"; done
sed "s/@VERSION@/$version/" packaging/static-readme.txt >"$root/README"
{ echo; cat "$out/components"; } >>"$root/README"
cp LICENSE NEWS README.md "$doc/"
cp -r examples "$doc/examples"
pack "$root" "$out/$name.tar.gz"
cp build/static/softpmu "$out/softpmu.debug" # with its symbols
echo "$out/$name.tar.gz"
