# lib.sh -- what the engine's test scripts have in common, over tests/lib.sh. Source it first.
#
# From the environment besides: CC, CHECK_LEVEL (quick or all).
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
CC=${CC:-gcc}
CHECK_LEVEL=${CHECK_LEVEL:-quick}
src=$PWD/tests/engine
# What a test program may see of the environment is the same everywhere.
export LC_ALL=C TZ=UTC PATH=/usr/sbin:/usr/bin:/sbin:/bin
unset LD_PRELOAD LD_LIBRARY_PATH LANGUAGE LANG

# A static program without libc: bare OUTPUT SOURCES...
BARE="-O2 -ffreestanding -fno-builtin -fno-pie -no-pie -nostdlib -static -fno-stack-protector -fcf-protection=none
	-fno-asynchronous-unwind-tables -Wall"
bare() {
	local out=$1
	shift
	$CC $BARE -o "$out" "$@" "$src/start.S"
}

# Does this machine build 32-bit programs? softpmu runs them on every kernel.
has_32_bit() {
	echo 'int test_main(int n, char **v) { return n != 1; }' >"$work/try.c"
	$CC -m32 $BARE -o "$work/try" "$work/try.c" "$src/start.S" 2>"$work/err"
}

# And does its kernel run them natively?
native_32_bit() { has_32_bit && "$work/try" 2>/dev/null; }

# A host program that helps a test: tool NAME
tool() {
	[ "$work/$1" -nt "$src/$1.c" ] || $CC -O1 -D_GNU_SOURCE -Wall -o "$work/$1" "$src/$1.c"
}

# Counts of one run: counts FILE EVENT prints the number in column 1 of the CSV line of EVENT, or what
# stands there instead.
count_of() { awk -F, -v e="$2" '$3 == e { print $1; exit }' "$1"; }
