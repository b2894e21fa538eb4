#!/bin/bash
# fetch.sh DIR WHAT -- get a client from Debian's archive and unpack it into DIR; nothing is installed, no privileges are needed.
#
# papi perf     32-bit packages with their libraries, into DIR/root: libpfm4 knows the P6 in its 32-bit builds only, and they
#               cannot be installed beside the 64-bit ones. apt must know the architecture (tools/install-deps.sh clients).
# likwid        the 64-bit package, into DIR/likwid
# examples      the source of libpfm4, whose perf_examples/ the test builds, into DIR/src
# Exits 1 with a reason when it cannot be had.
set -u
dir=$1 what=$2
[ -e "$dir/$what.complete" ] && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "no apt-get here"; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
to=$dir/root
case $what in
papi) packages="papi-tools libpapi7.0 libpfm4 libpapi-dev libpfm4-dev libsde1 libc6 libgcc-s1" ;;
perf) packages="linux-perf libc6 libgcc-s1 libaudit1 libcap-ng0 libcrypt1 libbabeltrace1 libcap2 libdw1 libelf1 liblzma5 libnuma1
	libopencsd1 libperl5.36 libpython3.11 libslang2 libunwind8 libzstd1 zlib1g libexpat1 libglib2.0-0 libpcre2-8-0 libstdc++6
	libbz2-1.0 libuuid1" ;;
likwid) packages="likwid libhwloc15 liblua5.3-0 lua5.3" to=$dir/likwid ;;
examples) packages= ;;
*) echo "nothing is called $what"; exit 1 ;;
esac
if [ "$what" = examples ]; then
	SUITES=$dir
	. "$here/../suites/sources.sh"
	download libpfm4 >"$dir/$what.log" 2>&1 || { echo "the source of libpfm4 cannot be had: $(tail -n 1 "$dir/$what.log")"; exit 1; }
	mkdir -p "$dir/src" && tar xf "$dir"/down/libpfm4_*.orig.tar.* -C "$dir/src" --strip-components=1 || exit 1
	touch "$dir/$what.complete"
	exit 0
fi
if [ "$what" != likwid ]; then
	dpkg --print-foreign-architectures | grep -qx i386 || { echo "apt does not know i386 (tools/install-deps.sh clients)"; exit 1; }
	packages=$(printf '%s:i386 ' $packages)
fi
rm -rf "$dir/debs-$what" && mkdir -p "$dir/debs-$what" "$to" && cd "$dir/debs-$what" || exit 1
timeout 200 apt-get download $packages >"$dir/$what.log" 2>&1 ||
	{ echo "apt-get download: $(grep '^E:' "$dir/$what.log" | tail -n 1)"; exit 1; }
for deb in *.deb; do
	dpkg-deb -x "$deb" "$to" || { echo "$deb cannot be unpacked"; exit 1; }
done
rm -rf "$dir/debs-$what"
touch "$dir/$what.complete"
