# glibc.sh -- list the tests of glibc's directories nptl and signal, 64-bit and 32-bit. Sourced by suites.sh.
#
# They need the library that they belong to: it is built once for each width (a quarter of an hour of two
# processors), with the tests of the two directories, and each test runs on it by its own ld.so. Arguments and
# environment are those of upstream's makefiles. A build that was stopped goes on where it was.
export TIMEOUTFACTOR=20

# arguments NAME COMMAND
arguments() {
	case $1 in
	tst-cancel7 | tst-cancelx7) echo "--command 'exec $2'" ;;
	tst-exec4) echo "$2" ;;
	tst-stackguard1*) echo "--command '$2 --child'" ;;
	tst-umask1) echo "\$dir/umask.temp" ;;
	esac
}

# environment NAME BUILD
environment() {
	case $1 in
	tst-mutex10) echo "env GLIBC_TUNABLES=glibc.elision.enable=1 " ;;
	tst-audit-threads) echo "env LD_AUDIT=$2/nptl/tst-audit-threads-mod1.so " ;;
	esac
}

# seconds NAME: what its run may take; 32768 forks have the 100 s that they give themselves, times TIMEOUTFACTOR
seconds() {
	case $1 in
	tst-robust-fork) echo 2000 ;;
	*) echo 600 ;;
	esac
}

# build_glibc BITS DIRECTORY: tests in C++ are left out where there is no C++ library of that width
build_glibc() {
	local host=
	[ ! -f "$2/.tests" ] || return
	[ "$1" = 64 ] || host="--host=i686-linux-gnu --build=i686-linux-gnu"
	mkdir -p "$2"
	echo "building glibc and its tests: $2/build.log" >&2
	(cd "$2" && { [ -f config.make ] || "$src"/glibc-*/configure $host --prefix=/usr --disable-werror --disable-nscd \
		CC="${CC:-gcc} -m$1" CXX="${CXX:-g++} -m$1" CFLAGS="-O2 -g1"; } && make -s -j"$jobs" && {
			make -s -k -j"$jobs" -C "$src"/glibc-* objdir="$2" check run-built-tests=no subdirs="nptl signal"
			[ -f nptl/tst-barrier1 ] && [ -f signal/tst-signal ] && touch .tests
		}) >>"$2/build.log" 2>&1 || echo "glibc or its tests do not build: $2/build.log" >&2
}

# list_glibc BITS DIRECTORY LD.SO
list_glibc() {
	local build=$2 f name command suffix= ld
	[ "$1" = 64 ] || suffix=-32
	ld="$build/elf/$3 --library-path $build:$build/math:$build/elf:$build/dlfcn:$build/nss:$(
		)$build/rt:$build/resolv:$build/mathvec:$build/support:$build/crypt:$build/nptl"
	for f in $(cd "$build" && find nptl signal -name 'tst-*' -type f -perm -100 ! -name '*.so' | sort); do
		name=${f##*/} command="$ld $build/$f"
		readelf -l "$build/$f" 2>/dev/null | grep -q INTERP || command=$build/$f
		entry "$name$suffix" status "$(seconds "$name")" - - "$(environment "$name" "$build")$command $(arguments "$name" "$command")"
	done
}

build_glibc 64 "$SUITES/glibc"
list_glibc 64 "$SUITES/glibc" ld-linux-x86-64.so.2
if echo 'int main(void) { return 0; }' | ${CC:-gcc} -m32 -x c -o /dev/null - 2>/dev/null; then
	build_glibc 32 "$SUITES/glibc32"
	list_glibc 32 "$SUITES/glibc32" ld-linux.so.2
fi
