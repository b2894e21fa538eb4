#!/bin/bash
# placed.sh -- programs that are linked to addresses where softpmu's areas usually lie: 2 GiB and more of static data, or
# text there. Output and status as natively; the same count of instructions in each tier and family.
. "$(dirname "$0")/lib.sh"

# build NAME GB FLAGS...: false where the host cannot run it natively (memory, linker)
build() {
	$CC -O1 -no-pie -DGB=$2 "${@:3}" -o "$work/$1" "$src/placed.c" 2>"$work/err" && "$work/$1" >"$work/native" 2>&1 && return
	skip "$1: $CC does not link it, or this host does not run it"
	return 1
}

# same TITLE EVENTS CPU PROGRAM...
same() {
	local rc native
	"${@:4}" >"$work/native" 2>&1 </dev/null
	native=$?
	timeout 900 "$SOFTPMU" stat -x, --cpu "$3" --cpuid pentium3 -e "$2" --log-fd 9 -- "${@:4}" 9>"$work/report" >"$work/out" 2>&1 </dev/null
	rc=$?
	[ $rc = $native ] && cmp -s "$work/native" "$work/out" && ok ||
		bad "$1 ($2, $3): status $rc, not $native: $(head -n 2 "$work/out" | tr '\n' '|')"
	count=$(sed -n '1s/,.*//p' "$work/report")
}

# tiers TITLE PROGRAM...: the same number of instructions in each (libc chooses by CPUID, which is the same)
tiers() {
	local first=
	for e in "inst_retired pentium3" "inst_retired,dcu_lines_in,fp_assist pentium3" "inst_retired,cycles pentium3" \
		"instructions_executed pentium" "instructions_executed,data_read_miss pentium" "instructions_executed,cycles pentium-mmx"; do
		same "$1" $e "${@:2}"
		[ -n "$count" ] && [ "$count" = "${first:-$count}" ] && ok || bad "$1 ($e): $count instructions, not $first"
		first=${first:-$count}
	done
}

build two 2 -mcmodel=large && tiers "2 GiB" "$work/two"
build five 5 -mcmodel=large && same "5 GiB" inst_retired pentium3 "$work/five" &&
	same "5 GiB" inst_retired,dcu_lines_in pentium3 "$work/five"
build medium 2 -mcmodel=medium && same "2 GiB, medium model" inst_retired,dcu_lines_in pentium3 "$work/medium"
for at in 0x5fff0000 0x60000000 0x70000000 0x71ff0000; do
	build at_$at 0 -Wl,-Ttext-segment=$at || continue
	tiers "text at $at" "$work/at_$at"
done

# From one to the other, and from both to programs that can be placed.
if [ -x "$work/two" ] && [ -x "$work/at_0x60000000" ]; then
	for e in inst_retired inst_retired,dcu_lines_in; do
		same "by a shell" $e pentium3 sh -c "'$work/two'; '$work/at_0x60000000'; echo \$?"
		same "exec to another place" $e pentium3 "$work/two" "$work/at_0x60000000" /bin/echo end
		same "exec to a usual program" $e pentium3 "$work/at_0x60000000" /bin/sh -c 'echo $((6 * 7)); exec /bin/echo end'
		same "exec of itself" $e pentium3 "$work/two" "$work/two"
	done
fi

# What no place is left for says so.
if $CC -O1 -no-pie -DGB=0 -Wl,-Ttext-segment=0x6f0000000000 -mcmodel=large -o "$work/high" "$src/placed.c" 2>"$work/err"; then
	timeout 900 "$SOFTPMU" stat -- "$work/high" >"$work/out" 2>"$work/err"
	[ $? = 125 ] && grep -q 'needs itself' "$work/err" && ok || bad "in the runtime's place: $(head -n 1 "$work/err")"
fi
if has_32_bit && $CC -m32 -O1 -no-pie -DGB=0 -Wl,-Ttext-segment=0x60000000 -o "$work/low" "$src/placed.c" 2>"$work/err"; then
	timeout 900 "$SOFTPMU" stat -- "$work/low" >"$work/out" 2>"$work/err"
	[ $? = 125 ] && grep -q 'needs itself; link it as position independent' "$work/err" && ok || bad "32 bits: $(head -n 1 "$work/err")"
fi
finish
