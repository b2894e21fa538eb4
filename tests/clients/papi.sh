#!/bin/bash
# papi.sh -- Debian's PAPI in 32 bits, its tools and programs that use it, inside softpmu: what they count is what
# `softpmu stat` counts of the same run from outside.
. "$(dirname "$0")/lib.sh"
if ! why=$("$clients/fetch.sh" "$papi" papi); then
	skip "PAPI: $why"
	finish
fi
tools=$root/usr/bin
marks=
if cc32 -shared -fPIC -o "$work/marks.so" "$clients/papi_marks.c" -ldl; then marks="--preload $work/marks.so"
else skip "PAPI from outside: no 32-bit compiler or no headers of Valgrind here: $(head -n 1 "$work/err")"; fi

# region NAME EVENT: what stat counted between the marks
region() { awk -F, -v r="region-$1" -v e="$2" '$1 == r && $4 == e { print $2 }' "$work/outside"; }
told() { sed -n "s/^$1 : *//p" "$work/out"; }

# --- papi_command_line: what PAPI counts between its own system calls begins and ends a little outside the marks
if [ -n "$marks" ]; then
	outside --per-region -e inst_retired,cycles --cpu pentium3 -- $marks "$tools/papi_command_line" PAPI_TOT_INS PAPI_TOT_CYC >"$work/out" 2>&1
	n=$(region instrumentation inst_retired) c=$(region instrumentation cycles)
	within "papi_command_line, PAPI_TOT_INS" "$(told PAPI_TOT_INS)" $n $((n + 3000))
	within "papi_command_line, PAPI_TOT_CYC" "$(told PAPI_TOT_CYC)" $c $((c + 30000))
	[ "${n:-0}" -gt 100000000 ] && ok || bad "papi_command_line: a region of ${n:-nothing} instructions"
fi

# --- papi_avail, papi_native_avail
inside --tier 2 -- "$tools/papi_avail" >"$work/out" 2>&1
grep -q 'Number Hardware Counters : 2' "$work/out" && grep -q '^PAPI_TOT_INS  *0x80000032  Yes' "$work/out" &&
	grep -q '^PAPI_L1_DCM  *0x80000000  Yes' "$work/out" && ok || bad "papi_avail: $(grep -c Yes "$work/out") events"
inside --tier 2 -- "$tools/papi_native_avail" >"$work/out" 2>&1
grep -q INST_RETIRED "$work/out" && ok || bad "papi_native_avail"

# --- papi_cost: RDTSC counts instructions, so the mean costs of 3000 turns more are 3000 turns' instructions from outside
cost() {
	outside -e inst_retired,cycles -- "$tools/papi_cost" -t $1 >"$work/out" 2>&1 || bad "papi_cost: status $?"
	total=$(count_of "$work/outside" inst_retired)
	means=$(awk '/^mean cycles/ { n++; sum += $4 } END { printf "%d\n", sum }' "$work/out")
	n_means=$(grep -c '^mean cycles' "$work/out")
}
cost 1000
few=$total
cost 4000
within "papi_cost, kinds of cost" "$n_means" 6 20
# the turns of a loop also keep their times and look for the least and the most: some hundred instructions a turn and kind
within "papi_cost, a turn" "$(((total - few) / 3000))" $means $((means + 300 * n_means))

# --- programs of our own with the low-level and the high-level interface
if cc32 -o "$work/papi" "$clients/papi.c" -lpapi && cc32 -o "$work/papi_hl" "$clients/papi_hl.c" -lpapi; then
	inside --tier 2 -- "$work/papi" >"$work/out" 2>&1 && ok || bad "program with PAPI: $(head -n 3 "$work/out" | tr '\n' '|')"
	if [ $CHECK_LEVEL = all ]; then
		inside --tier 2 -- "$work/papi" long >"$work/out" 2>&1 && ok || bad "PAPI beyond 2^31: $(head -n 3 "$work/out" | tr '\n' '|')"
	fi
	if [ -n "$marks" ]; then
		outside --per-region -e inst_retired,br_inst_retired -- $marks "$work/papi" once >"$work/out" 2>&1
		n=$(region instrumentation inst_retired) b=$(region instrumentation br_inst_retired)
		within "low-level PAPI, PAPI_TOT_INS" "$(told instructions)" $n $((n + 3000))
		within "low-level PAPI, PAPI_BR_INS" "$(told branches)" $b $((b + 600))
		within "low-level PAPI, the region" "$n" 2000000 2010000
	fi
	export PAPI_EVENTS=PAPI_TOT_INS,PAPI_BR_INS PAPI_OUTPUT_DIRECTORY=$work/hl
	outside --per-region -e inst_retired,br_inst_retired,l2_ld -- $marks "$work/papi_hl" >"$work/out" 2>&1 ||
		bad "high-level PAPI: $(head -n 3 "$work/out" | tr '\n' '|')"
	json=$(find "$work/hl" -type f 2>/dev/null | head -n 1)
	for pair in PAPI_TOT_INS:inst_retired:2000000 PAPI_BR_INS:br_inst_retired:1000000; do
		IFS=: read -r theirs ours least <<<"$pair"
		n=$(sed -n "s/.*\"$theirs\":\"\([0-9]*\)\".*/\1/p" "$json")
		[ -z "$marks" ] || least=$(region collect $ours)
		within "high-level PAPI, $theirs" "$n" $least $((least + 10000))
	done
else
	skip "programs with PAPI: no 32-bit compiler here: $(head -n 1 "$work/err")"
fi
finish
