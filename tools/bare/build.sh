#!/bin/bash
# build.sh -- make bare: build Debian's QEMU with the counters of qemu-counters.patch, for softpmu bare.
#
# It is kept outside of the source tree, in $SOFTPMU_QEMU_DIR (~/.cache/softpmu/qemu), where softpmu bare looks
# for it. Nothing is done when it is there and of this patch. The source is Debian's source package: by apt where
# its sources are known, else the upstream part of it by address, whose sum is checked. BIOS and loaders are those
# of Debian's packages.
set -u
cd "$(dirname "$0")/../.." || exit 1

dir=${SOFTPMU_QEMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/softpmu/qemu}
patch=$PWD/tools/bare/qemu-counters.patch
stamp=$(sha256sum "$patch" | cut -d' ' -f1)
tar=qemu_7.2+dfsg.orig.tar.xz
from=http://deb.debian.org/debian/pool/main/q/qemu/$tar
sum=91aca71520040edc40b8d437aa3004dae614f58e286cf653ee8996c07af2962f

fail() { echo "make bare: $*" >&2; exit 1; }

if [ -x "$dir/qemu-system-i386" ] && [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then
	echo "$dir/qemu-system-i386 is there"
	exit 0
fi
for tool in ninja meson pkg-config patch xz; do
	command -v $tool >/dev/null || fail "there is no $tool: run tools/install-deps.sh bare-build"
done
for library in glib-2.0 pixman-1; do
	pkg-config --exists $library || fail "$library has no headers here: run tools/install-deps.sh bare-build"
done

# source: the tree, in $work/qemu-*
source_by_apt() { apt-cache showsrc qemu 2>/dev/null | grep -q '^Package: qemu' && (cd "$work" && apt-get -qq source qemu); }
source_by_address() {
	/usr/lib/apt/apt-helper download-file "$from" "$work/$tar" "SHA256:$sum" && tar -C "$work" -xf "$work/$tar"
}
mkdir -p "$dir" && work=$(mktemp -d "$dir/build.XXXXXX") || fail "cannot write $dir"
trap 'rm -rf "$work"' EXIT
source_by_apt >"$dir/log" 2>&1 || source_by_address >>"$dir/log" 2>&1 || fail "cannot get QEMU's source: $(tail -n 1 "$dir/log")"
cd "$work"/qemu-*/ || fail "QEMU's source has no directory of its own"
patch -p1 -F0 <"$patch" >>"$dir/log" 2>&1 || fail "the patch does not fit this QEMU; see $dir/log"
sed -i 's/unpack_edk2_blobs = bzip2.found()/unpack_edk2_blobs = false/' meson.build # firmware that Debian left out
echo "building QEMU in $work (some minutes)"
mkdir b && cd b || exit 1
../configure --target-list=i386-softmmu --without-default-features --enable-tcg --enable-plugins --enable-system \
	--disable-werror --disable-install-blobs --firmwarepath=/usr/share/qemu:/usr/share/seabios >>"$dir/log" 2>&1 || fail "QEMU cannot be configured; see $dir/log"
ninja -j"${JOBS:-$(nproc)}" qemu-system-i386 >>"$dir/log" 2>&1 || fail "QEMU cannot be built; see $dir/log"
strip -o "$dir/qemu-system-i386.new" qemu-system-i386 && mv "$dir/qemu-system-i386.new" "$dir/qemu-system-i386" &&
	echo "$stamp" >"$dir/stamp" && echo "$dir/qemu-system-i386 is built"
