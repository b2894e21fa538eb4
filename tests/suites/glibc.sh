# glibc.sh -- list the tests of glibc's directories nptl and signal, 64-bit. Sourced by suites.sh.
#
# They need the library that they belong to: it is built once (a quarter of an hour of two processors), with the
# tests of the two directories, and each test runs on it by its own ld.so. Arguments and environment are those
# of upstream's makefiles.
build=$SUITES/glibc
ld="$build/elf/ld-linux-x86-64.so.2 --library-path $build:$build/math:$build/elf:$build/dlfcn:$build/nss:$(
	)$build/rt:$build/resolv:$build/mathvec:$build/support:$build/crypt:$build/nptl"
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

environment() {
	case $1 in
	tst-mutex10) echo "env GLIBC_TUNABLES=glibc.elision.enable=1 " ;;
	tst-audit-threads) echo "env LD_AUDIT=$build/nptl/tst-audit-threads-mod1.so " ;;
	esac
}

if [ ! -f "$build/.tests" ]; then
	mkdir -p "$build"
	echo "building glibc and its tests: $build/build.log" >&2
	(cd "$build" && { [ -f Makefile ] || "$src"/glibc-*/configure --prefix=/usr --disable-werror --disable-nscd \
		CC="${CC:-gcc}" CFLAGS="-O2 -g1"; } && make -s -j"$jobs" &&
		make -s -j"$jobs" -C "$src"/glibc-* objdir="$build" check run-built-tests=no subdirs="nptl signal" &&
		touch .tests) >"$build/build.log" 2>&1 || echo "glibc or its tests do not build: $build/build.log" >&2
fi

for f in $(cd "$build" && find nptl signal -name 'tst-*' -type f -perm -100 ! -name '*.so' | sort); do
	name=${f##*/} command="$ld $build/$f"
	readelf -l "$build/$f" 2>/dev/null | grep -q INTERP || command=$build/$f
	entry "$name" status 600 - - "$(environment "$name")$command $(arguments "$name" "$command")"
done
