#!/bin/bash
# regions.sh -- stretches that a program names by client requests count the same in every tier and width.
. "$(dirname "$0")/lib.sh"

if ! echo '#include <valgrind/callgrind.h>' | $CC -E - >/dev/null 2>&1; then
	skip "client requests: Valgrind's headers are not installed (package valgrind)"
	finish
fi
widths=64
has_32_bit && widths="64 32" || skip "32-bit programs: this machine does not build them"

# region NAME EVENT: its count; total EVENT: that of the run
region() { awk -F, -v o="region-$1" -v e="$2" '$1 == o && $4 == e { print $2 }' "$work/out"; }
total() { awk -F, -v e="$1" '$(NF == 8 ? 4 : 3) == e && $1 !~ /^region/ { print NF == 8 ? $2 : $1 }' "$work/out"; }
equal() { [ -n "$2" ] && [ "$2" = "$3" ] && ok || bad "$1: $2, not $3"; }
run() { timeout 900 "$SOFTPMU" stat -x, -o "$work/out" "$@" >"$work/said" 2>&1 || bad "$*: $(cat "$work/said")"; }

for w in $widths; do
	$CC -m$w -O1 -w -o "$work/regions$w" "$src/regions.c" || exit 1
	for e in inst_retired inst_retired,l2_rqsts inst_retired,cpu_clk_unhalted; do
		run --per-region -e $e -- "$work/regions$w"
		for r in instrumentation:10000:1 collect:3000:3 "after twenty:20000:1" dump:5000:1; do
			IFS=: read -r name turns times <<<"$r"
			n=$(region "$name" inst_retired)
			# three instructions a turn, and what calls it and makes the request that ends it
			[ "${n:-0}" -ge $((3 * turns)) ] && [ "${n:-0}" -le $((3 * turns + 60 * times)) ] && ok ||
				bad "$w bits, $e: $name counts ${n:-nothing}, not $((3 * turns)) and a little"
		done
		sums="$(region instrumentation inst_retired) $(region collect inst_retired) $(region dump inst_retired)"
		[ $e = inst_retired ] && first=$sums
		equal "$w bits, regions with $e" "$sums" "$first"
		with=$(total "${e##*,}")
		run -e $e -- "$work/regions$w"
		equal "$w bits, ${e##*,} with regions and without" "$with" "$(total "${e##*,}")"
	done
	run --per-region --cpu pentium -e instructions_executed,cycles -- "$work/regions$w"
	with=$(total cycles)
	n=$(region instrumentation instructions_executed)
	[ "${n:-0}" -ge 30000 ] && [ "${n:-0}" -le 30060 ] && ok || bad "$w bits on a Pentium: ${n:-nothing}"
	run --cpu pentium -e instructions_executed,cycles -- "$work/regions$w"
	equal "$w bits, cycles of a Pentium with regions and without" "$with" "$(total cycles)"
done
# A program that was linked with LIKWID's library, whose functions the preloaded ones replace.
for f in Init ThreadInit RegisterRegion StartRegion StopRegion ResetRegion GetRegion Close; do
	echo "int likwid_marker$f(void) { return 7; }"
done >"$work/likwid.c"
$CC -shared -fPIC -o "$work/liblikwid.so" "$work/likwid.c" &&
	$CC -O1 -Wall -o "$work/likwid" "$src/regions_likwid.c" -L"$work" -llikwid -lpthread -Wl,-rpath,"$work" || exit 1
export LD_PRELOAD=$PWD/$BUILD/lib/libsoftpmu-likwid.so
"$work/likwid" alone && ok || bad "LIKWID's markers natively: status $?"
run --per-region -e inst_retired -- "$work/likwid"
unset LD_PRELOAD
for r in outer:12000 inner:21000 long:1200000 short:600000 child:36000 across:9000; do
	n=$(region ${r%:*} inst_retired)
	[ "${n:-0}" -ge ${r#*:} ] && [ "${n:-0}" -le $((${r#*:} + 6000)) ] && ok || bad "LIKWID's ${r%:*}: ${n:-nothing}, not ${r#*:} and a little"
done
equal "LIKWID's cleared region" "$(region cleared inst_retired)" 0

timeout 900 "$SOFTPMU" stat --json --per-region -e inst_retired -o "$work/json" -- "$work/regions64" >/dev/null &&
	grep -q '"name": "after twenty"' "$work/json" && ok || bad "--json has no regions"
finish
