#!/bin/bash
# memo.sh -- whole programs in time: every event has the same count whether timings of blocks are kept or not.
# CPUS: the processors (default those of the P5).
. "$(dirname "$0")/lib.sh"
ulimit -c 0

bare "$work/prog" "$src/static_prog.c" || exit 1
seq 1 700 >"$work/text"
sed 's/^/line /' "$work/text" | rev >"$work/lines"
for p in smc jit sig_basic sig_fault sig_stack; do
	$CC -O1 -o "$work/$p" "$src/programs/$p.c" 2>"$work/cc.err" || rm -f "$work/$p"
done
$CC -O1 -pthread -o "$work/threads" "$src/threads/smp_seen.c" 2>"$work/cc.err" || rm -f "$work/threads"
cd "$work" || exit 1

# counts OUT OPTIONS... -- PROGRAM...: lines "count,event" in OUT
counts() {
	local out=$1
	shift
	timeout 900 "$SOFTPMU" stat --all -x, -o "$out.all" "$@" >"$out.text" 2>"$out.err" </dev/null
	echo "status $?" >"$out"
	grep -v '^#' "$out.all" | cut -d, -f1,3 >>"$out"
	grep -q ',.' "$out" || bad "$*: $(head -n 1 "$out.err")"
}

options=
check() {
	local name=$1 cpu
	shift
	for cpu in ${CPUS:-pentium pentium-mmx}; do
		counts off --memo off $options --cpu "$cpu" -- "$@"
		counts on --memo on $options --cpu "$cpu" -- "$@"
		cmp -s off on && ok || bad "$name on $cpu: $(diff off on | grep '^[<>]' | head -n 4 | tr '\n' ' ')"
	done
}

check sort ./prog sort 25
check strings ./prog strings 12
check calls ./prog calls 8
check x87 ./prog x87 100
check gzip /bin/gzip -c text
check sorting /usr/bin/sort lines
for p in smc jit sig_basic sig_fault sig_stack threads; do
	if [ -x $p ]; then check $p ./$p; else skip "$p: $CC cannot build it here"; fi
done
if [ -x threads ]; then
	options="--cpus 2"
	check "threads on two processors" ./threads
	options=
fi
if [ "$CHECK_LEVEL" = all ]; then
	check true /bin/true
	check awk /usr/bin/awk '{ n[$1 % 7] += length($0) } END { for (k = 0; k < 7; k++) print n[k] }' text
	[ -x /usr/bin/sqlite3 ] && check sqlite3 /usr/bin/sqlite3 :memory: \
		'with recursive c(x) as (select 1 union all select x + 1 from c limit 3000) select sum(x * x) from c'
fi
if has_32_bit; then
	$CC -m32 $BARE -o prog32 "$src/static_prog.c" "$src/start.S" 2>cc.err && check "sort, 32 bit" ./prog32 sort 25 &&
		check "x87, 32 bit" ./prog32 x87 100
	[ -x prog32 ] || skip "static_prog.c: $CC -m32 cannot build it: $(head -n 1 cc.err)"
else
	skip "32-bit programs cannot be built or run here"
fi
if $CC -O1 -mmmx -o mmx -x c - 2>cc.err <<'END'
#include <mmintrin.h>
#include <stdio.h>

int main(void)
{
	__m64 sum = _mm_setzero_si64();
	static short x[512];
	double d = 1;

	for (int i = 0; i < 512; i++)
		x[i] = (short)(i * 37);
	for (int n = 0; n < 60; n++) {
		for (int i = 0; i < 512; i += 4) {
			const __m64 v = *(__m64 *)(void *)(x + i);

			sum = _mm_adds_pi16(sum, _mm_madd_pi16(v, _mm_srai_pi16(v, 2)));
		}
		_mm_empty();
		d = d * 1.01 + n / (d + 1);
	}
	printf("%d %g\n", _mm_cvtsi64_si32(sum), d);
	return 0;
}
END
then
	check "MMX" ./mmx
else
	skip "MMX: $(head -n 1 cc.err)"
fi
finish
