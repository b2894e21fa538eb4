#!/bin/bash
# rdpmc.sh -- programs that read the counters of their processor: values, faults, processes; the same in every tier,
# whatever short cuts are taken.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

widths=64
has_32_bit && widths="64 32" || skip "32-bit programs: this machine does not build them"
for w in $widths; do
	$CC -m$w -O1 -Wall -Wextra -o "$work/rdpmc$w" "$src/rdpmc.c" -lpthread || exit 1
done

# expect TITLE STATUS OUTPUT OPTIONS... : OUTPUT is all that is printed
expect() {
	local title=$1 want=$2 text=$3 rc
	shift 3
	timeout 900 "$SOFTPMU" run "$@" >"$work/out" 2>"$work/err" </dev/null
	rc=$?
	[ $rc = "$want" ] && [ "$(cat "$work/out")" = "$text" ] && ok ||
		bad "$title: status $rc, not $want: $(cat "$work/out" "$work/err" | head -n 3 | tr '\n' '|')"
}

# A counter without an event reads 0, which is said; so is that no counter was left for an event, where a program reads the others.
p=$work/rdpmc64
expect "no events" 0 "0 0" "$p" idle
grep -q 'rdpmc64 read counter 0 by RDPMC, which holds no event' "$work/err" && [ $(wc -l <"$work/err") = 1 ] && ok ||
	bad "no events: $(cat "$work/err")"
expect "one event" 0 "1 0" -e inst_retired "$p" idle
grep -q 'read counter 1 by RDPMC' "$work/err" && ok || bad "one event: $(cat "$work/err")"
expect "two events" 0 "1 1" -e inst_retired,data_mem_refs "$p" idle
[ ! -s "$work/err" ] && ok || bad "two events: $(cat "$work/err")"
expect "four events" 0 "1 1" -e inst_retired,data_mem_refs,l2_ld,l2_st "$p" idle
grep -q 'none was left for l2_ld, l2_st: RDPMC' "$work/err" && ok || bad "four events: $(cat "$work/err")"
expect "four events that nobody reads" 0 "" -e inst_retired,data_mem_refs,l2_ld,l2_st true
[ ! -s "$work/err" ] && ok || bad "four events that nobody reads: $(cat "$work/err")"

# The first event is instructions, in tiers 1, 2 and 3.
events() {
	case $1 in
	pentium-mmx) echo instructions_executed,branches instructions_executed,data_read_miss \
		instructions_executed,pipeline_agi_stalls ;;
	*) echo inst_retired,br_taken_retired inst_retired,l2_rqsts inst_retired,cpu_clk_unhalted ;;
	esac
}

for w in $widths; do
	p=$work/rdpmc$w
	for cpu in pentium-mmx pentiumpro pentium3; do
		for e in $(events $cpu); do
			expect "the published example on $cpu, $w bits, $e" 0 $'plain 4 serial 7, less its own 4\nplain 4 serial 7, less its own 4' \
				--cpu $cpu -e "$e" -- "$p" seed
		done
		expect "faults on $cpu, $w bits" 0 "" --cpu $cpu -e "$e" -- "$p" fault
		expect "fork and thread on $cpu, $w bits" 0 "" --cpu $cpu -e "$e" -- "$p" family
	done
	n=$'plain 7 serial 10\nplain 7 serial 10\nplain 7 serial 10'
	expect "a miss between readings, without time, $w bits" 0 "$n" -e inst_retired -- "$p" miss
	expect "a miss between readings, in order, $w bits" 0 "$n" --cpu pentium-mmx -e "$(events pentium-mmx | cut -d' ' -f3)" -- "$p" miss
	# out of order the second RDPMC reads while the load and what is behind it wait
	expect "a miss between readings, out of order, $w bits" 0 "${n//7/2}" -e inst_retired,cpu_clk_unhalted -- "$p" miss
	# so do operations that retire behind it
	for e in pentium3,x87,flops pentium2,mmx,mmx_instr_ret pentium2,mmx,0xcf pentium3,sse,0xd8 pentium3,sse,0xd9; do
		IFS=, read -r cpu kind e <<<"$e"
		n=$'plain 2 serial 2\nplain 2 serial 2\nplain 2 serial 2'
		expect "$kind behind a miss, without time, $e, $w bits" 0 "$n" --cpu $cpu -e $e -- "$p" retired $kind
		expect "$kind behind a miss, $e, $w bits" 0 "${n//plain 2/plain 0}" --cpu $cpu -e $e,cpu_clk_unhalted -- "$p" retired $kind
	done
	# A load that waits for one that misses is not executed, nor what waits for it; lines come later, and the second is not asked for
	for e in data_mem_refs,2,4 dcu_lines_in,0,2 l2_lines_in,0,2 bus_tran_brd,1,2 fp_comp_ops_exe,0,1; do
		IFS=, read -r e plain serial <<<"$e"
		n="plain N serial $serial"$'\n'"plain N serial $serial"$'\n'"plain N serial $serial"
		expect "loads behind a miss, without time, $e, $w bits" 0 "${n//N/$serial}" -e $e,inst_retired -- "$p" waiting
		expect "loads behind a miss, $e, $w bits" 0 "${n//N/$plain}" -e $e,cpu_clk_unhalted -- "$p" waiting
		expect "the same without kept timings, $e, $w bits" 0 "${n//N/$plain}" --memo off -e $e,cpu_clk_unhalted -- "$p" waiting
	done
	# in instructions exactly; in clocks each add waits for the one before it
	expect "calibrated, instructions, $w bits" 0 "a hundred adds 100" -e inst_retired -- "$p" calibrate
	expect "calibrated, instructions in time, $w bits" 0 "a hundred adds 100" -e inst_retired,cpu_clk_unhalted -- "$p" calibrate
	expect "calibrated, clocks, $w bits" 0 "a hundred adds 100" -e cpu_clk_unhalted -- "$p" calibrate
	expect "calibrated, misses, $w bits" 0 "a hundred adds 0" -e dcu_lines_in -- "$p" calibrate
	for cpu in pentium-mmx pentiumpro pentium3; do
		expect "calibrated, ticks on $cpu, $w bits" 0 "a hundred adds 100" --clock model --cpu $cpu -- "$p" stamp
	done
	expect "two processors, $w bits" 0 own --cpus 2 -e inst_retired,l2_rqsts -- "$p" own
	expect "one processor, $w bits" 0 sum -e inst_retired,l2_rqsts -- "$p" own
	expect "no such instruction on a Pentium, $w bits" 0 "" --cpu pentium -e instructions_executed -- "$p" one 4
	expect "CR4.PCE clear, $w bits" 0 "" --pce 0 -e inst_retired -- "$p" one 11
	expect "CR4.PCE set, $w bits" 0 "" --pce 1 -e inst_retired -- "$p" one 0
	expect "nothing programmed, $w bits" 0 "least 0 most 0" -- "$p" loop 10
done

# walk NAME HOW OPTIONS...: the readings of a program that does a bit of everything
walk() {
	local out=$1 how=$2
	shift 2
	timeout 900 "$SOFTPMU" run "$@" -- "$p" "$how" 2000 >"$work/$out" 2>"$work/err" </dev/null ||
		bad "$how $*: $(cat "$work/err" "$work/$out" | tail -n 1)"
}
same() {
	[ -s "$work/$2" ] && cmp -s "$work/$2" "$work/$3" && ok ||
		bad "$1: $(diff "$work/$2" "$work/$3" | head -n 4 | tr '\n' ' ')"
}
for w in $widths; do
	p=$work/rdpmc$w
	for cpu in pentium-mmx pentium3; do
		tier=0
		for e in $(events $cpu); do
			tier=$((tier + 1))
			walk exact exact --cpu $cpu -e "$e"
			cut -d' ' -f1 "$work/exact" >"$work/exact.$tier"
			same "instructions in tiers 1 and $tier on $cpu, $w bits" exact.1 exact.$tier
			walk one walk --cpu $cpu -e "$e"
			for chaos in 4 16 32 256 512; do
				[ $tier = 3 ] && [ $chaos != 32 ] && [ $chaos != 256 ] && continue # cutting blocks is not free in time
				walk other walk --cpu $cpu -e "$e" --chaos $chaos
				same "tier $tier on $cpu with chaos $chaos, $w bits" one other
			done
		done
		walk other walk --cpu $cpu -e "$e" --memo off
		same "tier 3 on $cpu without kept timings, $w bits" one other
	done
done

# What waits is part of kept timings
for w in $widths; do
	p=$work/rdpmc$w
	for e in data_mem_refs,dcu_lines_in l2_lines_in,fp_comp_ops_exe bus_tran_brd,dcu_miss_outstanding bus_tran_rfo,cpu_clk_unhalted; do
		walk one walk -e "$e" --tier 3
		walk other walk -e "$e" --tier 3 --memo off
		same "$e in time with and without kept timings, $w bits" one other
	done
done

# Behind a CPUID it makes no difference whether the events run in time.
p=$work/rdpmc64
for e in data_mem_refs flops dcu_lines_in; do
	for other in inst_retired cpu_clk_unhalted; do
		walk exact exact -e "$e,$other"
		cut -d' ' -f1 "$work/exact" >"$work/exact.$other"
	done
	same "$e behind CPUID, without time and with it" exact.inst_retired exact.cpu_clk_unhalted
done

# Never backwards between two readings, with CPUID and without, whatever the event counts, two events at a time.
# named CPU COUNTERS: events that count on these (1: the first, 2: the second, 3: either); twins say which
named() {
	"$SOFTPMU" list events --cpu "$1" --json | awk -v only="$2" -F'[ ",:]+' '
		/^    "name":/ { name = $3 } /^    "counters":/ { counters = $3 } /^    "code":/ { code = $3 }
		/"is_modelled": true/ && counters == only { print only == 3 ? name : sprintf("0x%x:c%d", code, only - 1) }'
}
forward() {
	local cpu=$1 how=$2 n=0 pair
	while read -r pair; do
		n=$((n + 1))
		timeout 900 "$SOFTPMU" run --cpu $cpu -e "$pair" -- "$p" $how 200 >"$work/out" 2>&1 </dev/null && ok ||
			bad "$cpu, $pair, $how: $(tail -n 1 "$work/out")"
	done < <(named $cpu 3 | paste -d, - - | sed 's/,$//'; paste -d, <(named $cpu 1) <(named $cpu 2) | sed 's/^,//; s/,$//')
	[ $n -ge 30 ] && ok || bad "only $n pairs of events on $cpu"
}
forward pentium3 walk
if [ "$CHECK_LEVEL" = all ]; then
	forward pentium3 exact
	forward pentium-mmx walk
	forward pentiumpro walk
fi
finish
