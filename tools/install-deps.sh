#!/bin/bash
# install-deps.sh [build|check|bench|suites|clients|bare|bare-build|cluster|browser|site|static|packages|install|engines]... -- see to it that the Debian packages of these groups are there.
#
# Root: installs what is missing. Not root: through sudo when it may be used (without asking, or with a
# terminal to ask on). Otherwise prints the one command that would do it and exits 1.
# SOFTPMU_SKIP_DEPS=1 skips the question altogether (other distributions, offline machines).
set -u

# What `make` needs: a compiler, the libraries that softpmu is linked with, nothing else.
BUILD="gcc libc6-dev make binutils libzydis-dev libjansson-dev libpfm4-dev libdw-dev libzstd-dev libsqlite3-dev"
# What the tests need besides: test library, second compiler, reference tools, real programs.
CHECK="libcmocka-dev gcc-multilib clang clang-format-14 libclang-rt-14-dev valgrind util-linux procps
	gzip bzip2 xz-utils zstd lua5.4 luajit sqlite3 perl python3-minimal bash mawk gawk sed grep coreutils openssl bc dc
	gnuplot-nox tcc busybox-static jq file findutils git tar diffutils cpio bsdextrautils m4 man-db mandoc"
# What `make bench` needs.
BENCH="valgrind gzip xz-utils lua5.4 sqlite3 python3-minimal coreutils util-linux"
# What tests/clients runs inside softpmu, where it is there (32-bit PAPI comes by tests/clients/fetch.sh).
CLIENTS="linux-perf gcc-multilib"
# What tests/html looks at pages with, where it is there.
BROWSER="chromium python3"
# What `make site` needs.
SITE="python3 python3-sphinx python3-myst-parser mandoc git"
# What `make packages` needs, and what `make check-install` and `make check-release` look at it with.
PACKAGES="debhelper dpkg-dev apt-utils util-linux git"
INSTALL="lintian blhc debootstrap busybox-static musl-tools shellcheck openssl curl runsc"
# What `make check-container` builds an image with. Docker is used where it is: its package starts a daemon.
ENGINES="podman runc"
# What `softpmu bare` runs machines with, and what `make check-bare` makes an initrd with.
BARE="qemu-system-x86 cpio"
# What `make check-cluster` runs sweeps under.
CLUSTER="slurm-wlm munge parallel openmpi-bin libopenmpi-dev jq"
# What `make bare` builds a QEMU with counters from.
BARE_BUILD="qemu-system-x86 libfdt-dev libglib2.0-dev libpixman-1-dev meson ninja-build pkg-config patch xz-utils python3 python3-venv dpkg-dev"
# What `make static` needs: Zydis is compiled from Debian's source, the rest is there as archives.
STATIC="libstdc++-12-dev libelf-dev zlib1g-dev liblzma-dev libbz2-dev libzycore-dev dpkg-dev apt git util-linux"
# What `make check-suites` needs: the means to fetch source packages and to build them.
SUITES="gcc gcc-multilib libc6-dev make dpkg-dev debian-archive-keyring xz-utils bison gawk python3"

packages_of() {
	case $1 in
	build) echo $BUILD ;;
	check) echo $BUILD $CHECK ;;
	bench) echo $BUILD $BENCH ;;
	clients) echo $BUILD $CLIENTS ;;
	suites) echo $BUILD $SUITES ;;
	bare) echo $BUILD $BARE ;;
	cluster) echo $BUILD $CLUSTER ;;
	bare-build) echo $BUILD $BARE_BUILD ;;
	browser) echo $BUILD $BROWSER ;;
	site) echo $BUILD $SITE ;;
	static) echo $BUILD $STATIC ;;
	packages) echo $BUILD $PACKAGES ;;
	install) echo $INSTALL ;;
	engines) echo $ENGINES ;;
	*) echo "install-deps.sh: no group '$1'; groups are build, check, bench, suites, clients, bare, bare-build, cluster, browser, site, static, packages, install, engines" >&2; exit 2 ;;
	esac
}

is_installed() {
	dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Some packages have a stand-in: any version of the sanitizer runtime, the full Python.
is_there() {
	case $1 in
	gcc-multilib) # without it nothing of 32 bits is tested
		is_installed "$1" || ! apt-cache show "$1" >/dev/null 2>&1 ;;
	libclang-rt-14-dev)
		is_installed "$1" || ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a >/dev/null 2>&1 ||
			! apt-cache show "$1" >/dev/null 2>&1 ;;
	*) is_installed "$1" ;;
	esac
}

[ $# -gt 0 ] || set -- build
[ -z "${SOFTPMU_SKIP_DEPS:-}" ] || exit 0

case " $* " in
*" clients "*) # 32-bit packages must at least be known
	command -v dpkg >/dev/null && [ "$(id -u)" = 0 ] && ! dpkg --print-foreign-architectures | grep -qx i386 &&
		dpkg --add-architecture i386 && apt-get update -q >/dev/null ;;
esac
wanted=
for group; do
	list=$(packages_of "$group") || exit 2
	wanted="$wanted $list"
done
wanted=$(printf '%s\n' $wanted | sort -u)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "install-deps.sh: this is not a Debian system, so nothing was checked or installed." >&2
	echo "Install the equivalents of: $(echo $wanted)" >&2
	echo "and run again with SOFTPMU_SKIP_DEPS=1." >&2
	exit 1
fi

missing=
for p in $wanted; do
	is_there "$p" || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
echo "missing packages:$missing"
export DEBIAN_FRONTEND=noninteractive
if [ "$(id -u)" = 0 ]; then
	apt-get update -q >/dev/null || echo "install-deps.sh: apt-get update failed; trying with the lists at hand" >&2
	$install -q >/dev/null || { echo "install-deps.sh: apt-get failed; the command was: $install" >&2; exit 1; }
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
	sudo apt-get update -q >/dev/null
	sudo DEBIAN_FRONTEND=noninteractive $install -q >/dev/null ||
		{ echo "install-deps.sh: apt-get failed; the command was: sudo $install" >&2; exit 1; }
else
	as="sudo sh -c"
	command -v sudo >/dev/null || as="su root -c"
	echo "These packages are missing and this user may not install them. This command would:" >&2
	echo "    $as 'apt-get update && $install'" >&2
	exit 1
fi
echo "installed:$missing"
