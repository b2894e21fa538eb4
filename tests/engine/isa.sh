#!/bin/bash
# isa.sh -- the instruction-set level that the program sees: as asked, as its ELF notes ask, never more than
# the host has; and AVX2 and AVX-512 programs that check themselves.
. "$(dirname "$0")/lib.sh"

host=1
has() { grep -qw "$1" /proc/cpuinfo; }
has sse4_2 && has popcnt && host=2
[ $host = 2 ] && has avx2 && has bmi2 && has fma && host=3
[ $host = 3 ] && has avx512f && has avx512bw && has avx512vl && has avx512dq && has avx512cd && host=4

for p in isa_avx2 isa_avx512; do
	$CC -O2 -Wall -o "$work/$p" "$src/$p.c" || exit 1
done

# expect TITLE STATUS TEXT OPTIONS... -- PROGRAM
expect() {
	local title=$1 want=$2 text=$3 rc
	shift 3
	timeout 30 "$SOFTPMU" stat -e "$events" "$@" >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	[ $rc = "$want" ] && grep -qE "$text" "$work/out" "$work/err" && ok ||
		bad "$title: status $rc, not $want: $(cat "$work/out" "$work/err" | grep -v '^$' | head -n 2 | tr '\n' '|')"
}

for events in inst_retired inst_retired,data_mem_refs; do
	expect "AVX2 under v1" 3 'not shown' --isa v1 -- "$work/isa_avx2"
	expect "AVX2 under v2" 3 'not shown' $([ $host -ge 2 ] && echo --isa v2 || echo --isa v1) -- "$work/isa_avx2"
	if [ $host -ge 3 ]; then
		expect "AVX2 under v3" 0 'avx2 right' --isa v3 -- "$work/isa_avx2"
		expect "AVX2 under host" 0 'avx2 right' --isa host -- "$work/isa_avx2"
		expect "AVX-512 under v3" 3 'not shown' --isa v3 -- "$work/isa_avx512"
		# The level of the program's own notes, without being asked.
		if $CC -O2 -Wl,-z,x86-64-v3 -o "$work/needs_v3" "$src/isa_avx2.c" 2>/dev/null; then
			expect "AVX2 as the ELF notes ask" 0 'avx2 right' -- "$work/needs_v3"
		fi
	else
		expect "v3 on a host without it is refused" 125 'v3' --isa v3 -- "$work/isa_avx2"
		skip "AVX2: this processor has x86-64-v$host"
	fi
	if [ $host -ge 4 ]; then
		expect "AVX-512 under v4" 0 'avx512 right' --isa v4 -- "$work/isa_avx512"
		expect "AVX-512 under host" 0 'avx512 right' --isa host -- "$work/isa_avx512"
	else
		expect "v4 on a host without it is refused" 125 'v4' --isa v4 -- "$work/isa_avx512"
		skip "AVX-512: this processor has x86-64-v$host"
	fi
done
events=inst_retired
expect "unknown level" 125 'v1' --isa v9 -- "$work/isa_avx2"
finish
