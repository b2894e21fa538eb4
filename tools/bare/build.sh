#!/bin/bash
# build.sh -- make bare: build Debian's QEMU with the counters of qemu-counters.patch, for softpmu bare.
#
# It is kept outside of the source tree, in $SOFTPMU_QEMU_DIR (~/.cache/softpmu/qemu), where softpmu bare looks for it. Nothing is
# done when it is there and of this patch. The source is Debian 12's source package, by apt, which checks it: with QEMU 7.2.0 as it
# was published, without Debian's later mends, two boots differ. BIOS and loaders are those of Debian's packages.
set -u
cd "$(dirname "$0")/../.." || exit 1

dir=${SOFTPMU_QEMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/softpmu/qemu}
patch=$PWD/tools/bare/qemu-counters.patch
stamp=$(sha256sum "$patch" | cut -d' ' -f1)

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
[ -e /usr/include/libfdt.h ] || fail "libfdt has no headers here: run tools/install-deps.sh bare-build"

# get_source: the source package into $work/qemu-*, by a list of sources of its own
get_source() {
	local apt="$work/apt"
	mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial" || return
	cat >"$apt/parts/qemu.sources" <<-X
		Types: deb-src
		URIs: http://deb.debian.org/debian
		Suites: bookworm
		Components: main
		Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	X
	set -- -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/parts" -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache"
	apt-get "$@" update --error-on=any && (cd "$work" && apt-get "$@" source qemu)
}
mkdir -p "$dir" 2>/dev/null && work=$(mktemp -d "$dir/build.XXXXXX") || fail "cannot write $dir"
trap 'rm -rf "$work"' EXIT
get_source >"$dir/log" 2>&1 || fail "cannot get QEMU's source: $(grep -m 1 '^E: ' "$dir/log" || tail -n 1 "$dir/log")"
cd "$work"/qemu-*/ || fail "QEMU's source has no directory of its own"
patch -p1 -F0 <"$patch" >>"$dir/log" 2>&1 || fail "the patch does not fit this QEMU; see $dir/log"
# One board and what it needs are two thirds of the steps.
printf 'CONFIG_I440FX=y\nCONFIG_ISA_DEBUG=y\n' >configs/devices/i386-softmmu/default.mak
echo "building QEMU in $work (some minutes)"
mkdir b && cd b || exit 1
../configure --target-list=i386-softmmu --without-default-features --enable-tcg --enable-plugins --enable-system \
	--disable-werror --firmwarepath=/usr/share/qemu:/usr/share/seabios >>"$dir/log" 2>&1 || fail "QEMU cannot be configured; see $dir/log"
ninja -j"${JOBS:-$(nproc)}" qemu-system-i386 >>"$dir/log" 2>&1 || fail "QEMU cannot be built; see $dir/log"
strip -o "$dir/qemu-system-i386.new" qemu-system-i386 && mv "$dir/qemu-system-i386.new" "$dir/qemu-system-i386" &&
	echo "$stamp" >"$dir/stamp" && echo "$dir/qemu-system-i386 is built"
