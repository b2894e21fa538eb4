#!/bin/bash
# isa.sh -- the instruction-set level that the program sees: as asked, as its ELF notes and Go's build information ask
# and at least v2, never more than the host has; and AVX2 and AVX-512 programs that check themselves.
. "$(dirname "$0")/lib.sh"

host=1
has() { grep -qw "$1" /proc/cpuinfo; }
has sse4_2 && has popcnt && host=2
[ $host = 2 ] && has avx2 && has bmi2 && has fma && host=3
[ $host = 3 ] && has avx512f && has avx512bw && has avx512vl && has avx512dq && has avx512cd && host=4

for p in isa_sse42 isa_avx2 isa_avx512; do
	$CC -O2 -Wall -o "$work/$p" "$src/$p.c" || exit 1
done

# expect TITLE STATUS TEXT OPTIONS... -- PROGRAM
expect() {
	local title=$1 want=$2 text=$3 rc
	shift 3
	timeout 900 "$SOFTPMU" stat -e "$events" "$@" >"$work/out" 2>"$work/err" </dev/null
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

# Without --isa: v2, what a program asks for itself, and "cpu" for 32-bit programs; in processes that it starts, too.
events=inst_retired
level() { expect "$1" 0 "ISA level $2;" "${@:3}"; }
expect "v1, asked for" 3 'v2 is not shown' --isa v1 -- "$work/isa_sse42"
if [ $host -ge 2 ]; then
	expect "the default" 0 'v2 is shown, AVX is not' -- "$work/isa_sse42"
	level "the default, said" v2 -- "$work/isa_sse42"
	level "a script" v2 -- sh -c "$work/isa_sse42"
	$CC -O2 -static -o "$work/static" "$src/isa_sse42.c" && level "a static program" v2 -- "$work/static"
	expect "a child" 0 'v2 is shown, AVX is not' -- sh -c "'$work/isa_sse42'; exit \$?"
else
	expect "a host without v2" 125 'with --isa v1' -- "$work/isa_sse42"
fi
if [ $host -ge 3 ] && $CC -shared -Wl,-z,x86-64-v3 -o "$work/libv3.so" -x c /dev/null 2>"$work/err"; then
	$CC -O2 -o "$work/with_v3" "$src/isa_sse42.c" -Wl,--no-as-needed -L"$work" -lv3
	expect "a child with a library for v3" 0 'AVX is too' -- env LD_LIBRARY_PATH="$work" "$work/with_v3"
	expect "v2 where a library asks for v3" 127 'ISA level is lower' --isa v2 -- env LD_LIBRARY_PATH="$work" "$work/with_v3"
fi
if command -v go >/dev/null && [ $host -ge 3 ]; then
	echo 'package main; func main() { println("go runs") }' >"$work/go.go"
	for v in v2 v3; do
		(cd "$work" && HOME=$work GOFLAGS= GOAMD64=$v go build -o "go_$v" go.go) >"$work/err" 2>&1 || continue
		expect "Go for $v" 0 'go runs' -- "$work/go_$v"
		level "Go for $v, said" $v -- "$work/go_$v"
	done
	expect "Go for v3 under v2" 1 'v3 microarchitecture' --isa v2 -- "$work/go_v3"
else
	skip "Go programs: no go, or x86-64-v$host"
fi
if has_32_bit; then
	$CC -m32 -O2 -o "$work/isa_sse42_32" "$src/isa_sse42.c" 2>"$work/err" &&
		expect "32 bits" 3 'ISA level cpu' -- "$work/isa_sse42_32"
fi

# XSAVE of a program for v3 stores 832 bytes, not 576: 8 lines more, also where a program for v2 started it.
lines() { sed -n "s/^\(.* xsave,\)\{0,1\}\([0-9]*\),,dcu_lines_in.*/\2/p" "$work/counts" | tail -n 1; }
if [ $host -ge 3 ] && bare "$work/xsave" -Wl,-z,x86-64-v3 "$src/isa_xsave.c" && "$work/xsave"; then
	"$SOFTPMU" stat -x, -e dcu_lines_in -o "$work/counts" --isa v2 -- "$work/xsave"
	few=$(lines)
	"$SOFTPMU" stat -x, -e dcu_lines_in -o "$work/counts" -- "$work/xsave"
	more=$(lines)
	[ -n "$few" ] && [ "$more" = $((few + 800)) ] && ok || bad "XSAVE at v3: $more lines, not 800 more than $few"
	"$SOFTPMU" stat -x, -e dcu_lines_in -o "$work/counts" --per-process -- sh -c "'$work/xsave'; '$work/xsave'; exit"
	[ "$(lines)" = "$more" ] && ok || bad "XSAVE at v3, started by a shell: $(lines) lines, not $more"
fi

# A program that ends with a message about its processor: which level it needs, under stat and run, also when a shell started it.
for m in "" -m32; do
	$CC $m -O2 -o "$work/message" "$src/isa_message.c" 2>"$work/err" || continue
	for events in inst_retired inst_retired,dcu_lines_in; do
		for how in write writev stdout; do
			expect "a message by $how $m" 1 "message asked .* may need --isa v3" -- "$work/message" $how
		done
	done
	events=inst_retired
	expect "a message of a child $m" 7 "message asked .* may need --isa v3" -- sh -c "'$work/message' || exit 7"
	[ $host -lt 3 ] || expect "a hint followed $m" 0 "AVX2 is there" --isa v3 -- "$work/message"
	for how in quiet fine; do
		expect "no message: $how $m" $([ $how = quiet ] && echo 1 || echo 0) "" -- "$work/message" $how
		! grep -q "may need" "$work/err" && ok || bad "$how $m: a hint without a reason"
	done
	"$SOFTPMU" run -- "$work/message" >"$work/out" 2>"$work/err"
	[ $? = 1 ] && grep -q "may need --isa v3" "$work/err" && ok || bad "run $m: $(cat "$work/err")"
done

# A host without v2, as QEMU shows one to softpmu; it refuses before a program is started, and where one asks for more.
if command -v qemu-x86_64 >/dev/null; then
	for cpu in kvm64 qemu64; do
		old="qemu-x86_64 -cpu $cpu $SOFTPMU"
		timeout 900 $old stat -- "$work/isa_sse42" >"$work/out" 2>&1
		[ $? = 125 ] && grep -q 'no SSE4.2.*run this one with --isa v1' "$work/out" && ok || bad "$cpu: $(head -n 1 "$work/out")"
		timeout 900 $old doctor 2>&1 | grep -q 'x86-64-v1: 64-bit programs need --isa v1' && ok || bad "$cpu: doctor does not say it"
		timeout 900 $old stat --isa v3 -- "$work/isa_sse42" >"$work/out" 2>&1
		[ $? = 125 ] && grep -q 'newer machine' "$work/out" && ok || bad "$cpu, --isa v3: $(head -n 1 "$work/out")"
		timeout 900 $old stat --isa v1 -- "$work/isa_sse42" >"$work/out" 2>&1 # gets as far as QEMU lets it
		! grep -q 'ISA level' "$work/out" && ok || bad "$cpu, --isa v1: $(head -n 1 "$work/out")"
	done
else
	skip "a host without v2: no qemu-x86_64"
fi
expect "unknown level" 125 'v1' --isa v9 -- "$work/isa_avx2"
finish
