#!/bin/bash
# library.sh -- libsoftpmu and the backend for hardware counters inside softpmu, where they find the virtual counters: what
# they count must be what softpmu counts from outside, or what the program knows of itself.
. "$(dirname "$0")/../engine/lib.sh"
clients=$PWD/tests/clients
built=$(realpath "$BUILD")
ulimit -c 0
export HOME=$work
run() { timeout 900 "$SOFTPMU" run "$@"; }

# works WHAT COMMAND...: ends with status 0
works() {
	local what=$1
	shift
	if "$@" >"$work/out" 2>&1; then ok; else bad "$what: status $?: $(head -n 3 "$work/out" | tr '\n' '|')"; fi
}

# --- programs with user RDPMC of their own, and with the library; both widths ------------------------------
widths=64
$CC -O1 -Wall -Wextra -o "$work/self64" "$clients/selfmonitor.c" -lpthread || bad "selfmonitor.c does not build"
$CC -O1 -Wall -Wextra -Iinclude -o "$work/library64" "$clients/library.c" "$built/lib/libsoftpmu.a" -lpthread || bad "library.c"
if $CC -m32 -O1 -o "$work/self32" "$clients/selfmonitor.c" -lpthread 2>/dev/null && "$work/self32" nothing 2>/dev/null &&
		make -s -j2 BUILD="$BUILD/m32" CFLAGS=-m32 LDFLAGS=-m32 "$BUILD/m32/lib/libsoftpmu.a" 2>"$work/err" &&
		$CC -m32 -O1 -Iinclude -o "$work/library32" "$clients/library.c" "$BUILD/m32/lib/libsoftpmu.a" -lpthread; then
	widths="64 32"
else
	skip "32 bits: no 32-bit C library or no 32-bit system calls here"
fi
for w in $widths; do
	for way in rust go; do
		works "self-profiling, $way, $w bits" run --tier 2 -- "$work/self$w" $way
		works "self-profiling, $way, $w bits, in time" run --tier 3 -- "$work/self$w" $way late
	done
	# what more steps are by its own readings is what they are from outside
	for n in 001001 101001; do
		timeout 900 "$SOFTPMU" stat -x, -e inst_retired -o "$work/outer$n" "$work/self$w" count $n >"$work/told$n" 2>"$work/err"
	done
	told=$((10#$(cat "$work/told101001") - 10#$(cat "$work/told001001")))
	outer=$(($(count_of "$work/outer101001" inst_retired) - $(count_of "$work/outer001001" inst_retired)))
	# printing more digits takes some more
	[ "$told" = 200000 ] && [ "$outer" -ge 200000 ] && [ "$outer" -le 200060 ] && ok || bad "self-profiling, $w bits: $told, from outside $outer"
	works "library, $w bits" run --tier 2 -- "$work/library$w" exact
	grep -q 'read with RDPMC' "$work/out" && ok || bad "library, $w bits: not with RDPMC"
	inline=$(grep '^1000' "$work/out")
	# how it reads makes no difference to what it counts: the cost of reading is taken off
	for how in --pmu-no-inline --pmu-serial; do
		for tier in 2 3; do
			works "library $how, $w bits, tier $tier" run --tier $tier -- "$work/library$w" exact $how
			[ "${inline%%,*}" = "$(sed 's/,.*//' "$work/out")" ] && ok || bad "$how, tier $tier: $(cat "$work/out"), not $inline"
		done
	done
	works "library, $w bits, in time, not serialised" run --tier 3 -- "$work/library$w" late
	works "100000 readings, $w bits" run --tier 2 -- "$work/library$w" readings
done
# with the shared library nothing is left to be found inside a measurement
for cc in $CC clang; do
	command -v "${cc%% *}" >/dev/null || continue
	$cc -O2 -Iinclude -o "$work/shared" "$clients/library.c" -L"$built/lib" -lsoftpmu -Wl,-z,now -Wl,-rpath,"$built/lib" -lpthread ||
		bad "shared library with $cc"
	works "shared library, $cc" run --tier 2 -- "$work/shared" exact
done
for cpu in pentiumpro pentium2 pentium-mmx; do
	works "library on $cpu" run --cpu $cpu --tier 2 -- "$work/library64" exact
done
# where RDPMC is not allowed, or the processor has none, read(2) counts the same
run --tier 2 --pce 0 -- "$work/library64" exact >"$work/out" 2>&1 && grep -q 'read with read(2)' "$work/out" && ok ||
	bad "--pce 0: $(head -n 3 "$work/out")"
run --cpu pentium --tier 2 -- "$work/library64" exact >"$work/out" 2>&1 && grep -q 'read with read(2)' "$work/out" && ok ||
	bad "a Pentium without RDPMC: $(head -n 3 "$work/out")"
run --tier 2 -- "$work/library64" refuse >"$work/out" 2>&1
[ $? = 3 ] && grep -q 'cannot count it together' "$work/out" && ok || bad "three events on two counters: $(cat "$work/out")"

# --- the examples ------------------------------------------------------------------------------------------
make -s -C examples SOFTPMU="$built" OUT="$work/examples" CC="$CC" || bad "examples"
run --tier 2 -- "$work/examples/regions" --pmu-events inst_retired,l2_ld:m:e --pmu-format json --pmu-output - >"$work/out" 2>&1
sed -n '/^{/,$p' "$work/out" | jq -e '.machine == "pentium3" and .threads[0].read == "rdpmc" and .regions[0].counts[0] > 100000 and
	.regions[0].entries == 3' >/dev/null && ok || bad "regions in JSON: $(head -n 3 "$work/out")"
run --tier 2 -- "$work/examples/span" >"$work/out" 2>&1
grep -qx '0 rounds: 0 instructions' "$work/out" && ok || bad "span: $(cat "$work/out")"
SOFTPMU_FORMAT=json SOFTPMU_OUTPUT="$work/json" run --tier 2 -- "$work/examples/threads" >"$work/out" 2>&1
jq -e '[.threads[].read] == ["rdpmc", "rdpmc", "rdpmc"] and .regions[0].entries == 6 and
	.regions[0].most[0] - .regions[0].least[0] < 100' "$work/json" >/dev/null && ok || bad "threads: $(head -c 600 "$work/json")"

# --- stat --backend hw inside softpmu -------------------------------------------------------------------------
# inner OPTIONS... -- PROGRAM: its lines, from the backend for hardware
inner() { run --tier 2 -- "$SOFTPMU" stat --backend hw -x, -o "$work/inner" "$@" >"$work/out" 2>&1 || bad "inner $*: $(head -n 3 "$work/out")"; }
outer() { timeout 900 "$SOFTPMU" stat -x, -o "$work/outer" "$@" >"$work/out" 2>&1 || bad "outer $*"; }
# equal INNER-EVENT OUTER-EVENT
equal() {
	local i=$(count_of "$work/inner" $1) o=$(count_of "$work/outer" $2)
	case $i in ''|*[!0-9]*) bad "$what: $1 is '$i' inside" ;; *) [ "$i" = "$o" ] && ok || bad "$what: $1 $i inside, $o outside" ;; esac
}
$CC -O1 -o "$work/pages" tests/hw/pages.c || bad "pages.c"
[ "$widths" = 64 ] || $CC -m32 -O1 -o "$work/pages32" tests/hw/pages.c
for program in /bin/true "/usr/bin/seq 1 3000" "$work/pages 50" "$work/pages32 50" "$work/pages 5 3" "/bin/sh -c /bin/echo one;/bin/echo two;true"; do
	[ -x "${program%% *}" ] || continue
	what=$program
	steady_numbers
	case $program in */sh*) set -- /bin/sh -c "${program#*-c }" ;; *) set -- $program ;; esac
	inner -e instructions,branches -- "$@"
	outer -e inst_retired,br_inst_retired -- "$@"
	equal instructions inst_retired
	equal branches br_inst_retired
	# Intel's names and raw codes, on the processor that has them
	inner -e uops_retired,r00c5 -- "$@"
	outer -e uops_retired,0xc5 -- "$@"
	equal uops_retired uops_retired
done
what="children left out"
inner -i -e instructions,branches -- "$work/pages" 5 3
outer -i -e inst_retired,br_inst_retired -- "$work/pages" 5 3
equal instructions inst_retired
what="a Pentium"
run --cpu pentium --tier 2 -- "$SOFTPMU" stat --backend hw -x, -o "$work/inner" -e INSTRUCTIONS_EXECUTED,branches -- /usr/bin/seq 1 500 >"$work/out"
outer --cpu pentium -e INSTRUCTIONS_EXECUTED,branches -- /usr/bin/seq 1 500
equal INSTRUCTIONS_EXECUTED INSTRUCTIONS_EXECUTED

# more events than counters: they take turns, and the share is shown
inner -e instructions,branches,branch-misses,r0045 -- seq 1 3000
[ "$(awk -F, '$5 < 99 && $1 > 0' "$work/inner" | wc -l)" -ge 2 ] && ok || bad "turns: $(tr '\n' '|' <"$work/inner")"
# what the counters do not have, and a group that does not fit them
inner -e instructions,cycles,page-faults -- true
[ "$(grep -c '^<not supported>,,cycles,' "$work/inner")" = 1 ] && grep -q '^[1-9][0-9]*,,page-faults,' "$work/inner" && ok || bad "not supported: $(tr '\n' '|' <"$work/inner")"
run --tier 2 -- "$SOFTPMU" stat --backend hw -e '{instructions,branches,branch-misses}' -- touch "$work/ran" >"$work/out" 2>&1
[ $? = 125 ] && grep -q 'leave the braces out' "$work/out" && [ ! -e "$work/ran" ] && ok || bad "a group too large: $(cat "$work/out")"
run --tier 2 -- "$SOFTPMU" stat --backend auto -e instructions -- true 2>&1 | grep -q "own counters counted" && ok || bad "auto inside"
run --tier 2 -- "$SOFTPMU" doctor | grep -q 'hardware counters.*some' && ok || bad "doctor inside"

finish
