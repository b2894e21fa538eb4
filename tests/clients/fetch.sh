#!/bin/bash
# fetch.sh DIR -- unpack Debian's 32-bit PAPI into DIR: libpfm4 knows the P6 in its 32-bit builds only, and the packages
# cannot be installed beside the 64-bit ones. Needs no privileges, but apt must know the architecture (tools/install-deps.sh
# clients). Exits 1 with a reason when they cannot be had.
set -u
dir=$1
[ -e "$dir/complete" ] && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "no apt-get here"; exit 1; }
dpkg --print-foreign-architectures | grep -qx i386 || { echo "apt does not know i386 (tools/install-deps.sh clients)"; exit 1; }
rm -rf "$dir" && mkdir -p "$dir/debs" && cd "$dir/debs" || exit 1
timeout 100 apt-get download papi-tools:i386 libpapi7.0:i386 libpfm4:i386 libpapi-dev:i386 libsde1:i386 libc6:i386 libgcc-s1:i386 \
	>"$dir/log" 2>&1 || { echo "apt-get download: $(tail -n 1 "$dir/log")"; exit 1; }
for deb in *.deb; do
	dpkg-deb -x "$deb" "$dir/root" || { echo "$deb cannot be unpacked"; exit 1; }
done
rm -rf "$dir/debs"
touch "$dir/complete"
