#!/bin/bash
# run32.sh -- 32-bit programs natively and under softpmu: output and exit status must be the same.
#
# programs/*.c that need nothing of x86-64, and programs32/*.c, built with -m32: static, static-PIE, PIE and
# at a fixed address, counted in both tiers. SYSENTER, which not every processor executes natively, must
# give what the program expects. Without a compiler for -m32 (gcc-multilib) or a kernel that answers int 80h
# there is nothing to test. usage: run32.sh [NAME...]: these programs alone.
. "$(dirname "$0")/lib.sh"

echo 'int main(void) { return 42; }' >"$work/probe.c"
if ! $CC -m32 -o "$work/probe" "$work/probe.c" 2>/dev/null; then
	skip "32-bit programs: $CC -m32 does not work here (package gcc-multilib)"
	finish
fi
"$work/probe"
if [ $? != 42 ]; then
	skip "32-bit programs: this kernel does not run them"
	finish
fi

same() {
	local name=$1 event want got
	shift
	sh -c '"$@"; exit $?' sh "$@" >"$work/native" 2>"$work/native.err" # keeps the news of killed programs
	want=$?
	for event in instructions dcu_lines_in; do
		timeout 900 "$SOFTPMU" stat -e $event -o "$work/stat" -- "$@" >"$work/out" 2>"$work/err"
		got=$?
		if [ $want = $got ] && cmp -s "$work/native" "$work/out"; then
			ok
		else
			bad "$name ($event): status $want natively, $got under softpmu; $(diff "$work/native" "$work/out" | sed -n 2,3p | tr '\n' ' ')$(head -n 1 "$work/err")"
		fi
	done
}

# Checks itself: output must end so.
expect() {
	local name=$1 tail=$2 event
	shift 2
	for event in instructions dcu_lines_in; do
		timeout 900 "$SOFTPMU" stat -e $event -o "$work/stat" -- "$@" >"$work/out" 2>"$work/err"
		[ $? = 0 ] && [ "$(tail -n 1 "$work/out")" = "$tail" ] && ok ||
			bad "$name ($event): $(head -n 3 "$work/out" | tr '\n' ' ')$(head -n 1 "$work/err")"
	done
}

# Take PT_GNU_STACK out of a program: 32 bytes a header, the first at 52.
forget_stack() {
	local k
	k=$(LC_ALL=C readelf -lW "$1" | awk '/VirtAddr/ { on = 1; next } on { if ($1 == "GNU_STACK") print n; if ($1 !~ /^\[/) n++ }')
	printf '\0\0\0\0' | dd of="$1" bs=1 seek=$((52 + 32 * k)) conv=notrunc status=none
}

# All kinds of files for one program; the others as PIE.
kinds_of() {
	case $1 in
	start) echo pie static static-pie no-pie ;;
	dispatch) echo pie static ;;
	exec_all) echo pie static ;;
	stack_faults | null_segments) echo no-pie ;; # print addresses
	*) echo pie ;;
	esac
}

is_named() { [ ${#names[@]} = 0 ] || [[ " ${names[*]} " = *" $1 "* ]]; }
names=("$@")

for path in "$src"/programs/{dispatch,effects,ends,fchmodat2,file_change,last_trap,memory,numa,page_zero,personality,same_place,sig_basic,sig_held,sig_stack,sig_time,smc,start}.c "$src"/programs32/*.c; do
	base=$(basename "$path" .c)
	is_named "$base" || continue
	for kind in $(kinds_of $base); do
		flags=-$kind
		[ $kind = pie ] && flags="-fPIE -pie"
		[ $kind = static-pie ] && flags="-fPIE -static-pie"
		program=$work/$base-$kind
		if ! $CC -m32 -O1 -g -fno-omit-frame-pointer $flags -o "$program" "$path" 2>"$work/cc"; then
			bad "$base ($kind) does not compile: $(head -n 2 "$work/cc" | tr '\n' ' ')"
			continue
		fi
		[ $base = exec_all ] && forget_stack "$program"
		case $base in
		ends)
			for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do
				same "$base $n" "$program" $n
			done ;;
		sysenter)
			same "$base" "$program"
			expect "$base direct" "55 checks, 0 failed" "$program" direct ;;
		*)
			same "$base ($kind)" "$program" one "two words" "" ;;
		esac
	done
done
is_named threads || finish
if $CC -m32 -O1 -pthread -o "$work/threads" "$src/threads/threads.c" 2>"$work/cc"; then
	for n in mutex atomic cond barrier rwlock sem spin yield many fault robust pi exit leave exit_group detach timed sleep \
		cancel signals pipe; do
		same "threads $n" "$work/threads" $n
	done
else
	bad "threads.c does not compile: $(head -n 2 "$work/cc" | tr '\n' ' ')"
fi
$CC -m32 -O1 -pthread -o "$work/requeue" "$src/threads/requeue.c" || exit 1
for n in all some timeouts signals errors; do
	same "requeue $n" "$work/requeue" $n
done
finish
