#!/bin/bash
# narrow.sh -- 32-bit programs by INT 80h of the host's kernel, and by calls of x86-64 (--chaos 32768): programs
# that know their results, digests and counts of both ways. A kernel without IA-32 emulation has one way.
. "$(dirname "$0")/lib.sh"
echo 'int main(void) { return 0; }' >"$work/try.c"
if ! $CC -m32 -o "$work/try" "$work/try.c" 2>"$work/err"; then
	skip "32-bit programs: $CC -m32 does not work here (package gcc-multilib)"
	finish
fi

# both NAME LAST-LINE: the program's output ends so, by either way
both() {
	local name=$1 last=$2 chaos
	shift 2
	$CC -m32 -O1 -fPIE -pie -pthread -w -o "$work/$name" "$src/programs32/$name.c" || exit 1
	for chaos in 0 32768; do
		timeout 300 "$SOFTPMU" stat --chaos $chaos -e instructions -o "$work/stat" -- "$work/$name" >"$work/out" 2>"$work/err"
		[ "$(tail -n 1 "$work/out")" = "$last" ] && [ ! -s "$work/err" ] && ok ||
			bad "$name (--chaos $chaos): $(head -n 3 "$work/out" | tr '\n' ' ')$(head -n 1 "$work/err")"
	done
}
both narrow "136 checks, 0 failed"
both calls "57 checks, 0 failed"
both frames "49 checks, 0 failed"
both threads "18 checks, 0 failed"

# Digest and instructions of programs that ask for no time of day.
for name in far faults segments x87_pc; do
	$CC -m32 -O1 -static -w -o "$work/$name" "$src/programs32/$name.c" -lm || exit 1
	for chaos in 0 32768; do
		timeout 300 "$SOFTPMU" stat --json --env clean --chaos $chaos -e instructions -o "$work/$chaos" -- "$work/$name" >"$work/out" 2>&1
		grep -Eo '"(input_digest|value)": *"?[0-9a-f]+' "$work/$chaos" >"$work/numbers.$chaos"
	done
	[ -s "$work/numbers.0" ] && cmp -s "$work/numbers.0" "$work/numbers.32768" && ok ||
		bad "$name: $(diff "$work/numbers.0" "$work/numbers.32768" | tr '\n' ' ')"
done

# What is not converted is said once.
cat >"$work/old.c" <<-'END'
	#include <errno.h>
	#include <unistd.h>
	#include <sys/syscall.h>

	int main(void)
	{
		char names[64];

		return syscall(SYS_oldolduname, names) ? errno == ENOSYS && syscall(SYS_oldolduname, names) : 2;
	}
END
$CC -m32 -o "$work/old" "$work/old.c" || exit 1
timeout 300 "$SOFTPMU" stat --chaos 32768 -e instructions -o "$work/stat" -- "$work/old" 2>"$work/err"
[ $? = 1 ] && [ "$(grep -c 'call 59 of a 32-bit program answers ENOSYS' "$work/err")" = 1 ] && ok || bad "no note: $(cat "$work/err")"
finish
