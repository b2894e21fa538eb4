#!/bin/bash
# rings.sh -- what the rings of events hold: no sample is lost, whatever the period (over all events of tiers 1 and 2 and those of tier 3, against
# single-stepping, and with perf); and the records beside samples are those that the machine's own kernel makes.
. "$(dirname "$0")/lib.sh"
widths=64
native_32_bit && $CC -m32 -msse -O1 -w -o "$work/sweep32" "$clients/sweep.c" 2>/dev/null && widths="64 32" ||
	skip "32 bits: no 32-bit C library, or this kernel does not run its programs"

# --- every event, eight periods (sweep.c): a tenth of them, all in make check-all ---------------------------------
$CC -O1 -w -o "$work/sweep64" "$clients/sweep.c" || exit 1
n_swept=0 n_counted=0 # each row of the list takes other events of the ten

# codes CPU: the raw codes of all its events, with the default unit mask and with each bit of it
codes() {
	"$SOFTPMU" list events --cpu $1 --json | jq -r '.[] | .code as $c | .default_umask, (.umasks[].value) | $c + 256 * .' | sort -nu
}

# sweep WIDTH HOW TURNS CPU TIER: events that need more than the tier are not there (ENOENT); all others must be
sweep() {
	local some
	if [ "$CHECK_LEVEL" = all ]; then some=$(codes $4); else some=$(codes $4 | awk -v k=$n_swept 'NR % 10 == k % 10'); fi
	n_swept=$((n_swept + 3))
	timeout 900 "$SOFTPMU" run --counters all --cpu $4 --tier $5 "$work/sweep$1" $2 $3 $some 2>&1 | grep -v -e 'mmap: No such file' -e 'which --tier 2 leaves out' -e 'what it counts is not documented' >"$work/out"
	n_counted=$((n_counted + $(grep -c '^0x[0-9a-f]* [1-9][0-9]* [0-9a-f]*$' "$work/out")))
	! grep -qv '^0x[0-9a-f]* [0-9]* [0-9a-f]*$' "$work/out" && ok ||
		bad "sweep $*: $(grep -v '^0x[0-9a-f]* [0-9]* [0-9a-f]*$' "$work/out" | head -n 3 | tr '\n' '|')"
}
for w in $widths; do
	for cpu in pentium3 pentiumpro pentium-mmx pentium; do
		sweep $w ring 2 $cpu 2
		sweep $w ring 2 $cpu 3
	done
	sweep $w state 1 pentium3 2
	sweep $w state 1 pentium-mmx 2
	[ "$CHECK_LEVEL" != all ] || sweep $w state 1 pentium3 3
done
[ $n_counted -ge $((30 * $(wc -w <<<"$widths"))) ] && ok || bad "sweep: only $n_counted events counted"

# --- a sample of each instruction is what single-stepping finds ---------------------------------------------------
tool oracle || exit 1
$CC -O1 -w -o "$work/each" "$clients/each.c" || exit 1
bare "$work/prog64" "$src/static_prog.c" || exit 1
[ "$widths" = 64 ] || bare "$work/prog32" -m32 -msse -mfpmath=387 "$src/static_prog.c" -lgcc || exit 1
for w in $widths; do
	for program in "sort 20" "strings 8" "calls 6" "interp 100" "x87 40"; do
		"$work/oracle" -o "$work/steps" "$work/prog$w" $program >/dev/null || { bad "each $program, $w bits: oracle"; continue; }
		grep -e '^instructions' -e '^hash' "$work/steps" >"$work/native"
		for how in "--tier 2" "" "--cpu pentium-mmx --tier 2" "--tier 2 --chaos 80"; do
			in_turn $w || continue
			timeout 900 "$SOFTPMU" run $how "$work/each" "$work/prog$w" $program 2>&1 | grep -ae '^instructions' -e '^hash' -e lost >"$work/out"
			cmp -s "$work/native" "$work/out" && ok ||
				bad "each $program, $w bits, $how: $(tr '\n' ' ' <"$work/out"), by steps $(tr '\n' ' ' <"$work/native")"
		done
	done
done

# --- perf record: samples, and what it says is lost, are the count ------------------------------------------------
# recorded PERIOD EVENT OPTIONS-OF-PERF -- OPTIONS-OF-RUN: the sum of periods of a program's samples, and of the lost ones
recorded() {
	local n=$1 event=$2 options=
	shift 2
	while [ "$1" != -- ]; do options="$options $1"; shift; done
	shift
	rm -f "$work/data"
	timeout 900 "$SOFTPMU" run "$@" "$perf" record $options -e $event -c $n -o "$work/data" "$work/prog64" sort 30 >/dev/null 2>&1
	"$perf" script -G -i "$work/data" -F ip 2>/dev/null | awk -v n=$n '{ k++ } END { print n * k }'
	"$perf" report -i "$work/data" --stdio 2>/dev/null | awk -v n=$n '/Total Lost Samples/ { print n * $NF; exit }'
}
# what_came: what is in the file of perf record's, for the sentence of a case that failed
what_came() {
	echo "samples and lost: $(tr '\n' ' ' <"$work/sums"); by place: $("$perf" script -G -i "$work/data" -F comm,ip,sym 2>/dev/null |
		sort | uniq -c | sort -rn | awk '{ $1 = $1; print }' | head -n 40 | tr '\n' '|')"
	"$perf" script -D -i "$work/data" 2>/dev/null | grep -ao 'PERF_RECORD_[A-Z0-9_]*' | sort | uniq -c | awk '{ print $2, $1 }' | tr '\n' ' '
}
# all_of NAME COUNT PERIOD: the sums in $work/sums are COUNT, to a period
all_of() {
	local sum
	sum=$(awk '{ k += $1 } END { print k }' "$work/sums")
	[ "$sum" -ge $(($2 - $3)) ] && [ "$sum" -le $(($2 + $3)) ] && ok || bad "$1: sum of periods: $sum, not $2 to a period of $3; $(what_came)"
}
if perf=$(command -v perf) && "$perf" --version >/dev/null 2>&1; then
	timeout 900 "$SOFTPMU" run "$perf" record -e instructions -c 100000 -o "$work/data" true >"$work/out" 2>&1
	[ "$(grep -vc '^\[ perf record: ' "$work/out")" = 0 ] && ok ||
		bad "perf record says more than it should: $(head -n 3 "$work/out" | tr '\n' '|')"
	[ -z "$("$perf" script -i "$work/data" -F ip 2>/dev/null | grep -i ffffffff8)" ] && ok || bad "perf record: samples in a kernel"
	periods="1 2 3"
	[ "$CHECK_LEVEL" != all ] || periods="1 2 3 5 7 13 17"
	for how in "instructions:u pentium3 2" "instructions:u pentium-mmx 2" "r0c2:u pentium3 2" "instructions:u pentium3 3"; do
		set -- $how
		"$SOFTPMU" stat -x, --cpu $2 -e ${1%:u} -o "$work/stat" "$work/prog64" sort 30 >/dev/null
		count=$(head -n 1 "$work/stat" | cut -d, -f1)
		for n in $periods; do # a ring with room for all
			recorded $n $1 -m 8M -- --cpu $2 --tier $3 >"$work/sums"
			all_of "perf record -c $n -e $how" $count $n
		done
		recorded 5 $1 -m 16M -g -- --cpu $2 --tier $3 >"$work/sums"
		all_of "perf record -g -c 5 -e $how" $count 5
		recorded 1 $1 -m 1 -- --cpu $2 --tier $3 >"$work/out"
		[ "$(awk '{ k += $1 } END { print k }' "$work/out")" -ge $((count - 1)) ] && [ "$(tail -n 1 "$work/out")" -gt 0 ] && ok ||
			bad "perf record -m 1 -c 1 -e $how: $(tr '\n' ' ' <"$work/out")sampled and lost, of $count"
	done
	# Code that a program makes has the names of its map.
	for w in $widths; do
		$CC -m$w -O1 -w -o "$work/jitted$w" "$clients/jitted.c" || exit 1
		map=$(timeout 900 "$SOFTPMU" run --tier 2 "$perf" record -e instructions:u -c 997 -o "$work/data" "$work/jitted$w" 400000 2>/dev/null)
		samples "$perf" "$work/data" ip,sym >"$work/samples"
		rm -f "/tmp/perf-$map.map"
		within "perf record, made code, $w bits: percent in the second function" "$(part made_second <"$work/samples")" 60 80
		within "perf record, made code, $w bits: percent in the first function" "$(part made_first <"$work/samples")" 18 27
	done
else
	skip "perf record: no perf here"
fi

# --- mappings, processes and names: as the kernel says them ------------------------------------------------------
for w in $widths; do
	$CC -m$w -O1 -w -o "$work/sideband$w" "$clients/sideband.c" -lpthread || exit 1
	for data in "" data; do
		"$work/sideband$w" $data >"$work/native" 2>&1
		case $? in 0) ok ;; 3) skip "records beside samples, $w bits: $(head -n 1 "$work/native")"; continue ;; *) bad "sideband $data, natively, $w bits: status $?" ;; esac
		for how in "" "--tier 2 --chaos 80" "--cpu pentium-mmx --tier 3"; do
			in_turn $w || continue
			timeout 900 "$SOFTPMU" run $how "$work/sideband$w" $data >"$work/out" 2>&1
			cmp -s "$work/native" "$work/out" && ok || bad "sideband $data, $w bits, $how: $(diff "$work/native" "$work/out" | head -n 4 | tr '\n' '|')"
		done
	done
done
finish
